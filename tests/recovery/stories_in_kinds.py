"""Conversations under every other kind of condenser than `agent_reset`, for the crash tests."""

from __future__ import annotations

import asyncio
import contextlib

from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.errors import CommandRefused
from smolpaws_jupyter.core.events import (
    AgentErrorEvent,
    Condensation,
    CondensationRequest,
    ContextWindowReminderEvent,
    ConversationErrorEvent,
    PinEvent,
    TruncationEvent,
)
from smolpaws_jupyter.testing import Gate, call, calls, failure, overflow, reply
from tests.recovery.world import Life
from tests.runtime.talks import Talk

NEW_CONTEXT: JsonObject = {"condenser": {"condenser_kind": "new_context"}}
WINDOW: JsonObject = {
    "condenser": {
        "condenser_kind": "summarizing_window",
        "summary_ratio": 0.5,
        "preserve_recent_messages": 1,
        "pin_first": 1,
        "truncate_preserve_chars": 60,
        "proactive_compression": {"compression_threshold": 0.8},
    }
}
ORDINARY: JsonObject = {
    "condenser": {
        "condenser_kind": "llm_summarizing",
        "llm_profile_ref": "summary",
        "max_size": 100,
        "max_tokens": 500,
        "keep_first": 0,
    }
}


def triggers(t: Talk) -> list[str]:
    """Why summaries and resets were wanted, in order."""
    return [request.details.trigger for request in t.of(CondensationRequest)]


async def the_agent_hands_over(life: Life) -> None:
    """`new_context`: twice in a batch, too large, reminded, over capacity, rescued, a rescue that fails, by hand."""
    life.world.counts = lambda size: size.bytes // 10
    twice = calls(call("new_context", handoff="a"), call("note", text="n"), call("new_context", handoff="b"))
    far_too_long = call("new_context", handoff="h" * 9_000)
    moves = [twice, far_too_long, call("new_context", handoff="c"), reply("x" * 6_200)]
    moves += [
        call("look", text="l"),
        reply("y" * 3_000),
        reply("Small."),
        overflow(),
        reply("On."),
        overflow(),
        overflow(),
    ]
    summaries = [reply("It was long."), reply("Too long."), reply("A rescue."), reply(" "), reply("By hand.")]
    t = life.begin(moves, summaries, settings=NEW_CONTEXT)
    for text in ("Work", "Reminded", "Too full", "Rescue me", "Again", "And again"):
        await life.ask(text)
    await t.conversation.condense("once")
    await t.conversation.condense("once")
    handed_over, too_full, overflowed = "agent", "capacity", "provider_context_window"
    assert triggers(t) == [handed_over, too_full, handed_over, too_full, overflowed, overflowed, "host"]
    assert len(t.of(ContextWindowReminderEvent)) == 1
    assert not t.of(AgentErrorEvent)


async def a_rescue_before_sending_fails(life: Life) -> None:
    """`new_context`: one over-full request buys one rescue; another is bought when the model has answered since."""
    life.world.counts = lambda size: size.bytes // 10
    summaries = [reply(" "), reply("By hand."), reply("A rescue.")]
    t = life.begin([reply("x" * 9_000), reply("y" * 9_000), reply("On.")], summaries, settings=NEW_CONTEXT)
    for text in ("Work", "Too full", "Still too full"):
        await life.ask(text)
    await t.conversation.condense("once")
    for text in ("Emptier", "Too full again"):
        await life.ask(text)
    assert triggers(t) == ["capacity", "host", "capacity"]
    assert [error.code for error in t.of(ConversationErrorEvent)] == ["context_rescue_failed", "context_rescue_blocked"]


async def the_window_slides(life: Life) -> None:
    """`summarizing_window`: pins, cuts where no summary is to be had, ahead of an overflow, throttled, by hand."""
    summarising, by_hand = Gate(), Gate()
    moves = [reply("Hm."), reply("Well."), overflow(), reply("Cut."), overflow(), reply("On.").using(input=850)]
    moves += [reply("Unchanged."), overflow(), overflow()]
    summaries = [overflow(), reply("A summary."), failure("server"), failure("rate_limit")]
    summaries += [reply("Never.").held(summarising), reply("Never.").held(by_hand), reply("By hand.")]
    t = life.begin(moves, summaries, settings=WINDOW)
    for text in ("One", "Two", "Three" * 200, "Four", "Five", "Six" * 200):
        await life.ask(text)
    life.tell("Seven")
    await life.reaches(summarising)
    t.conversation.stop()
    await t.conversation.settled()
    condensing = asyncio.ensure_future(t.conversation.condense("stopped"))
    reached = asyncio.ensure_future(by_hand.reached())
    await asyncio.wait({condensing, reached}, return_when=asyncio.FIRST_COMPLETED)  # a disk that fails ends it before
    reached.cancel()
    t.conversation.stop()
    with contextlib.suppress(CommandRefused):
        await condensing
    await t.conversation.condense("done")
    overflowed = "provider_context_window"
    assert triggers(t) == [*[overflowed] * 2, "proactive", *[overflowed] * 2, "host", "host"]
    assert (len(t.of(PinEvent)), len(t.of(TruncationEvent)), len(t.of(Condensation))) == (1, 1, 2)


async def a_text_is_cut_once(life: Life) -> None:
    """`summarizing_window`: where nothing can be summarised, a long text is cut; where that does not suffice, that is all."""
    unpinned: JsonObject = {"condenser": {**WINDOW["condenser"], "pin_first": 0}}
    t = life.begin([overflow(), overflow(), reply("Short.")], settings=unpinned)
    for text in ("Long" * 200, "Go on"):
        await life.ask(text)
    assert len(t.of(TruncationEvent)) == len(t.of(ConversationErrorEvent)) == 1


async def a_range_is_summarised(life: Life) -> None:
    """`llm_summarizing`: by tokens, unchanged where that fails, rescued once, by hand."""
    moves = [reply("Hm."), reply("Well.").using(input=600), reply("On.").using(input=600), reply("Unchanged.")]
    summaries = [reply("By tokens."), failure("auth"), reply("A rescue."), failure("auth"), reply("By hand.")]
    t = life.begin([*moves, overflow(), reply("Better."), overflow(), overflow()], summaries, settings=ORDINARY)
    for text in ("One", "Two", "Three", "Four", "Five", "Six", "Seven"):
        await life.ask(text)
    await t.conversation.condense("once")
    assert triggers(t) == ["tokens", "tokens", *["provider_context_window"] * 2, "host"]


async def a_range_is_too_short(life: Life) -> None:
    """`llm_summarizing`: where too little stands behind the first entries, a request goes out unchanged (R-ORD-2)."""
    keeping: JsonObject = {"condenser": {**ORDINARY["condenser"], "keep_first": 9}}
    t = life.begin([reply("Hm.").using(input=600), reply("On.")], settings=keeping)
    for text in ("One", "Two"):
        await life.ask(text)
    assert not triggers(t)


async def nothing_is_condensed(life: Life) -> None:
    """`no_op`: an overflow ends the run."""
    life.begin([call("note", text="n"), reply("Hm."), overflow(), reply("Better.")], settings={})
    for text in ("One", "Too much", "Less"):
        await life.ask(text)


OTHER_KINDS = [
    the_agent_hands_over,
    a_rescue_before_sending_fails,
    the_window_slides,
    a_text_is_cut_once,
    a_range_is_summarised,
    a_range_is_too_short,
    nothing_is_condensed,
]
