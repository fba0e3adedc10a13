"""Profiles, which never hold a key, and the bindings that conversations keep of them (contract, 2.6 and 23)."""

from __future__ import annotations

import json
import math
import traceback
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from smolpaws_jupyter.core.errors import SettingsError
from smolpaws_jupyter.core.profile_choice import profiles_of
from smolpaws_jupyter.core.profiles import (
    Binding,
    LLMProfile,
    bind,
    is_local,
    is_loopback,
    is_practice,
    needs_no_key,
    provider_of,
)

CANARY = "sk-canary-0123456789abcdef"


def profile(**given: Any) -> LLMProfile:
    return profiles_of({"main": {"model": "vendor/large", **given}})["main"]


def refusal_of(**given: Any) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        profile(**given)
    return caught.value


def written(value: LLMProfile | Binding) -> Any:
    return json.loads(value.model_dump_json())


@pytest.mark.parametrize("value", [0, -1, 1.5, 400000.0, "400000", True, math.nan, math.inf, []])
@pytest.mark.parametrize("field", ["maxInputTokens", "maxOutputTokens"])
def test_t_prof_01_a_limit_that_is_no_positive_whole_number_is_refused_naming_the_profile(field: str, value: Any):
    """T-PROF-01: R-PROF-2, R-BUD-2."""
    assert refusal_of(**{field: value}).path == f"llmProfiles.main.{field}"


@pytest.mark.parametrize(
    ("given_", "path"),
    [
        ({"apiKey": CANARY}, "apiKey"),
        ({"api_key": CANARY}, "api_key"),
        ({"API-KEY": "anything"}, "API-KEY"),
        ({"token": "anything"}, "token"),
        ({"deep": {"clientSecret": "anything"}}, "deep.clientSecret"),
        ({"note": f"use {CANARY}"}, "note"),
        ({"apiKeyRef": CANARY}, "apiKeyRef"),
        ({"apiKeyRef": f"env:{CANARY}"}, "apiKeyRef"),
        ({"params": {"api_key": CANARY}}, "params.api_key"),
        ({"params": {"extra_headers": {"Authorization": CANARY}}}, "params.extra_headers.Authorization"),
        ({"params": {"extra_headers": {"X": f"Bearer {CANARY}"}}}, "params.extra_headers.X"),
        ({"params": {"headers": {"x-api-key": [CANARY]}}}, "params.headers.x-api-key[0]"),
        ({"params": {"list": [{"aws_secret_access_key": CANARY}]}}, "params.list[0].aws_secret_access_key"),
        ({"params": {"proxy": f"http://me:{CANARY}@proxy"}}, "params.proxy"),
        ({"params": {"pem": f"-----BEGIN RSA PRIVATE KEY-----\n{CANARY}"}}, "params.pem"),
        ({"baseUrl": f"https://me:{CANARY}@host/v1"}, "baseUrl"),
        ({"baseUrl": f"https://{CANARY}@host/v1"}, "baseUrl"),
        ({"baseUrl": f"https://host/v1?key={CANARY}"}, "baseUrl"),
        ({"baseUrl": f"https://host/v1#{CANARY}"}, "baseUrl"),
        ({"maxInputTokens": CANARY}, "maxInputTokens"),
        ({"model": [CANARY]}, "model"),
        ({"params": CANARY}, "params"),
    ],
)
def test_t_prof_02_a_literal_key_is_refused_and_repeated_nowhere(given_: dict[str, Any], path: str):
    """T-PROF-02, O35: R-PROF-4, R-PROF-5, R-PYD-6."""
    error = refusal_of(**given_)

    assert error.path == f"llmProfiles.main.{path}"
    everything = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))
    assert CANARY not in everything
    with pytest.raises(ValidationError) as caught:
        LLMProfile(**{"model": "vendor/large", **given_})
    assert CANARY not in str(caught.value)


def test_t_prof_02_the_refusal_says_where_a_key_may_stand():
    """T-PROF-02, O35: R-PROF-4."""
    error = refusal_of(api_key=CANARY)

    assert "apiKeyRef" in str(error)
    assert error.allowed == ("env:NAME", "keyring:SERVICE/USER", "prompt")


@pytest.mark.parametrize(
    "params",
    [
        {"temperature": 0.2, "stop": ["token", "secret"], "max_tokens_to_sample": 5},
        {"response_format": {"schema": {"properties": {"password": {"type": "string"}}}}},
        {"thinking": {"type": "enabled", "budget_tokens": 1024}, "api_version": "2024-10-21"},
        {"note": "Bearer of news, a basic desk-organiser-with-a-long-name", "tokenizer": "cl100k_base"},
        {"window": 8000, "api_key": None, "url": "https://host:8000/a@b"},
    ],
)
def test_r_prof_4_ordinary_options_are_no_secrets(params: dict[str, Any]):
    """R-PROF-1, R-PROF-4."""
    assert profile(params=params).params == params


@pytest.mark.parametrize(
    ("option", "field"),
    [("model", "model"), ("api_base", "baseUrl"), ("base_url", "baseUrl"), ("max_tokens", "maxOutputTokens")],
)
def test_r_bind_3_an_option_with_a_field_of_its_own_is_not_hidden_in_params(option: str, field: str):
    """R-BIND-3, R-EMERG-7: another address or output limit there would escape the digest and the budget."""
    error = refusal_of(params={option: "x"})

    assert error.path == f"llmProfiles.main.params.{option}"
    assert repr(field) in error.expected


@pytest.mark.parametrize("reference", ["env:VENDOR_KEY", "env:A+B", "keyring:vendor/me", "keyring:a b/c/d", "prompt"])
def test_r_prof_4_these_are_references(reference: str):
    """R-PROF-4, R-PROF-6."""
    assert profile(apiKeyRef=reference).api_key_ref == reference


@pytest.mark.parametrize(
    "reference",
    ["", "env:", "env:1A", "env:A-B", "env:A+", " env:A", "env:A\n", "keyring:", "keyring:a", "keyring:a/",
     "keyring:/b", "Prompt", "file:/x", "VENDOR_KEY", 5, True, []],
)  # fmt: skip
def test_r_prof_4_anything_else_is_no_reference(reference: Any):
    """R-PROF-4."""
    assert refusal_of(apiKeyRef=reference).path == "llmProfiles.main.apiKeyRef"


@pytest.mark.parametrize(
    "url",
    ["", "host", "ftp://host", "http://", "http:///v1", "http://h o/v1", "http://h?", "http://h#", "http://h\\@evil",
     "http://h/v1\n", "http://h:port/", "javascript:x", 5, []],
)  # fmt: skip
def test_r_prof_5_a_base_url_is_a_plain_web_address(url: Any):
    """R-PROF-5."""
    assert refusal_of(baseUrl=url).path == "llmProfiles.main.baseUrl"


@pytest.mark.parametrize("given_", [{"model": ""}, {"model": " \t"}, {"model": None}, {"model": 5}])
def test_r_prof_1_a_model_is_required(given_: dict[str, Any]):
    """R-PROF-1."""
    assert refusal_of(**given_).path == "llmProfiles.main.model"
    with pytest.raises(SettingsError, match=r"llmProfiles\.main\.model: expected a value, and there is none"):
        profiles_of({"main": {}})


def test_t_prof_03_an_unknown_key_is_kept():
    """T-PROF-03: R-PROF-1."""
    kept = profile(theirs={"a": [1, None]}, baseURL="typo")

    assert written(kept) == {"model": "vendor/large", "theirs": {"a": [1, None]}, "baseURL": "typo"}


def test_r_prof_1_a_profile_is_snake_case_in_python_and_camel_case_in_the_file():
    """R-PROF-1."""
    made = LLMProfile(model=" vendor/large ", max_input_tokens=400_000, api_key_ref="env:VENDOR_KEY")
    read = profile(maxInputTokens=400_000, apiKeyRef="env:VENDOR_KEY")

    assert made == read
    assert written(made) == {"model": "vendor/large", "maxInputTokens": 400_000, "apiKeyRef": "env:VENDOR_KEY"}
    with pytest.raises(SettingsError, match="'maxInputTokens' and 'max_input_tokens'"):
        profile(maxInputTokens=1, max_input_tokens=2)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text("ab Ж"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), inner),
    max_leaves=5,
)
lawful_profiles = st.fixed_dictionaries(
    {"model": st.sampled_from(["practice", "vendor/large", "local:/a b.gguf"])},
    optional={
        "baseUrl": st.none() | st.sampled_from(["http://127.0.0.1:8000/v1", "https://host"]),
        "maxInputTokens": st.none() | st.integers(1),
        "maxOutputTokens": st.none() | st.integers(1),
        "apiKeyRef": st.none() | st.sampled_from(["env:A", "prompt"]),
        "params": st.none() | st.dictionaries(st.sampled_from(["temperature", "window"]), json_values),
        "theirs": json_values,
    },
)


@given(lawful_profiles)
def test_r_prof_1_profiles_are_written_as_they_were_given(raw: dict[str, Any]):
    """R-PROF-1, R-SET-30."""
    once = profiles_of({"main": raw})["main"]

    assert written(once) == raw
    assert LLMProfile.model_validate_json(once.model_dump_json()) == once


@given(lawful_profiles)
def test_r_ev_11_bindings_have_every_field_and_survive_json(raw: dict[str, Any]):
    """R-BIND-3, R-EV-11, T-EV-05 (the binding's part)."""
    binding = bind("main", profiles_of({"main": raw})["main"])

    assert set(written(binding)) == {
        "profile", "model", "base_url", "max_input_tokens", "max_output_tokens", "params", "api_key_ref", "digest"
    }  # fmt: skip
    assert Binding.model_validate_json(binding.model_dump_json()) == binding
    assert Binding.model_validate(written(binding)) == binding


def test_r_bind_3_a_binding_is_null_where_the_profile_says_nothing():
    """R-BIND-3."""
    binding = bind(" main ", profile(maxInputTokens=5, params={"temperature": 0.2}))

    assert binding == Binding(
        profile="main", model="vendor/large", max_input_tokens=5, params={"temperature": 0.2}, digest=binding.digest
    )
    assert binding.base_url is None
    assert binding.max_output_tokens is None
    assert binding.api_key_ref is None


def test_r_bind_1_a_binding_does_not_follow_a_profile_that_is_changed_later():
    """R-BIND-1, R-BIND-5."""
    params = {"extra": {"top_k": 5}}
    saved = profile(params=params)
    binding = bind("main", saved)

    assert saved.params is not None
    saved.params["extra"]["top_k"] = 6  # type: ignore[index, call-overload]
    params["extra"]["top_k"] = 7

    assert binding.params == {"extra": {"top_k": 5}}


def test_t_prof_05_the_providers_variable_is_recorded_unless_no_key_is_needed():
    """T-PROF-05, as far as it needs no provider table: R-PROF-6, R-BIND-4."""
    default = "env:VENDOR_KEY"

    assert bind("main", profile(), api_key_ref=default).api_key_ref == default
    assert bind("main", profile(), api_key_ref="env:A+B").api_key_ref == "env:A+B"
    assert bind("main", profile(apiKeyRef="prompt"), api_key_ref=default).api_key_ref == "prompt"
    for needless in [{"model": "practice/late"}, {"model": "local:/m.gguf"}, {"baseUrl": "http://localhost:8000/v1"}]:
        assert bind("main", profile(**needless), api_key_ref=default).api_key_ref is None
    own = profile(baseUrl="http://localhost:8000", apiKeyRef="env:MINE")
    assert bind("main", own, api_key_ref=default).api_key_ref == "env:MINE"


def test_t_bind_05_the_digest_covers_name_model_and_base_url_only():
    """T-BIND-05: R-BIND-3, R-BUD-7."""
    plain = bind("main", profile()).digest

    for same in [
        bind("main", profile(apiKeyRef="env:OTHER")),
        bind("main", profile(), api_key_ref="env:OTHER"),
        bind("main", profile(maxInputTokens=5, maxOutputTokens=6, params={"temperature": 1}, theirs=1)),
        bind("  main", profile()),
    ]:
        assert same.digest == plain
    others = [
        bind("other", profile()),
        bind("main", profile(model="vendor/small")),
        bind("main", profile(model="other/large")),
        bind("main", profile(model="large")),
        bind("main", profile(baseUrl="http://host")),
        bind("main", profile(baseUrl="http://host/v1")),
    ]
    assert len({plain, *(other.digest for other in others)}) == len(others) + 1
    assert len(plain) == 64
    assert set(plain) <= set("0123456789abcdef")


def test_t_bind_05_a_digest_is_the_same_in_every_process():
    """T-BIND-05: a log that is reopened elsewhere has to recognise its own binding."""
    pinned = "bcdb44a45c99ece841418393daef976eb2f0104556fbe9a03a4b16a682b89086"

    assert bind("main", profile(baseUrl="https://host/v1")).digest == pinned


@pytest.mark.parametrize("name", ["", "  "])
def test_r_prof_1_a_binding_has_a_name(name: str):
    """R-PROF-1."""
    with pytest.raises(ValidationError):
        bind(name, profile())


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost", True),
        ("HTTP://LocalHost.:8000/v1", True),
        ("http://models.localhost/v1", True),
        ("http://127.0.0.1:11434", True),
        ("https://127.9.9.9/", True),
        ("http://[::1]:8000/v1", True),
        ("http://[::ffff:127.0.0.1]", True),
        ("http://0.0.0.0:8000", False),
        ("http://10.0.0.1", False),
        ("http://localhost.example", False),
        ("http://127.0.0.1.example", False),
        ("http://localhost@example", False),
        ("https://example/localhost", False),
        ("localhost", False),
    ],
)
def test_r_prof_6_loopback_is_this_machine_and_nothing_else(url: str, here: bool):
    """R-PROF-6."""
    assert is_loopback(url) is here
    assert needs_no_key("vendor/large", url) is here


@pytest.mark.parametrize(
    ("model", "provider", "keyless"),
    [
        ("practice", "", True),
        ("practice/late", "practice", True),
        ("local:/models/a.gguf", "local:", True),
        ("practice-makes/perfect", "practice-makes", False),
        ("vendor/practice", "vendor", False),
        ("gpt", "", False),
        ("a/b/c", "a", False),
    ],
)
def test_r_prof_6_models_on_this_machine_need_no_key(model: str, provider: str, keyless: bool):
    """R-PROF-6."""
    assert provider_of(model) == provider
    assert needs_no_key(model) is keyless
    assert (is_practice(model) or is_local(model)) is keyless
