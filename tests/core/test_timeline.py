"""The timeline: every main request of a log with its size, and what happened between them."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from smolpaws_jupyter.core.base import Usage
from smolpaws_jupyter.core.events import UsageEvent
from smolpaws_jupyter.core.instruments.asked import Requests
from smolpaws_jupyter.core.instruments.parts import quarters, tokens
from smolpaws_jupyter.core.instruments.timeline import Timeline
from smolpaws_jupyter.core.messages import messages_of, request_size, tool_definitions
from smolpaws_jupyter.core.view import View
from tests.builders import History, call
from tests.histories import foreign_logs, histories


def timeline_of(events: Any) -> Timeline:
    timeline = Timeline()
    for event in events:
        timeline.add(event)
    return timeline


def kinds(history: History) -> list[tuple[int, str]]:
    return [(mark.after, mark.kind) for mark in timeline_of(history.events).marks]


def estimate_of(view: View) -> int:
    assert view.start is not None
    return tokens(quarters(request_size(messages_of(view), tool_definitions(view.start.tools))))


def test_a_request_has_its_estimate_and_its_count_and_its_limit():
    """R-BUD-11: measured and estimated are two numbers, and the limit says where it comes from."""
    history = History().user("Go").reply("Done.", usage=Usage(input=123))
    (point,) = timeline_of(history.events).points
    assert (point.number, point.outcome, point.reason, point.measured) == (1, "answered", "", 123)
    assert point.estimated == estimate_of(history.shown[0])
    assert (point.limit, point.limit_from) == (400_000, "profile")
    assert point.thresholds == (0.75, 0.80, 0.85, 0.90)
    assert history.events[point.position].id == point.event_id == "r1"


def test_what_nobody_counted_is_unknown_and_never_zero():
    """R-VOC-19, R-ACC-3."""
    history = History().user("Go").reply(usage=Usage()).user("On").fails("server")
    assert [point.measured for point in timeline_of(history.events).points] == [None, None]


def test_a_boundary_that_is_none_of_this_log_leaves_the_estimate_unknown():
    """R-REPL-11: nobody knows what such a request held."""
    history = History().user("Go").reply(read_through="elsewhere")
    (point,) = timeline_of(history.events).points
    assert (point.estimated, point.measured, point.limit, point.limit_from) == (None, 100, None, "unknown")


def test_failed_and_stopped_requests_are_told_with_their_reason():
    """R-ACC-1: each has its record."""
    history = History().user("Go").fails("server").resume().fails("cancelled").interrupt().user("On").reply()
    points = timeline_of(history.events).points
    assert [(p.outcome, p.reason) for p in points] == [("failed", "server"), ("stopped", "cancelled"), ("answered", "")]
    assert all(p.estimated is not None for p in points)


def test_the_limit_is_that_of_the_binding_then_and_a_window_only_that_of_its_own_model():
    """R-BUD-1, R-BIND-6: the window is in no log, so it is given, and said to be the model's."""
    history = History().user("Go").reply().bind("other", "openai/other").user("On").reply()
    digest = history.view.binding.digest  # type: ignore[union-attr]
    timeline = timeline_of(history.events)
    assert [(p.limit, p.limit_from) for p in timeline.points] == [(400_000, "profile"), (None, "unknown")]
    told = timeline.points_with(9_000, digest)
    assert [(p.limit, p.limit_from) for p in told] == [(400_000, "profile"), (9_000, "model")]
    assert [p.limit for p in timeline.points_with(9_000, "another")] == [400_000, None]
    assert timeline.points_with(9_000, digest, start=1) == told[1:]


def test_thresholds_are_those_in_force_at_each_request():
    """R-BIND-10."""
    history = History().user("Go").reply().thresholds(0.5).user("On").reply()
    timeline = timeline_of(history.events)
    assert [p.thresholds for p in timeline.points] == [(0.75, 0.80, 0.85, 0.90), (0.5,)]
    assert [(m.after, m.kind, m.detail) for m in timeline.marks] == [(1, "thresholds", "50.00%")]


def test_other_policies_have_no_thresholds():
    """R-WARN-1."""
    history = History("llm_summarizing").user("Go").reply()
    assert timeline_of(history.events).points[0].thresholds == ()


def test_a_warning_belongs_to_the_request_that_carried_it():
    """R-WARN-8: it stands after the boundary and is part of what was sent."""
    history = History().user("Go").ask().warn(0.75).reply()
    timeline = timeline_of(history.events)
    assert [(m.after, m.kind, m.value, m.detail) for m in timeline.marks] == [(0, "warning", 0.75, "measured")]
    assert timeline.points[0].estimated == estimate_of(history.shown[0])


def test_each_condensation_is_told_by_its_cause():
    """R-VOC-15: voluntary, rescue, routine, by hand."""
    voluntary = History().user("Go").condense("On with it").reply()
    assert kinds(voluntary) == [(1, "voluntary")]
    emergency = History().user("Go").reply().user("On").emergency().reply()
    assert kinds(emergency) == [(2, "rescue")]
    for trigger, cause in (("size", "routine"), ("tokens", "routine"), ("proactive", "routine"), ("host", "manual")):
        history = History("llm_summarizing").user("Go").reply().intend(trigger).attempt()
        history.summarized("In short.", [entry.id for entry in history.view.read])
        (mark,) = timeline_of(history.events).marks
        assert (mark.after, mark.kind, mark.detail, mark.value) == (1, cause, trigger, 2)


def test_an_overflow_without_a_record_of_usage_is_known_by_its_rescue():
    """A model in this process refuses and sends nothing (R-ACC-1); its request was too large all the same."""
    history = History().user("Go").reply().user("On")
    history._failed = history.view
    history.intend("provider_context_window")
    history.summarized("In short.", [entry.id for entry in history.view.read], notice="An emergency.").reply()
    points = timeline_of(history.events).points
    assert [(p.outcome, p.reason) for p in points] == [("answered", ""), ("failed", "overflow"), ("answered", "")]
    assert points[1].estimated == estimate_of(history._failed)


def test_truncations_failures_errors_and_changes_are_marked():
    """R-WIN-14, R-EMERG-16, R-CODE-2."""
    window = History("summarizing_window").user("a longer text of several words").reply()
    window.truncate("u1", "a longer text of several words")
    assert kinds(window) == [(1, "cut")]
    failing = History("llm_summarizing").user("Go").reply().intend("size").attempt("server").failure()
    assert [(m.kind, m.detail) for m in timeline_of(failing.events).marks] == [("failure", "summary_failed size")]
    assert kinds(History("new_context").user("Go").remind().reply()) == [(0, "reminder")]
    moved = History().user("Go").reply().bind("other", "openai/other").fork()
    assert kinds(moved) == [(1, "profile"), (1, "fork")]


def test_an_error_is_marked_where_no_failed_request_tells_of_it():
    failed = History().user("Go").fails("server", stops=True)
    assert kinds(failed) == []
    assert timeline_of(failed.events).points[0].reason == "server"


@given(histories())
def test_every_estimate_is_that_of_the_request_that_was_sent(history: History):
    """R-BUD-8, R-VIEW-1: found event by event, for every policy, and equal to the request rebuilt from the start."""
    points = timeline_of(history.events).points
    answered = [point.estimated for point in points if point.outcome == "answered"]
    assert answered == [estimate_of(view) for view in history.shown]
    records = [e for e in history.events if e.kind == "ResponseEvent" or getattr(e, "purpose", "") == "main_failed"]
    assert [point.event_id for point in points if point.event_id[0] in "rk"] == [record.id for record in records]
    for record, point in zip(records, (p for p in points if p.event_id[0] in "rk"), strict=True):
        if isinstance(record, UsageEvent) and record.read_through is not None:
            ids = [event.id for event in history.events]
            at, boundary = ids.index(record.id), ids.index(record.read_through)
            advice = [e for e in history.events[boundary + 1 : at] if e.kind.startswith("ContextW")]
            advice = [e for e in advice if hasattr(e, "text")]
            shown = View.of(history.events[: boundary + 1]).with_asides(advice)  # type: ignore[arg-type]
            assert point.estimated == estimate_of(shown)


@given(foreign_logs())
def test_a_log_of_somebody_else_never_breaks_it(log: list[Any]):
    """I-10: what cannot be known is unknown."""
    timeline = timeline_of(log)
    assert [point.number for point in timeline.points] == list(range(1, len(timeline.points) + 1))
    assert len(timeline) == len(log)


def test_only_the_view_of_the_latest_boundary_is_held():
    """What was folded is let go of."""
    requests = Requests()
    history = History().user("Go")
    for _ in range(5):
        history.calls(call("read_file", path="a")).results()
    found = [asked for event in history.events if (asked := requests.add(event)) is not None]
    assert [asked.shown for asked in found] == history.shown
