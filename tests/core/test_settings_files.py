"""The shapes of state.json and models.json: reading, refusing, changing (contract, section 2.1)."""

from __future__ import annotations

import json
import re
import traceback
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.errors import SettingsError
from smolpaws_jupyter.core.policies.no_op import NoOpSettings
from smolpaws_jupyter.core.profile_choice import Catalogue, main_profile, summary_profile
from smolpaws_jupyter.core.profiles import LLMProfile
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.core.settings_files import (
    parse_object,
    read_models,
    read_state,
    to_text,
    unknown_keys,
    with_agent_settings,
    with_profile,
    with_role,
)

CANARY = "sk-canary-0123456789abcdef"


@pytest.fixture
def examples(root: Path) -> tuple[str, str]:
    """The two example files of the contract, section 2.1, as they stand there."""
    blocks = re.findall(r"```json\n(.*?)```", (root / "docs" / "contract.md").read_text("utf-8"), re.DOTALL)
    return blocks[0], blocks[1]


# Reading


def test_t_set_12_the_contracts_own_examples_validate_unchanged_and_select_main_and_summary(examples: tuple[str, str]):
    """T-SET-12: R-SET-1, R-SET-2, R-STR-6, R-STR-8."""
    state, models = read_state(examples[0]), read_models(examples[1])
    settings = state.settings.agent_settings
    catalogue = Catalogue(state.profiles, models)

    assert settings is not None
    assert unknown_keys(settings) == ()
    assert json.loads(settings.model_dump_json()) == json.loads(examples[0])["settings"]["agent_settings"]
    assert main_profile(settings, catalogue) == ("main", state.profiles["main"])
    assert summary_profile(settings, catalogue) == ("summary", state.profiles["summary"])
    assert state.profiles["main"].max_input_tokens == 400_000
    assert models.scopes == {"notebooks/report.ipynb": {"main": "main"}}


@pytest.mark.parametrize("text", ["{}", '{"settings": {}}', '{"settings": {"agent_settings": null, "theirs": 1}}'])
def test_r_set_32_a_file_may_say_nothing_about_the_agent(text: str):
    """R-SET-32: only then does the front door write a condenser of its own."""
    assert read_state(text).settings.agent_settings is None


def test_t_set_24_settings_of_a_file_without_a_condenser_are_taken_as_they_are():
    """T-SET-24, the file's part: R-SET-7, R-SET-32."""
    settings = read_state('{"settings": {"agent_settings": {}}}').settings.agent_settings

    assert settings is not None
    assert settings == AgentSettings()
    assert settings.effective_condenser == NoOpSettings()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"settings": 5}', "settings"),
        ('{"settings": {"agent_settings": []}}', "settings.agent_settings"),
        (
            '{"settings": {"agent_settings": {"condenser": {"max_size": 1}}}}',
            "settings.agent_settings.condenser.max_size",
        ),
        ('{"llmProfiles": []}', "llmProfiles"),
        ('{"llmProfiles": {"main": "x"}}', "llmProfiles.main"),
        ('{"llmProfiles": {"main": {"model": "x", "maxInputTokens": 0}}}', "llmProfiles.main.maxInputTokens"),
        ('{"llmProfiles": {" ": {"model": "x"}}}', "llmProfiles"),
        ('{"llmProfiles": {"main": {"model": "x"}, " main": {"model": "y"}}}', "llmProfiles"),
    ],
)
def test_r_pyd_6_an_error_in_state_json_names_the_file_and_the_path(text: str, path: str):
    """R-PYD-6, R-PROF-1."""
    with pytest.raises(SettingsError) as caught:
        read_state(text, source="/home/me/.smolpaws/state.json")

    assert caught.value.path == path
    assert str(caught.value).startswith(f"/home/me/.smolpaws/state.json: {path}: expected ")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"roles": []}', "roles"),
        ('{"roles": {"main": null}}', "roles.main"),
        ('{"roles": {"main": ["a"]}}', "roles.main"),
        ('{"scopes": {"a": "main"}}', "scopes.a"),
        ('{"scopes": {"a": {"main": 5}}}', "scopes.a.main"),
        ('{"scopes": {"": {"main": "x"}}}', "scopes"),
    ],
)
def test_r_set_2_models_json_maps_names_to_names(text: str, path: str):
    """R-SET-2."""
    with pytest.raises(SettingsError) as caught:
        read_models(text)

    assert caught.value.path == path


def test_r_set_2_names_in_models_json_are_not_checked_when_the_file_is_read():
    """R-SET-2."""
    models = read_models('{"roles": {"main": "nowhere", "judge": ""}, "scopes": {" a ": {}}, "theirs": 1}')

    assert models.roles == {"main": "nowhere", "judge": ""}
    assert models.scopes == {" a ": {}}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f'{{"a": "{CANARY}", "a": "{CANARY}2"}}', "a: expected this key once"),
        (f'{{"llmProfiles": {{"main": {{"model": "{CANARY}", "model": "y"}}}}}}', "model: expected this key once"),
        (f'{{"a": [{{"b": "{CANARY}", "b": null}}]}}', "b: expected this key once"),
        (f'{{"a": "{CANARY}"', "line 1, column 35: expected JSON"),
        (f'\n{{"a": "{CANARY}" "b"}}', "line 2, column 36: expected JSON"),
        (f'["{CANARY}"]', "expected a JSON object"),
        (f'"{CANARY}"', "expected a JSON object"),
        ("", "expected JSON"),
        (f'{{"a": "{CANARY}", "b": NaN}}', "no NaN"),
        ('{"a": -Infinity}', "no NaN and no Infinity"),
        ('{"a": 1e999}', "numbers that a computer can hold"),
        ('{"a": ' + "9" * 5000 + "}", "of a reasonable size"),
        ('{"a": ' * 100_000, "of a reasonable size"),
    ],
)
def test_t_set_22_a_file_with_a_duplicate_key_or_no_json_is_refused_without_its_values(text: str, told: str):
    """T-SET-22: R-PYD-5, R-PYD-6, I-40."""
    with pytest.raises(SettingsError) as caught:
        parse_object(text, source="state.json")

    assert str(caught.value).startswith("state.json: ")
    assert told in str(caught.value)
    everything = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value))
    assert CANARY not in everything
    assert caught.value.__context__ is None


def test_t_set_22_one_key_in_two_objects_is_no_duplicate():
    """T-SET-22: R-PYD-5."""
    assert parse_object('{"a": {"x": 1}, "b": {"x": 1}}', source="") == {"a": {"x": 1}, "b": {"x": 1}}


# Unknown keys


def test_t_set_18_a_mistyped_key_is_reported_with_the_closest_name_and_kept_on_writing():
    """T-SET-18: R-SET-4, R-SET-5."""
    raw = {"settings": {"agent_settings": {"hard_condensr": {"x": 1}, "zzz": 2}}}
    settings = read_state(json.dumps(raw)).settings.agent_settings

    assert settings is not None
    slip, foreign = unknown_keys(settings)
    assert slip == ("hard_condensr", "hard_condenser")
    assert str(slip) == (
        "agent_settings has an unknown key 'hard_condensr', which does nothing; did you mean 'hard_condenser'?"
    )
    assert foreign == ("zzz", None)
    assert str(foreign) == "agent_settings has an unknown key 'zzz', which does nothing"
    assert with_agent_settings(raw, settings) == raw
    assert with_agent_settings(raw, {"max_http_requests": 2})["settings"]["agent_settings"]["hard_condensr"] == {"x": 1}


# Changing


SHARED: dict[str, Any] = {
    "version": 3,
    "settings": {
        "theme": "dark",
        "agent_settings": {"condenser": {"condenser_kind": "agent_reset"}, "theirs": [1], "max_http_requests": 5},
    },
    "llmProfiles": {"main": {"model": "vendor/large", "theirs": {"a": 1}, "maxInputTokens": 5}},
}


def test_t_set_08_a_changed_condenser_leaves_every_other_option_alone():
    """T-SET-08: R-SET-4, R-SET-30."""
    before = json.loads(json.dumps(SHARED))
    change = AgentSettings.model_validate({"condenser": {"condenser_kind": "noop"}})

    after = with_agent_settings(SHARED, change)

    assert before == SHARED
    before["settings"]["agent_settings"]["condenser"] = {"condenser_kind": "no_op"}
    assert after == before
    assert list(after) == list(before)


def test_r_set_4_null_takes_an_option_away_and_a_contradiction_is_refused():
    """R-SET-4, R-SET-23."""
    with pytest.raises(SettingsError) as caught:
        with_agent_settings(
            with_agent_settings(
                SHARED, {"hard_condenser": {"condenser_kind": "llm_summarizing", "llm_profile_ref": "main"}}
            ),
            {"condenser": {"condenser_kind": "no_op"}},
        )
    assert caught.value.path == "settings.agent_settings.hard_condenser"

    mended = with_agent_settings(SHARED, {"condenser": None})
    assert mended["settings"]["agent_settings"]["condenser"] is None


def test_r_set_4_settings_are_written_where_there_were_none():
    """R-SET-4."""
    assert with_agent_settings({}, AgentSettings(max_http_requests=1)) == {
        "settings": {"agent_settings": {"max_http_requests": 1}}
    }
    assert with_profile({}, " main ", LLMProfile(model="practice")) == {"llmProfiles": {"main": {"model": "practice"}}}
    assert with_role({}, "main", " summary ") == {"roles": {"main": "summary"}}
    assert with_role({}, "main", "summary", scope="a") == {"scopes": {"a": {"main": "summary"}}}


def test_r_prof_1_a_saved_profile_replaces_ours_and_keeps_what_is_not_ours():
    """R-PROF-1, R-SET-4."""
    padded = {**SHARED, "llmProfiles": {" main": SHARED["llmProfiles"]["main"], "other": {"model": "x"}}}

    after = with_profile(padded, "main", LLMProfile(model="vendor/small", base_url="http://localhost"))

    assert after == {
        **padded,
        "llmProfiles": {
            " main": {"theirs": {"a": 1}, "model": "vendor/small", "baseUrl": "http://localhost"},
            "other": {"model": "x"},
        },
    }


def test_r_set_2_a_role_is_changed_alone():
    """R-SET-2, R-SET-4."""
    models = {"roles": {"main": "a", "condenser": "b"}, "scopes": {"s": {"main": "c"}, "t": {}}, "theirs": 1}

    assert with_role(models, "main", "d") == {**models, "roles": {"main": "d", "condenser": "b"}}
    assert with_role(models, "condenser", "d", scope="s") == {
        **models,
        "scopes": {"s": {"main": "c", "condenser": "d"}, "t": {}},
    }


@pytest.mark.parametrize(
    "change",
    [
        lambda: with_agent_settings({"settings": []}, {}),
        lambda: with_agent_settings({"settings": {"agent_settings": 5}}, {}),
        lambda: with_agent_settings({}, {"max_http_requests": 0}),
        lambda: with_profile({"llmProfiles": "x"}, "main", LLMProfile(model="practice")),
        lambda: with_profile({"llmProfiles": {"main": 5}}, "main", LLMProfile(model="practice")),
        lambda: with_profile({}, "  ", LLMProfile(model="practice")),
        lambda: with_role({"roles": 1}, "main", "x"),
        lambda: with_role({}, "", "x"),
        lambda: with_role({}, "main", " "),
        lambda: with_role({}, "main", "x", scope=""),
    ],
)
def test_r_set_4_a_change_that_cannot_be_made_is_refused(change: Any):
    """R-SET-4, R-PROF-1."""
    with pytest.raises(SettingsError):
        change()


any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), any_json, max_size=4))
def test_r_set_4_any_object_survives_text(value: dict[str, Any]):
    """R-SET-4: what other programs keep in the files comes back as it was."""
    assert parse_object(to_text(value), source="") == value


def test_r_set_4_letters_stay_readable_and_broken_text_survives():
    """R-SET-4, R-EV-4."""
    assert "Заметки" in to_text({"a": "Заметки"})
    broken = {"a": "Заметки \ud83d"}
    assert parse_object(to_text(broken).encode().decode(), source="") == broken
