"""Reports from the field, as whole conversations: what a provider or a model did, and what must come of it.

The inputs are those of `fixtures/cases`; each kind has variants of ours beside them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from smolpaws_jupyter.core.base import JsonObject, ToolSpec
from smolpaws_jupyter.core.errors import RunError
from smolpaws_jupyter.core.events import (
    Condensation,
    CondensationRequest,
)
from smolpaws_jupyter.core.messages import messages_of
from smolpaws_jupyter.core.profiles import LLMProfile, bind
from smolpaws_jupyter.runtime.keys import Keys
from smolpaws_jupyter.runtime.litellm_client import LitellmLLM
from smolpaws_jupyter.runtime.llm import Request
from smolpaws_jupyter.testing import (
    Gate,
    Move,
    ScriptedServer,
    answer,
    call,
    calls,
    failure,
    overflow,
    reply,
)
from tests.runtime.llm_client import LITELLM_WARNS
from tests.runtime.talks import AGENT_RESET, WITH_FALLBACK, Echo, Talk, reopened, said_by, talk
from tests.wire_rules import assert_lawful, assert_shows

pytestmark = LITELLM_WARNS

DATA = Path(__file__).parent.parent / "fixtures/cases/data"
ERRORS = json.loads((DATA / "open_provider_errors.json").read_text("utf-8"))["errors"]
HISTORIES = json.loads((DATA / "open_histories.json").read_text("utf-8"))["cases"]
OVERFLOWS = [case for case in ERRORS if case["expected"] == "context_overflow"]
OTHERS = [case for case in ERRORS if case["expected"] != "context_overflow"]
BOTH = pytest.mark.parametrize("params", [{}, {"stream": False}], ids=["streamed", "whole"])
NO_FALLBACK = {**AGENT_RESET, "hard_condenser": None}


@pytest.fixture
def environ(monkeypatch: pytest.MonkeyPatch, litellm: Any) -> None:
    """What the library asks for before it sends anything to a cloud that signs its requests."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-for-tests")


async def refused_by(server: ScriptedServer, case: JsonObject, settings: JsonObject, params: JsonObject) -> Talk:
    """A conversation with two exchanges behind it whose provider is the server from now on, after its next turn."""
    before = talk([reply("Noted."), reply("Noted, too.")], settings=settings)
    await before.ask("one")
    await before.ask("two")
    fields = {"api_version": "2024-10-21"} if case["litellm_model"].startswith("azure/") else {}
    profile = LLMProfile(model=case["litellm_model"], base_url=server.base_url, params={**params, **fields})
    client = LitellmLLM(bind("main", profile), Keys({}), first_pause=0.01)
    t = reopened(before, summaries=[reply("Two things were noted.")], client=client)
    t.conversation.bind(bind("main", profile))
    with pytest.raises(RunError):
        await t.ask("three")
    await client.aclose()
    assert t.conversation.status == "error"
    return t


def code(t: Talk) -> str:
    """Why the last run ended."""
    assert t.conversation.view.error is not None
    return t.conversation.view.error.code


@BOTH
@pytest.mark.usefixtures("environ")
@pytest.mark.parametrize("case", OVERFLOWS, ids=lambda case: case["id"])
async def test_o01_each_providers_refusal_leads_to_one_summary_and_one_new_request(case, params) -> None:  # type: ignore[no-untyped-def]
    with ScriptedServer(answer(case["status"], case["body"], **case["headers"])) as server:
        t = await refused_by(server, case, WITH_FALLBACK, params)
        assert server.hits == 2
    assert len(t.summariser.requests) == len(t.of(CondensationRequest)) == len(t.of(Condensation)) == 1
    assert code(t) in ("context_rescue_blocked", "output_allowance_too_large")


@BOTH
@pytest.mark.usefixtures("environ")
@pytest.mark.parametrize("case", OVERFLOWS, ids=lambda case: case["id"])
async def test_o01_o25_without_a_fallback_the_refusal_ends_the_run_and_buys_nothing(case, params) -> None:  # type: ignore[no-untyped-def]
    with ScriptedServer(answer(case["status"], case["body"], **case["headers"])) as server:
        t = await refused_by(server, case, NO_FALLBACK, params)
        assert server.hits == 1
    assert not t.summariser.requests
    assert not t.of(CondensationRequest)
    assert code(t) in ("context_window_exceeded", "output_allowance_too_large")
    assert "The history is intact" in str(t.conversation.last_error)
    t = reopened(t, [call("condense"), reply("Fresh.")])
    assert await t.ask("Start afresh") == "Fresh."


@BOTH
@pytest.mark.usefixtures("environ")
@pytest.mark.parametrize("case", OTHERS, ids=lambda case: case["id"])
async def test_o02_o03_what_only_looks_like_an_overflow_ends_the_run_under_its_own_name(case, params) -> None:  # type: ignore[no-untyped-def]
    with ScriptedServer(answer(case["status"], case["body"], **case["headers"])) as server:
        t = await refused_by(server, case, WITH_FALLBACK, params)
    assert not t.summariser.requests
    assert not t.of(CondensationRequest)
    assert [m["content"] for m in messages_of(t.conversation.view)[1:]] == [
        "one",
        "Noted.",
        "two",
        "Noted, too.",
        "three",
    ]
    assert "overflow" not in code(t)
    assert not code(t).startswith("context")
    body = case["body"]
    said = body.get("message") or body["error"]["message"]  # the provider's own words: for a person, in memory only
    assert said.split(".")[0][:30] in str(t.conversation.last_error)
    assert said[:30] not in json.dumps([e.model_dump(mode="json") for e in t.events])


def size_of(request: Request) -> int:
    """Characters of a request's messages and tools, as JSON."""
    return len(json.dumps([request.messages, request.tools], ensure_ascii=False))


@dataclass
class Wordy(Echo):
    """A tool whose description alone is longer than the window."""

    length: int = 9_000

    @property
    def spec(self) -> ToolSpec:
        return super().spec.model_copy(update={"description": "x" * self.length})


def strict(characters: int, answers: Callable[[Request], Move] = lambda _: reply("ok")) -> Callable[[Request], Move]:
    """A provider that refuses any request of more characters than these."""
    return lambda request: overflow() if size_of(request) > characters else answers(request)


async def test_o24_t_emerg_16_a_fixed_context_that_is_too_large_buys_no_summary_and_is_named_with_its_size() -> None:
    t = talk(strict(8_000), settings=WITH_FALLBACK, tools=[Wordy()])
    with pytest.raises(RunError, match="fixed part") as caught:
        await t.ask("hi")
    assert caught.value.code == "fixed_context_too_large"
    assert not t.summariser.requests
    assert len(t.llm.requests) == 1


async def test_o24_where_there_is_history_too_one_summary_is_bought_and_then_the_fixed_context_is_named() -> None:
    large = 20_000  # the window before the provider became strict
    t = talk(lambda request: strict(large)(request), settings=WITH_FALLBACK, tools=[Wordy()], summaries=[reply("S")])
    await t.ask("hello")
    large = 8_000
    with pytest.raises(RunError, match="largest part of the request is its fixed context") as caught:
        await t.ask("hi")
    assert caught.value.code == "context_rescue_blocked"
    assert len(t.summariser.requests) == 1
    assert len(t.llm.requests) == 3
    with pytest.raises(RunError):
        await t.ask("hi again")
    assert len(t.summariser.requests) == 1


async def test_o24_t_emerg_16_a_message_that_is_too_large_by_itself_is_named_and_can_be_taken_back() -> None:
    t = talk(strict(8_000), settings=WITH_FALLBACK, tools=[Echo()])
    with pytest.raises(RunError) as caught:
        await t.ask("x" * 9_000)
    assert caught.value.code == "input_too_large"
    assert not t.summariser.requests
    t.conversation.withdraw(t.conversation.view.unread[0].id)
    assert await t.ask("hi") == "ok"


def reset_case(variant: str | None = None) -> list[Move]:
    """The model's moves of case O09, or of one of its variants."""
    case = HISTORIES["O09"]
    moves = [call(r["tool"], **r["arguments"]) for r in case["log"] if r["kind"] == "ActionEvent"]
    if variant is not None:
        change = next(v for v in case["variants"] if v["name"] == variant)
        if "replace_last_with" in change:
            moves[-1] = calls(*(call(r["tool"], **r["arguments"]) for r in change["replace_last_with"]))
        else:
            paw, times = change["arguments"]["message_to_future_self_repeat"]
            moves[-1] = call("condense", message_to_future_self=paw * times)
    return [*moves, reply("Going on.")]


async def test_o09_the_resets_own_exchange_is_all_that_is_left(tmp_path: Path) -> None:
    expected = HISTORIES["O09"]["expect"]
    t = talk(reset_case(), workspace=tmp_path, settings=WITH_FALLBACK)
    before = len(t.events)
    assert await t.ask(HISTORIES["O09"]["log"][0]["text"]) == "Going on."
    assert_lawful(t.llm.requests[-1].messages)
    assert t.roles() == expected["wire_roles_after_system"]
    assert t.sent()[1]["tool_calls"][0]["function"]["arguments"] == reset_case()[1].calls[0].arguments
    assert t.sent()[2]["tool_call_id"] == t.sent()[1]["tool_calls"][0]["id"]
    assert expected["tool_message_contains"] in t.sent()[2]["content"]
    assert not t.summariser.requests
    assert len(t.events) > before
    assert (tmp_path / "notes/release.md").read_text() == "Tests passed."


@pytest.mark.parametrize(
    "variant",
    [
        "condense in one batch with another call",
        "two condense calls in one response",
        "message of 16386 UTF-16 units (8193 paws)",
    ],
)
async def test_o09_a_call_that_is_not_alone_or_not_lawful_clears_nothing_and_gets_its_answer(
    tmp_path: Path, variant: str
) -> None:
    t = talk(reset_case(variant), workspace=tmp_path)
    await t.ask("Write the release notes.")
    assert not t.of(Condensation)
    assert_lawful(t.llm.requests[-1].messages)
    assert said_by(t.sent())[0] == "Write the release notes."
    assert t.conversation.view.open_calls == ()
    if "16386" not in variant:
        refused = [r for r in t.sent() if r["role"] == "tool" and "must be the only tool call" in r["content"]]
        assert len(refused) == (2 if variant.startswith("two") else 1)


async def test_o09_the_longest_message_is_kept_to_the_last_paw(tmp_path: Path) -> None:
    t = talk(reset_case("message of 16384 UTF-16 units"), workspace=tmp_path)
    await t.ask("Write the release notes.")
    assert len(t.of(Condensation)) == 1
    assert t.sent()[2]["content"].endswith("🐾" * 8192)


async def queued(*after: Move) -> Talk:
    """Case O11 up to its reset: `Second` and `Third` arrived after the request that asked for it had been sent."""
    gate = Gate()
    t = talk([call("condense", message_to_future_self="Go on with the first task.").held(gate), *after])
    t.conversation.tell("First task")
    await gate.reached()
    t.conversation.tell("Second")
    t.conversation.tell("Third")
    gate.open()
    return t


def waits(t: Talk, index: int = -1) -> None:
    """The request holds both queued messages, last and once, and is lawful."""
    request = t.llm.requests[index].messages
    assert said_by(request)[-2:] == ["Second", "Third"]
    assert json.dumps(request).count("Second") == json.dumps(request).count("Third") == 1
    assert_lawful(request)


async def test_o11_queued_messages_are_in_the_next_request_without_another_keystroke() -> None:
    t = await queued(reply("All three."))
    await t.conversation.settled()
    waits(t)
    assert not t.conversation.view.unread
    assert t.conversation.status == "idle"


async def test_o11_a_kill_after_the_reset_loses_none_of_them() -> None:
    gate = Gate()
    t = await queued(reply("never").held(gate))
    await gate.reached()
    assert [m.text for m in t.conversation.view.unread] == ["Second", "Third"]
    again = reopened(t, [reply("All three.")])
    assert again.conversation.status == "paused"
    again.conversation.resume()
    await again.conversation.settled()
    waits(again)
    assert again.llm.requests[-1].messages == t.llm.requests[-1].messages


@pytest.mark.parametrize("kind", ["server", "auth", "rate_limit", "timeout"])
async def test_o11_a_failed_request_keeps_them_for_the_retry(kind: Any) -> None:
    t = await queued(failure(kind), reply("All three."))
    with pytest.raises(RunError):
        await t.conversation.answer()
    waits(t)
    assert_shows(t.llm.requests[-1].messages, t.conversation.view.unread)
    t.conversation.resume()
    await t.conversation.settled()
    waits(t)


async def test_o21_neither_new_input_nor_a_restart_buys_a_second_summary_and_a_success_does() -> None:
    t = talk([reply("ok")], settings=WITH_FALLBACK)
    await t.ask("one")

    async def refused(t: Talk, text: str) -> int:
        with pytest.raises(RunError):
            await t.ask(text)
        return len(t.summariser.requests)

    t.llm.extend([overflow()] * 3)
    t.summariser.extend([reply("S")])
    assert await refused(t, "two") == 1
    assert await refused(t, "hello?") == 1
    t = reopened(t, [overflow(), reply("Here."), overflow(), overflow()], summaries=[reply("S")] * 9)
    assert await refused(t, "hello?") == 0
    assert await t.ask("and now?") == "Here."
    assert await refused(t, "again") == 1


@pytest.mark.parametrize("thinking", [{}, {"reasoning_content": "hmm"}])
@pytest.mark.parametrize("text", ["", "  \n", "\u3000\n"])
async def test_o27_a_reply_without_words_is_not_sent_back_and_not_taken_for_the_end(
    text: str, thinking: JsonObject
) -> None:
    empty = reply(text).thinking(**thinking)
    t = talk([empty, reply("Now in words."), empty, empty, empty])
    assert await t.ask("Go") == "Now in words."
    assert_lawful(t.llm.requests[-1].messages)
    with pytest.raises(RunError, match="nothing three times"):
        await t.ask("And?")
    assert len(t.llm.requests) == 5
    for request in t.llm.requests:
        assert_lawful(request.messages)
