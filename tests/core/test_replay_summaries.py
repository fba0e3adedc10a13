"""Replay validation of summaries: emergencies and the others, each forgery named with its rule."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from smolpaws_jupyter.core import events as ev
from tests.builders import History, call
from tests.core.forging import details, forged, rule

READ = call("read_file", path="a")


def emergency() -> History:
    history = (
        History().user("task").call("read_file", path="a").user("big").ask().user("late").user("no").withdraw("u2")
    )
    return history.user("later").emergency("So far.")


def test_an_emergency_protects_what_was_unread_at_its_boundary():
    """R-EMERG-8: also a message that was taken back since, and not one that came since."""
    assert emergency()["q1"].details.protected_user_event_ids == ("u2",)
    assert rule(emergency()) is None


REPL_8: dict[str, Callable[[], History]] = {
    "no summary": lambda: forged(emergency(), "c1", summary=None, summary_offset=None),
    "a blank summary": lambda: forged(emergency(), "c1", summary=" "),
    "an offset of 1": lambda: forged(emergency(), "c1", summary_offset=1),
    "no offset": lambda: forged(emergency(), "c1", summary_offset=None),
    "no notice": lambda: forged(emergency(), "c1", notice=None),
    "something kept": lambda: forged(emergency(), "c1", forgotten_event_ids=("u1",)),
    "nobody protected": lambda: details(emergency(), "q1", protected_user_event_ids=()),
    "more than those protected": lambda: details(emergency(), "q1", protected_user_event_ids=("u2", "u3")),
    "one who is no user protected": lambda: details(emergency(), "q1", protected_user_event_ids=("m1",)),
    "no boundary": lambda: details(emergency(), "q1", input_event_id=None),
    "a boundary before the last success": lambda: details(emergency(), "q1", input_event_id="start"),
}


@pytest.mark.parametrize("forgery", REPL_8)
def test_t_repl_05_an_emergency_that_is_none(forgery: str):
    """R-REPL-8"""
    assert rule(REPL_8[forgery]()) == "R-REPL-8"


def summary(kind: str = "llm_summarizing", trigger: str = "size") -> History:
    history = History(kind).user("one").calls(READ, READ).results().reply("1").user("two").reply("2").user("late")
    return history.intend(trigger).summarized("So.", ["a1", "a2", "o1", "o2"], offset=1)


@pytest.mark.parametrize("trigger", ["size", "tokens", "proactive", "host"])
def test_a_summary_of_a_whole_unit_is_lawful(trigger: str):
    assert rule(summary(trigger=trigger)) is None


FIRST = ["u1", "a1", "a2", "o1", "o2"]
REPL_9: dict[str, Callable[[], History]] = {
    "a blank summary": lambda: forged(summary(), "c1", summary=""),
    "no summary": lambda: forged(summary(), "c1", summary=None),
    "a part of a batch": lambda: forged(summary(), "c1", forgotten_event_ids=["a1", "o1"]),
    "no place": lambda: forged(summary(), "c1", summary_offset=None),
    "a place behind the end": lambda: forged(summary(), "c1", summary_offset=9),
    "a place inside a batch": lambda: forged(summary(), "c1", forgotten_event_ids=["u1"], summary_offset=2),
    "a user message under new_context": lambda: forged(
        summary("new_context"), "c1", forgotten_event_ids=FIRST, summary_offset=0
    ),
}


@pytest.mark.parametrize("forgery", REPL_9)
def test_t_repl_07_a_summary_that_takes_too_much_or_stands_nowhere(forgery: str):
    """R-REPL-9"""
    assert rule(REPL_9[forgery]()) == "R-REPL-9"


def test_t_repl_07_a_summary_takes_no_pinned_entry():
    """R-REPL-9"""
    history = History("summarizing_window").user("one").reply("1").user("two").reply("2").pin("u1").intend()
    assert rule(history.summarized("So.", ["m1", "u2"], offset=1)) is None
    assert rule(forged(history, "c1", forgotten_event_ids=["u1", "m1"], summary_offset=0)) == "R-REPL-9"


def test_a_summary_may_stand_between_what_becomes_one_unit_without_it():
    """A thinking loop before the range and a batch behind it are two units, and stay two."""
    history = History("llm_summarizing").user("one").calls(READ, reasoning={"signature": "x"}).results()
    history.user("two").reply().user("three").calls(READ).results().intend()
    assert rule(history.summarized("So.", ["u2", "m1", "u3"], offset=3)) is None


def test_r_view_7_an_empty_fact_of_a_foreign_log_is_lawful():
    history = History("new_context").user("go").reply().intend()
    assert rule(history.commit(history.make(ev.Condensation, request_id="q1", forgotten_event_ids=()))) is None


@pytest.mark.parametrize("trigger", ["size", "host", "provider_context_window"])
def test_o10_a_request_between_a_call_and_its_result_opens_read_only_once_it_is_carried_out(trigger: str):
    """O10, R-VIEW-9"""
    history = History("llm_summarizing").user("Task A").fails("overflow").calls(call("run_python", code="1+1"))
    history.intend(trigger).result("2")
    assert rule(history) is None
    assert rule(history.summarized("Task A is under way.", ["u1", "a1", "o1"])) == "R-VIEW-9"
