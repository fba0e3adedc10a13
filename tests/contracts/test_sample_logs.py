"""The sample logs that both languages test with are valid, complete and up to date."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter

from smolpaws_jupyter.core.events import ConversationStartEvent, Event
from smolpaws_jupyter.core.view import View
from smolpaws_jupyter.core.wire import UnknownRecord
from tests.fixtures import make_logs

EVENT: TypeAdapter[Any] = TypeAdapter(Event)


def sample(name: str) -> list[dict[str, Any]]:
    return json.loads((make_logs.FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", make_logs.LOGS)
def test_a_sample_log_is_what_its_script_writes(name: str):
    written = (make_logs.FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert written == make_logs.text(make_logs.LOGS[name]()), "stale: run `python -m tests.fixtures.make_logs`"


@pytest.mark.parametrize("name", make_logs.LOGS)
def test_a_sample_log_holds_valid_events_that_refer_backwards_only(name: str):
    seen: set[str] = set()
    for record in sample(name):
        if record["kind"] != "UnknownRecord":
            event = EVENT.validate_json(json.dumps(record))
            for link in ("action_id", "response_event_id", "request_id", "read_through", "message_id"):
                assert (value := getattr(event, link, None)) is None or value in seen
        assert record["id"] not in seen
        seen.add(record["id"])


def test_the_sample_logs_hold_every_kind_of_event():
    kinds = {member.__name__ for member in get_args(get_args(Event)[0])} | {UnknownRecord.__name__}
    assert {record["kind"] for record in sample("everything")} == kinds


def test_in_the_first_sample_only_notice_call_and_result_survive_the_reset():
    events = make_logs.first_reset()
    at = next(n for n, event in enumerate(events) if event.kind == "Condensation")
    assert isinstance(events[0], ConversationStartEvent)
    view = View.of(events[: at + 1])
    assert [entry.kind for entry in view.read] == ["CondensationNotice", "ActionEvent", "ObservationEvent"]
    assert list(view.unread) == []
