"""Whole conversations under `summarizing_window`: each overflow is answered while that makes progress (section 16)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.errors import RunError
from smolpaws_jupyter.core.events import (
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    Event,
    PinEvent,
    TitleEvent,
    TruncationEvent,
    UsageEvent,
)
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.core.units import message_count
from smolpaws_jupyter.core.view import View
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.llm import Request
from smolpaws_jupyter.runtime.log import EventLog
from smolpaws_jupyter.runtime.memory_store import MemoryStore
from smolpaws_jupyter.runtime.opening import repair
from smolpaws_jupyter.runtime.redaction import Redactor
from smolpaws_jupyter.testing import Gate, Move, ScriptedLLM, failure, overflow, reply
from tests.builders import History
from tests.histories import histories
from tests.runtime.talks import WITH_FALLBACK, Talk, reopened, said_by, talk
from tests.runtime.window_models import Sized, apart, is_summary, llm_summarizing, window

EAGER = {"summary_ratio": 0.5, "preserve_recent_messages": 0}
PASTE = "p" * 50_000


async def code_of(t: Talk, text: str = "Go on") -> str:
    with pytest.raises(RunError) as caught:
        await t.ask(text)
    return caught.value.code


def summaries_of(t: Talk) -> list[Request]:
    return [request for request in t.llm.requests if is_summary(request)]


def texts(t: Talk) -> list[str]:
    """What the next request would say, without the system message."""
    return said_by(t.conversation.next_request().messages[1:])


async def two_turns(settings: JsonObject, main: Sequence[Move], summaries: Sequence[Move] = ()) -> Talk:
    """A conversation that has read four messages: u1, its answer, u2, its answer."""
    t = talk(apart([reply("a1"), reply("a2"), *main], summaries), settings=settings)
    await t.ask("u1")
    await t.ask("u2")
    return t


async def test_t_win_02_with_too_few_messages_and_nothing_to_cut_an_overflow_stops_the_run() -> None:
    """R-WIN-8, R-WIN-10: it spends nothing, names the largest part, and leaves everything open."""
    t = await two_turns(window(), [overflow(), reply("fine")])
    assert await code_of(t) == "context_window_exceeded"
    assert "the history" in str(t.conversation.last_error) or "fixed context" in str(t.conversation.last_error)
    assert not t.of(CondensationRequest)
    assert not t.of(TruncationEvent)
    assert t.conversation.view.rescue is None
    assert await t.ask("again") == "fine"


@pytest.mark.parametrize("own", [True, False])
async def test_t_win_04_one_summary_call_without_tools_and_nothing_is_forgotten_before_it_succeeded(own: bool) -> None:
    """R-WIN-6, R-WIN-7: with the condenser's own profile, else the main one."""
    gate = Gate()
    long = "word " * 1_000
    held = reply("So far.").using(input=5_000).held(gate)
    settings = window(**EAGER, **({"llm_profile_ref": "summary"} if own else {}))
    main = [reply(long).using(input=700), overflow(), reply("fine")]
    t = talk(apart(main, [held]), settings=settings, summaries=[held])
    await t.ask("u1")
    before = t.conversation.view
    t.conversation.tell("u2")
    await gate.reached()
    assert t.conversation.view.read == before.read
    assert t.conversation.view.count == before.count
    gate.open()
    await t.conversation.settled()
    (asked,) = t.summariser.requests if own else summaries_of(t)
    assert asked.tools == []
    assert asked.binding.profile == ("summary" if own else "main")
    assert "u1" in str(asked.messages)
    assert "u2" not in str(asked.messages)
    assert t.conversation.final_text == "fine"
    assert texts(t) == ["So far.", long, "u2", "fine"]
    assert t.roles() == ["user", "assistant", "user"]


async def test_t_win_04_after_a_summary_that_failed_nothing_is_forgotten() -> None:
    """R-WIN-7"""
    t = await two_turns(window(**EAGER), [overflow()], [failure("server")])
    before = t.conversation.view
    assert await code_of(t) == "server"
    assert t.conversation.view.read == before.read
    assert t.conversation.view.count == before.count
    assert t.conversation.view.cycle is None


async def test_t_win_05_t_win_06_after_two_reductions_a_restored_view_is_the_live_one_with_its_pins_in_place() -> None:
    """R-WIN-3, R-WIN-13: nothing that was summarised returns."""
    t = talk(Sized(), settings=window(**EAGER, pin_first=2))
    for number in range(4):
        await t.ask(f"task {number}")
    assert isinstance(t.llm, ScriptedLLM)
    for round_ in (1, 2):
        again = reopened(t, apart([overflow(), reply("ok")], [reply(f"Summary {round_}.")]))
        assert again.conversation.view == t.conversation.view
        await again.ask(f"more {round_}")
        live = again.conversation.view
        t = again
        assert texts(again)[:3] == ["task 0", "ok", f"Summary {round_}."]
        assert View.of(again.events) == live
    last = reopened(t)
    assert last.conversation.view.read == t.conversation.view.read
    assert last.conversation.next_request().messages == t.conversation.next_request().messages
    assert "task 1" not in texts(last)
    assert len(last.of(PinEvent)) == 1
    pinned, asked = (last.kinds.index(kind) for kind in ("PinEvent", "CondensationRequest"))
    assert asked == pinned + 1  # in one commit


async def test_t_win_09_a_giant_paste_is_cut_and_the_turn_succeeds_after_two_main_calls() -> None:
    """R-WIN-8, R-WIN-14, R-WIN-16"""
    t = talk(Sized(most=20_000), settings=window())
    assert await t.ask(PASTE) == "ok"
    assert len(t.llm.requests) == 2
    assert t.sent()[0]["content"] == (
        "p" * 2_000 + "\n\n... [truncated: 46000 chars removed] ...\n\n" + "p" * 2_000
    )  # fmt: skip
    assert await t.ask("short") == "ok"
    assert len(t.llm.requests) == 3
    assert len(t.of(TruncationEvent)) == 1
    assert not t.of(CondensationRequest)


async def test_t_win_10_where_the_summary_call_overflows_too_text_is_cut_instead() -> None:
    """R-WIN-8: its failure is recorded, and the run goes on."""
    t = talk(Sized(text="a" * 9_000, most=25_000), settings=window(summary_ratio=0.8, preserve_recent_messages=1))
    await t.ask("u" * 9_000)
    t.llm._rule.most = 15_000  # type: ignore[union-attr]
    t.llm._rule.text = "ok"  # type: ignore[union-attr]
    assert await t.ask("Go on") == "ok"
    assert [f.code for f in t.of(CondensationFailureEvent)] == ["summary_failed"]
    assert [(u.purpose, u.outcome) for u in t.of(UsageEvent)] == [("main_failed", "overflow"), ("summary", "overflow")]
    assert len(t.of(TruncationEvent)[0].cuts) == 2
    assert not t.of(Condensation)


@pytest.mark.parametrize(
    ("move", "code"),
    [(failure("rate_limit"), "rate_limit"), (failure("transport"), "transport"), (reply(" "), "context_rescue_failed")],
)
async def test_t_win_10_a_throttled_summary_cuts_nothing_and_the_next_overflow_tries_again(
    move: Move, code: str
) -> None:
    """R-WIN-9: the run stops with that class; a retry may lose nothing."""
    t = await two_turns(window(**EAGER), [overflow(), overflow(), reply("fine")], [move, reply("So far.")])
    await t.conversation.settled()
    assert await code_of(t, PASTE) == code
    assert not t.of(TruncationEvent)
    assert len(summaries_of(t)) == 1  # one attempt
    assert texts(t) == ["u1", "a1", "u2", "a2", PASTE]
    assert "again" in str(t.conversation.last_error)
    assert await t.ask("once more") == "fine"
    assert texts(t)[0] == "So far."


async def test_r_win_10_a_summary_that_died_with_its_process_is_not_repeated_but_the_next_overflow_reduces() -> None:
    """R-REST-5: opening buys nothing."""
    gate = Gate()
    t = await two_turns(window(**EAGER), [overflow()], [reply("lost").held(gate)])
    t.conversation.tell("u3")
    await gate.reached()
    again = reopened(t, apart([overflow(), reply("fine")], [reply("So far.")]))
    gate.open()
    assert [f.code for f in again.of(CondensationFailureEvent)] == ["interrupted"]
    assert not again.llm.requests
    assert again.conversation.view.read == t.conversation.view.read
    assert await again.ask("u4") == "fine"
    assert len(again.of(Condensation)) == 1


PROACTIVE = window(**EAGER, proactive_compression=True)


@pytest.mark.parametrize(
    ("count", "limit", "bought"), [(699, 1_000, 0), (700, 1_000, 1), (None, 1_000, 0), (700, None, 0)]
)
async def test_t_win_11_a_reduction_ahead_is_bought_once_above_its_share(count, limit, bought) -> None:  # type: ignore[no-untyped-def]
    """R-WIN-11, R-WIN-12"""
    main = [reply("a1").using(input=10), reply("a2").using(input=count, output=1), reply("a3").using(input=10)]
    t = talk(apart(main, [reply("So far.")]), settings=PROACTIVE, limit=limit)
    for text in ("u1", "u2", "u3"):
        await t.ask(text)
    assert len(summaries_of(t)) == len(t.of(Condensation)) == bought
    assert [r.details.trigger for r in t.of(CondensationRequest)] == ["proactive"] * bought
    assert t.roles() == (["user", "user", "assistant", "user"] if bought else ["user", "assistant"] * 2 + ["user"])


async def test_t_win_11_t_bound_05_where_it_fails_the_request_is_sent_and_it_is_tried_once_for_each_success() -> None:
    """R-WIN-11, R-BOUND-5: nothing is cut."""
    high = reply("ok").using(input=900)
    main = [high, failure("server"), high, high]
    t = talk(apart(main, [failure("server")] * 9), settings=PROACTIVE, limit=1_000)
    await t.ask("x" * 9_000)
    assert await code_of(t) == "server"  # the main request itself
    assert len(summaries_of(t)) == 1
    assert await t.ask("again") == "ok"
    assert len(summaries_of(t)) == 1
    assert await t.ask("and again") == "ok"
    assert len(summaries_of(t)) == 2
    assert len(t.of(CondensationFailureEvent)) == 2
    assert not t.of(TruncationEvent)
    assert texts(t)[0] == "x" * 9_000


@pytest.mark.parametrize(
    ("messages", "settings", "done"),
    [
        (12, {"preserve_recent_messages": 2}, True),
        (12, {}, False),  # ten messages of 4,000 characters are more than fits
        (40, {"preserve_recent_messages": 2, "truncate_preserve_chars": 500}, True),
        (40, {"preserve_recent_messages": 2}, False),  # to summarise twelve such at once is too much, too
        (40, {"preserve_recent_messages": 2, "summary_ratio": 0.1}, False),  # in the end that is the summary alone
        (40, {}, False),
    ],
)
async def test_t_win_15_many_long_messages_in_a_small_window_end_in_a_done_turn_or_a_clear_stop(
    messages: int, settings: JsonObject, done: bool
) -> None:
    """R-WIN-8, R-WIN-10: in fewer summaries than messages; each step in between forgot or cut something."""
    model = Sized(text="a" * 9_000)
    t = talk(model, settings=window(**settings))
    for _ in range(messages // 2):
        await t.ask("u" * 9_000)
    asked = len(t.llm.requests)
    model.text, model.most = "done", 20_000
    t.conversation.tell("Go on")
    await t.conversation.settled()
    if done:
        assert t.conversation.final_text == "done"
    else:
        assert t.conversation.last_error is not None
        assert t.conversation.last_error.code == "context_window_exceeded"
    assert len(t.of(Condensation)) < messages
    assert len(summaries_of(t)) < messages
    assert _answers(t.events) == len([r for r in t.llm.requests[asked:] if not is_summary(r)]) - 1


async def test_t_win_16_a_cut_of_what_is_unread_survives_a_restore_and_the_message_is_whole_in_the_log() -> None:
    """R-WIN-19, R-VIEW-14"""
    t = talk([overflow(), failure("auth")], settings=window())
    assert await code_of(t, PASTE) == "auth"
    again = reopened(t, [reply("ok")])
    assert again.conversation.next_request().messages == t.conversation.next_request().messages
    assert "46000 chars removed" in texts(again)[0]
    assert [m.text for m in again.conversation.view.unread] == [PASTE]
    assert await again.ask("Go on") == "ok"
    assert "46000 chars removed" in again.sent()[0]["content"]


@pytest.mark.parametrize(
    "settings",
    [WITH_FALLBACK, llm_summarizing(), {"condenser": {"condenser_kind": "new_context"}}, {}],
    ids=["agent_reset", "llm_summarizing", "new_context", "no_op"],
)
async def test_t_win_17_no_other_kind_cuts_anything(settings: JsonObject) -> None:
    """R-WIN-20, R-BOUND-7: however its answer to the same overflow ends."""
    t = talk(apart([reply("ok"), overflow(), overflow()], [reply("S")]), settings=settings, summaries=[reply("S")])
    await t.ask(PASTE)
    t.conversation.tell(PASTE)
    await t.conversation.settled()
    assert t.conversation.status == "error"
    assert not t.of(TruncationEvent)
    assert t.conversation.view.cuts == {}


@pytest.mark.parametrize(
    "settings",
    [WITH_FALLBACK, llm_summarizing(), {"condenser": {"condenser_kind": "new_context"}}],
    ids=["agent_reset", "llm_summarizing", "new_context"],
)
async def test_t_bound_04_a_second_overflow_in_a_row_buys_no_second_summary(settings: JsonObject) -> None:
    """R-BOUND-4, R-BOUND-9"""
    summary = [reply("S")]
    t = talk(apart([reply("a1"), reply("a2"), overflow(), overflow()], summary), settings=settings, summaries=summary)
    await t.ask("u1")
    await t.ask("u2")
    assert await code_of(t) == "context_rescue_blocked"
    assert len(t.of(CondensationRequest)) == 1
    assert len(t.summariser.requests) + len(summaries_of(t)) == 1


async def test_t_bound_04_under_a_window_each_overflow_is_answered_while_there_is_progress() -> None:
    """R-WIN-8"""
    t = await two_turns(window(**EAGER), [overflow(), overflow(), reply("fine")], [reply("S1"), reply("S2")])
    assert await t.ask("u3") == "fine"
    assert len(t.of(Condensation)) == 2
    assert texts(t) == ["S2", "a2", "u3", "fine"]


BEHIND_AN_UNKNOWN_EVENT = (
    History("summarizing_window").user("u").unknown().reply("a").intend("size").attempt().summarized("S", ["u1"])
)
"""The reply says that it was shown all up to an event of another version."""


@given(
    histories(kinds=("summarizing_window",), moves=12),
    st.fixed_dictionaries(
        {
            "summary_ratio": st.sampled_from([0.1, 0.3, 0.8]),
            "preserve_recent_messages": st.integers(0, 6),
            "pin_first": st.integers(0, 3),
            "truncate_preserve_chars": st.sampled_from([0, 2, 5]),
        }
    ),
    st.lists(st.sampled_from(["short", "long", "long", "overflow", "server", "blank"]), max_size=6),
)
@example(BEHIND_AN_UNKNOWN_EVENT, {}, [])
def test_t_win_18_every_sequence_of_overflows_ends(made: History, settings: JsonObject, outcomes: list[str]) -> None:
    """R-WIN-10: whatever the summariser does; each answer makes progress, and summaries are fewer than messages."""
    moves = iter([*outcomes, *["long"] * 1_000])
    of: dict[str, Move] = {
        "short": reply("S"),
        "long": reply("A summary that is long enough to be cut. " * 3),
        "overflow": overflow(),
        "server": failure("server"),
        "blank": reply(" "),
    }
    llm = ScriptedLLM(lambda request: of[next(moves)] if is_summary(request) else overflow())
    talk = stored(made, settings, llm)
    messages, already = message_count(talk.view.read), len(talk.log)

    async def run() -> None:
        talk.tell("Go on")
        if talk.view.paused:
            talk.resume()
        await talk.settled()

    asyncio.run(run())
    assert talk.status == "error"
    new: list[Any] = list(talk.log.read(already))
    assert sum(isinstance(event, Condensation) for event in new) < max(2, messages)
    paid = [request for request in llm.requests if is_summary(request)]
    main = len(llm.requests) - len(paid)
    assert main == _answers(new) + 1
    assert len(paid) <= main <= 2 * messages + 3


def stored(made: History, settings: JsonObject, llm: ScriptedLLM) -> Conversation:
    """A conversation that goes on from this history under these settings of a window."""
    log = EventLog(MemoryStore("conversation-1"), Redactor())
    for commit in made.commits:
        log.append(*map(_storable, commit))
    repair(log)
    agent_settings = AgentSettings.model_validate(window(**settings))
    return Conversation(log, settings=agent_settings, llm_for=lambda _: llm, tools=())


def _storable(event: Event | UnknownEvent) -> Event:
    """For an event that nobody may append, one that changes no view: a reply may name it as the last that it was shown."""
    if not isinstance(event, UnknownEvent):
        return event
    return TitleEvent(id=event.id, timestamp=event.raw["timestamp"], title="unknown")


def _answers(events: Sequence[Event]) -> int:
    """How many overflows were answered: with a summary, or with a cut."""
    return sum(isinstance(event, Condensation | TruncationEvent) for event in events)
