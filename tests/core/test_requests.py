"""Requests taken apart, rebuilt from the log, and compared (R-VIEW-2, R-VIEW-4, R-VIEW-12, R-MSG-1 to 9)."""

from __future__ import annotations

import itertools
import time
import timeit
from functools import partial

import pytest
from hypothesis import given

from smolpaws_jupyter.core.instruments.outline import Outline, fixed_outline, outline, text_of
from smolpaws_jupyter.core.instruments.requests import SentRequests, difference
from smolpaws_jupyter.core.messages import messages_of
from smolpaws_jupyter.core.view import View
from tests.builders import PICTURE, History, call
from tests.histories import foreign_logs, histories


def shown_by(history: History) -> list[View]:
    """What the requests of a history showed, as its log tells."""
    requests = SentRequests.of(history.events)
    asked = [requests.get(sent.event_id) for sent in requests.all]
    return [one.shown for one in asked if one is not None and one.shown is not None]


@given(histories())
def test_r_view_2_the_items_of_a_request_are_its_messages_in_order_and_each_names_what_it_came_from(history: History):
    view = history.view
    items = outline(view)
    assert [item.message for item in items] == messages_of(view)[1:]
    assert len({item.key for item in items}) == len(items)
    shown = {entry.id for entry in (*view.read, *view.unread, *view.asides)}
    assert {id_ for item in items for id_ in item.entry_ids} == shown
    assert {id_ for item in items for id_ in item.event_ids} <= {event.id for event in history.events}


@given(histories())
def test_an_outline_that_is_kept_says_the_same_as_a_fresh_one_at_every_event(history: History):
    kept, view = Outline(), View()
    for event in history.events:
        view = view.add(event)
        assert kept.of(view) == outline(view)


@given(foreign_logs())
def test_r_repl_11_a_log_of_nobody_is_taken_apart_without_an_error(events: list):
    SentRequests.of(events)
    view = View.of(events)
    assert [item.message for item in outline(view)] == [m for m in messages_of(view) if m["role"] != "system"]


@given(histories())
def test_r_view_4_every_request_that_succeeded_is_rebuilt_as_it_was_shown(history: History):
    requests = SentRequests.of(history.events)
    rebuilt = [requests.get(sent.event_id) for sent in requests.all if sent.outcome == "answered"]
    assert [messages_of(asked.shown) for asked in rebuilt if asked and asked.shown] == list(
        map(messages_of, history.shown)
    )
    assert len(requests) == len(history.events)


@given(histories())
def test_a_difference_holds_every_message_of_both_requests_once(history: History):
    for older, newer in itertools.pairwise([*shown_by(history), history.view]):
        before, after = outline(older), outline(newer)
        change = difference(before, after)
        assert sorted(i.key for i in (*change.left, *change.stayed)) == sorted(i.key for i in before)
        assert sorted(i.key for i in (*change.came, *change.stayed)) == sorted(i.key for i in after)
        assert change.stayed == [item for item in after if item in before]
        assert change.changed == {i.key for i in change.left} & {i.key for i in change.came}


@given(histories())
def test_nothing_changed_between_a_request_and_itself(history: History):
    items = outline(history.view)
    change = difference(items, items)
    assert (change.left, change.came, change.stayed) == ([], [], items)


def test_failed_and_stopped_requests_have_their_place_with_the_warning_that_they_showed():
    """R-WARN-8: advice given for a request that failed was in it, and waits for the next one."""
    h = History().user("Go").fails("server").user("Again").ask().warn().fails("cancelled").warn(0.8).reply()
    requests = SentRequests.of(h.events)
    assert [(r.number, r.outcome, r.reason) for r in requests.all] == [
        (1, "failed", "server"),
        (2, "stopped", "cancelled"),
        (3, "answered", ""),
    ]
    assert [[item.what for item in outline(view)] for view in shown_by(h)] == [
        ["user"],
        ["user", "user", "warning"],
        ["user", "user", "warning", "warning"],
    ]


def test_at_a_reset_all_that_left_and_all_that_stayed_is_told():
    """R-RESET-4, R-RESET-5: the old history left; the call, its result and the notice came."""
    h = History().user("Go").call("read_file", path="a").condense("Remember.").user("More").reply()
    before, after = (outline(view) for view in (h.shown[1], h.shown[2]))
    change = difference(before, after)
    assert [item.what for item in change.left] == ["user", "calls", "result"]
    assert change.stayed == []
    assert [item.what for item in change.came] == ["notice", "calls", "result", "user"]
    assert change.came[0].event_ids == (h["c1"].id,)


def test_a_call_that_got_its_result_is_the_same_message_with_other_words():
    h = History().user("Go").calls(call("read_file", path="a"))
    before = outline(h.view)
    h.result("text", PICTURE)
    after = outline(h.view)
    change = difference(before, after)
    assert [item.what for item in change.left] == ["result"]
    assert [item.what for item in change.came] == ["result", "images"]
    assert change.changed == {"a1 result"}


def test_the_fixed_context_is_told_apart_and_weighs_what_it_weighs():
    h = History(memory_snapshot="Remember this.", runtime_info="Python 3")
    start = h["start"]
    items = fixed_outline(start)
    assert [(item.what, text_of(item.message).split("\n")[0]) for item in items] == [
        ("system", "You help."),
        ("memory", "Remember this."),
        ("runtime", "Python 3"),
        ("tool", "read_file: Reads a file."),
    ]
    assert all(item.quarters > 0 for item in items)


def test_the_words_of_a_call_are_laid_out_for_reading():
    h = History().user("Go").calls(call("run_python", code="a = 1\nb = 2"), thought="So:")
    (item,) = [item for item in outline(h.view) if item.what == "calls"]
    assert text_of(item.message) == "So:\n\nrun_python\ncode: a = 1\nb = 2"


def test_what_was_taken_apart_once_is_not_taken_apart_again():
    h = History().user("Go").call("read_file", path="a").reply("So far.")
    kept = Outline()
    before = kept.of(h.view)
    h.user("On").call("read_file", path="b")
    after = kept.of(h.view)
    assert all(old is new for old, new in zip(before, after, strict=False))


@pytest.mark.slow
def test_ten_thousand_events_are_read_in_a_moment_and_their_views_share_what_is_equal():
    """Ten times the target of half a second; one more event then costs nothing of that."""
    h = History().user("Go")
    for number in range(3_330):
        h.call("read_file", result="x" * 200, path=f"{number}")
    requests = SentRequests()
    began = time.perf_counter()
    for event in h.events:
        requests.add(event)
    assert time.perf_counter() - began < 5
    first, last = (asked for asked in (requests.get(requests.all[at].event_id) for at in (-2, -1)) if asked)
    assert first.shown is not None
    assert last.shown is not None
    assert last.shown.read.grew_from(first.shown.read)
    reader = Outline()
    reader.of(last.shown)
    assert min(timeit.repeat(partial(reader.of, last.shown), number=1, repeat=3)) < 0.1
