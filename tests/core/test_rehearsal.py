"""A rehearsed reset is the reset that would come, and leaves no trace (R-RESET-4, R-RESET-5, R-NEW-8, R-MSG-8)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.budget import Budget, Gauge
from smolpaws_jupyter.core.errors import CommandRefused
from smolpaws_jupyter.core.instruments.outline import outline
from smolpaws_jupyter.core.instruments.rehearsal import Rehearsal, rehearse, request_view
from smolpaws_jupyter.core.messages import messages_of
from smolpaws_jupyter.core.policies import policy_for
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.core.view import View
from tests.builders import History, call
from tests.histories import KINDS, histories

UNKNOWN = Gauge(Budget(), lambda _: None)


def rehearsed(view: View, kind: str = "agent_reset", message: str | None = None, **condenser: Any) -> Rehearsal:
    settings = AgentSettings.model_validate({"condenser": {"condenser_kind": kind, **condenser}})
    return rehearse(view, policy_for(settings), UNKNOWN, message)


def without_call_ids(view: View) -> list[Any]:
    """The messages of a request, but for the ids that calls got."""
    messages = [dict(message) for message in messages_of(view)]
    for message in messages:
        message.pop("tool_call_id", None)
        if "tool_calls" in message:
            message["tool_calls"] = [{**made, "id": ""} for made in message["tool_calls"]]
    return messages


@given(histories(kinds=("agent_reset",)), st.none() | st.just("Look into notes/plan.md."), st.booleans())
def test_r_reset_5_the_rehearsed_request_is_the_one_after_the_reset_that_then_comes(
    history: History, message: str | None, late: bool
):
    history.results().ask()
    if history.view.unread or history.view.asides:
        history.reply("Read.").ask()
    if late:
        history.user("While the reply came.")
    then = rehearsed(history.view, message=message)
    made_up = request_view(then)
    history.condense(message)
    assert without_call_ids(made_up) == without_call_ids(history.view)


@given(histories(kinds=("agent_reset", "new_context")))
def test_what_is_marked_as_gone_is_gone_and_the_rest_is_there(history: History):
    kind = history["start"].settings["condenser"]["condenser_kind"]
    then = rehearsed(history.view, kind)
    if then.after is None:
        assert then.refused
        assert not then.gone
        return
    before, after = outline(history.view), {item.key for item in outline(then.after)}
    for item in before:
        if item.what != "result":  # a result that is still open has no entry of its own
            assert (item.key not in after) == (not then.gone.isdisjoint(item.entry_ids)), item
    assert then.after.unread == history.view.unread


@given(histories())
def test_a_rehearsal_leaves_the_view_as_it_was(history: History):
    before = messages_of(history.view)
    for kind in KINDS:
        rehearsed(history.view, kind)
    assert messages_of(history.view) == before


def test_r_new_8_a_new_context_is_rehearsed_with_its_handoff():
    h = History("new_context").user("Go").call("read_file", path="a").reply("So far.").user("And on")
    then = rehearsed(h.view, "new_context", message="Go on with b.")
    assert then.how == "new_context"
    assert [item.what for item in outline(request_view(then))] == ["notice", "calls", "result", "user"]
    assert '"handoff": "Go on with b."' in str(messages_of(request_view(then)))


def test_a_summary_names_what_it_would_replace_and_invents_no_words():
    h = History("llm_summarizing").user("Go")
    for number in range(8):
        h.call("read_file", path=f"{number}")
    h.reply("Done.")
    then = rehearsed(h.view, "llm_summarizing", max_size=20, keep_first=1)
    assert (then.how, then.after) == ("summary", None)
    gone = [item for item in outline(h.view) if not then.gone.isdisjoint(item.entry_ids)]
    assert gone
    assert outline(h.view)[0] not in gone
    with pytest.raises(CommandRefused, match="nobody knows the words"):
        request_view(then)


def test_a_conversation_that_condenses_nothing_says_so():
    h = History("no_op").user("Go").reply()
    assert rehearsed(h.view, "no_op").how == "nothing"
    with pytest.raises(CommandRefused, match="Nothing would be taken out"):
        request_view(rehearsed(h.view, "no_op"))


def test_r_reset_4_a_warning_that_waits_goes_and_a_remark_that_waits_stays():
    h = History().user("Go").call("read_file", path="a").ask().warn().fails().remark("The kernel is new.")
    then = rehearsed(h.view)
    assert "w1" in then.gone
    assert [item.what for item in outline(request_view(then))] == ["notice", "calls", "result", "remark"]


def test_the_result_of_the_rehearsed_call_says_what_a_real_one_says():
    h = History().user("Go").calls(call("read_file", path="a")).result().reply()
    results = [item.message["content"] for item in outline(request_view(rehearsed(h.view))) if item.what == "result"]
    assert results == [wording.recovery(None)]
