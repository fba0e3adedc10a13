"""Events as JSON: strict on the way out, patient on the way in (R-LOG-6).

A log outlives the code that wrote it. Reading strips fields it does not know and keeps unknown kinds as such; both are
reported. Writing refuses both.
"""

from __future__ import annotations

from typing import Any, Literal, cast, final

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from .base import Frozen, JsonObject
from .events import Event

EVENT: TypeAdapter[Event] = TypeAdapter(Event, config=ConfigDict(defer_build=True))

ADVICE = ("ContextWarningEvent", "ContextWindowReminderEvent")


@final
class UnknownEvent(Frozen):
    """A record that this version cannot act on. It keeps its place in the log and does nothing.

    `reason` is `unknown` for a kind (or a payload's kind) of a later version and `unreadable` for impossible fields.
    """

    kind: str
    id: str
    reason: Literal["unknown", "unreadable"]
    raw: JsonObject


def encode(event: Event) -> JsonObject:
    """The event as a JSON object, every field written. Raises ValueError for what is no event (R-LOG-6)."""
    return EVENT.dump_python(event, mode="json", warnings="error")


def decode(data: Any) -> tuple[Event | UnknownEvent, list[str]]:
    """The event that a log's JSON value holds, and what had to be left out, one sentence for each. Never raises."""
    readable, left_out = data, list[str]()
    while True:
        try:
            return EVENT.validate_python(readable), left_out
        except ValidationError as error:
            problems = error.errors(include_url=False, include_input=False)
        except RecursionError:
            return UnknownEvent(kind="", id="", reason="unreadable", raw={}), []
        extra = [problem["loc"] for problem in problems if problem["type"] == "extra_forbidden"]
        for loc in extra:
            readable, path = _without(readable, loc)
            left_out.append(f"{loc[0]}: unknown field {'.'.join(path)} was left out")
        if not extra:
            return _unknown(data, problems), []


def _unknown(data: Any, problems: list[ErrorDetails]) -> UnknownEvent:
    raw = cast("JsonObject", data) if isinstance(data, dict) else {"value": data}
    kind, id_ = raw.get("kind"), raw.get("id")
    of_a_kind = isinstance(kind, str) and kind != ""
    later = ((), (kind, "action"), (kind, "observation"))
    newer = of_a_kind and all(p["type"] == "union_tag_invalid" and p["loc"] in later for p in problems)
    return UnknownEvent(
        kind=kind if isinstance(kind, str) else "",
        id=id_ if isinstance(id_, str) else "",
        reason="unknown" if newer else "unreadable",
        raw=raw,
    )


TAGS = ("kind", "type", "trigger")
"""What tells the members of our unions apart. Pydantic names the member in a location, where the data has no step."""


def _without(value: Any, loc: tuple[int | str, ...]) -> tuple[Any, list[str]]:
    """A copy of `value` without the field at `loc`, and the way to it in the data."""
    head, rest = loc[0], loc[1:]
    if isinstance(head, int):
        items = list(cast("list[Any]", value))
        items[head], path = _without(items[head], rest)
        return items, [str(head), *path]
    fields = cast("JsonObject", value)
    if not rest:
        return {key: item for key, item in fields.items() if key != head}, [head]
    if any(head == fields.get(tag) for tag in TAGS):
        return _without(fields, rest)
    inner, path = _without(fields[head], rest)
    return {**fields, head: inner}, [head, *path]
