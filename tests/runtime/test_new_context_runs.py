"""The agent starts a new context with a handoff; reminded once, rescued once (contract, section 14)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.errors import RunError, StartError
from smolpaws_jupyter.core.events import (
    AgentErrorEvent,
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    ContextWindowReminderEvent,
    ObservationEvent,
)
from smolpaws_jupyter.core.policies import NewContext, policy_for
from smolpaws_jupyter.core.records import decode, encode
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.core.view import View
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.testing import Gate, call, calls, overflow, raw_call, reply
from tests.runtime.talks import Echo, Talk, reopened, said_by, talk, until

NEW_CONTEXT: JsonObject = {"condenser": {"condenser_kind": "new_context"}}


LARGE = "work " * 2_000
"""A text that is over `SMALL_WINDOW` by itself, one token a byte."""
SMALL_WINDOW = 10_000


def bytes_of(size: Any) -> int:
    return size.bytes


def new_talk(script: Any, tokens: Any = bytes_of, *, limit: int | None = 100_000, **more: Any) -> Talk:
    """`tokens` is what every estimate says, or a function of the request's size."""
    estimate = tokens if callable(tokens) else lambda _: tokens
    return talk(script, settings=NEW_CONTEXT, tools=more.pop("tools", [Echo()]), limit=limit, estimate=estimate, **more)


async def code_of(t: Talk, text: str = "Go on") -> str:
    with pytest.raises(RunError) as caught:
        await t.ask(text)
    return caught.value.code


async def test_t_new_01_after_a_reset_the_handoff_is_visible_and_old_text_is_gone_but_found() -> None:
    t = new_talk(
        [
            call("echo", text="old words"),
            call("new_context", handoff="Count the cats."),
            call("conversation_history", command="search", query="old words"),
            reply("Three."),
        ]
    )
    assert await t.ask("How many cats?") == "Three."
    # the request after the reset: a notice, the call with its handoff, its result
    assert t.roles(2) == ["user", "assistant", "tool"]
    assert said_by(t.sent(2))[0] == wording.NEW_CONTEXT_NOTICE
    assert "Count the cats." in json.dumps(t.sent(2))
    assert "old words" not in json.dumps(t.sent(2))
    assert "How many cats?" not in json.dumps(t.sent(2))
    # the search finds the old text
    assert "old words" in said_by(t.sent(3))[-1]
    # results, intent, fact, in one commit
    at = t.kinds.index("CondensationRequest")
    assert t.kinds[at - 1 : at + 2] == ["ObservationEvent", "CondensationRequest", "Condensation"]
    (fact,) = t.of(Condensation)
    assert fact.summary is None
    assert fact.llm_response_id == "scripted-2"


async def test_t_new_02_t_new_15_a_message_during_the_request_is_kept_and_the_old_task_is_not() -> None:
    gate = Gate()
    t = new_talk([call("new_context", handoff="h").held(gate), reply("ok")])
    t.conversation.tell("the old task")
    await gate.reached()
    t.conversation.tell("meanwhile")
    gate.open()
    await t.conversation.settled()
    assert [said for said in said_by(t.sent()) if said in ("the old task", "meanwhile")] == ["meanwhile"]
    assert len(t.llm.requests) == 2  # a reset calls no model


async def test_t_new_03_an_overflow_is_rescued_once_until_the_model_answers() -> None:
    t = new_talk([call("echo", text="work " * 20), overflow(), reply("A summary."), reply("ok")])
    assert await t.ask("The task") == "ok"
    (fact,) = t.of(Condensation)
    assert fact.summary == "A summary."
    assert said_by(t.sent()) == ["The task", "A summary."]

    t = new_talk([call("echo", text="work " * 20), overflow(), reply("A summary."), overflow()])
    assert await code_of(t) == "context_rescue_blocked"
    assert len(t.of(Condensation)) == 1


async def test_t_new_04_two_handoffs_around_another_call_make_one_reset() -> None:
    batch = calls(call("new_context", handoff="one"), call("echo", text="x"), call("new_context", handoff="two"))
    t = new_talk([call("echo", text="old"), batch, reply("ok")])
    await t.ask("Go")
    kinds = t.kinds[t.kinds.index("CondensationRequest") - 3 :]
    assert kinds[:5] == [*["ObservationEvent"] * 3, "CondensationRequest", "Condensation"]
    (request,) = t.of(CondensationRequest)
    first = next(e for e in t.events if e.kind == "ActionEvent" and e.tool_name == "new_context")
    assert request.details.action_id == first.id
    assert t.roles() == ["user", "assistant", "tool", "tool", "tool"]
    assert "one" in json.dumps(t.sent())
    assert "two" in json.dumps(t.sent())
    assert said_by(t.sent())[3] == "echo: x"


@pytest.mark.parametrize("order", [("new_context", "finish"), ("finish", "new_context")])
async def test_t_new_05_finish_wins_over_a_new_context(order: tuple[str, str]) -> None:
    t = new_talk([calls(*map(call, order))], tools=[Echo("finish")])
    t.conversation.tell("Go")
    await t.conversation.settled()
    assert len(t.llm.requests) == 1
    assert t.conversation.status == "idle"
    assert not t.of(CondensationRequest)
    refused = next(e for e in t.of(ObservationEvent) if e.tool_name == "new_context")
    assert refused.observation.is_error
    assert "Nothing was cleared" in refused.observation.content[0].text


async def test_t_new_05_beside_condense_finish_ends_the_run_and_condense_errors() -> None:
    t = talk([calls(call("condense"), call("finish"))], tools=[Echo("finish")])
    t.conversation.tell("Go")
    await t.conversation.settled()
    assert t.conversation.status == "idle"
    assert not t.of(Condensation)
    assert next(e for e in t.of(ObservationEvent) if e.tool_name == "condense").observation.is_error


async def test_t_new_06_a_death_before_the_reset_leaves_a_call_that_did_not_run_and_one_after_it_a_reset() -> None:
    gate = Gate()
    batch = calls(call("new_context", handoff="h"), call("echo", text="x"))
    t = new_talk([batch, reply("ok")], tools=[Echo(gate=gate)])
    t.conversation.tell("Go")
    await gate.reached()
    again = reopened(t, [reply("ok")], tools=[Echo()])
    assert [e.code for e in again.of(AgentErrorEvent) if e.tool_name == "new_context"] == ["not_run"]
    assert "Nothing was cleared" in next(e.error for e in again.of(AgentErrorEvent) if e.tool_name == "new_context")
    again.conversation.resume()
    await again.conversation.settled()
    assert not again.of(Condensation)

    done = new_talk([batch, reply("ok")])
    await done.ask("Go")
    stored, read = done.events, done.conversation.view.read
    later = reopened(done, tools=[Echo()])
    assert later.events == stored
    assert later.conversation.view.read == read
    assert len(later.of(Condensation)) == 1


@pytest.mark.parametrize("arguments", ['{"handoff": null}', '{"handoff": "x", "more": 1}', '{"handoff": 3}', "[]"])
async def test_t_new_07_t_new_23_an_invalid_call_clears_nothing(arguments: str) -> None:
    t = new_talk([call("echo", text="old"), raw_call("new_context", arguments), reply("ok")])
    await t.ask("Go")
    (error,) = t.of(AgentErrorEvent)
    assert error.code == "invalid_arguments"
    assert "Nothing was cleared" in error.error
    assert not t.of(CondensationRequest)
    assert said_by(t.sent())[0] == "Go"


@pytest.mark.parametrize("left_out", ["new_context", "conversation_history"])
async def test_t_new_08_a_directly_built_agent_that_lacks_a_tool_does_not_start(left_out: str) -> None:
    t = new_talk([reply("ok")])
    start = t.conversation.view.start
    assert start is not None
    less = start.model_copy(update={"tools": tuple(s for s in start.tools if s.name != left_out)})
    with pytest.raises(StartError, match=left_out) as caught:
        Conversation(
            t.conversation.log, settings=t.conversation.settings, llm_for=lambda _: t.llm, tools=[], start=less
        )
    assert caught.value.code == "missing_required_tool"
    assert t.llm.requests == []


def test_t_new_09_an_agent_from_settings_has_both_tools_and_the_settings_stay() -> None:
    settings = AgentSettings.model_validate(NEW_CONTEXT)
    before = settings.model_dump(mode="json")
    for tools in ([], [Echo()], [Echo(), Echo("other")]):
        t = talk([], settings=NEW_CONTEXT, tools=tools)
        assert {"new_context", "conversation_history"} <= {spec.name for spec in t.conversation.toolbox.specs}
    assert isinstance(policy_for(settings), NewContext)
    assert settings.model_dump(mode="json") == before


@pytest.mark.parametrize(("tokens", "reminded"), [(79_999, False), (80_000, True), (99_999, True)])
async def test_t_new_10_the_reminder_comes_from_80_percent_on(tokens: int, reminded: bool) -> None:
    t = new_talk([reply("ok")], tokens)
    await t.ask("Go")
    assert bool(t.of(ContextWindowReminderEvent)) is reminded
    assert len(t.sent()) == 1 + reminded


async def test_t_new_10_t_new_14_over_capacity_with_nothing_to_summarise_sends_nothing() -> None:
    t = new_talk([reply("never")], 100_000)
    assert await code_of(t, "A giant message") == "input_too_large"
    assert t.llm.requests == []
    assert not t.of(CondensationRequest)
    assert not t.of(ContextWindowReminderEvent)


async def test_t_new_10_both_tools_are_in_every_estimate() -> None:
    sizes: list[int] = []

    def count(size: Any) -> int:
        sizes.append(size.bytes)
        return 10

    t = new_talk([reply("ok")], count)
    await t.ask("Go")
    sent = t.llm.requests[0]
    assert {tool["function"]["name"] for tool in sent.tools} >= {"new_context", "conversation_history"}
    body = json.dumps({"messages": sent.messages, "tools": sent.tools}, ensure_ascii=False, separators=(",", ":"))
    assert min(sizes) == len(body.encode())


async def test_t_new_11_one_reminder_in_a_cycle() -> None:
    script = [call("echo", text="a"), call("new_context", handoff="h"), call("echo", text="b"), reply("one")]
    t = new_talk([*script, reply("two"), reply("three")], 17_000, limit=20_000)
    for said, words in (("Go", "one"), ("More", "two"), ("And more", "three")):
        assert await t.ask(said) == words
    assert len(t.of(ContextWindowReminderEvent)) == 2
    # the reminder that was shown stays in the history until the reset
    assert [m for m in said_by(t.sent(1)) if "80%" in m] == [t.of(ContextWindowReminderEvent)[0].text]


async def test_t_new_12_at_the_limit_a_summary_is_bought_before_anything_is_sent() -> None:
    t = new_talk([call("echo", text=LARGE), reply("A summary."), reply("ok")], limit=SMALL_WINDOW)
    assert await t.ask("The task") == "ok"
    (request,) = t.of(CondensationRequest)
    assert request.details.trigger == "capacity"
    assert len(t.llm.requests) == 3  # the oversized one was not sent
    assert said_by(t.sent()) == ["The task", "A summary."]
    assert not t.of(ContextWindowReminderEvent)


async def test_t_new_13_a_handoff_that_does_not_fit_is_refused_and_the_run_goes_on() -> None:
    t = new_talk([call("new_context", handoff=LARGE), reply("In short."), reply("ok")], limit=SMALL_WINDOW)
    assert await t.ask("Go") == "ok"
    refused = next(e for e in t.of(ObservationEvent) if e.tool_name == "new_context")
    assert refused.observation.is_error
    assert f"{SMALL_WINDOW:,}" in refused.observation.content[0].text
    (failure,) = t.of(CondensationFailureEvent)
    assert failure.code == "does_not_fit"
    at = t.kinds.index("CondensationFailureEvent")
    assert t.kinds[at - 1] == "ObservationEvent"
    assert "Condensation" not in t.kinds[:at]
    assert LARGE in next(e.arguments for e in t.events if e.kind == "ActionEvent")
    # that history is over the limit now, and is rescued like any other
    assert [r.details.trigger for r in t.of(CondensationRequest)] == ["capacity"]


async def test_t_new_14_only_user_messages_are_left_to_summarise_so_no_summary_is_bought() -> None:
    t = new_talk([overflow()], None, limit=None)
    assert await code_of(t, "A giant message") == "input_too_large"
    assert not t.of(CondensationRequest)


@pytest.mark.parametrize(
    ("summary", "after", "code"),
    [
        ("  ", 5, "summary_blank"),
        ("Longer.", 900, "summary_not_smaller"),
        ("Still too large.", 700, "summary_does_not_fit"),
    ],
)
async def test_t_new_18_a_summary_that_does_not_help_is_refused_with_its_code(
    summary: str, after: int, code: str
) -> None:
    asked: list[int] = []

    def count(size: Any) -> int:
        """800 tokens for the history, `after` with the summary in its place, 5 without both."""
        if not asked or size.bytes == asked[0]:
            return 800
        return 5 if size.bytes < asked[1] else after

    t = new_talk([call("echo", text="work" * 300), overflow(), reply(summary)], 10, limit=700)
    t.conversation.tell("The task")
    await until(lambda: len(t.llm.requests) == 2)
    size = t.conversation.agent.renderer.size
    view, tools = t.conversation.view, t.conversation.agent.tools(t.conversation.view)
    bare = size(view.without(e for e in view.read if e.kind != "MessageEvent"), tools).bytes
    asked += [size(view, tools).bytes, bare + 1]
    t.llm._estimate = count
    await t.conversation.settled()
    assert [f.code for f in t.of(CondensationFailureEvent)] == [code]
    assert not t.of(Condensation)
    assert t.conversation.view.error is not None
    assert t.conversation.view.error.code == "context_rescue_failed"


async def test_t_new_19_the_summary_stands_between_the_users_messages() -> None:
    t = new_talk([call("echo", text="work " * 20), reply("done"), overflow(), reply("Worked."), reply("ok")])
    await t.ask("First")
    await t.ask("Second")
    assert said_by(t.sent()) == ["First", "Worked.", "Second"]


async def test_t_new_20_where_nothing_would_be_forgotten_the_result_says_so() -> None:
    signed = {"thinking_blocks": [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]}
    again = call("new_context", handoff="h").thinking(**signed)
    t = new_talk([again, again, reply("ok")])  # the second call belongs to the loop that the first one kept
    await t.ask("Go")
    first, second = (e.observation for e in t.of(ObservationEvent))
    assert first.content[0].text == wording.NEW_CONTEXT_DONE
    assert second.content[0].text == wording.NOTHING_TO_FORGET
    assert not second.is_error
    assert len(t.of(CondensationRequest)) == 1
    assert t.conversation.view.cycle == t.of(Condensation)[0].id


@pytest.mark.parametrize(("limit", "tokens"), [(None, bytes_of), (100, lambda _: None)])
async def test_t_new_21_without_limit_or_counter_there_is_no_reminder_and_a_provider_overflow_is_rescued(
    limit: int | None, tokens: Any
) -> None:
    t = new_talk([call("echo", text="w" * 90), overflow(), reply("A summary."), reply("ok")], tokens, limit=limit)
    assert await t.ask("Go") == "ok"
    assert not t.of(ContextWindowReminderEvent)
    assert t.of(CondensationRequest)[0].details.trigger == "provider_context_window"


async def test_t_new_22_reminder_intent_and_fact_survive_json() -> None:
    t = new_talk([call("echo", text="a"), call("new_context", handoff="h"), reply("ok")], 85_000)
    await t.ask("Go")
    again = [decode(encode(event))[0] for event in t.events]
    assert View.of(again) == t.conversation.view
    done = next(e for e in t.of(ObservationEvent) if e.tool_name == "new_context")
    response = next(e for e in t.events if e.kind == "ResponseEvent" and e.llm_response_id == "scripted-2")
    assert done.observation.input_event_id == response.read_through
