"""A summary because a person asked: `condense` in every kind, its receipts, and Stop (contract, section 19)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.errors import CommandRefused, ConversationReadOnly, RunError
from smolpaws_jupyter.core.events import (
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    TruncationEvent,
    UsageEvent,
)
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.testing import Gate, Move, call, failure, overflow, reply
from tests.runtime.talks import Echo, Talk, reopened, said_by, talk, until
from tests.runtime.window_models import apart, is_summary, llm_summarizing, window

EAGER = window(summary_ratio=0.5, preserve_recent_messages=0)
NEW_CONTEXT: JsonObject = {"condenser": {"condenser_kind": "new_context"}}


async def two_turns(summaries: list[Move], settings: JsonObject = EAGER, main: list[Move] | None = None) -> Talk:
    moves = [reply("a1"), reply("a2"), *(main or [])]
    t = talk(apart(moves, summaries), settings=settings, summaries=summaries, tools=[Echo()])
    await t.ask("u1")
    await t.ask("u2")
    return t


async def refused(conversation: Conversation, command_id: str | None = None) -> tuple[str, int | None, str]:
    """Code, status and text of the refusal."""
    with pytest.raises(CommandRefused) as caught:
        await conversation.condense(command_id)
    return caught.value.code, caught.value.status, str(caught.value)


def texts(t: Talk) -> list[str]:
    return said_by(t.conversation.next_request().messages[1:])


HEADED = f"{wording.SUMMARY_HEADING}\n\nS"


@pytest.mark.parametrize(
    ("settings", "then"),
    [
        (EAGER, ["S", "u2", "a2"]),
        (llm_summarizing(keep_first=0), [HEADED, "a2"]),
        (llm_summarizing(), ["u1", "a1", HEADED]),
    ],
    ids=["summarizing_window", "llm_summarizing", "llm_summarizing behind its prefix"],
)
async def test_t_man_02_one_summary_by_the_kinds_own_path_and_nothing_is_cut(
    settings: JsonObject, then: list[str]
) -> None:
    """R-MAN-3, R-WORD-11"""
    t = await two_turns([reply("S")], settings)
    assert await t.conversation.condense() == wording.MANUAL_DONE
    assert texts(t) == then
    (request,) = t.of(CondensationRequest)
    assert request.details.trigger == "host"
    assert len(t.of(Condensation)) == 1
    assert not t.of(TruncationEvent)
    assert t.conversation.status == "idle"


async def test_t_man_02_under_new_context_every_message_of_the_user_is_kept_and_the_summary_follows_the_first() -> None:
    """R-MAN-3, R-NEW-19, R-NEW-21"""
    long = "work " * 500
    t = talk(apart([reply(long), reply(long)], [failure("transport"), reply("S")]), settings=NEW_CONTEXT)
    await t.ask("u1")
    await t.ask("u2")
    assert await t.conversation.condense() == wording.MANUAL_DONE
    assert texts(t) == ["u1", "S", "u2"]
    assert [(u.purpose, u.attempt, u.outcome) for u in t.of(UsageEvent)] == [
        ("summary", 1, "transport"),
        ("summary", 2, "ok"),
    ]


async def test_t_man_02_a_giant_paste_is_not_cut_where_nothing_can_be_summarised() -> None:
    """R-MAN-3, R-MAN-5"""
    t = talk([reply("ok")], settings=window())
    await t.ask("p" * 50_000)
    assert (await refused(t.conversation))[:2] == ("nothing_to_condense", 422)
    assert not t.of(TruncationEvent)


async def test_t_man_03_it_waits_for_the_running_step_and_what_is_unread_stays_so() -> None:
    """R-MAN-6: the run goes on with a new request."""
    gate, summarising = Gate(), Gate()
    main = [call("echo", text="x").held(gate), reply("done")]
    t = await two_turns([reply("S").held(summarising)], main=main)
    t.conversation.tell("u3")
    await gate.reached()
    asked = asyncio.ensure_future(t.conversation.condense())
    await asyncio.sleep(0)
    assert not t.of(CondensationRequest)
    gate.open()
    await summarising.reached()
    t.conversation.tell("u4")
    assert "ObservationEvent" in t.kinds[: t.kinds.index("CondensationRequest")]
    summarising.open()
    assert await asked == wording.MANUAL_DONE
    assert [m.text for m in t.conversation.view.unread] == ["u4"]
    await t.conversation.settled()
    assert t.conversation.final_text == "done"
    assert texts(t)[0] == "S"
    assert texts(t)[-2:] == ["u4", "done"]


@pytest.mark.parametrize("status", ["paused", "error", "idle"])
async def test_t_man_03_the_status_stays_and_nothing_is_answered(status: str) -> None:
    """R-MAN-6, R-STOP-9"""
    t = await two_turns([reply("S")], main=[failure("auth")])
    if status == "paused":
        t.conversation.pause()
        t.conversation.tell("waits")
    if status == "error":
        with pytest.raises(RunError):
            await t.ask("waits")
    before = len(t.llm.requests)
    assert await t.conversation.condense() == wording.MANUAL_DONE
    await asyncio.sleep(0)
    assert t.conversation.status == status
    assert [m.text for m in t.conversation.view.unread] == ([] if status == "idle" else ["waits"])
    assert len([r for r in t.llm.requests[before:] if not is_summary(r)]) == 0
    assert reopened(t).conversation.status == status


async def test_t_man_04_a_command_has_one_effect_and_one_receipt_also_at_once_and_after_a_restart() -> None:
    """R-MAN-7: intent, attempt and fact carry its id."""
    t = await two_turns([reply("S")])
    receipts = await asyncio.gather(*(t.conversation.condense("c-1") for _ in range(3)))
    assert receipts == [wording.MANUAL_DONE] * 3
    assert [e.kind for e in t.events if e.command_id == "c-1"] == ["CondensationRequest", "UsageEvent", "Condensation"]
    again = reopened(t)
    assert await again.conversation.condense("c-1") == wording.MANUAL_DONE
    assert not again.llm.requests


@pytest.mark.parametrize(
    ("move", "code"),
    [(failure("rate_limit"), "summary_failed"), (overflow(), "summary_failed"), (reply("  "), "summary_blank")],
)
async def test_t_man_04_t_man_05_a_summary_that_fails_has_one_receipt_too(move: Move, code: str) -> None:
    """R-MAN-5, R-MAN-7: 502, and the history is intact."""
    t = await two_turns([move])
    before = t.conversation.view.read
    receipt = await refused(t.conversation, "c-1")
    assert receipt[:2] == ("condensation_failed", 502)
    assert "intact" in receipt[2]
    assert await refused(t.conversation, "c-1") == receipt
    assert t.conversation.view.read == before
    assert t.conversation.status == "idle"
    (record,) = t.of(CondensationFailureEvent)
    assert (record.code, record.command_id) == (code, "c-1")
    again = reopened(t)
    assert await refused(again.conversation, "c-1") == receipt
    assert not again.llm.requests


async def test_t_man_04_one_that_died_with_its_process_is_not_repeated_under_its_id() -> None:
    """R-MAN-7, R-REST-5"""
    gate = Gate()
    t = await two_turns([reply("lost").held(gate)])
    asked = asyncio.ensure_future(t.conversation.condense("c-1"))
    await gate.reached()
    again = reopened(t, apart([], [reply("S")]))
    asked.cancel()
    receipt = await refused(again.conversation, "c-1")
    assert receipt[:2] == ("condensation_failed", 502)
    assert wording.SUMMARY_FAILED["interrupted"] in receipt[2]
    assert await again.conversation.condense("c-2") == wording.MANUAL_DONE


async def test_t_man_04_a_refusal_appends_nothing_and_is_judged_anew() -> None:
    """R-MAN-7"""
    t = talk(apart([reply("a1")], [reply("S")]), settings=EAGER)
    assert (await refused(t.conversation, "c-1"))[0] == "nothing_to_condense"
    assert t.events == []
    await t.ask("u1")
    assert await t.conversation.condense("c-1") == wording.MANUAL_DONE


@pytest.mark.parametrize(
    ("settings", "code", "status"),
    [
        ({}, "condensation_not_available", 422),
        ({"condenser": {"condenser_kind": "no_op"}}, "condensation_not_available", 422),
        ({"condenser": {"condenser_kind": "summarizing_window", "enabled": False}}, "condensation_not_available", 422),
        ({"condenser": {"condenser_kind": "agent_reset"}}, "agent_controlled_condensation", 409),
        (llm_summarizing(), None, None),
    ],
)
async def test_t_man_05_t_man_01_where_it_is_not_offered_nothing_is_looked_up_or_appended(
    settings: JsonObject, code: str | None, status: int | None
) -> None:
    """R-MAN-2, R-MAN-4, R-MAN-8"""
    t = await two_turns([reply("S")], settings)
    if code is not None:
        length = len(t.events)
        assert (await refused(t.conversation))[:2] == (code, status)
        assert len(t.events) == length
    t.store.close()
    if code is None:
        with pytest.raises(ConversationReadOnly) as caught:
            await t.conversation.condense()
        assert (caught.value.code, caught.value.status) == ("conversation_read_only", 409)
    else:
        assert (await refused(t.conversation))[:2] == (code, status)


async def test_t_man_05_with_only_a_summary_left_there_is_nothing_to_condense() -> None:
    """R-MAN-5, R-ORD-9"""
    t = await two_turns([reply("S")], llm_summarizing(minimum_progress=0.9))  # so all is taken at once
    await t.conversation.condense()
    assert texts(t) == [HEADED]
    assert (await refused(t.conversation))[:2] == ("nothing_to_condense", 422)
    assert len(t.summariser.requests) == 1


async def test_t_man_05_without_the_key_of_its_profile_there_is_no_intent() -> None:
    """R-MAN-5, R-EMERG-8"""
    t = await two_turns([reply("S")], llm_summarizing())
    t.summariser.missing_key = "env:VENDOR_KEY"
    code, status, text = await refused(t.conversation, "c-1")
    assert (code, status) == ("condensation_failed", 502)
    assert "env:VENDOR_KEY" in text
    assert not t.of(CondensationRequest)
    t.summariser.missing_key = None
    assert await t.conversation.condense("c-1") == wording.MANUAL_DONE


async def test_t_bound_06_a_manual_summary_neither_needs_nor_opens_the_bound() -> None:
    """R-BOUND-6, R-BOUND-2"""
    t = await two_turns([failure("auth"), reply("S")], llm_summarizing(keep_first=0), [overflow(), overflow()])
    for code in ("context_rescue_failed", "context_rescue_blocked"):
        if code == "context_rescue_blocked":
            assert await t.conversation.condense() == wording.MANUAL_DONE
        with pytest.raises(RunError) as caught:
            await t.ask("Go on")
        assert caught.value.code == code
    t = await two_turns(
        [reply("S"), reply("S2")], llm_summarizing(keep_first=0), [reply("a3"), overflow(), reply("ok")]
    )
    await t.conversation.condense()
    await t.ask("u3")
    assert await t.ask("u4") == "ok"  # nor closes it


async def test_t_stop_04_stop_during_a_summary_by_hand_cancels_it_and_keeps_the_status() -> None:
    """R-STOP-5, R-MAN-6, R-MAN-7"""
    gate = Gate()
    t = await two_turns([reply("late").held(gate)])
    before = t.conversation.view.read
    asked = asyncio.ensure_future(refused(t.conversation, "c-1"))
    await gate.reached()
    assert t.conversation.stop()
    receipt = await asked
    assert receipt[:2] == ("condensation_failed", 502)
    assert wording.SUMMARY_FAILED["cancelled"] in receipt[2]
    assert t.kinds[-3:] == ["CondensationRequest", "UsageEvent", "CondensationFailureEvent"]
    assert [e.command_id for e in t.events[-3:]] == ["c-1"] * 3
    assert t.conversation.view.read == before
    assert t.conversation.status == "idle"
    assert t.conversation.detail == ""
    assert not t.conversation.stop()
    assert await refused(reopened(t).conversation, "c-1") == receipt


@pytest.mark.parametrize("way", ["stop", "close"])
async def test_t_stop_04_stop_and_close_mean_a_summary_that_waits_for_its_step_too(way: str) -> None:
    """R-STOP-13: nothing is bought after it."""
    gate = Gate()
    t = await two_turns([reply("S")], main=[reply("late").held(gate)])
    t.conversation.tell("u3")
    await gate.reached()
    asked = asyncio.ensure_future(refused(t.conversation, "c-1"))
    await asyncio.sleep(0)
    if way == "stop":
        t.conversation.stop()
    else:
        await t.conversation.close()
    assert wording.SUMMARY_FAILED["cancelled"] in (await asked)[2]
    assert not any(map(is_summary, t.llm.requests))
    if way == "stop":
        await until(lambda: t.conversation.status == "paused")
        assert not t.of(CondensationRequest)


async def test_close_during_a_summary_by_hand_returns_at_once_and_stores_that_it_was_cancelled() -> None:
    """R-STOP-13, T-STOP-04"""
    gate = Gate()
    t = await two_turns([reply("never").held(gate)])
    asked = asyncio.ensure_future(refused(t.conversation, "c-1"))
    await gate.reached()
    await t.conversation.close()
    await asyncio.gather(asked, return_exceptions=True)
    again: Any = reopened(t)
    assert [f.code for f in again.of(CondensationFailureEvent)] == ["cancelled"]
