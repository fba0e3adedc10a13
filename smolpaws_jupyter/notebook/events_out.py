"""Events as the page gets them: numbered, in batches of about a megabyte, with large texts by their beginning."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from ..core.base import JsonObject
from ..core.events import Event
from ..core.records import UnknownEvent, encode
from ..core.wire import LeftOut, UnknownRecord
from ..runtime.draft import TEXT_LIMIT

BATCH_BYTES = 1_000_000
SHOWN_CHARS = 4_000
"""How much of a large text stands in an update; the rest is fetched on demand."""


def batch(conversation_id: str, start: int, events: Iterable[Event | UnknownEvent]) -> JsonObject:
    """One `events` update: as many as fit, at least one. Takes no more from `events` than it shows."""
    shown: list[JsonObject] = []
    left_out: list[LeftOut] = []
    size = 0
    for position, event in enumerate(events, start):
        data = _shown(position, event, left_out)
        shown.append(data)
        size += _weight(data)
        if size >= BATCH_BYTES:
            break
    return {
        "kind": "events",
        "conversation_id": conversation_id,
        "start": start,
        "events": shown,
        "left_out": [one.model_dump(mode="json") for one in left_out],
    }


def _shown(position: int, event: Event | UnknownEvent, left_out: list[LeftOut]) -> JsonObject:
    if isinstance(event, UnknownEvent):
        record = UnknownRecord(id=event.id, record_kind=event.kind, reason=event.reason)
        return record.model_dump(mode="json")
    return _shorten(encode(event), position, (), left_out)


def _shorten(value: Any, position: int, path: tuple[str | int, ...], left_out: list[LeftOut]) -> Any:
    if isinstance(value, dict):
        if value.get("type") == "image":
            return value
        return {k: _shorten(v, position, (*path, k), left_out) for k, v in value.items()}
    if isinstance(value, list):
        return [_shorten(v, position, (*path, i), left_out) for i, v in enumerate(value)]
    if isinstance(value, str) and len(value) > SHOWN_CHARS and len(data := value.encode()) > TEXT_LIMIT:
        left_out.append(
            LeftOut(position=position, path=path, sha256=hashlib.sha256(data).hexdigest(), chars=len(value))
        )
        return value[:SHOWN_CHARS]
    return value


def _weight(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(_weight(v) + len(k) for k, v in value.items())
    return sum(map(_weight, value)) if isinstance(value, list) else 8
