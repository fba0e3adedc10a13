"""Replay validation: lawful logs pass, what did not happen is harmless, and long logs stay small."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core import events as ev
from smolpaws_jupyter.core.records import UnknownEvent, decode, encode
from smolpaws_jupyter.core.replay import Replay, Violation
from tests.builders import History, call
from tests.core.forging import broken, forged, reordered, rule
from tests.histories import foreign_logs, histories

READ = call("read_file", path="a")


@given(histories())
def test_every_log_of_ours_is_lawful_and_a_plan_leaves_no_trace(history: History):
    """Section 20: the same for whole commits, for single events, and for a plan that is tried first and dropped."""
    replay = Replay()
    for commit in history.commits:
        assert isinstance(replay.after((*commit, history["start"])), Violation)
        after = replay.after(commit)
        assert isinstance(after, Replay)
        replay = after
    assert replay.view == history.view
    assert Replay.of([event] for event in history.events) == replay


@given(foreign_logs())
def test_any_log_is_judged_without_a_crash(log: list[Any]):
    """I-40: and what is judged lawful has the same view as its fold."""
    replay = Replay.of([event] for event in log)
    if isinstance(replay, Violation):
        assert replay.rule.startswith("R-")
        assert replay.event_id in {event.id for event in log}


def test_a_violation_names_the_event_the_rule_and_what_is_wrong():
    history = forged(History().user("go").condense(), "c1", notice=" ")
    assert broken(history) == Violation("c1", "R-REPL-4", "A reset has a notice and no summary.")


# Beginning, references, failures


def test_t_repl_01_a_log_begins_with_its_start_and_has_one():
    """R-REPL-1"""
    history = History().user("go")
    assert rule(forged(history, "u1")) is None
    without = History()
    without.commits.clear()
    assert rule(without.user("go")) == "R-REPL-1"
    again = history.make(
        ev.ConversationStartEvent, **{n: v for n, v in dict(history["start"]).items() if n not in ("id", "kind")}
    )
    assert rule(history.commit(again)) == "R-REPL-1"
    unread = History()
    unread.commits.clear()
    assert rule(unread.unknown()) == "R-REPL-1"
    unread.commits.clear()
    assert rule(unread.unknown("ConversationStartEvent", "unreadable")) == "R-REPL-1"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("Condensation", "R-REPL-2"),
        ("CondensationRequest", "R-REPL-2"),
        ("CondensationFailureEvent", "R-REPL-3"),
        ("MessageEvent", "R-REPL-13"),
        ("", "R-REPL-13"),
        ("ContextWarningEvent", None),
        ("ContextWindowReminderEvent", None),
    ],
)
def test_t_repl_06_a_known_kind_that_cannot_be_read_is_a_violation_unless_it_is_advice(kind: str, expected: str | None):
    """R-REPL-3, R-REPL-13, R-WARN-18"""
    assert rule(History().user("go").unknown(kind, "unreadable").reply()) == expected


def test_r_log_6_an_unknown_kind_is_no_violation():
    assert rule(History().user("go").unknown().reply()) is None


def test_r_log_3_nothing_may_turn_up_that_an_earlier_event_referred_to():
    """Swapped lines: a result before its call, a call before its response, a start before its call."""
    for order in (("o1", "a1"), ("a1", "r1")):
        history = History().user("go").calls(READ).result()
        assert rule(reordered(history, *order)) == "R-LOG-3"
    assert rule(reordered(History().user("go").calls(READ).start().result(), "t1", "a1")) == "R-LOG-3"
    assert rule(reordered(History("summarizing_window").pin("u1").user("go"), "p1", "u1")) == "R-LOG-3"


def test_t_view_04_and_o17_odd_results_are_no_violation():
    """R-VIEW-8: two results for one call, or one for none."""
    history = History().user("Go").calls(READ).error("interrupted", "interrupted by restart").result("late", of="a1")
    nobody = {"action_id": "nobody", "tool_name": "x", "tool_call_id": "y", "code": "not_run", "error": "?"}
    assert rule(history.commit(history.make(ev.AgentErrorEvent, **nobody)).reply()) is None


def failing(history: History, request_id: str | None, action_id: str | None = None) -> History:
    fields = {"request_id": request_id, "action_id": action_id, "code": "interrupted", "error": "It ended."}
    return history.commit(history.make(ev.CondensationFailureEvent, **fields))


def test_t_repl_06_a_failure_names_a_request_that_was_not_carried_out_or_a_call():
    """R-REPL-3"""
    asked = History("llm_summarizing").user("go").reply().intend()
    assert rule(failing(asked, "q1")) is None
    assert rule(failing(asked, "q1")) is None  # known and still not carried out
    assert rule(failing(asked, "q2")) == "R-REPL-3"
    done = History("llm_summarizing").user("go").reply().intend().summarized("So.", ["u1"])
    assert rule(failing(done, "q1")) == "R-REPL-3"
    assert rule(failing(History().user("go").calls(READ).results(), None, "a1")) is None
    assert rule(failing(History().user("go").calls(READ).results(), None, "o1")) == "R-REPL-3"
    assert rule(failing(History().user("go"), None)) == "R-REPL-3"


def test_t_repl_04_a_fact_carries_out_one_request_that_waits_for_it():
    """R-REPL-2: no second fact, none without a request, none after a failure."""
    twice = History("llm_summarizing").user("go").reply().intend().summarized("So.", ["u1"])
    again = twice.make(ev.Condensation, request_id="q1", forgotten_event_ids=("m1",), summary="So.", summary_offset=0)
    assert rule(twice.commit(again)) == "R-REPL-2"
    assert rule(reordered(History().user("go").condense(), "c1", "q1")) == "R-REPL-2"
    failed = History("llm_summarizing").user("go").reply().intend().failure().intend().summarized("So.", ["u1"])
    assert rule(failed) is None
    assert rule(forged(failed, "c1", request_id="q1")) == "R-REPL-2"
    assert rule(forged(failed, "c1", request_id="nobody")) == "R-REPL-2"


# What did not happen


def test_t_repl_08_a_request_without_a_fact_is_no_violation_and_changes_nothing():
    """R-REPL-12: whatever its trigger, who wrote it, and what it names."""
    history = History().user("go").reply()
    asked = ev.VoluntaryDetails(input_event_id="nobody", action_id="x", observation_id="y")
    history.commit(history.make(ev.CondensationRequest, source="environment", details=asked))
    history.commit(history.make(ev.RecoveryEvent, id="x", detail="An id that a request named."))
    assert rule(history.user("more").reply()) is None


def test_t_repl_08_a_response_with_an_impossible_boundary_is_no_violation():
    """R-REPL-11"""
    assert rule(History().user("go").reply(read_through="nobody").reply(read_through="m3").reply()) is None


# Our own commits, and memory


def test_r_reset_13_a_plan_is_judged_before_it_is_appended():
    history = History().user("go").calls(call("condense"))
    replay = Replay.of(history.commits)
    assert isinstance(replay, Replay)
    plan = history.reset().commits[-1]
    wrong = (*plan[:2], ev.Condensation(**{**dict(plan[2]), "forgotten_event_ids": ()}))  # type: ignore[arg-type]
    assert replay.after(wrong) == Violation(
        "c1", "R-REPL-6", "A reset forgets all that was read but its own call and result, no more and no less."
    )
    assert isinstance(replay.after(plan), Replay)


@given(histories(), st.data())
def test_t_ev_01_a_log_from_disk_is_judged_like_the_live_one(history: History, data: st.DataObject):
    stored = [
        [e if isinstance(e, UnknownEvent) else decode(encode(e))[0] for e in commit] for commit in history.commits
    ]
    assert Replay.of(stored) == Replay.of(history.commits)


def long_log(steps: int) -> Iterator[tuple[Any, ...]]:
    """Steps of one call each, with a reset after every fifty."""
    history = History().user("go")
    for step in range(steps):
        history.user("more").call("read_file", path="a")
        if step % 50 == 49:
            history.condense()
        yield from history.commits
        history.commits.clear()
        history.shown.clear()


def test_i_32_a_long_log_needs_no_more_memory_than_its_view():
    """I-32: what can no longer be referred to is not remembered."""

    def peak(steps: int) -> int:
        tracemalloc.start()
        replay = Replay.of(long_log(steps))
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert isinstance(replay, Replay)
        return highest

    assert peak(500) < 1.5 * peak(100)
