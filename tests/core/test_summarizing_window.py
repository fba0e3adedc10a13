"""Which messages a window summarises, which it pins, and what it cuts: `summarizing_window` as a pure plan (section 16)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.base import ImageBlock
from smolpaws_jupyter.core.budget import Budget, Gauge
from smolpaws_jupyter.core.events import TruncationEvent
from smolpaws_jupyter.core.messages import messages_of, shown_text
from smolpaws_jupyter.core.policies.base import Trigger
from smolpaws_jupyter.core.policies.summarizing_window import SummarizingWindow, SummarizingWindowSettings
from smolpaws_jupyter.core.replay import Replay, Violation
from smolpaws_jupyter.core.summary import SummaryPlan
from smolpaws_jupyter.core.units import message_count, text_blocks
from smolpaws_jupyter.core.view import View
from tests.builders import PICTURE, History, call
from tests.core.forging import rule
from tests.histories import histories

READ = call("read_file", path="a")
THINKING = {"thinking_blocks": [{"type": "thinking", "thinking": "so", "signature": "c2ln"}]}


def history() -> History:
    return History("summarizing_window")


def chat(read: int, unread: int = 0) -> History:
    """So many messages that the model knows, of the user and the agent in turn, then so many that it does not."""
    made = history()
    for number in range(read // 2):
        made.user(f"question {number}").reply(f"answer {number}")
    for number in range(unread):
        made.user(f"new {number}")
    return made


def window(**settings: Any) -> SummarizingWindow:
    return SummarizingWindow(SummarizingWindowSettings.model_validate(settings))


def gauge(tokens: int | None = None, limit: int | None = None) -> Gauge:
    return Gauge(Budget(tokens=tokens, limit=limit), lambda _: None)


def planned(made: History, trigger: Trigger = "provider_context_window", **settings: Any) -> SummaryPlan | None:
    return window(**settings).plan(made.view, trigger, gauge())


def chosen(made: History, **settings: Any) -> list[str]:
    """The ids that a reduction would summarise; none where it cannot."""
    plan = planned(made, **settings)
    return [] if plan is None else [entry.id for entry in plan.entries]


def reduce(made: History, text: str = "So far.", **settings: Any) -> History:
    """One reduction after an overflow, as the engine stores it."""
    plan = planned(made, **settings)
    assert plan is not None
    made.fails("overflow")
    if plan.pins:
        made.pin(*plan.pins)
    made.intend("provider_context_window").attempt()
    return made.summarized(text, [entry.id for entry in plan.entries], plan.offset)


def truncate(made: History, **settings: Any) -> list[tuple[str, int]]:
    """Cuts what qualifies, as the engine stores it; gives entry and block of each cut."""
    events = window(**settings).truncation(made.view, lambda: made.stamp("x"))
    if not events:
        return []
    (event,) = events
    assert isinstance(event, TruncationEvent)
    made.commit(event)
    return [(cut.entry_id, cut.block_index) for cut in event.cuts]


def ids(made: History) -> list[str]:
    return [entry.id for entry in made.view.read]


# Which messages


def test_t_win_01_the_oldest_share_becomes_one_summary_of_the_role_user():
    """R-WIN-1, R-WIN-7, R-VIEW-11: of six messages, a batch counting as two, half are the user's and the batch."""
    made = history().user("one").calls(READ, READ).results().reply("1").user("two").reply("2")
    assert message_count(made.view.read) == 6
    assert chosen(made, summary_ratio=0.5, preserve_recent_messages=2) == ["u1", "a1", "a2", "o1", "o2"]
    reduce(made, summary_ratio=0.5, preserve_recent_messages=2)
    assert ids(made) == ["c1-summary", "m1", "u2", "m2"]
    assert messages_of(made.view)[1] == {"role": "user", "content": "So far."}
    assert rule(made) is None


@pytest.mark.parametrize(
    ("read", "unread", "ratio", "preserve", "summarised"),
    [
        (10, 0, 0.3, 0, 3),
        (10, 0, 0.39, 0, 3),  # rounded down
        (4, 0, 0.1, 0, 1),  # at least one
        (10, 0, 0.8, 8, 2),  # what is to be preserved stays
        (6, 4, 0.8, 8, 2),  # and what is unread counts as preserved
        (2, 8, 0.8, 0, 2),  # but is never summarised
        (10, 0, 0.3, 10, 0),
        (10, 0, 0.3, 11, 0),
        (0, 4, 0.3, 0, 0),
    ],
)
def test_t_win_01_the_share_is_taken_of_all_messages_and_bounded(read, unread, ratio, preserve, summarised):  # type: ignore[no-untyped-def]
    """R-WIN-1"""
    made = chat(read, unread)
    wanted = [entry.id for entry in made.view.read[:summarised]]
    assert chosen(made, summary_ratio=ratio, preserve_recent_messages=preserve) == wanted


def test_t_win_02_with_too_few_messages_and_no_long_text_there_is_neither_summary_nor_cut():
    """R-WIN-1, R-WIN-8"""
    made = chat(8, 2)
    assert planned(made) is None
    assert truncate(made) == []


@pytest.mark.parametrize(
    ("made", "all_chosen"),
    [
        (history().user("go").calls(READ, READ).results().reply("2"), "u1 a1 a2 o1 o2"),
        (
            history().user("go").call("x").calls(READ, reasoning=THINKING).result().call("y").reply("2"),
            "u1 a1 o1 a2 o2 a3 o3",
        ),
        (
            history().user("go").call("x").call("y").calls(READ, reasoning=THINKING).result().reply("2"),
            "u1 a1 o1 a2 o2",
        ),
        (history().user("go").call("x").user("one").user("two"), "u1 a1 o1"),
    ],
    ids=["a batch", "a thinking loop", "a batch before one", "the end of what was read"],
)
def test_t_win_03_a_split_inside_a_unit_moves_forward_to_its_end(made: History, all_chosen: str):
    """R-WIN-2: into what is to be preserved, if need be."""
    half = message_count(made.view.read) + len(made.view.unread)
    assert " ".join(chosen(made, summary_ratio=0.5, preserve_recent_messages=half // 2)) == all_chosen


# Pins


def test_t_win_06_the_first_messages_are_pinned_once_and_stay_in_place():
    """R-WIN-3, R-WIN-4, R-WIN-7: the summary stands behind the pins that stay before it."""
    made = chat(8)
    plan = planned(made, pin_first=2, summary_ratio=0.5, preserve_recent_messages=0)
    assert plan is not None
    assert plan.pins == ("u1", "m1")
    reduce(made, pin_first=2, summary_ratio=0.5, preserve_recent_messages=0)
    assert ids(made) == ["u1", "m1", "c1-summary", "u3", "m3", "u4", "m4"]
    again = planned(made, pin_first=4, summary_ratio=0.8, preserve_recent_messages=0)
    assert again is not None
    assert again.pins == ()
    reduce(made, "More.", pin_first=4, summary_ratio=0.8, preserve_recent_messages=0)
    assert ids(made) == ["u1", "m1", "c2-summary", "u4", "m4"]
    assert View.of(made.events) == made.view
    assert rule(made) is None


def test_a_message_that_is_not_read_yet_can_be_pinned():
    """R-WIN-3: the first messages are those of both parts of the view."""
    made = chat(2, 2)
    plan = planned(made, pin_first=3, summary_ratio=0.8, preserve_recent_messages=0)
    assert plan is None  # all that could be summarised is pinned
    plan = planned(made.reply("later"), pin_first=3, summary_ratio=0.8, preserve_recent_messages=0)
    assert plan is not None
    assert plan.pins == ("u1", "m1", "u2")
    assert [entry.id for entry in plan.entries] == ["u3"]


def test_t_win_07_a_half_pinned_batch_survives_whole_and_is_not_cut():
    """R-WIN-3, R-WIN-14: the second message is the calls alone, and their results stay with them."""
    made = history().user("go").calls(READ, READ).result("x" * 9_000).result().reply("1").user("two").reply("y" * 9_000)
    settings = {"pin_first": 2, "summary_ratio": 0.8, "preserve_recent_messages": 0}
    plan = planned(made, **settings)
    assert plan is not None
    assert plan.pins == ("u1", "a1", "a2")
    assert chosen(made, **settings) == ["m1"]
    reduce(made, **settings)
    assert ids(made) == ["u1", "a1", "a2", "o1", "o2", "c1-summary", "u2", "m2"]
    assert truncate(made, **settings) == [("m2", 0)]
    assert rule(made) is None


def test_t_win_07_of_a_half_pinned_loop_nothing_is_summarised_and_only_the_batch_is_spared_from_cuts():
    """R-WIN-3, R-WIN-14, R-REPL-9: half a loop cannot be kept, but its other batches are not pinned."""
    made = history().user("go").calls(READ, reasoning=THINKING).result("x" * 9_000).call("y", "y" * 9_000).reply("1")
    settings = {"pin_first": 2, "summary_ratio": 0.8, "preserve_recent_messages": 0}
    assert chosen(made, **settings) == []
    assert truncate(made, **settings) == [("o2", 0)]


def test_what_would_be_pinned_is_not_cut_before_the_first_reduction_either():
    """R-WIN-14"""
    made = history().user("x" * 9_000).reply("y" * 9_000)
    assert truncate(made, pin_first=1) == [("m1", 0)]


# Where it cannot


def test_t_win_08_it_cannot_where_all_in_range_is_pinned_or_summarised_already():
    """R-WIN-4, R-WIN-5"""
    few = {"summary_ratio": 0.5, "preserve_recent_messages": 0}
    assert chosen(chat(4), pin_first=2, **few) == []
    made = reduce(chat(4), **few)
    assert ids(made) == ["c1-summary", "u2", "m2"]
    assert chosen(made, summary_ratio=0.4, preserve_recent_messages=0) == []
    assert chosen(made, summary_ratio=0.8, preserve_recent_messages=0) == ["c1-summary", "u2"]


def test_t_win_08_beside_other_messages_the_earlier_summary_is_folded_in_whole():
    """R-WIN-5, R-WIN-6"""
    made = reduce(chat(6), "s" * 3_000, summary_ratio=0.5, preserve_recent_messages=0)
    plan = planned(made, summary_ratio=0.5, preserve_recent_messages=0)
    assert plan is not None
    assert plan.shown[0] == "s" * 3_000
    reduce(made, "Both.", summary_ratio=0.5, preserve_recent_messages=0)
    assert [entry.kind for entry in made.view.read].count("CondensationSummaryEvent") == 1


# What the summariser is given


def test_t_win_04_the_summariser_reads_the_messages_in_full_and_has_one_attempt():
    """R-WIN-6: as the model is shown them, so that a text that was cut is not paid for again."""
    long, paste = "word " * 300, "p" * 50_000
    made = history().user(long, PICTURE).call("write_file", long, path="a", content=long).reply("1").user(paste)
    truncate(made.reply("2").user("on").reply("3"))
    plan = planned(made, summary_ratio=0.8, preserve_recent_messages=0)
    assert plan is not None
    assert plan.attempts == 1
    user, action, result, _, cut, _ = plan.shown
    assert user == f"user: {long}\n(1 image(s))"
    assert made["a1"].arguments in action
    assert result == f"result of write_file: {long}"
    assert cut == f"user: {shown_text('u2', 0, paste, made.view)}"
    assert len(cut) < 5_000


# Ahead of an overflow


@pytest.mark.parametrize(
    ("proactive", "tokens", "limit", "due"),
    [
        (True, 699, 1_000, None),
        (True, 700, 1_000, "proactive"),
        ({"compression_threshold": 0.9}, 899, 1_000, None),
        ({"compression_threshold": 0.9}, 900, 1_000, "proactive"),
        (True, 2_000, 1_000, "proactive"),
        (True, None, 1_000, None),
        (True, 10**9, None, None),
        (None, 999, 1_000, None),
        (False, 999, 1_000, None),
    ],
)
def test_t_win_11_a_reduction_ahead_is_due_at_its_share_of_a_known_limit(proactive, tokens, limit, due):  # type: ignore[no-untyped-def]
    """R-WIN-11, R-WIN-12: nobody invents a limit."""
    policy = window(proactive_compression=proactive)
    assert policy.due(chat(4).view, gauge(tokens, limit)) == due


def test_t_bound_05_t_win_11_after_one_it_is_not_due_until_the_model_has_answered():
    """R-BOUND-5"""
    policy = window(proactive_compression=True)
    made = chat(12).intend("proactive").attempt("server").failure()
    assert policy.due(made.view, gauge(900, 1_000)) is None
    made.user("more").fails("server")
    assert policy.due(made.view, gauge(900, 1_000)) is None
    assert policy.due(made.reply("2").view, gauge(900, 1_000)) == "proactive"


# Cuts


@pytest.mark.parametrize(
    ("length", "preserve", "is_cut"),
    [
        (6_043, 2_000, False),
        (6_044, 2_000, True),
        (100_000, 0, False),
        (100_000, -5, False),
        (100_000, 99_999, False),
        (44, 1, False),  # 42 removed, and the mark for them has 41 characters
        (45, 1, True),
    ],
)
def test_t_win_13_a_text_is_cut_where_that_saves_more_than_is_kept_at_each_end(length, preserve, is_cut):  # type: ignore[no-untyped-def]
    """R-WIN-17"""
    made = history().user("x" * length)
    assert truncate(made, truncate_preserve_chars=preserve) == ([("u1", 0)] if is_cut else [])


def test_t_win_09_a_cut_text_shows_both_ends_around_the_marker():
    """R-WIN-16, R-STR-4: characters are code points."""
    text = "🐾" * 2_000 + "m" * 46_000 + "é" * 2_000
    made = history().user(text)
    truncate(made)
    shown = "🐾" * 2_000 + "\n\n... [truncated: 46000 chars removed] ...\n\n" + "é" * 2_000
    assert messages_of(made.view)[1]["content"] == shown
    assert made["u1"].text == text


def test_t_win_12_the_marker_in_a_text_of_the_user_is_text_and_a_cut_is_known_from_the_events():
    """R-WIN-18"""
    quoted = "a" * 2_000 + "\n\n... [truncated: 46000 chars removed] ...\n\n" + "b" * 7_000
    made = history().user(quoted).reply("1").user("x" * 9_000)
    assert truncate(made) == [("u1", 0), ("u2", 0)]
    assert truncate(made) == []
    assert truncate(made, truncate_preserve_chars=10) == []


def test_t_win_14_texts_are_cut_and_arguments_images_reasoning_and_remarks_are_not():
    """R-WIN-15: one pass, one event, over what was read and what was not."""
    long = "x" * 9_000
    picture = ImageBlock(media_type="image/png", data="a" * 40_000)
    made = history().user(long, picture).reply(long)
    made.calls(call("write_file", path="a", content=long), thought=long, reasoning={"text": long}).result(long, picture)
    made.calls(READ).error("not_run", long).calls(READ).reject(long).remark(long)
    made.user(long)
    assert truncate(made) == [
        *(("u1", 0), ("m1", 0), ("a1", 0), ("o1", 0), ("o2", 0), ("o3", 0)),
        ("u2", 0),
    ]
    action = next(m for m in messages_of(made.view) if m.get("tool_calls"))
    assert long in action["tool_calls"][0]["function"]["arguments"]
    assert len(action["content"]) < 5_000
    assert picture.data in str(messages_of(made.view)[1])
    assert messages_of(made.view)[-1]["content"] == long  # the remark


def test_t_win_14_a_long_summary_is_cut_too():
    """R-WIN-15"""
    made = reduce(chat(4), "s" * 9_000, summary_ratio=0.5, preserve_recent_messages=0)
    assert truncate(made) == [("c1-summary", 0)]


# Always


SETTINGS = st.fixed_dictionaries(
    {
        "summary_ratio": st.sampled_from([0.1, 0.3, 0.5, 0.8]),
        "preserve_recent_messages": st.integers(0, 12),
        "pin_first": st.integers(0, 4),
        "truncate_preserve_chars": st.sampled_from([0, 1, 5]),
    }
)


@given(histories(kinds=("summarizing_window",), moves=12), SETTINGS)
def test_t_win_18_every_reduction_is_lawful_and_makes_progress(made: History, settings: dict[str, Any]):
    """R-WIN-10: it forgets something that is no summary, keeps pins and units, and leaves what is unread."""
    made.results()
    before, pinned = made.view, made.view.pins
    plan = planned(made, "host", **settings)
    if plan is None:
        return
    made.intend("host")
    if plan.pins:
        made.pin(*plan.pins)
    made.summarized("S", [entry.id for entry in plan.entries], plan.offset)
    after = made.view
    assert not isinstance(Replay.of(made.commits), Violation)
    assert after.unread == before.unread
    assert _no_summaries(after) < _no_summaries(before)
    kept = {entry.id for entry in (*after.read, *after.unread)}
    assert pinned | set(plan.pins) <= kept
    if not pinned:  # what is pinned here is drawn from anywhere; a window pins the first
        assert messages_of(after)[1]["role"] == "user"


@given(histories(kinds=("summarizing_window",), moves=12), SETTINGS)
def test_t_win_18_every_truncation_shows_less_and_a_second_one_finds_nothing(made: History, settings: dict[str, Any]):
    """R-WIN-10, R-WIN-18"""
    made.results()
    before = _characters(made.view)
    cuts = truncate(made, **settings)
    assert (_characters(made.view) < before) == bool(cuts)
    assert truncate(made, **settings) == []
    assert not isinstance(Replay.of(made.commits), Violation)


def _no_summaries(view: View) -> int:
    return sum(entry.kind != "CondensationSummaryEvent" for entry in view.read)


def _characters(view: View) -> int:
    entries = (*view.read, *view.unread)
    return sum(len(shown_text(entry.id, at, text, view)) for entry in entries for at, text in text_blocks(entry))
