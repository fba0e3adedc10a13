"""One step after the other: replies, tools, empty and refused answers, limits (contract, section 8)."""

from __future__ import annotations

import json

import pytest

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.errors import RunError, SmolPawsError, StoreError
from smolpaws_jupyter.core.events import (
    ActionEvent,
    AgentErrorEvent,
    ConversationErrorEvent,
    MessageEvent,
    ObservationEvent,
    ResponseEvent,
    ToolStartEvent,
    UsageEvent,
)
from smolpaws_jupyter.testing import Gate, call, calls, failure, overflow, raw_call, reply
from tests.runtime.talks import Echo, reopened, said_by, talk


async def test_t_step_01_appends_come_in_the_order_of_the_step() -> None:
    t = talk([call("act", text="x"), reply("ok")], tools=[Echo("act", effects=True)])
    assert await t.ask("Go") == "ok"
    assert t.kinds == [
        "ConversationStartEvent",
        "MessageEvent",
        "ResponseEvent",
        "ActionEvent",
        "ToolStartEvent",
        "ObservationEvent",
        "ResponseEvent",
        "MessageEvent",
    ]


async def test_t_step_02_input_that_arrived_meanwhile_leads_to_another_step() -> None:
    gate = Gate()
    t = talk([reply("first").held(gate), reply("second")])
    t.conversation.tell("one")
    await gate.reached()
    t.conversation.tell("two")
    gate.open()
    assert await t.conversation.answer() == "second"
    assert said_by(t.sent()) == ["one", "first", "two"]
    assert t.conversation.status == "idle"


async def test_t_step_03_a_tool_with_effects_starts_only_after_its_intent_is_stored() -> None:
    seen: list[str] = []
    tool = Echo("act", effects=True)
    t = talk([call("act"), reply("ok")], tools=[tool])
    run = tool.run

    async def spy(action, context):  # type: ignore[no-untyped-def]
        seen.extend(e.kind for e in t.events if isinstance(e, ToolStartEvent))
        return await run(action, context)

    tool.run = spy  # type: ignore[method-assign]
    await t.ask("Go")
    assert seen == ["ToolStartEvent"]


async def test_t_step_04_o31_bad_calls_get_an_error_each_and_the_good_sibling_runs() -> None:
    echo = Echo()
    bad = [raw_call("invalid tool", "{}"), raw_call("condense", "[1,2]"), raw_call("echo", '{"text": "cut')]
    t = talk([calls(*bad, call("echo", text="fine")), reply("ok")], tools=[echo])
    await t.ask("Go")
    assert [e.code for e in t.of(AgentErrorEvent)] == ["unknown_tool", "invalid_arguments", "invalid_arguments"]
    assert echo.ran == ["fine"]
    assert t.roles() == ["user", "assistant", "tool", "tool", "tool", "tool"]
    for sent in t.sent()[1]["tool_calls"]:
        assert isinstance(json.loads(sent["function"]["arguments"]), dict)


@pytest.mark.parametrize(
    "arguments",
    [
        '{"text": NaN}',
        '{"n": 1e999}',
        '{"n": -Infinity}',
        '{"n": ' + "[" * 150 + "]" * 150 + "}",
        '{"n": ' + "[" * 9_000,
    ],
    ids=["NaN", "1e999", "-Infinity", "150 levels", "9,000 levels"],
)
async def test_t_step_04_arguments_that_no_json_can_hold_are_an_error_result(arguments: str) -> None:
    echo = Echo()
    t = talk([raw_call("echo", arguments), reply("ok")], tools=[echo])
    assert await t.ask("Go") == "ok"
    assert [e.code for e in t.of(AgentErrorEvent)] == ["invalid_arguments"]
    assert echo.ran == []


async def test_t_step_05_missing_empty_and_repeated_call_ids_become_unique_and_good_ones_are_kept() -> None:
    ids = ["good", None, "", "good"]
    t = talk(
        [calls(*(raw_call("echo", "{}", id=i) for i in ids)), raw_call("echo", "{}", id="good"), reply("ok")],
        tools=[Echo()],
    )
    await t.ask("Go")
    recorded = [e.tool_call_id for e in t.of(ActionEvent)]
    assert recorded[0] == "good"
    assert len(set(recorded)) == 5
    assert all(recorded)


async def test_t_step_07_f_46_an_empty_reply_leaves_no_message_and_the_third_in_a_row_ends_the_run() -> None:
    t = talk([reply(""), reply("  \n"), reply("")])
    with pytest.raises(RunError) as caught:
        await t.ask("Go")
    assert caught.value.code == "empty_replies"
    assert [m.text for m in t.of(MessageEvent)] == ["Go", *[wording.NUDGE_EMPTY] * 3]
    assert t.conversation.status == "error"
    assert all(message["content"].strip() for message in t.sent())
    # and the conversation goes on
    t.llm.extend([reply("Here I am.")])
    assert await t.ask("Hello?") == "Here I am."


async def test_t_step_08_the_nudge_stands_after_the_message_that_was_refused_and_that_stays_unread() -> None:
    t = talk([failure("content_policy"), reply("Then like this.")])
    await t.ask("Say it")
    assert said_by(t.sent()) == ["Say it", wording.NUDGE_CONTENT]


async def test_r_step_10_the_third_refusal_in_a_row_ends_the_run() -> None:
    t = talk([failure("content_policy")] * 3)
    with pytest.raises(RunError) as caught:
        await t.ask("Say it")
    assert caught.value.code == "content_refused"
    assert len(t.of(UsageEvent)) == 3
    assert [m.text for m in t.conversation.view.unread] == ["Say it"]


async def test_t_step_09_f_46_a_run_ends_after_its_steps_and_keeps_everything() -> None:
    settings = {"condenser": {"condenser_kind": "agent_reset"}, "max_steps_per_run": 3}
    t = talk([call("echo")] * 5, tools=[Echo()], settings=settings)
    with pytest.raises(RunError) as caught:
        await t.ask("For ever")
    assert caught.value.code == "run_limit_reached"
    assert len(t.of(ObservationEvent)) == 3


@pytest.mark.parametrize(
    "move",
    [
        raw_call("echo", '{"text": "ab'),
        call("echo", text="whole"),
        call("condense"),
        calls(call("echo", text="whole"), call("condense")),
    ],
    ids=["cut", "whole", "condense", "both"],
)
async def test_t_step_10_o30_nothing_of_a_reply_that_was_cut_off_runs(move) -> None:  # type: ignore[no-untyped-def]
    echo = Echo()
    t = talk([move.finishing("length"), reply("ok")], tools=[echo])
    await t.ask("Go")
    assert echo.ran == []
    assert {e.code for e in t.of(AgentErrorEvent)} == {"reply_cut_off"}
    assert "Condensation" not in t.kinds
    assert t.roles()[:2] == ["user", "assistant"]
    assert len(t.sent()) == 2 + len(move.calls)


async def test_r_log_9_a_success_that_cannot_be_stored_leaves_neither_success_nor_reply() -> None:
    """T-WARN-11: given the success commit cannot be stored, then neither exists and the warning is still pending."""
    gate = Gate()
    t = talk([reply("a").using(input=310_000), reply("b").held(gate)])
    await t.ask("one")
    t.conversation.tell("two")
    await gate.reached()
    t.store.full = True  # type: ignore[attr-defined]
    gate.open()
    with pytest.raises(StoreError):
        await t.conversation.settled()
    t.store.full = False  # type: ignore[attr-defined]
    again = reopened(t, [reply("c").using(input=10)])
    assert len(again.of(ResponseEvent)) == 1
    assert again.kinds.count("ContextWarningEvent") == 1
    again.conversation.resume()
    await again.conversation.settled()
    assert "75%" in again.sent()[-1]["content"]
    assert again.kinds.count("ContextWarningEvent") == 1


async def test_t_emerg_04_an_overflow_without_a_fallback_stops_and_the_conversation_runs_again() -> None:
    t = talk([call("echo"), overflow(2579, 2048), reply("better")], tools=[Echo()])
    with pytest.raises(RunError) as caught:
        await t.ask("Go")
    assert caught.value.code == "context_window_exceeded"
    (error,) = t.of(ConversationErrorEvent)
    assert error.recoverable
    assert "2579" not in error.detail, "provider text stays out of the log"
    t.conversation.resume()
    assert await t.conversation.answer() == "better"


async def test_t_emerg_11_a_first_message_that_is_too_large_is_named_with_its_size() -> None:
    t = talk([overflow()], window=2_000)
    with pytest.raises(RunError) as caught:
        await t.ask("x" * 40_000)
    assert caught.value.code == "input_too_large"
    assert "10," in caught.value.message


async def test_t_emerg_13_an_output_allowance_that_does_not_fit_is_named() -> None:
    t = talk([overflow(7_884, 131_072, 131_072)])
    with pytest.raises(RunError) as caught:
        await t.ask("Hi")
    assert caught.value.code == "output_allowance_too_large"
    assert "131,072" in caught.value.message


@pytest.mark.parametrize("kind", ["auth", "rate_limit", "byte_limit", "malformed_history", "server", "timeout"])
async def test_each_failure_ends_the_run_with_its_own_code_and_one_record(kind) -> None:  # type: ignore[no-untyped-def]
    t = talk([failure(kind, "Bearer sk-secret-1234567890abcd")])
    with pytest.raises(RunError) as caught:
        await t.ask("Go")
    assert caught.value.code == kind
    (record,) = t.of(UsageEvent)
    assert record.outcome == kind
    assert record.usage_id == "profile:main"
    assert not any("sk-secret" in e.model_dump_json() for e in t.events)


async def test_t_acc_02_an_unknown_figure_is_counted_as_unknown_and_a_zero_as_zero() -> None:
    t = talk([reply("a").using(input=0, output=3), reply("b")])
    await t.ask("1")
    await t.ask("2")
    totals = t.conversation.log.ledger.totals["profile:main"]
    assert (totals.input.reported, totals.input.unknown) == (0, 1)
    assert [r.usage.input for r in t.of(ResponseEvent)] == [0, None]


async def test_f_9_o13_a_full_disk_stops_the_run_loses_nothing_and_works_again_when_there_is_room() -> None:
    gate = Gate()
    t = talk([call("condense").held(gate), call("condense"), reply("ok")])
    t.conversation.tell("The task")
    await gate.reached()
    t.store.full = True  # type: ignore[attr-defined]
    gate.open()
    with pytest.raises(StoreError):
        await t.conversation.settled()
    assert t.conversation.status == "error"
    assert t.conversation.last_error is not None
    assert t.kinds == ["ConversationStartEvent", "MessageEvent"]
    t.store.full = False  # type: ignore[attr-defined]
    t.conversation.resume()
    await t.conversation.settled()
    assert t.kinds.count("Condensation") == 1
    assert t.conversation.status == "idle"


async def test_a_bug_of_a_client_is_seen_and_the_conversation_goes_on() -> None:
    def broken(_request):  # type: ignore[no-untyped-def]
        raise ZeroDivisionError("sk-secret-0123456789abcdef")

    t = talk([broken, reply("ok")])
    with pytest.raises(SmolPawsError, match="ZeroDivisionError") as caught:
        await t.ask("Go")
    assert "sk-secret" not in str(caught.value)
    assert await t.ask("Again") == "ok"
