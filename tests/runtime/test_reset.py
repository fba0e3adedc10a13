"""The agent's own reset, from its call to the request after it (contract, sections 9 and 10)."""

from __future__ import annotations

import json

import pytest

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.events import (
    AgentErrorEvent,
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    ObservationEvent,
    ResponseEvent,
)
from smolpaws_jupyter.core.payloads import CondenseObservation
from smolpaws_jupyter.testing import Gate, call, calls, raw_call, reply
from tests.runtime.talks import Echo, reopened, said_by, talk


async def test_t_reset_01_the_request_after_a_reset_is_notice_call_result_and_what_came_meanwhile() -> None:
    # given a sole call with a padded message, and a user message that arrives during the request
    gate = Gate()
    message = "  Read notes/plan.md.\r\n"
    t = talk([call("condense", message_to_future_self=message).held(gate), reply("Done.")])
    t.conversation.tell("The old task")
    await gate.reached()
    t.conversation.tell("And one more thing")
    gate.open()
    await t.conversation.settled()
    # then
    assert t.roles() == ["user", "assistant", "tool", "user"]
    notice, assistant, result, late = t.sent()
    assert notice["content"] == wording.RESET_NOTICE == "The agent triggered context condensation."
    assert json.loads(assistant["tool_calls"][0]["function"]["arguments"]) == {"message_to_future_self": message}
    assert result["tool_call_id"] == assistant["tool_calls"][0]["id"]
    assert result["content"].endswith(message)
    assert late["content"] == "And one more thing"
    assert "The old task" not in json.dumps(t.sent())
    assert len(t.of(CondensationRequest)) == len(t.of(Condensation)) == 1
    assert len(t.llm.requests) == 2


async def test_t_reset_04_of_two_resets_in_a_row_only_the_second_exchange_is_left() -> None:
    t = talk(
        [call("condense", message_to_future_self="one"), call("condense", message_to_future_self="two"), reply("ok")]
    )
    await t.ask("Go")
    assert t.roles() == ["user", "assistant", "tool"]
    assert t.sent()[2]["content"].endswith("two")
    assert len(t.of(Condensation)) == 2


async def test_t_reset_09_the_records_tell_kept_from_forgotten_without_our_code() -> None:
    t = talk([call("echo", text="a"), call("condense"), reply("ok")], tools=[Echo()])
    await t.ask("Go")
    request, fact = t.of(CondensationRequest)[0], t.of(Condensation)[0]
    response = t.of(ResponseEvent)[1]
    assert request.details.input_event_id == response.read_through
    kept = {request.details.action_id, request.details.observation_id}
    model_visible = {e.id for e in t.events if e.kind in ("MessageEvent", "ActionEvent", "ObservationEvent")}
    before = {i for i in model_visible if i in fact.forgotten_event_ids}
    assert before.isdisjoint(kept)
    assert len(before) == 3  # the task, the echo call and its result


@pytest.mark.parametrize(
    ("arguments", "ends_with"),
    [
        ("{}", wording.RECOVERY),
        ('{"message_to_future_self": ""}', f"{wording.MESSAGE_LABEL}\n"),
        ('{"message_to_future_self": " x "}', f"{wording.MESSAGE_LABEL}\n x "),
        (json.dumps({"message_to_future_self": "🐾" * 8192}), "🐾" * 8192),
    ],
    ids=["omitted", "empty", "padded", "8192 emoji"],
)
async def test_t_tool_02_and_t_tool_08_each_message_reaches_the_result_unchanged(
    arguments: str, ends_with: str
) -> None:
    t = talk([raw_call("condense", arguments), reply("ok")])
    await t.ask("Go")
    assert t.sent()[2]["content"].endswith(ends_with)
    assert t.sent()[1]["tool_calls"][0]["function"]["arguments"] == arguments


@pytest.mark.parametrize(
    "arguments",
    [
        '{"message_to_future_self": null}',
        '{"message_to_future_self": 3}',
        '{"message_to_future_self": "' + "x" * 16_385 + '"}',
        json.dumps({"message_to_future_self": "🐾" * 8192 + "x"}),
        '{"note": "x"}',
        '{"message_to_future_self": "\\ud83d"}',
        "[]",
        '{"message',
    ],
)
async def test_t_tool_03_f_44_an_invalid_call_gets_an_error_and_clears_nothing(arguments: str) -> None:
    t = talk([raw_call("condense", arguments), reply("ok")])
    await t.ask("Keep me")
    (error,) = t.of(AgentErrorEvent)
    assert error.code == "invalid_arguments"
    assert "Nothing was cleared" in error.error
    assert not t.of(CondensationRequest)
    assert t.conversation.view.open_calls == ()
    assert "Keep me" in said_by(t.sent())


async def test_t_tool_07_f_44_beside_another_call_condense_is_refused_and_the_other_runs() -> None:
    echo = Echo()
    t = talk([calls(call("condense"), call("echo", text="hi")), reply("ok")], tools=[echo])
    await t.ask("Go")
    assert echo.ran == ["hi"]
    refused = next(e for e in t.of(ObservationEvent) if isinstance(e.observation, CondenseObservation))
    assert refused.observation.is_error
    assert refused.observation.request_id is None
    assert not t.of(Condensation)
    assert t.roles() == ["user", "assistant", "tool", "tool"]


async def test_t_tool_07_two_condense_calls_get_two_errors() -> None:
    t = talk([calls(call("condense"), call("condense")), reply("ok")])
    await t.ask("Go")
    assert [e.observation.is_error for e in t.of(ObservationEvent)] == [True, True]
    assert not t.of(Condensation)


async def test_t_tool_07_text_and_reasoning_beside_one_call_do_not_matter() -> None:
    blocks = [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]
    t = talk([call("condense").saying("Now.").thinking(thinking_blocks=blocks), reply("ok")])
    await t.ask("Go")
    assert len(t.of(Condensation)) == 1
    assert t.sent()[1]["thinking_blocks"] == blocks
    assert t.sent()[1]["content"] == "Now."


async def test_t_reset_03_a_plan_that_breaks_a_rule_becomes_an_error_result_and_the_next_reset_works() -> None:
    t = talk([call("condense"), call("condense"), reply("ok")])
    plan = t.conversation.policy.settle
    broken = iter([True, False])

    def settle(batch, view, gauge, mint):  # type: ignore[no-untyped-def]
        commits = plan(batch, view, gauge, mint)
        if commits and next(broken):
            *others, fact = commits[0]
            return [(*others, fact.model_copy(update={"forgotten_event_ids": ()}))]
        return commits

    t.conversation.policy.settle = settle  # type: ignore[method-assign]
    await t.ask("Go")
    (failed,) = t.of(CondensationFailureEvent)
    assert failed.code == "invalid_commit"
    assert len(t.of(Condensation)) == 1


async def test_t_reset_07_a_restart_keeps_the_reset_and_buys_nothing() -> None:
    t = talk([call("condense", message_to_future_self="later"), reply("ok")])
    await t.ask("Go")
    before = t.kinds
    again = reopened(t, [reply("still here")])
    assert again.kinds == before
    assert await again.ask("Next") == "still here"
    assert again.roles() == ["user", "assistant", "tool", "assistant", "user"]
    assert again.kinds.count("Condensation") == 1


async def test_t_tool_06_a_tool_of_the_name_condense_is_refused_at_the_start() -> None:
    from smolpaws_jupyter.core.errors import StartError

    with pytest.raises(StartError) as caught:
        talk([], tools=[Echo(name="condense")])
    assert caught.value.code == "reserved_tool_name"
