"""The page's tab of the conversation, in a real kernel: model, profiles, stored conversations, exports, the doctor."""

from __future__ import annotations

import json

import pytest

from .kernels import Kernel
from .pages import page_of

pytestmark = pytest.mark.kernel

KEY = "sk-state-5a1c-canary-key"
URL = "https://hidden.example.test/v1"


def test_r_bind_7_the_page_learns_names_and_limits_and_never_a_base_url_or_a_key(k: Kernel):
    """R-BIND-7, R-SEC-2."""
    k.do(f"import os; os.environ['STATE_TEST_KEY'] = {KEY!r}")
    profile = {"model": "openai/gpt-x", "baseUrl": URL, "apiKeyRef": "env:STATE_TEST_KEY", "maxInputTokens": 5_000}
    profiles = {"mine": profile, "keyless": {**profile, "apiKeyRef": "env:NOT_THERE_AT_ALL"}}
    k.do(f"from smolpaws_jupyter import SmolPaws; paws = SmolPaws('practice', profiles={profiles!r})")
    page = page_of(k, "paws")

    told = page.ask("state")

    assert told["condenser"] == "agent_reset"
    assert "the agent is warned" in told["outlook"]
    assert told["profile"]["name"] == "practice"
    assert told["profile"]["about"] == "practice · 8,000 tokens, the model's window · no key needed"
    saved = {one["name"]: one["about"] for one in told["saved"]}
    assert saved["mine"] == "openai/gpt-x · 5,000 tokens, set in the profile · key found"
    assert saved["keyless"].endswith("key not found")
    assert len(told["kinds"]) == 5
    assert all(kind["about"].endswith(".") for kind in told["kinds"])
    examined = page.ask("examine")
    assert {"Versions", "Subshells", "Connection", "Store"} <= {one["topic"] for one in examined["findings"]}
    assert next(one for one in examined["findings"] if one["topic"] == "Connection")["state"] == "ok"
    for answer in (told, examined):
        assert KEY not in json.dumps(answer)
        assert URL not in json.dumps(answer)


def test_stored_conversations_are_listed_opened_and_deleted_but_never_an_open_one(k: Kernel):
    k.do("first = scripted.play(scripted.reply('One.')); await first.ask('the first words')")
    k.do("second = scripted.play(scripted.reply('Two.')); await second.ask('the second words')")
    first, second = k.value("(first.conversation_id, second.conversation_id)")
    page = page_of(k, "second")

    told = page.ask("conversations", most=10)

    titles = {one["id"]: one["title"] for one in told["conversations"]}
    assert (titles[first], titles[second]) == ("the first words", "the second words")
    assert page.ask("conversations", most=1)["more"] is True
    for open_one in (first, second):
        assert page.ask("delete", conversation_id=open_one)["code"] == "conversation_open"
    assert page.ask("delete", conversation_id="../../..")["code"] == "conversation_not_found"
    assert k.value("(len(first.events), len(second.events))") == (4, 4)

    page.ask("new", condenser_kind="new_context")
    assert page.ask("state")["condenser"] == "new_context"
    assert page.ask("delete", conversation_id=second)["kind"] == "ack"
    left = [one["id"] for one in page.ask("conversations", most=10)["conversations"]]
    assert second not in left
    assert first in left


@pytest.mark.parametrize(
    ("format_", "holds"),
    [("markdown", "words to keep"), ("html", "words to keep"), ("jsonl", "words to keep"), ("bare", "ResponseEvent")],
)
def test_an_export_is_fetched_in_pieces_and_is_what_python_gives(k: Kernel, format_: str, holds: str):
    k.do("paws = scripted.play(scripted.reply('Kept.')); await paws.ask('words to keep')")
    page = page_of(k, "paws")

    shown = page.ask("export", format=format_)

    text = page.ask("fetch", sha256=shown["sha256"], offset=0, length=1_000_000)["text"]
    assert text == k.value(f"paws.export({format_!r})")
    assert len(text) == shown["chars"]
    assert holds in text
    assert ("words to keep" in text) == (format_ != "bare")


def test_python_renames_and_says_what_comes_next(k: Kernel):
    k.do("paws = scripted.play(scripted.reply('Hi.')); await paws.ask('hello'); paws.rename('A title')")

    title, outlook = k.value("(paws.title, paws.outlook())")

    assert title == "A title"
    assert outlook == page_of(k, "paws").ask("state")["outlook"]


def test_a_profile_is_bound_between_steps_and_a_refusal_says_why(k: Kernel):
    """R-BIND-6, R-BIND-7."""
    k.do("paws = scripted.play(scripted.reply('Hi.'), scripted.reply('Hi.')); await paws.ask('hello')")
    page = page_of(k, "paws")

    assert page.ask("bind", profile="practice/late")["kind"] == "ack"
    assert page.ask("state")["profile"]["name"] == "practice/late"
    refused = page.ask("bind", profile=" ")
    assert (refused["kind"], refused["code"]) == ("refused", "profile_not_found")
    assert page.ask("state")["profile"]["name"] == "practice/late"
