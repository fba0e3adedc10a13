"""A log without its contents: what happened, when and how large, for bug reports and statistics.

Only what is listed here is told: kinds, times, sizes, tokens, our own codes, and which event refers to which. Events
are named by their place in the log, since an id may come from elsewhere; names of tools, models, profiles and files
are contents.
"""

from __future__ import annotations

import re
from typing import Any, cast

from .base import JsonObject, TextBlock
from .events import Event
from .records import UnknownEvent

_PLAIN = (
    *("source", "role", "decision", "recoverable", "purpose", "attempt", "code", "outcome"),
    *("threshold", "input_tokens", "input_limit", "counted", "warning_thresholds", "http_requests", "latency_ms"),
)
_REFERENCES = (
    *("message_id", "response_event_id", "read_through", "request_id", "action_id", "covered_by", "at_event_id"),
    *("input_event_id", "observation_id", "cycle"),
)
_LISTS = ("forgotten_event_ids", "protected_user_event_ids", "consumed_warning_ids", "entry_ids")
_TEXTS = ("text", "arguments", "thought", "error", "detail", "rejection_reason", "notice", "summary", "system_prompt")
_PART_TEXTS = ("memory_snapshot", "runtime_info", "title")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_CODE = re.compile(r"[a-z][a-z_]{0,60}")


class Bare:
    """Reads a log event by event, and tells of each without its contents."""

    def __init__(self) -> None:
        self._positions: dict[str, int] = {}

    def add(self, event: Event | UnknownEvent) -> JsonObject:
        """What may be told of the next event. Two logs that differ in contents of the same length give the same."""
        position = len(self._positions)
        self._positions[event.id or f"at {position}"] = position
        if type(event) is UnknownEvent:
            return {"position": position, "kind": "UnknownRecord", "reason": event.reason}
        told: JsonObject = {"position": position, "kind": event.kind}
        if _TIME.fullmatch(event.timestamp):
            told["timestamp"] = event.timestamp
        self._tell(told, event)
        for name in ("details", "observation", "action"):
            if (inner := getattr(event, name, None)) is not None:
                told[name] = self._part(inner)
        if (usage := getattr(event, "usage", None)) is not None:
            told["usage"] = usage.model_dump(mode="json")
        if (cuts := getattr(event, "cuts", None)) is not None:
            told["cuts"] = [cut.removed_chars for cut in cuts]
        return told

    def _part(self, part: Any) -> JsonObject:
        """A payload or the details of a request."""
        told: JsonObject = {
            name: value
            for name in ("kind", "trigger", "is_error", "output_bytes")
            if (value := getattr(part, name, None)) is not None
        }
        self._tell(told, part)
        return told

    def _tell(self, told: JsonObject, record: Any) -> None:
        for name in _PLAIN:
            value = getattr(record, name, None)
            if value is not None and (not isinstance(value, str) or _CODE.fullmatch(value)):
                told[name] = list(cast("tuple[float, ...]", value)) if isinstance(value, tuple) else value
        for name in _REFERENCES:
            if (id_ := getattr(record, name, None)) is not None:
                told[name] = self._positions.get(id_)
        for name in _LISTS:
            if (ids := getattr(record, name, None)) is not None:
                told[name] = [self._positions.get(id_) for id_ in ids]
        if chars := _chars(record):
            told["chars"] = chars


def _chars(record: Any) -> int:
    """How many characters of text a record holds."""
    content = getattr(record, "content", None)
    if isinstance(content, tuple):
        blocks = cast("tuple[Any, ...]", content)
        return sum(len(block.text) for block in blocks if isinstance(block, TextBlock))
    texts = (getattr(record, name, None) for name in (*_TEXTS, *_PART_TEXTS))
    return sum(len(text) for text in texts if isinstance(text, str))
