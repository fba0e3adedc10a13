"""What a reset meets: closed calls, an earlier summary, thinking, a full disk, a file without notes (sections 9 and 10)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from smolpaws_jupyter.core.base import ImageBlock
from smolpaws_jupyter.core.errors import StoreError
from smolpaws_jupyter.core.events import (
    ActionEvent,
    AgentErrorEvent,
    ApprovalEvent,
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    ContextWarningEvent,
)
from smolpaws_jupyter.core.payloads import CondenseObservation
from smolpaws_jupyter.core.policies.agent_reset import CONDENSE, condense_outside, reset
from smolpaws_jupyter.runtime.log import mint
from smolpaws_jupyter.testing import Gate, call, overflow, reply
from tests.runtime.talks import AGENT_RESET, WITH_FALLBACK, Echo, Talk, reopened, said_by, talk


async def test_t_reset_02_a_reset_that_cannot_be_stored_leaves_the_history_and_a_call_that_did_not_run() -> None:
    """R-RESET-14, R-LOG-10"""
    t = talk([reply("ok"), call("condense")], tools=[Echo()])
    await t.ask("The task")
    store: Any = t.store
    refuse = store.append

    def append(events: Any) -> None:
        if any(isinstance(event, Condensation) for event in events):
            store.full = True
        refuse(events)

    store.append = append
    with pytest.raises(StoreError):
        await t.ask("Start afresh")
    store.full = False
    again = reopened(t)
    assert not again.of(CondensationRequest)
    assert [e.code for e in again.of(AgentErrorEvent)] == ["not_run"]
    assert said_by(again.conversation.next_request().messages)[1:4] == ["The task", "ok", "Start afresh"]
    assert not again.llm.requests
    assert len(t.llm.requests) == 2


async def test_t_reset_05_a_reset_forgets_closed_calls_notice_and_summary_too() -> None:
    """R-RESET-3"""
    gate = Gate()
    t = talk(
        [reply("ok"), overflow(), call("slow")],
        settings=WITH_FALLBACK,
        summaries=[reply("S")],
        tools=[Echo("slow", effects=True, gate=gate)],
    )
    await t.ask("one")
    t.conversation.tell("two")
    await gate.reached()
    t = reopened(t, [call("condense"), reply("fresh")], tools=[Echo("slow", effects=True)])
    kinds = [e.kind for e in t.conversation.view.read]
    assert kinds[:2] == ["CondensationNotice", "CondensationSummaryEvent"]
    assert "AgentErrorEvent" in kinds
    before = [e.id for e in t.conversation.view.read]
    assert await t.ask("three") == "fresh"
    assert t.roles() == ["user", "assistant", "tool"]
    assert set(before) < set(t.of(Condensation)[-1].forgotten_event_ids)


async def test_t_reset_06_the_kept_call_of_a_thinking_loop_is_whole_and_signed() -> None:
    def thinking(n: int) -> dict[str, Any]:
        return {"thinking_blocks": [{"type": "thinking", "thinking": f"step {n}", "signature": f"c2ln{n}"}]}

    moves = [call("echo", text="a").thinking(**thinking(1)), call("condense").thinking(**thinking(2)), reply("ok")]
    t = talk(moves, tools=[Echo()])
    await t.ask("Go")
    again = reopened(t, [reply("still")], tools=[Echo()])
    await again.ask("Next")
    for request in (t.sent(), again.sent()):
        assert request[1]["thinking_blocks"] == thinking(2)["thinking_blocks"]
        assert "step 1" not in str(request)


def told(t: Talk) -> list[Any]:
    """The log without its random parts, each id replaced by the place of what it names."""
    places = {event.id: f"event {place}" for place, event in enumerate(t.events)}
    text = [event.model_dump(mode="json", exclude={"timestamp", "command_id"}) for event in t.events]
    dump: list[Any] = [{key: _named(value, places) for key, value in event.items()} for event in text]
    dump[0].pop("conversation_id")
    return dump


def _named(value: Any, places: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _named(item, places) for key, item in value.items()}
    if isinstance(value, list):
        return [_named(item, places) for item in value]
    return places.get(value, value) if isinstance(value, str) else value


def test_t_reset_08_a_blocking_script_and_a_running_loop_write_the_same_log() -> None:
    """R-RESET-15"""

    def script() -> Talk:
        return talk([call("echo", text="a"), call("condense", message_to_future_self="b"), reply("ok")], tools=[Echo()])

    async def beside_other_work() -> Talk:
        t = script()
        busy = asyncio.create_task(asyncio.sleep(60))
        t.conversation.tell("Go")
        await t.conversation.settled()
        busy.cancel()
        return t

    async def alone() -> Talk:
        t = script()
        await t.ask("Go")
        return t

    assert told(asyncio.run(alone())) == told(asyncio.run(beside_other_work()))


def test_t_tool_01_the_schema_has_one_optional_text_and_nothing_else() -> None:
    """R-TOOL-4, R-STR-5"""
    (spec,) = [t for t in talk([]).conversation.next_request().tools if t["function"]["name"] == "condense"]
    schema = spec["function"]["parameters"]
    assert list(schema["properties"]) == ["message_to_future_self"]
    assert schema["properties"]["message_to_future_self"]["type"] == "string"
    assert schema["properties"]["message_to_future_self"]["maxLength"] == 16_384
    assert schema["additionalProperties"] is False
    assert not schema.get("required")
    assert spec["function"]["description"] == CONDENSE.description


@pytest.mark.parametrize("message", [None, "", " keep me \n"])
async def test_t_tool_04_outside_a_step_the_tool_answers_with_an_error_that_keeps_the_message(
    message: str | None,
) -> None:
    """R-TOOL-16"""
    arguments = {} if message is None else {"message_to_future_self": message}
    outside = condense_outside(arguments)
    assert (outside.is_error, outside.request_id, outside.message_to_future_self) == (True, None, message)
    t = talk([call("condense", **arguments), reply("ok")])
    await t.ask("Go")
    (stale,) = t.of(ActionEvent)  # its response is not the latest any more
    (refused,) = reset(stale, t.conversation.view, mint)
    assert isinstance(refused.observation, CondenseObservation)  # type: ignore[union-attr]
    assert refused.observation == outside  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "fields",
    [
        {"content": [ImageBlock(media_type="image/png", data="iVBORw0KGgo=").model_dump()]},
        {"content": [], "extra": 1},
        {"content": "text"},
        {"content": [], "is_error": 1},
    ],
)
def test_t_tool_04_an_observation_holds_text_and_its_own_fields_only(fields: dict[str, Any]) -> None:
    """R-TOOL-13"""
    assert CondenseObservation.model_validate({"content": []}).is_error is False
    with pytest.raises(ValidationError):
        CondenseObservation.model_validate(fields)


async def test_t_tool_09_a_reset_asks_nobody_and_writes_and_needs_no_notes(tmp_path: Path) -> None:
    """R-TOOL-15"""
    t = talk([call("condense"), reply("ok")], workspace=tmp_path, approvals="ask", settings=AGENT_RESET)
    assert await t.ask("Go") == "ok"
    assert len(t.of(Condensation)) == 1
    assert [*tmp_path.iterdir()] == []  # noqa: ASYNC240 - a test may wait
    assert not t.of(ApprovalEvent)
    assert "ToolStartEvent" not in t.kinds


async def test_t_rest_05_a_reset_of_an_older_log_that_was_never_carried_out_is_taken_back() -> None:
    """R-REST-6, R-WORD-18: full history, a failure record, a remark to the model; and a later reset works."""
    gate = Gate()
    t = talk([reply("ok"), call("condense").held(gate)])
    await t.ask("The task")
    t.conversation.tell("Start afresh")
    await gate.reached()

    def die(_: int, events: Any) -> None:
        if events[-1].kind == "ActionEvent":
            t.store.close()

    t.conversation.log.subscribe(die)
    gate.open()
    with pytest.raises(Exception, match="closed"):
        await t.conversation.settled()
    store: Any = t.store
    old = store.follow()
    old.take_over()
    (asked,) = [e for e in old.read() if isinstance(e, ActionEvent)]
    observation, request, _ = reset(asked, t.conversation.view, mint)
    old.append([observation])
    old.append([request])
    t.store = old
    again = reopened(t, [call("condense"), reply("fresh")])
    assert [e.code for e in again.of(CondensationFailureEvent)] == ["interrupted"]
    assert not again.of(Condensation)
    sent = said_by(again.conversation.next_request().messages)
    assert sent[1:3] == ["The task", "ok"]
    assert "did not take effect" in sent[-1]
    assert await again.ask("Go on") == "fresh"
    assert len(again.of(Condensation)) == 1


async def test_t_warn_07_considering_a_warning_only_appends_it() -> None:
    """R-WARN-17"""
    t = talk([reply("ok").using(input=310_000), reply("fine")])
    await t.ask("one")
    view, before = t.conversation.view, t.events
    await t.ask("two")
    assert t.events[: len(before)] == before
    assert [e.kind for e in t.events[len(before) :]] == [
        "MessageEvent",
        "ContextWarningEvent",
        "ResponseEvent",
        "MessageEvent",
    ]
    assert view.stage == 0.0
    assert view.asides == ()
    assert len(t.of(ContextWarningEvent)) == 1
