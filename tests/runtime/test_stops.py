"""Stop, pause, approvals and restarts: a person holds the agent (contract, sections 21 and 22)."""

from __future__ import annotations

import asyncio

import pytest

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.base import TextBlock
from smolpaws_jupyter.core.errors import CommandRefused
from smolpaws_jupyter.core.events import (
    AgentErrorEvent,
    ApprovalEvent,
    Condensation,
    InterruptEvent,
    MessageEvent,
    ObservationEvent,
    UsageEvent,
    UserRejectObservation,
)
from smolpaws_jupyter.core.payloads import ToolObservation
from smolpaws_jupyter.runtime.tools.base import Interrupted
from smolpaws_jupyter.testing import Gate, call, calls, reply
from tests.runtime.talks import Echo, Talk, reopened, said_by, talk, until


async def waiting(t: Talk) -> str:
    """The id of the call that waits for a person."""
    await until(lambda: t.conversation.waiting)
    return t.conversation.waiting[0].action_id


async def test_t_stop_01_stop_during_a_main_call_leaves_the_view_as_it_was() -> None:
    gate = Gate()
    t = talk([reply("never").held(gate), reply("ok")])
    t.conversation.tell("Go")
    await gate.reached()
    assert t.conversation.stop()
    await t.conversation.settled()
    (record,) = t.of(UsageEvent)
    assert record.outcome == "cancelled"
    assert record.read_through == t.of(MessageEvent)[0].id
    assert t.conversation.status == "paused"
    assert len(t.llm.requests) == 1
    assert [m.text for m in t.conversation.view.unread] == ["Go"]
    assert await t.ask("Again") == "ok"
    assert said_by(t.sent()) == ["Go", "Again"]


async def test_t_stop_01_a_stop_when_nothing_runs_records_nothing() -> None:
    t = talk([reply("ok")])
    await t.ask("Go")
    before = t.kinds
    assert not t.conversation.stop()
    assert t.kinds == before


async def test_r_stop_2_a_call_that_never_reached_the_network_leaves_no_usage_record() -> None:
    gate = Gate()
    t = talk([reply("never").held(gate).requesting(0)])
    t.conversation.tell("Go")
    await gate.reached()
    t.conversation.stop()
    await t.conversation.settled()
    assert not t.of(UsageEvent)


async def test_t_stop_02_f_47_each_call_of_a_stopped_batch_says_what_happened_to_it() -> None:
    gate = Gate()
    slow = Echo("slow", effects=True, gate=gate)
    t = talk([calls(call("echo", text="a"), call("slow"), call("echo", text="c"))], tools=[Echo(), slow])
    t.conversation.tell("Go")
    await gate.reached()
    t.conversation.stop()
    await t.conversation.settled()
    assert len(t.of(ObservationEvent)) == 1
    assert [(e.code, e.error) for e in t.of(AgentErrorEvent)] == [
        ("interrupted", wording.INTERRUPTED),
        ("not_run", wording.NOT_RUN),
    ]
    assert t.kinds[-1] == "InterruptEvent"
    assert t.conversation.view.open_calls == ()
    assert t.conversation.status == "paused"


async def test_t_stop_03_f_47_a_stop_before_the_reset_means_no_reset_ever() -> None:
    gate = Gate()
    t = talk([call("condense").held(gate), reply("ok")])
    t.conversation.tell("Go")
    await gate.reached()
    t.conversation.stop()
    gate.open()
    await t.conversation.settled()
    assert not t.of(Condensation)
    again = reopened(t, [reply("ok")])
    again.conversation.resume()
    await again.conversation.settled()
    assert not again.of(Condensation)


async def test_o32_an_interrupt_in_the_middle_of_a_batch_ends_it_and_the_next_message_works() -> None:
    partial = ToolObservation(content=(TextBlock(text="half"),), is_error=True)
    python = Echo("run", effects=True, raises=Interrupted(partial))
    t = talk([calls(call("echo", text="a"), call("run"), call("run")), reply("ok")], tools=[Echo(), python])
    t.conversation.tell("Go")
    await t.conversation.settled()
    assert python.ran == [""]
    assert [e.code for e in t.of(AgentErrorEvent)] == ["not_run"]
    assert len(t.of(InterruptEvent)) == 1
    assert t.conversation.status == "paused"
    assert await t.ask("Go on") == "ok"
    assert t.roles() == ["user", "assistant", "tool", "tool", "tool", "user"]


async def test_t_stop_06_pause_lets_the_batch_finish_and_a_message_waits_for_resume() -> None:
    gate = Gate()
    t = talk([calls(call("slow"), call("echo")), reply("ok")], tools=[Echo(), Echo("slow", gate=gate)])
    t.conversation.tell("Go")
    await gate.reached()
    t.conversation.pause()
    gate.open()
    await t.conversation.settled()
    assert len(t.of(ObservationEvent)) == 2
    assert t.conversation.status == "paused"
    t.conversation.tell("More")
    again = reopened(t, [reply("ok")])
    assert again.conversation.status == "paused"
    assert not again.llm.requests
    again.conversation.resume()
    assert await again.conversation.answer() == "ok"
    assert "ResumeEvent" in again.kinds


async def test_i_11_i_34_a_call_that_needs_asking_waits_and_the_approval_is_stored_with_its_start() -> None:
    act = Echo("act", effects=True, verdict="ask")
    t = talk([call("act", text="x"), reply("ok")], tools=[act], approvals="ask")
    t.conversation.tell("Go")
    action_id = await waiting(t)
    assert t.conversation.status == "waiting"
    assert act.ran == []
    t.conversation.approve(action_id)
    await t.conversation.settled()
    assert act.ran == ["x"]
    assert t.kinds.index("ApprovalEvent") + 1 == t.kinds.index("ToolStartEvent")


async def test_t_stop_09_once_covers_one_call_and_run_covers_the_next_until_a_reset() -> None:
    act = Echo("act", effects=True, verdict="ask")
    moves = [
        call("act", text="1"),
        call("act", text="2"),
        call("act", text="3"),
        call("condense"),
        call("act", text="4"),
    ]
    t = talk([*moves, reply("ok")], tools=[act], approvals="ask")
    t.conversation.tell("Go")
    t.conversation.approve(await waiting(t), "once")
    await until(lambda: act.ran == ["1"])
    t.conversation.approve(await waiting(t), "run")
    await until(lambda: "Condensation" in t.kinds)
    t.conversation.reject(await waiting(t), "enough")
    await t.conversation.settled()
    assert act.ran == ["1", "2", "3"]
    decisions = [(e.decision, e.covered_by) for e in t.of(ApprovalEvent)]
    run = t.of(ApprovalEvent)[1]
    assert decisions == [("once", None), ("run", None), ("covered", run.id)]
    (rejected,) = t.of(UserRejectObservation)
    assert "enough" in rejected.rejection_reason


async def test_t_stop_09_a_revoked_approval_asks_again() -> None:
    act = Echo("act", effects=True, verdict="ask")
    gate = Gate()
    t = talk([call("act"), call("act").held(gate), reply("ok")], tools=[act], approvals="ask")
    t.conversation.tell("Go")
    action_id = await waiting(t)
    t.conversation.approve(action_id, "run")
    await gate.reached()
    t.conversation.revoke(action_id)
    gate.open()
    await waiting(t)
    assert len(act.ran) == 1
    t.conversation.stop()
    await t.conversation.settled()
    assert [e.code for e in t.of(AgentErrorEvent)] == ["not_run"]


async def test_f_56_an_approval_for_another_call_or_of_something_else_is_refused() -> None:
    act = Echo("act", effects=True, verdict="ask")
    t = talk([call("act")], tools=[act], approvals="ask")
    t.conversation.tell("Go")
    action_id = await waiting(t)
    for wrong in (lambda: t.conversation.approve("other"), lambda: t.conversation.approve(action_id, "once", "0" * 64)):
        with pytest.raises(CommandRefused):
            wrong()
    t.conversation.approve(action_id)
    with pytest.raises(CommandRefused):
        t.conversation.approve(action_id)
    await asyncio.sleep(0)
    t.conversation.stop()
    await t.conversation.settled()


async def test_read_only_mode_refuses_effects_and_tells_the_model_why() -> None:
    act = Echo("act", effects=True)
    t = talk([call("act"), reply("ok")], tools=[act, Echo()], approvals="read_only")
    await t.ask("Go")
    assert act.ran == []
    assert "read-only" in t.of(AgentErrorEvent)[0].error


async def test_t_rest_03_open_calls_are_closed_once_and_never_run_again() -> None:
    gate = Gate()
    slow = Echo("slow", effects=True, gate=gate)
    t = talk([calls(call("slow"), call("echo"))], tools=[slow, Echo()])
    t.conversation.tell("Go")
    await gate.reached()
    again = reopened(t, [reply("ok")], tools=[slow, Echo()])
    assert [e.code for e in again.of(AgentErrorEvent)] == ["outcome_unknown", "not_run"]
    assert again.conversation.status == "paused"
    assert slow.ran == [""]
    before = again.kinds
    twice = reopened(again, [reply("ok")], tools=[slow, Echo()])
    assert twice.kinds == before
    assert await twice.ask("Continue") == "ok"
    assert twice.roles() == ["user", "assistant", "tool", "tool", "user"]


async def test_t_view_10_a_message_can_be_withdrawn_until_a_request_carries_it() -> None:
    gate = Gate()
    t = talk([reply("ok").held(gate), reply("ok")])
    t.conversation.tell("carried")
    await gate.reached()
    with pytest.raises(CommandRefused):
        t.conversation.withdraw(t.of(MessageEvent)[0].id)
    late = t.conversation.tell("taken back")
    t.conversation.withdraw(late)
    gate.open()
    await t.conversation.settled()
    assert len(t.llm.requests) == 1
    assert await t.ask("next") == "ok"
    assert said_by(t.sent()) == ["carried", "ok", "next"]
    assert "taken back" in [m.text for m in t.of(MessageEvent)]


async def test_t_man_01_a_manual_condensation_is_refused_and_appends_nothing() -> None:
    t = talk([reply("ok")])
    await t.ask("Go")
    before = t.kinds
    with pytest.raises(CommandRefused) as caught:
        await t.conversation.condense()
    assert (caught.value.code, caught.value.status) == ("agent_controlled_condensation", 409)
    assert t.kinds == before


async def test_t_man_05_without_a_condenser_it_is_not_available() -> None:
    t = talk([reply("ok")], settings={})
    with pytest.raises(CommandRefused) as caught:
        await t.conversation.condense()
    assert (caught.value.code, caught.value.status) == ("condensation_not_available", 422)


async def test_i_13_a_run_ends_within_its_time_limit() -> None:
    """At most ten times the second that it may take longer."""
    settings = {"condenser": {"condenser_kind": "agent_reset"}, "run_timeout_seconds": 0.05}
    t = talk([reply("never").held(Gate())], settings=settings)
    t.conversation.tell("Go")
    await asyncio.wait_for(t.conversation.settled(), 10)
    assert t.conversation.view.error is not None
    assert t.conversation.view.error.code == "run_limit_reached"


async def test_closing_stops_and_gives_up_the_log() -> None:
    gate = Gate()
    t = talk([reply("never").held(gate)])
    t.conversation.tell("Go")
    await gate.reached()
    await t.conversation.close()
    assert t.conversation.status == "paused"
    assert t.conversation.read_only
