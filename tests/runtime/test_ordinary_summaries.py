"""Whole conversations under `llm_summarizing`: routine summaries, and one rescue after an overflow (section 17)."""

from __future__ import annotations

import pytest

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.errors import RunError
from smolpaws_jupyter.core.events import (
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    ConversationErrorEvent,
    UsageEvent,
)
from smolpaws_jupyter.testing import Gate, Move, failure, overflow, reply
from tests.runtime.talks import Talk, reopened, said_by, talk
from tests.runtime.window_models import llm_summarizing

SMALL = llm_summarizing(max_size=20, max_tokens=None)


async def chat(turns: int, summaries: list[Move], settings: JsonObject = SMALL, **more: object) -> Talk:
    """A conversation of so many turns; each adds two entries."""
    t = talk([reply(f"a{n}") for n in range(turns)], settings=settings, summaries=summaries, **more)  # type: ignore[arg-type]
    for n in range(turns):
        await t.ask(f"u{n}")
    return t


async def code_of(t: Talk, text: str = "Go on") -> str:
    with pytest.raises(RunError) as caught:
        await t.ask(text)
    return caught.value.code


async def test_t_ord_01_t_ord_04_above_its_size_a_range_is_summarised_before_the_next_main_request() -> None:
    """R-ORD-1, R-ORD-6, R-ORD-7: what is unread is in no summary."""
    t = await chat(10, [reply("So far.")])
    assert not t.summariser.requests
    t.llm.extend([reply("fine")])
    assert await t.ask("the next") == "fine"
    (asked,) = t.summariser.requests
    assert asked.tools == []
    assert "u1" in str(asked.messages)
    assert "the next" not in str(asked.messages)
    assert said_by(t.sent()) == [
        "u0",
        "a0",
        f"{wording.SUMMARY_HEADING}\n\nSo far.",
        *("u7", "a7", "u8", "a8", "u9", "a9"),
        "the next",
    ]
    assert t.roles()[2] == "user"
    assert [r.details.trigger for r in t.of(CondensationRequest)] == ["size"]
    asked_at, fact_at = t.kinds.index("CondensationRequest"), t.kinds.index("Condensation")
    assert t.kinds[asked_at:fact_at] == ["CondensationRequest", "UsageEvent"]
    assert t.kinds[fact_at + 1 :] == ["ResponseEvent", "MessageEvent"]


async def test_t_ord_01_above_its_tokens_too_by_the_count_of_the_latest_success() -> None:
    """R-ORD-1"""
    replies = [reply("a").using(input=n) for n in (100, 1_000, 1_001, 10)]
    t = talk(replies, settings=llm_summarizing(max_tokens=1_000, keep_first=0), summaries=[reply("S")])
    for text in ("u1", "u2", "u3"):
        await t.ask(text)
    assert not t.summariser.requests
    await t.ask("u4")
    assert [r.details.trigger for r in t.of(CondensationRequest)] == ["tokens"]
    assert len(t.of(Condensation)) == 1


async def test_t_ord_03_without_a_lawful_range_a_soft_trigger_sends_the_request_unchanged_without_a_call() -> None:
    """R-ORD-2, R-ORD-4"""
    t = await chat(10, [reply("S")], llm_summarizing(max_size=20, max_tokens=None, minimum_progress=0.9))
    t.llm.extend([reply("fine")])
    await t.ask("the next")
    assert len(t.sent()) == 21
    assert not t.summariser.requests
    assert not t.of(CondensationRequest)
    t.llm.extend([overflow(), reply("rescued")])
    assert await t.ask("a hard one") == "rescued"
    assert said_by(t.sent()) == [f"{wording.SUMMARY_HEADING}\n\nS", "a hard one"]


async def test_t_ord_05_t_bound_05_a_routine_summary_that_keeps_failing_is_tried_once_for_each_success() -> None:
    """R-ORD-8, R-BOUND-5: the request goes out unchanged."""
    t = await chat(10, [failure("auth")] * 9)
    t.llm.extend([failure("server"), reply("fine"), reply("fine")])
    assert await code_of(t, "u10") == "server"
    assert len(t.sent()) == 21
    assert await t.ask("u11") == "fine"
    assert len(t.summariser.requests) == 1
    assert await t.ask("u12") == "fine"
    assert len(t.summariser.requests) == 2
    assert [f.code for f in t.of(CondensationFailureEvent)] == ["summary_failed"] * 2
    assert not t.of(Condensation)
    assert said_by(t.sent())[:2] == ["u0", "a0"]


async def test_t_ord_05_a_rescue_that_fails_stops_the_run() -> None:
    """R-ORD-8"""
    t = await chat(3, [failure("auth")])
    before = t.conversation.view.read
    t.llm.extend([overflow()])
    assert await code_of(t) == "context_rescue_failed"
    assert t.conversation.view.read == before
    assert t.kinds[-2:] == ["CondensationFailureEvent", "ConversationErrorEvent"]
    again = reopened(t, [overflow()])
    assert await code_of(again) == "context_rescue_blocked"
    assert not again.summariser.requests


async def test_t_ord_05_a_routine_summary_that_fails_bars_no_rescue() -> None:
    """R-BOUND-1: only a rescue closes the bound."""
    t = await chat(10, [failure("auth"), reply("So far.")])
    t.llm.extend([overflow(), reply("fine")])
    assert await t.ask("Go on") == "fine"
    assert [r.details.trigger for r in t.of(CondensationRequest)] == ["size", "provider_context_window"]


async def test_t_ord_05_a_missing_key_of_the_summary_profile_costs_no_intent_and_the_request_goes_out() -> None:
    """R-ORD-8, R-EMERG-8"""
    t = await chat(10, [])
    t.summariser.missing_key = "env:VENDOR_KEY"
    t.llm.extend([reply("fine")])
    assert await t.ask("u10") == "fine"
    assert not t.of(CondensationRequest)


async def test_t_ord_06_with_nothing_or_only_a_summary_read_an_overflow_makes_no_call() -> None:
    """R-ORD-9: the error names what is too large."""
    t = talk([overflow()], settings=SMALL)
    assert await code_of(t, "x" * 9_000) == "input_too_large"
    t = await chat(1, [reply("S")])
    t.llm.extend([overflow(), failure("auth")])
    assert await code_of(t) == "auth"
    t.llm.extend([reply(""), reply("fine")])
    await t.ask("more")
    assert not t.summariser.left
    everything = [f"{wording.SUMMARY_HEADING}\n\nS", "Go on", "more"]
    assert said_by(t.conversation.next_request().messages[1:])[:3] == everything


async def test_t_ord_07_the_summary_is_made_with_the_attempts_scaling_and_binding_of_the_condenser() -> None:
    """R-ORD-5, R-SUM-4, R-SUM-6"""
    own = {"hard_context_reset_max_retries": 2, "hard_context_reset_context_scaling": 0.5}
    t = talk(
        [reply("a" * 2_000), overflow(), reply("fine")],
        settings=llm_summarizing(**own),
        summaries=[overflow(), reply("So far.")],
    )
    await t.ask("u" * 2_000)
    assert await t.ask("Go on") == "fine"
    first, second = (len(request.messages[1]["content"]) for request in t.summariser.requests)
    assert first - second > 400  # two previews, each clipped to half
    assert {request.binding.profile for request in t.summariser.requests} == {"summary"}
    assert [limits.max_http_requests for limits in t.summariser.limits] == [1, 1]
    assert [(u.usage_id, u.attempt, u.outcome) for u in t.of(UsageEvent)][1:] == [
        ("condenser", 1, "overflow"),
        ("condenser", 2, "ok"),
    ]
    summary = t.of(Condensation)[0].summary
    assert summary.splitlines()[0] == wording.SUMMARY_HEADING
    assert "not the user" in wording.SUMMARY_HEADING


async def test_t_stop_04_stop_during_a_routine_summary_leaves_the_view_and_records_what_was_cancelled() -> None:
    """R-STOP-5"""
    gate = Gate()
    t = await chat(10, [reply("late").held(gate)])
    before = t.conversation.view.read
    t.conversation.tell("u10")
    await gate.reached()
    assert t.conversation.stop()
    await t.conversation.settled()
    assert t.kinds[-3:] == ["UsageEvent", "CondensationFailureEvent", "InterruptEvent"]
    assert t.of(CondensationFailureEvent)[0].code == "cancelled"
    assert t.conversation.view.read == before
    assert not t.of(ConversationErrorEvent)
