"""Replay validation of what the agent does itself: `condense` and `new_context`, each forgery named with its rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from smolpaws_jupyter.core import events as ev
from smolpaws_jupyter.core.base import TextBlock
from smolpaws_jupyter.core.payloads import CondenseAction, CondenseObservation, NewContextObservation
from tests.builders import History, call
from tests.core.forging import details, forged, reordered, rule

READ = call("read_file", path="a")


# The agent's reset


def reset() -> History:
    """A second reset, with a late message and something to forget."""
    history = History().user("task").condense().reply("ok").user("more").call("read_file", path="a").ask()
    return history.user("late").condense("note")


def test_the_reset_of_these_tests_is_lawful():
    assert rule(reset()) is None
    assert set(reset()["c2"].forgotten_event_ids) == {"c1-notice", "a1", "o1", "m1", "u2", "a2", "o2"}


def with_observation(**changes: Any) -> Callable[[], History]:
    def make() -> History:
        history = reset()
        return forged(history, "o3", observation=CondenseObservation(**{**dict(history["o3"].observation), **changes}))

    return make


def sibling() -> History:
    history = History().user("task").calls(call("condense"), READ).result(of="a2")
    return history.reset()


REPL_4 = {
    "another tool": lambda: forged(reset(), "a3", tool_name="read_file"),
    "an action of another kind": lambda: forged(reset(), "a3", action=READ.action),
    "no typed action": lambda: forged(reset(), "a3", action=None),
    "another message in the action": lambda: forged(reset(), "a3", action=CondenseAction(message_to_future_self="x")),
    "another message in the arguments": lambda: forged(reset(), "a3", arguments='{"message_to_future_self": "x"}'),
    "no message in the arguments": lambda: forged(reset(), "a3", arguments="{}"),
    "arguments that are no object": lambda: forged(reset(), "a3", arguments="[]"),
    "another message in the result": with_observation(message_to_future_self="x"),
    "no message in the result": with_observation(message_to_future_self=None),
    "an error result": with_observation(is_error=True),
    "another request in the result": with_observation(request_id="q1"),
    "no request in the result": with_observation(request_id=None),
    "another kind of result": lambda: forged(reset(), "o3", observation=NewContextObservation(content=())),
    "another call id in the result": lambda: forged(reset(), "o3", tool_call_id="call-a1"),
    "another tool in the result": lambda: forged(reset(), "o3", tool_name="read_file"),
    "a call beside it": sibling,
    "a summary": lambda: forged(reset(), "c2", summary="So.", summary_offset=0),
    "a summary offset": lambda: forged(reset(), "c2", summary_offset=0),
    "no notice": lambda: forged(reset(), "c2", notice=None),
    "a blank notice": lambda: forged(reset(), "c2", notice=" \n"),
}


@pytest.mark.parametrize("forgery", REPL_4)
def test_t_repl_02_a_reset_that_is_not_what_the_agent_asked_for(forgery: str):
    """R-REPL-4"""
    assert rule(REPL_4[forgery]()) == "R-REPL-4"


def test_text_blocks_of_results_are_not_judged():
    history = reset()
    said = history["o3"].observation.model_copy(update={"content": (TextBlock(text="In other words."),)})
    assert rule(forged(history, "o3", observation=said)) is None


REPL_5 = {
    "a later boundary": lambda: details(reset(), "q2", input_event_id="u3"),
    "an earlier boundary": lambda: details(reset(), "q2", input_event_id="u1"),
    "no boundary": lambda: details(reset(), "q2", input_event_id=None),
    "an unknown boundary of both": lambda: forged(
        details(reset(), "q2", input_event_id="nobody"), "r4", read_through="nobody"
    ),
    "a later boundary of both": lambda: forged(details(reset(), "q2", input_event_id="r4"), "r4", read_through="r4"),
    "another call": lambda: details(reset(), "q2", action_id="a1"),
    "an unknown call": lambda: details(reset(), "q2", action_id="nobody"),
    "an unknown result": lambda: details(reset(), "q2", observation_id="nobody"),
    "the request before the result": lambda: reordered(reset(), "q2", "o3"),
}


@pytest.mark.parametrize("forgery", REPL_5)
def test_t_repl_01_a_reset_in_a_wrong_order(forgery: str):
    """R-REPL-5"""
    assert rule(REPL_5[forgery]()) == "R-REPL-5"


def test_t_repl_01_a_reset_without_its_response():
    """R-REPL-5"""
    history = reset()
    history.commits = [tuple(event for event in commit if event.id != "r4") for commit in history.commits]
    assert rule(history) == "R-REPL-5"


def test_o16_a_reset_whose_result_was_never_written():
    """O16, third variant: read-only, and the history is whole."""
    history = History().user("task").calls(call("condense"))
    asked = ev.VoluntaryDetails(input_event_id="u1", action_id="a1", observation_id="o1")
    request = history.make(ev.CondensationRequest, source="agent", details=asked)
    history.commit(request)
    assert rule(history) is None
    history.commit(history.make(ev.Condensation, request_id="q1", forgotten_event_ids=("u1",), notice="It was reset."))
    assert rule(history) == "R-REPL-5"


FORGETTING = {
    "half of the exchange, the call": ("add", "a3", "R-REPL-6"),
    "half of the exchange, the result": ("add", "o3", "R-REPL-6"),
    "not an old message": ("drop", "u2", "R-REPL-6"),
    "not an old notice": ("drop", "c1-notice", "R-REPL-6"),
    "not half of an old batch": ("drop", "o2", "R-REPL-6"),
    "an unread message": ("add", "u3", "R-REPL-10"),
    "what exists nowhere": ("add", "nobody", "R-REPL-10"),
    "the fixed context": ("add", "start", "R-REPL-10"),
    "what an earlier reset forgot": ("add", "u1", "R-REPL-10"),
}


@pytest.mark.parametrize("forgets", FORGETTING)
def test_t_repl_03_a_reset_forgets_all_that_was_read_and_nothing_else(forgets: str):
    """R-REPL-6, R-REPL-10"""
    change, entry_id, expected = FORGETTING[forgets]
    history = reset()
    forgotten = [i for i in history["c2"].forgotten_event_ids if i != entry_id] + (
        [entry_id] if change == "add" else []
    )
    assert rule(forged(history, "c2", forgotten_event_ids=forgotten)) == expected


# A new context


def new_context() -> History:
    history = History("new_context").user("task").call("read_file", path="a").user("more").ask().user("late")
    return history.new_context(READ, handoff="go on")


def test_t_new_15_a_new_context_keeps_its_batch_and_what_is_unread():
    assert rule(new_context()) is None
    assert [entry.id for entry in new_context().view.read] == ["c1-notice", "a2", "a3", "o2", "o3"]


def test_t_new_17_a_new_context_keeps_its_whole_thinking_loop():
    history = History("new_context").user("task").calls(READ, reasoning={"signature": "x"}).results().new_context()
    assert [entry.id for entry in history.view.read] == ["c1-notice", "a1", "o1", "a2", "o2"]
    assert rule(history) is None
    assert rule(forged(history, "c1", forgotten_event_ids=("u1", "a1", "o1"))) == "R-REPL-7"


def test_t_new_04_several_handoffs_of_one_batch_make_one_new_context():
    """R-NEW-5, R-NEW-7: the request names the first; all results stand before it in one commit."""
    history = History("new_context").user("task").calls(call("new_context"), READ, call("new_context", handoff="go"))
    history.result(of="a2")
    results = [
        history.observed(NewContextObservation(content=(), input_event_id="u1"), of=action) for action in ("a1", "a3")
    ]
    asked = ev.VoluntaryDetails(input_event_id="u1", action_id="a1", observation_id=results[0].id)
    request = history.make(ev.CondensationRequest, source="agent", details=asked)
    fact = history.make(ev.Condensation, request_id="q1", forgotten_event_ids=("u1",), notice="A new context begins.")
    assert rule(history.commit(*results, request, fact)) is None


@pytest.mark.parametrize("boundary", [None, "nobody", "u3"])
def test_t_new_16_without_a_known_boundary_every_user_message_stays(boundary: str | None):
    """R-NEW-9, R-REPL-7: unknown, missing or late."""
    history = details(new_context(), "q1", input_event_id=boundary)
    assert rule(history) == "R-REPL-7"
    kept = [i for i in history["c1"].forgotten_event_ids if not i.startswith("u")]
    assert rule(forged(history, "c1", forgotten_event_ids=kept)) is None


REPL_7: dict[str, Callable[[], History]] = {
    "less than all": lambda: forged(new_context(), "c1", forgotten_event_ids=("u1", "a1", "o1")),
    "a part of the batch": lambda: forged(new_context(), "c1", forgotten_event_ids=("u1", "a1", "o1", "u2", "o2")),
    "with a summary": lambda: forged(new_context(), "c1", summary="So.", summary_offset=0),
    "without a notice": lambda: forged(new_context(), "c1", notice=""),
    "after a call that failed": lambda: forged(
        new_context(), "o3", observation=NewContextObservation(content=(), is_error=True)
    ),
    "after another result": lambda: details(new_context(), "q1", observation_id="o2"),
}


@pytest.mark.parametrize("forgery", REPL_7)
def test_r_repl_7_a_new_context_that_keeps_or_says_something_else(forgery: str):
    assert rule(REPL_7[forgery]()) == "R-REPL-7"
