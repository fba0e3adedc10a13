"""The vocabulary: every event survives JSON, links are by event id, and impossible fields are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from smolpaws_jupyter.core import events as ev
from smolpaws_jupyter.core.base import TextBlock, Usage
from smolpaws_jupyter.core.payloads import MESSAGE_LIMIT, CondenseAction, utf16_units
from smolpaws_jupyter.core.records import EVENT, decode, encode
from smolpaws_jupyter.core.replay import Replay
from tests.builders import BINDING, Call, History
from tests.core.every_event import ACTIONS, KINDS, OBSERVATIONS, every_event

EVENTS = every_event()


def test_the_examples_have_every_kind_of_event_action_observation_and_details():
    assert {event.kind for event in EVENTS} == KINDS
    assert {e.action.kind for e in EVENTS if e.kind == "ActionEvent" and e.action} == ACTIONS
    assert {e.observation.kind for e in EVENTS if e.kind == "ObservationEvent"} == OBSERVATIONS
    triggers = {e.details.trigger for e in EVENTS if e.kind == "CondensationRequest"}
    assert triggers == {"agent", "provider_context_window", "size", "tokens", "proactive", "host"}


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_t_ev_01_every_event_is_the_same_after_a_way_through_json(event: ev.Event):
    """R-EV-1, R-EV-6: to the page or the disk, and back."""
    assert decode(json.loads(json.dumps(encode(event)))) == (event, [])
    assert EVENT.validate_json(EVENT.dump_json(event)) == event


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_t_ev_01_an_unknown_field_is_refused_on_writing(event: ev.Event):
    with pytest.raises(ValidationError, match="extra_forbidden"):
        EVENT.validate_python({**encode(event), "added_later": 1})


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_r_ev_1_every_event_is_frozen_and_written_whole(event: ev.Event):
    """The base fields and all fields of its kind are in the JSON, null where there is nothing."""
    fields = {"id", "timestamp", "source", "command_id", "kind"}
    assert encode(event).keys() == type(event).model_fields.keys() >= fields
    with pytest.raises(ValidationError, match="frozen"):
        event.id = "other"  # type: ignore[misc]


def test_t_ev_02_repeated_provider_ids_change_no_link():
    """R-EV-2: two responses share the provider's id and their calls share call ids; results find their own call."""
    history = History().user("go")
    for path in ("a", "b"):
        again = Call("read_file", json.dumps({"path": path}), call_id="call_0")
        history.calls(again, llm_response_id="same").result(f"content of {path}")
    read = [e for e in history.view.read if e.kind == "ObservationEvent"]
    assert [(e.action_id, e.observation.content[0]) for e in read] == [
        ("a1", TextBlock(text="content of a")),
        ("a2", TextBlock(text="content of b")),
    ]


def test_t_ev_02_only_actions_and_observations_carry_tool_payloads():
    """R-EV-5, R-STR-7: no tool has an event kind of its own."""
    assert not (ACTIONS | OBSERVATIONS) & KINDS
    carriers = {e.kind for e in EVENTS if (ACTIONS | OBSERVATIONS) & set(json.dumps(encode(e)).split('"'))}
    assert carriers == {"ActionEvent", "ObservationEvent"}


DETAILS = {
    "agent": {"input_event_id": "u1", "action_id": "a1", "observation_id": "o1"},
    "provider_context_window": {"input_event_id": "u1", "protected_user_event_ids": ["u1", "u2"]},
    "capacity": {"input_event_id": "u1", "protected_user_event_ids": []},
    "size": {"input_event_id": "u1"},
    "host": {"input_event_id": None},
}


def request(of: str, **changes: Any) -> dict[str, Any]:
    details = {"version": 1, "trigger": of, **DETAILS[of], **changes}
    return {"kind": "CondensationRequest", "id": "q", "timestamp": "t", "source": "environment", "details": details}


@pytest.mark.parametrize("trigger", DETAILS)
def test_t_ev_03_details_of_each_trigger_are_read(trigger: str):
    event = EVENT.validate_python(request(trigger))
    assert encode(event)["details"] == request(trigger)["details"]


@pytest.mark.parametrize(
    ("trigger", "changes"),
    [
        *((trigger, {"input_event_id": ""}) for trigger in DETAILS),
        *((trigger, {"version": 2}) for trigger in DETAILS),
        *((trigger, {"added_later": 1}) for trigger in DETAILS),
        ("agent", {"action_id": ""}),
        ("agent", {"observation_id": "a1"}),
        ("agent", {"action_id": "u1"}),
        ("agent", {"protected_user_event_ids": []}),
        ("provider_context_window", {"protected_user_event_ids": ["u1", "u1"]}),
        ("capacity", {"protected_user_event_ids": [""]}),
        ("size", {"action_id": "a1"}),
        ("host", {"trigger": "whim"}),
    ],
    ids=str,
)
def test_t_ev_03_impossible_details_are_refused(trigger: str, changes: dict[str, Any]):
    """R-EV-8"""
    with pytest.raises(ValidationError):
        EVENT.validate_python(request(trigger, **changes))


def test_r_ev_9_a_condensation_names_each_entry_once():
    with pytest.raises(ValidationError, match="unique"):
        ev.Condensation(id="c", timestamp="t", request_id="q", forgotten_event_ids=("a", "a"))


def test_t_ev_05_every_usage_has_six_fields_and_every_binding_those_of_the_contract():
    """R-EV-11, R-BIND-3: a success, a failure and a summary, with full, partial and no usage; null where unknown."""
    history = (
        History().user("hi").reply(usage=Usage(input=1, output=2, cache_read=3, cache_write=4, reasoning=5, cost=6))
    )
    history.fails(usage=Usage(input=7)).fails("overflow").intend("provider_context_window").attempt()
    usages = [encode(e)["usage"] for e in history.events if e.kind in ("ResponseEvent", "UsageEvent")]  # type: ignore[arg-type]
    names = ["input", "output", "cache_read", "cache_write", "reasoning", "cost"]
    assert [list(usage) for usage in usages] == [names] * 4
    assert [list(usage.values()) for usage in usages] == [[1, 2, 3, 4, 5, 6], [7] + [None] * 5, [None] * 6, [None] * 6]
    start = encode(history["start"])["bindings"]
    assert start["summary"] is None
    assert list(start["main"]) == [
        "profile",
        "model",
        "base_url",
        "max_input_tokens",
        "max_output_tokens",
        "params",
        "api_key_ref",
        "digest",
    ]
    assert start["main"]["digest"] == BINDING.digest


@pytest.mark.parametrize(("field", "value"), [("input", -1), ("input", 1.5), ("input", True), ("cost", float("nan"))])
def test_t_bud_03_a_made_up_count_is_no_count(field: str, value: Any):
    """R-BUD-6: what is negative, fractional or no number cannot be stored as a count; unknown is null."""
    with pytest.raises(ValidationError):
        Usage(**{field: value})


@pytest.mark.parametrize(
    "arguments",
    [
        {"message_to_future_self": None},
        {"message_to_future_self": 5},
        {"message_to_future_self": "x", "more": 1},
        {"message_to_future_self": "x" * (MESSAGE_LIMIT + 1)},
        {"message_to_future_self": "🐾" * (MESSAGE_LIMIT // 2) + "x"},
        {"message_to_future_self": "cut \ud83d"},
        ["message_to_future_self"],
        "text",
    ],
    ids=lambda arguments: str(arguments)[:40].encode("ascii", "replace").decode(),
)
def test_r_tool_8_impossible_input_of_condense_is_refused(arguments: Any):
    """R-TOOL-4, R-TOOL-5, R-TOOL-8"""
    with pytest.raises(ValidationError):
        CondenseAction.model_validate(arguments)


@pytest.mark.parametrize("message", ["", " padded \r\n", "🐾" * (MESSAGE_LIMIT // 2), "x" * MESSAGE_LIMIT])
def test_r_tool_7_a_message_is_kept_word_for_word(message: str):
    assert CondenseAction(message_to_future_self=message).message_to_future_self == message


def test_r_tool_6_omitted_and_empty_messages_stay_two_things():
    assert CondenseAction().model_dump() == {"kind": "CondenseAction"}
    assert CondenseAction(message_to_future_self="").model_dump()["message_to_future_self"] == ""


def test_an_emoji_counts_two_units():
    assert utf16_units("a🐾\ud83d") == 4


def test_caused_by_marks_an_event_with_its_command_and_changes_nothing_else():
    """R-EV-1"""
    event = ev.RecoveryEvent(id="z", timestamp="t", detail="Noticed.")
    assert ev.caused_by(None, event) is event
    assert ev.caused_by("c1", event) == ev.RecoveryEvent(id="z", timestamp="t", detail="Noticed.", command_id="c1")


def test_the_examples_are_a_lawful_log():
    assert isinstance(Replay.of([EVENTS]), Replay)
