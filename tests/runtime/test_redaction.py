"""No key gets through the redactor, whole, encoded, or in pieces (R-SEC-2, I-39, T-SEC-01)."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.runtime.redaction import HIDDEN, Redactor, StreamRedactor, is_secret_name

CANARY = "canary/7f3a+9c2e:Zq=41"


@pytest.mark.parametrize(
    "text",
    [
        f"Incorrect API key provided: {CANARY}.",
        f"https://host/v1?x=1&k={quote(CANARY, safe='')}",
        f"https://host/v1?k={quote_plus(CANARY)}",
        json.dumps({"key": CANARY}),
        base64.b64encode(CANARY.encode()).decode(),
        base64.b64encode(f"user:{CANARY}".encode()).decode(),
        base64.b64encode(f"ab{CANARY}cd".encode()).decode(),
        base64.b64encode(f"a{CANARY}cde".encode()).decode(),
        base64.urlsafe_b64encode(f"Bearer {CANARY}".encode()).decode(),
        f"Traceback: ValueError({CANARY!r})",
    ],
)
def test_a_known_secret_is_found_in_every_form(text: str):
    redacted = Redactor([CANARY]).redact(text)
    assert CANARY not in redacted
    assert HIDDEN in redacted


@pytest.mark.parametrize(
    "key",
    [
        "sk-EXAMPLE-0123456789",
        "sk-proj-abcDEF0123456789abcDEF",
        "sk-ant-api03-abcDEF0123456789-_abc",
        "AIzaSyA0123456789abcdefghijklmnopqrstuv",
        "ghp_0123456789abcdefABCDEF0123456789abcd",
        "github_pat_11ABCDEFG0123456789_abcdefghijklmnop",
        "AKIAIOSFODNN7EXAMPLE",
        "xoxb-123456789012-abcdefABCDEF",
        "hf_abcdefghijklmnop0123456789",
        "gsk_abcdefghijklmnop0123456789",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    ],
)
@pytest.mark.parametrize("frame", ["{}", "key={}, ok", '{{"key": "{}"}}', "({})", "it is {}."])
def test_common_shapes_are_found_without_being_known(key: str, frame: str):
    assert key not in Redactor().redact(frame.format(key))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Authorization: Bearer abc123def456ghi", f"Authorization: Bearer {HIDDEN}"),
        ("x-api-key: 0123456789abcdef", f"x-api-key: {HIDDEN}"),
        ("https://me:secret@host/x", f"https://{HIDDEN}@host/x"),
        ("https://host/x?key=abc&y=1", f"https://host/x?key={HIDDEN}&y=1"),
        ("https://host/x?a=1&access_token=t0k#f", f"https://host/x?a=1&access_token={HIDDEN}"),
        ("-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\nrest", f"{HIDDEN}\nrest"),
    ],
)
def test_what_stands_around_a_secret_stays(text: str, expected: str):
    assert Redactor().redact(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "import sklearn; from sk-learn-contrib import something-very-long-here",
        "the bearer of this letter, the basic idea",
        "keyboard, monkey.csv, token count, https://host/path?page=2",
        "risk-aversion-parameters-2024-final",
        "mailto:someone@example.org",
        "a ghost, ASIA, hf_hub",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str):
    assert Redactor().redact(text) is text


def test_short_values_are_not_hidden_since_they_are_ordinary_words():
    assert Redactor(["none", ""]).redact("none of it") == "none of it"


def test_json_is_redacted_throughout_and_keeps_its_shape():
    value = {"a": [CANARY, 1, None, True], CANARY: {"b": (f"x{CANARY}",)}}
    assert Redactor([CANARY]).redact_json(value) == {"a": [HIDDEN, 1, None, True], HIDDEN: {"b": [f"x{HIDDEN}"]}}


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=30)), st.data())
def test_i_39_a_secret_split_over_any_chunks_never_gets_through(texts: list[str], data: st.DataObject):
    whole = f"use {CANARY} or Bearer abcdefghij0123 now".join([*texts, ""])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=12)))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]

    stream = StreamRedactor(Redactor([CANARY]))
    shown = "".join(stream.feed(piece) for piece in pieces) + stream.flush()

    assert CANARY not in shown
    assert "abcdefghij0123" not in shown
    assert shown.count("use ") >= len(texts)


def test_ordinary_words_of_a_stream_are_not_held_back():
    stream = StreamRedactor(Redactor([CANARY]))
    assert stream.feed("Hello, ") == "Hello, "
    assert stream.feed("world of numbers ") == "world of numbers "
    assert stream.feed("ca") == ""
    assert stream.feed("n do") == "can do"


def test_a_stream_does_not_hold_back_without_end():
    stream = StreamRedactor(Redactor())
    assert stream.feed("sk-" + "a" * 10_000)


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY", "KEY", "API_KEY_2"]
)
def test_variables_named_like_secrets_are_known(name: str):
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["PATH", "MONKEY", "KEYBOARD", "TOKENIZERS_PARALLELISM", "AWS_REGION_NAME", "HOME"])
def test_other_variables_are_not(name: str):
    assert not is_secret_name(name)
