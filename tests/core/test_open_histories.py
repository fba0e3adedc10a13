"""The open cases about histories, as far as they are a matter of folds: O10, O14, O15, O16, O17."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from smolpaws_jupyter.core import events as ev
from smolpaws_jupyter.core.messages import messages_of
from smolpaws_jupyter.core.payloads import ToolObservation
from smolpaws_jupyter.core.records import decode, encode
from smolpaws_jupyter.core.view import View
from tests.builders import Call, History
from tests.core.forging import rule
from tests.log_builder import words
from tests.wire_rules import assert_lawful, assert_shows

CASES = json.loads(Path(__file__).parents[1].joinpath("fixtures/cases/data/open_histories.json").read_text())["cases"]


def told(records: list[dict[str, Any]], kind: str = "agent_reset") -> History:
    """A history that holds the neutral records of a case, in their order; calls of one response are one reply."""
    history = History(kind)
    for _, group in groupby(records, key=lambda record: record.get("response_id") or id(record)):
        first, *_ = together = list(group)
        if first["kind"] == "ActionEvent":
            history.calls(*(Call(r["tool"], json.dumps(r["arguments"]), r["tool_call_id"]) for r in together))
        else:
            tell(history, first)
    return history


def tell(history: History, record: dict[str, Any]) -> None:
    of = next(
        (e.id for e in history.events if getattr(e, "tool_call_id", None) == record.get("tool_call_id", "")), None
    )
    match record["kind"]:
        case "MessageEvent":
            history.user(record["text"]) if record["source"] == "user" else history.reply(record["text"])
        case "ObservationEvent":
            history.result(record["content"], of=of)
        case "AgentErrorEvent":
            history.error(text=record["error"], of=of)
        case "UserRejectObservation":
            history.reject(record["reason"], of=of)
        case "CondensationRequest":
            history.intend()
        case "Condensation":
            history.summarized("Task A is under way.", [entry.id for entry in history.view.read])
        case "CondensationSummaryEvent":
            history.unknown("CondensationSummaryEvent")  # made from a fact, never stored (R-EV-7)


def test_o10_a_reset_record_between_a_call_and_its_result():
    """Foreign order: it opens read-only, names the rule, is readable to the end, and its request holds INV1."""
    history = told(CASES["O10"]["log"], "llm_summarizing")
    assert rule(history) == "R-VIEW-9"
    assert_lawful(messages_of(history.view))
    assert [m["content"] for m in messages_of(history.view)[1:]] == ["Task A is under way.", "Task B", None, "4"]


@pytest.mark.parametrize("dropped", range(7))
def test_o14_half_of_a_batch_is_forgotten(dropped: int):
    history = told(CASES["O14"]["log"], "llm_summarizing")
    for forget in (tuple(e.id for e in history.view.read)[:dropped], ("o1",)):
        fact = history.make(ev.Condensation, request_id="q", forgotten_event_ids=forget, summary="So far.")
        view = history.view.add(fact)
        assert_lawful(messages_of(view))
        assert_shows(messages_of(view), view.unread)


def test_o15_a_refusal_and_an_error_are_results():
    view = told(CASES["O15"]["log"]).view
    restored = View.of(decode(encode(e))[0] for e in told(CASES["O15"]["log"]).events)  # type: ignore[arg-type]
    assert messages_of(view) == messages_of(restored)
    assert_lawful(messages_of(view))
    answers = {m["tool_call_id"]: m["content"] for m in messages_of(view) if m["role"] == "tool"}
    assert answers == {"c1": "Not that file.", "c2": "ZeroDivisionError"}


def test_o16_killed_with_a_call_in_flight():
    """The call is open until opening closes it; then it is answered once, and opening again finds nothing to close."""
    history = told(CASES["O16"]["log"]).start()
    assert [call.tool_call_id for call in history.view.open_calls] == ["c1"]
    assert_lawful(messages_of(history.view))
    history.error("outcome_unknown", "Outcome unknown: it may or may not have run.").user("Continue")
    assert history.view.open_calls == ()
    assert rule(history) is None
    messages = messages_of(history.view)
    assert_lawful(messages)
    assert_shows(messages, history.view.unread)
    assert "Outcome unknown" in messages[-2]["content"]


def test_o17_a_call_that_has_its_result_stays_closed():
    """Also when the tool ran all the same: its late result does nothing, and is no damage."""
    case = CASES["O17"]
    assert told(case["log"]).view.open_calls == ()
    (variant,) = case["variants"]
    history = told([*case["log"], *variant["append"]])
    assert rule(history) is None
    answers = [m["content"] for m in messages_of(history.view) if m["role"] == "tool"]
    assert answers == ["interrupted by restart"]
    assert_lawful(messages_of(history.view))


def test_the_words_of_a_case_arrive_in_its_history():
    history = told(CASES["O14"]["log"])
    assert history["o2"].observation == ToolObservation(content=words("beta"))
