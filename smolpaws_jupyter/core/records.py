"""Events as JSON: strict on the way out, patient on the way in (R-LOG-6).

A log outlives the code that wrote it. Reading strips fields it does not know and keeps unknown kinds as such; both are
reported. Writing refuses both.
"""

from __future__ import annotations

from typing import Any, Literal, cast

from pydantic import TypeAdapter, ValidationError

from .base import Frozen, JsonObject
from .events import Event

EVENT: TypeAdapter[Event] = TypeAdapter(Event)

ADVICE = ("ContextWarningEvent", "ContextWindowReminderEvent")


class UnknownEvent(Frozen):
    """A record that this version cannot act on. It keeps its place in the log and does nothing.

    `reason` is `unknown` for a kind of a later version and `unreadable` for a known kind with impossible fields.
    """

    kind: str
    id: str
    reason: Literal["unknown", "unreadable"]
    raw: JsonObject


def encode(event: Event) -> JsonObject:
    """The event as a JSON object, every field written."""
    return EVENT.dump_python(event, mode="json")


def decode(data: Any) -> tuple[Event | UnknownEvent, list[str]]:
    """The event that a log's JSON value holds, and what had to be left out, one sentence for each. Never raises."""
    left_out: list[str] = []
    while True:
        try:
            return EVENT.validate_python(data), left_out
        except ValidationError as error:
            extra = [e["loc"] for e in error.errors(include_url=False, include_input=False) if e["type"] == "extra_forbidden"]
            stripped = _without(data, extra)
            if not extra or stripped == data:
                return _unknown(data, error), left_out
            left_out += [f"{_name(data)}: unknown field {_path(loc)} was left out" for loc in extra]
            data = stripped
        except RecursionError:
            return UnknownEvent(kind="", id="", reason="unreadable", raw={}), left_out


def _unknown(data: Any, error: ValidationError) -> UnknownEvent:
    raw = cast("JsonObject", data) if isinstance(data, dict) else {"value": data}
    kind, id_ = raw.get("kind"), raw.get("id")
    tags = {e["type"] for e in error.errors(include_url=False, include_input=False) if len(e["loc"]) == 0}
    return UnknownEvent(
        kind=kind if isinstance(kind, str) else "",
        id=id_ if isinstance(id_, str) else "",
        reason="unknown" if "union_tag_invalid" in tags else "unreadable",
        raw=raw,
    )


def _without(data: Any, locations: list[tuple[int | str, ...]]) -> Any:
    """A copy of `data` without the fields at these places. A union's tag stands in a place but not in the data."""
    for loc in locations:
        data = _drop(data, loc)
    return data


def _drop(value: Any, loc: tuple[int | str, ...]) -> Any:
    head, rest = loc[0], loc[1:]
    if isinstance(value, list) and isinstance(head, int):
        items = cast("list[Any]", value)
        return [_drop(item, rest) if i == head else item for i, item in enumerate(items)]
    if not isinstance(value, dict):
        return cast("Any", value)
    fields = cast("JsonObject", value)
    if head not in fields or (rest and isinstance(head, str) and head == fields.get("kind")):
        return _drop(fields, rest) if rest else fields
    if not rest:
        return {k: v for k, v in fields.items() if k != head}
    return {k: _drop(v, rest) if k == head else v for k, v in fields.items()}


def _name(data: Any) -> str:
    return str(cast("JsonObject", data).get("kind")) if isinstance(data, dict) else "record"


def _path(loc: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in loc)
