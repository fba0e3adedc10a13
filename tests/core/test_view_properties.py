"""What holds of every lawful log, and of every order of events that somebody else may have written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from hypothesis import example, given

from smolpaws_jupyter.core import events as ev
from smolpaws_jupyter.core.messages import messages_of
from smolpaws_jupyter.core.records import UnknownEvent, encode
from smolpaws_jupyter.core.view import View
from tests.builders import History
from tests.histories import foreign_logs, histories
from tests.wire_rules import assert_lawful, assert_shows, broken_rules

LONG = "a longer text of several words"


def ids(entries: Iterable[Any]) -> list[str]:
    return [entry.id for entry in entries]


@given(histories())
def test_t_view_01_folding_at_once_equals_folding_step_by_step(history: History):
    """R-VIEW-1: and no view that was seen ever changes, nor any event."""
    written = [encode(event) for event in history.events if not isinstance(event, UnknownEvent)]
    view, seen = View(), []
    for event in history.events:
        view = view.add(event)
        seen.append((view, list(view.read), view.unread, view.asides))
    assert view == View.of(history.events) == history.view
    for then, *parts in seen:
        assert [list(then.read), then.unread, then.asides] == parts
    assert written == [encode(event) for event in history.events if not isinstance(event, UnknownEvent)]


@given(histories())
@example(History("summarizing_window").user(LONG).truncate("u1", LONG))
def test_t_view_01_a_message_leaves_unread_only_by_a_response_that_contained_it(history: History):
    """R-VIEW-5, INV6, I-1, I-18: compared, at every length, with a definition that knows nothing of folds."""
    events, view = history.events, View()
    for length, event in enumerate(events, start=1):
        view, log = view.add(event), events[:length]
        assert ids(view.unread) == _unread_by_definition(log)
        assert_shows(messages_of(view), view.unread, view.cuts.values())


def _unread_by_definition(log: list[Any]) -> list[str]:
    place = {event.id: number for number, event in enumerate(log)}
    boundaries = [place[event.read_through] for event in log if event.kind == "ResponseEvent"]
    withdrawn = {event.message_id for event in log if event.kind == "MessageWithdrawnEvent"}
    messages = [event for event in log if event.kind == "MessageEvent" and event.genuine]
    return [m.id for m in messages if m.id not in withdrawn and all(place[m.id] > b for b in boundaries)]


@given(histories())
def test_t_view_03_each_successful_request_is_a_prefix_of_the_next(history: History):
    """R-VIEW-12: without its warnings, until a condensation or a truncation."""
    for shown, later in zip(history.shown, history.shown[1:], strict=False):
        if (shown.cycle, shown.cuts) == (later.cycle, later.cuts):
            before = messages_of(_without_warnings(shown))
            assert messages_of(later)[: len(before)] == before


def _without_warnings(view: View) -> View:
    return replace(view, asides=tuple(a for a in view.asides if a.kind != "ContextWarningEvent"))


@given(histories())
def test_t_view_05_a_conversation_begins_with_the_user_role(history: History):
    """R-VIEW-13, for every policy; and every request, then and now, is one that a provider takes (INV1 to INV5)."""
    for view in (*history.shown, history.view):
        messages = messages_of(view)
        assert_lawful(messages)
        assert messages[0]["role"] == "system"
        assert [message["role"] for message in messages[1:2]] in ([], ["user"])


@given(foreign_logs())
def test_i_10_whatever_the_order_of_a_foreign_log_calls_and_results_stay_in_pairs(log: list[Any]):
    """I-10, I-40, O10: a view of an impossible order is a view, and nothing in it is half."""
    broken = list(broken_rules(messages_of(View.of(log))))
    assert [rule for rule in broken if not rule.startswith("INV4")] == []


@given(histories())
def test_i_20_each_stage_is_recorded_once_in_a_cycle(history: History):
    """I-20, R-WARN-3: stages rise within a cycle."""
    stages: dict[str | None, list[float]] = {}
    for event in history.events:
        if isinstance(event, ev.ContextWarningEvent):
            stages.setdefault(event.cycle, []).append(event.threshold)
    assert all(recorded == sorted(set(recorded)) for recorded in stages.values())
