"""Events as JSON: what this version cannot read keeps its place, and is said."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.records import UnknownEvent, decode, encode
from smolpaws_jupyter.core.view import View
from tests.builders import History
from tests.core.every_event import every_event
from tests.histories import histories

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)
EVENTS = every_event()
ENCODED = [encode(event) for event in EVENTS]


@given(JSON | st.fixed_dictionaries({"kind": st.sampled_from([e["kind"] for e in ENCODED])}, optional={"id": JSON}))
def test_i_40_no_json_value_is_too_odd_to_read(value: Any):
    """I-40, O19: whatever stands in a log, the rest of it stays readable."""
    before = copy.deepcopy(value)
    event, left_out = decode(value)
    assert isinstance(event, UnknownEvent)
    assert event.raw == (value if isinstance(value, dict) else {"value": value}) or "nan" in repr(value)
    assert left_out == []
    assert repr(value) == repr(before)


@given(st.data())
def test_i_40_a_damaged_event_is_read_or_set_aside(data: st.DataObject):
    """I-40: one value of a real event, at any depth, is replaced by another or taken away."""
    value = copy.deepcopy(data.draw(st.sampled_from(ENCODED)))
    container, key = data.draw(st.sampled_from(list(_places(value))))
    if data.draw(st.booleans()):
        container[key] = data.draw(JSON)
    else:
        del container[key]
    event, left_out = decode(value)
    assert left_out == [] or not isinstance(event, UnknownEvent)
    View.of([EVENTS[0], event])


def _places(value: Any) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from _places(inner)


@given(histories())
def test_a_log_reads_as_it_was_written(history: History):
    """R-EV-1, for random lawful logs."""
    events = [event for event in history.events if not isinstance(event, UnknownEvent)]
    assert [decode(json.loads(json.dumps(encode(event)))) for event in events] == [(event, []) for event in events]


@pytest.mark.parametrize("reply", ENCODED, ids=lambda event: event["kind"])
def test_t_log_03_unknown_fields_are_left_out_and_reported_at_any_depth(reply: dict[str, Any]):
    """R-LOG-6"""
    value, paths = copy.deepcopy(reply), []
    for path, fields in list(_models(value)):
        fields["added_later"] = {"a": [1]}
        paths.append(".".join([*path, "added_later"]))
    event, left_out = decode(value)
    assert event == decode(reply)[0]
    assert not isinstance(event, UnknownEvent)
    assert sorted(left_out) == sorted(f"{reply['kind']}: unknown field {path} was left out" for path in paths)


def _models(value: Any, path: tuple[str, ...] = ()) -> Any:
    """The objects of our own shape in an event, and the way to each; the insides of free JSON are left alone."""
    if isinstance(value, dict):
        yield path, value
        for name, inner in list(value.items()):
            if name not in ("settings", "params", "parameters", "reasoning", "arguments"):
                yield from _models(inner, (*path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _models(inner, (*path, str(number)))


LATER = {"id": "x", "timestamp": "t", "source": "environment"}
RESULT = {**LATER, "kind": "ObservationEvent", "action_id": "a", "tool_name": "canvas", "tool_call_id": "c"}
CALL = {**LATER, "kind": "ActionEvent", "source": "agent", "response_event_id": "r", "tool_name": "canvas"}


@pytest.mark.parametrize(
    "value",
    [
        {**LATER, "kind": "CanvasEvent"},
        {**RESULT, "observation": {"kind": "CanvasObservation", "x": 1}},
        {**CALL, "tool_call_id": "c", "arguments": "{}", "action": {"kind": "CanvasAction"}},
    ],
    ids=lambda value: value["kind"],
)
def test_o19_a_kind_of_a_later_version_is_kept_as_unknown(value: dict[str, Any]):
    """O19, R-LOG-6: the record is kept whole and does nothing; it is no damage."""
    assert decode(value) == (UnknownEvent(kind=value["kind"], id="x", reason="unknown", raw=value), [])


@pytest.mark.parametrize(
    "value",
    [
        {**LATER, "kind": "RecoveryEvent"},
        {**LATER, "kind": "RecoveryEvent", "detail": 5, "added_later": 1},
        {**LATER, "kind": ""},
        {**LATER, "kind": 5},
        {**LATER, "kind": ["RecoveryEvent"]},
        LATER,
        {**RESULT, "observation": {"kind": "CanvasObservation"}, "tool_name": 5},
        {**RESULT, "observation": {"kind": "ToolObservation", "content": [{"type": "audio"}]}},
    ],
    ids=str,
)
def test_a_record_with_impossible_fields_is_unreadable_and_kept_whole(value: dict[str, Any]):
    event, left_out = decode(value)
    assert isinstance(event, UnknownEvent)
    assert (event.reason, event.raw, left_out) == ("unreadable", value, [])


def test_nesting_without_end_is_no_crash():
    deep: dict[str, Any] = {}
    for _ in range(20_000):
        deep = {"a": deep}
    event, _ = decode({**LATER, "kind": "RecoveryEvent", "detail": "d", "added_later": deep})
    assert event.kind == "RecoveryEvent"
    event, _ = decode({**LATER, "kind": "ConversationStartEvent", "settings": deep})
    assert isinstance(event, UnknownEvent)


def test_r_log_6_what_is_no_event_cannot_be_written():
    unknown = UnknownEvent(kind="CanvasEvent", id="x", reason="unknown", raw={})
    with pytest.raises(ValueError, match="serialize"):
        encode(unknown)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="detail"):
        encode(EVENTS[-1].model_copy(update={"detail": 5}))
