"""What each event does to the view, rule by rule. Properties of random logs stand in `test_view_properties`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

import pytest

from smolpaws_jupyter.core import events as ev
from smolpaws_jupyter.core.base import Usage
from smolpaws_jupyter.core.messages import messages_of
from smolpaws_jupyter.core.payloads import CondenseObservation
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.core.view import CondensationNotice, CondensationSummaryEvent, Count, View
from tests.builders import BINDING, PICTURE, History, call
from tests.core.every_event import every_event
from tests.wire_rules import assert_lawful, assert_shows


def ids(entries: Iterable[Any]) -> list[str]:
    return [entry.id for entry in entries]


def said(view: View) -> list[object]:
    """The contents of the conversation messages of a request."""
    return [message["content"] for message in messages_of(view)[1:]]


def test_no_event_gives_a_view_fields_that_it_does_not_have():
    view = View()
    for event in every_event():
        view = view.add(event)
        assert list(vars(view)) == [field.name for field in fields(View)]


def test_the_views_of_a_cycle_share_one_growing_history():
    """I-32: a step adds to `read` and copies nothing of it."""
    history = History().user("go").reply()
    first = history.view
    history.user("more").calls(call("x"), call("y")).result(of="a2").result(of="a1").empty().reply()
    assert history.view.read.grew_from(first.read)
    assert not history.condense().view.read.grew_from(first.read)


def test_r_voc_3_every_record_has_its_place_unknown_ones_too():
    history = History().user("hi").unknown().reply()
    assert history.view.length == len(history.events) == 5
    assert history["r1"].read_through == history.events[2].id


def test_a_record_whose_id_cannot_be_read_bounds_nothing():
    view = History().user("hi").commit(UnknownEvent(kind="", id="", reason="unreadable", raw={})).view
    assert (view.boundary, view.length) == ("u1", 3)


# Messages


def test_t_view_02_late_messages_stand_behind_the_results_once_and_in_order():
    """R-VIEW-2, R-VIEW-4, R-VIEW-9, R-RESET-6: they come during the call, during a tool and after the fact."""
    history = History().user("go").ask().user("during the call", PICTURE).calls(call("condense"))
    history.user("during the tool").reset().user("after the fact", PICTURE)
    roles = [message["role"] for message in messages_of(history.view)]
    assert roles == ["system", "user", "assistant", "tool", "user", "user", "user"]
    assert_shows(messages_of(history.view), [history[u] for u in ("u2", "u3", "u4")])
    assert history.view.unread == (history["u2"], history["u3"], history["u4"])


def test_a_late_message_comes_after_the_reply_that_did_not_know_it():
    history = History().user("one").ask().user("two").reply("to one")
    assert said(history.view) == ["one", "to one", "two"]


def test_t_view_07_a_reset_protects_no_remark_of_the_environment():
    """R-VIEW-15, R-RESET-11: not a nudge, nor a reminder, nor an earlier notice."""
    history = History().user("go").empty().remind().reply().condense().remark("still pending").warn(0.75).remind()
    assert ids(history.view.read) == ["c1-notice", "a1", "o1"]
    history.condense()
    assert ids(history.view.read) == ["c2-notice", "a2", "o2"]


def test_r_view_6_pending_advice_leaves_with_a_condensation_and_other_remarks_stay():
    history = History().user("go").reply().user("more").remark("The kernel is new.").warn(0.9)
    history.fails("overflow").intend("provider_context_window").summarized("So far.", ["u1", "m1"], notice="Again.")
    assert said(history.view) == ["Again.", "So far.", "more", "The kernel is new."]
    assert (history.view.stage, history.view.reminded, history.view.count) == (0, False, None)


def test_r_view_4_a_success_takes_the_warnings_it_names_and_keeps_the_others():
    history = History().user("go").warn(0.75).fails().warn(0.9).reply(consumed_warning_ids=("w1",))
    assert ids(history.view.asides) == ["w2"]


def test_r_bud_10_what_voids_a_count_and_what_does_not():
    history = History().user("go").reply(usage=Usage(input=750))
    assert history.view.count == Count(750, BINDING.digest)
    assert history.fails().pause().fork().bind("main").view.count  # the same binding
    assert history.truncate("u1", "go", keep=0).view.count is None
    assert history.user("a").reply().bind("other").view.count is None


def test_t_view_10_a_withdrawn_message_is_in_no_later_request():
    """R-VIEW-16: the log keeps it, and the others keep their order."""
    history = History().user("one").user("two").user("three").withdraw("u2")
    assert said(history.view) == ["one", "three"]
    assert history["u2"].text == "two"


def test_t_view_10_a_message_that_was_read_cannot_be_withdrawn():
    history = History().user("one").reply()
    before = history.view
    assert said(history.withdraw("u1").view) == said(before)


def test_only_user_and_user_is_genuine():
    """R-VOC-9"""
    content = History().user("x")["u1"].content
    kinds = [(source, role) for source in ("user", "agent", "environment") for role in ("user", "assistant")]
    messages = [
        ev.MessageEvent(id="x", timestamp="t", source=source, role=role, content=content)  # type: ignore[arg-type]
        for source, role in kinds
    ]
    assert [kind for kind, message in zip(kinds, messages, strict=True) if message.genuine] == [("user", "user")]
    assert View.of([messages[1]]).unread == ()


# Calls and results


def test_t_view_04_the_first_result_of_a_call_counts():
    """R-VIEW-8, O17: a further one does nothing, nor does one for a call that nobody made."""
    history = History().user("Go").call("run_python", "first", code="x=1")
    before = history.view.read
    history.result("late result", of="a1").error(text="later still", of="a1")
    answer: dict[str, Any] = {"tool_name": "x", "tool_call_id": "y", "code": "not_run", "error": "?"}
    history.commit(ev.AgentErrorEvent(id="x", timestamp="t", action_id="nobody", **answer))
    assert history.view.read == before
    assert said(history.view) == ["Go", None, "first"]


def test_r_step_5_a_call_is_open_until_its_result_and_started_once_it_runs():
    history = History().user("Go").calls(call("run_python", code="1"), call("run_python", code="2")).start("a2")
    assert (ids(history.view.open_calls), history.view.started) == (["a1", "a2"], {"a2"})
    assert (ids(history.result(of="a2").view.open_calls), history.view.started) == (["a1"], set())


def test_a_result_that_comes_late_in_a_foreign_log_stands_beside_its_call():
    """R-VIEW-9, O16: another success came in between."""
    history = History().user("Go").calls(call("run_python", code="1")).user("more").calls(call("read_file", path="a"))
    history.result("of 2", of="a2").result("of 1", of="a1")
    assert ids(history.view.read) == ["u1", "a1", "o2", "u2", "a2", "o1"]
    history = History().user("Go").calls(call("run_python", code="1")).calls(call("read_file", path="a"))
    history.result("of 2", of="a2").result("of 1", of="a1")
    assert ids(history.view.read) == ["u1", "a1", "o2", "a2", "o1"]


def test_o10_a_result_after_its_call_was_forgotten_is_nothing():
    history = History("llm_summarizing").user("Task A").calls(call("run_python", code="1+1")).intend()
    history.summarized("Task A is under way.", ["u1", "a1"]).result("2", of="a1")
    assert said(history.view) == ["Task A is under way."]
    assert history.view.open_calls == ()


# Condensations


def test_t_view_09_notice_and_summary_are_made_and_nowhere_in_the_log():
    """R-EV-7, R-EV-9, R-VIEW-6"""
    history = History().user("go").reply().user("big").emergency("So far.")
    notice, summary = history.view.read
    assert isinstance(notice, CondensationNotice)
    assert isinstance(summary, CondensationSummaryEvent)
    assert (notice.id, summary.id, summary.text) == ("c1-notice", "c1-summary", "So far.")
    assert not {notice.id, summary.id} & set(ids(history.events))


def test_r_view_6_a_summary_stands_at_its_offset_among_what_is_kept():
    history = History("llm_summarizing").user("one").reply("1").user("two").reply("2").user("three").reply("3")
    history.intend().summarized("In short.", ["m1", "u2", "m2"], offset=1)
    assert said(history.view) == ["one", "In short.", "three", "3"]


def test_t_view_04_an_empty_fact_begins_no_cycle():
    """R-VIEW-7, R-NEW-15"""
    history = History("new_context").user("go").remind().reply().intend("size")
    fact = ev.Condensation(id="c", timestamp="t", request_id="q1", forgotten_event_ids=())
    after = history.commit(fact).view
    assert (after.cycle, after.reminded, after.outstanding) == (None, True, ())


def test_t_view_08_a_failure_ends_its_request_and_nothing_else():
    """R-VIEW-3"""
    history = History("llm_summarizing").user("go").reply().intend().intend("host")
    before = history.view
    failure = ev.CondensationFailureEvent(id="f", timestamp="t", request_id="q1", code="interrupted", error="It ended.")
    after = before.add(failure)
    assert ids(after.outstanding) == ["q2"]
    assert replace(after, outstanding=before.outstanding, recent=before.recent, length=before.length) == before


BATCH = ("u1", "a1", "a2", "o1", "o2", "m1")


@pytest.mark.parametrize("forget", [*(BATCH[:k] for k in range(1, 7)), ("o1",), ("a2",)], ids=str)
def test_o14_a_batch_is_kept_or_dropped_whole(forget: tuple[str, ...]):
    """O14: for every cut point, and for the result of one call alone."""
    history = History("llm_summarizing").user("Look at both files")
    history.calls(call("read_file", path="a.txt"), call("read_file", path="b.txt")).results()
    history.user("And now?").ask().reply("Both read.").user("And now?").intend().summarized("So far.", forget)
    assert_lawful(messages_of(history.view))
    kept = set(ids(history.view.read)) & set(BATCH)
    assert kept & {"a1", "a2", "o1", "o2"} in (set(), {"a1", "a2", "o1", "o2"})


def test_r_rest_6_a_request_without_a_fact_changes_no_view():
    """R-REPL-12, O16: whatever the result beside it claims."""
    history = History().user("go").calls(call("condense"))
    observation = history.observed(CondenseObservation(content=(), request_id="q1"))
    details = ev.VoluntaryDetails(input_event_id="u1", action_id="a1", observation_id=observation.id)
    before = history.commit(observation).view
    after = history.commit(history.make(ev.CondensationRequest, source="agent", details=details)).view
    assert after.read == before.read
    assert after.rescue is None


# The bound, and what a person is told


def test_r_bound_1_a_rescue_closes_the_bound_until_a_success_carried_it():
    history = History().user("go").reply().user("big").fails("overflow").intend("provider_context_window")
    assert history.view.rescue == "q1"
    history.failure().user("again").resume().fork().bind("other").fails("overflow", stops=True)
    assert history.view.rescue == "q1"
    assert history.reply().view.rescue is None


def test_r_bound_6_a_manual_summary_does_not_touch_the_bound():
    assert History("new_context").user("go").reply().intend("host").view.rescue is None


@pytest.mark.parametrize("boundary", ["nobody", "r2"])
def test_t_repl_08_a_response_with_an_impossible_boundary_moves_and_opens_nothing(boundary: str):
    """R-REPL-11: unknown, or its own response."""
    history = History().user("go").reply().user("big").emergency().user("late").remark("remark").warn(0.9)
    before = history.view
    after = history.reply("words", read_through=boundary, usage=Usage(input=7)).view
    assert (after.unread, after.asides, after.rescue) == (before.unread, before.asides, before.rescue)
    assert after.count == Count(7, BINDING.digest)
    assert history.reply(consumed_warning_ids=("w1",)).view.unread == ()


def test_r_step_9_and_r_step_10_what_counts_in_a_row():
    history = History().user("go").empty().empty()
    assert history.view.empty_replies == 2
    assert history.calls(call("read_file", path="a")).view.empty_replies == 0
    history.results().fails("content_policy").fails("server").fails("content_policy")
    assert history.view.refusals == 2
    assert history.reply().view.refusals == 0
    assert history.empty().user("hello?").view.empty_replies == 0
    history.empty().fails("content_policy").resume()
    assert (history.view.empty_replies, history.view.refusals) == (0, 0)


def test_r_rest_7_what_is_unfinished_paused_or_in_error():
    history = History()
    assert not history.view.unfinished
    assert history.user("go").view.unfinished
    assert history.call("read_file", path="a").view.unfinished
    assert history.empty().view.unfinished
    assert history.resume().view.unfinished
    assert not history.reply().view.unfinished
    assert history.pause().view.paused
    assert not history.resume().view.paused
    assert history.user("x").fails("auth", stops=True).view.error == history["g1"]
    assert history.resume().view.error is None


def test_r_bind_6_and_r_bind_10_a_person_changes_profile_and_thresholds():
    history = History().bind("other", "openai/gpt", max_input_tokens=5).thresholds(0.5)
    assert history.view.binding == history["z1"].binding
    assert history.view.thresholds == (0.5,)


def test_pins_and_cuts_leave_with_their_entries():
    history = History("llm_summarizing").user("0123456789").reply("0123456789").pin("u1", "m1")
    history.truncate("u1", "0123456789", keep=1).truncate("m1", "0123456789", keep=1).intend().summarized("So.", ["u1"])
    assert (history.view.pins, set(history.view.cuts)) == ({"m1"}, {("m1", 0)})


def test_r_win_19_a_cut_that_is_impossible_does_nothing():
    """Unknown entry or block, numbers that do not add up, or a cut again."""
    text = "0123456789abcdef"
    history = History("summarizing_window").user(text).call("run_python", text, code="1").reply(text)
    cuts = history.truncate("u1", text).view.cuts
    assert set(cuts) == {("u1", 0)}
    history.truncate("u1", text, keep=2).truncate("u1", text, block=1).truncate("nobody", text).truncate(
        "o1", text + "x"
    )
    assert history.view.cuts == cuts
    assert set(history.truncate("o1", text).view.cuts) == {("u1", 0), ("o1", 0)}
