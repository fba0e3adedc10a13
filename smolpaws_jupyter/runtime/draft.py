"""Making the line of a commit. Large texts and all images leave it for blobs (R-LOG-11).

Pure. What goes where they stood, and how a reader finds the places, is in `record`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..core.base import JsonObject
from ..core.events import Event
from ..core.records import UnknownEvent, encode
from .record import LONGEST_LINE, VERSION, Place, containers, frame, items, may_be_deep

TEXT_LIMIT = 64 * 1024
"""UTF-8 bytes; a longer text is a blob."""
LINE_LIMIT = 1024 * 1024
"""Bytes; a longer line sends its largest texts to blobs as well."""
SMALLEST_BLOB = 4 * 1024
"""UTF-8 bytes; shorter texts stay in the line, however long it is."""
_IMAGE = b'"type":"image"'
_REFERENCE_ROOM = 256  # bytes that a reference and its place take, about


@dataclass(frozen=True, slots=True)
class Draft:
    """A line, and the blobs by SHA-256 that must be durable before it."""

    line: bytes
    blobs: Mapping[str, bytes]


def draft(seq: int, writer: str, time: str, events: Sequence[Event | UnknownEvent]) -> Draft:
    """A commit as it is stored. Raises ValueError for what no log can hold, in words for people."""
    if not events:
        raise ValueError("a commit needs at least one event")
    known = [event for event in events if not isinstance(event, UnknownEvent)]
    if len(known) < len(events):
        raise ValueError("events of an unknown kind can be kept, but not written (R-LOG-6)")
    record: JsonObject = {
        "v": VERSION,
        "seq": seq,
        "w": writer,
        "t": time,
        "events": [encode(event) for event in known],
    }
    line = frame(record)
    if len(line) <= TEXT_LIMIT and not may_be_deep(line) and _IMAGE not in line:
        return Draft(line, {})  # as nearly all are: there is nothing to look for
    blobs: dict[str, bytes] = {}
    places: list[Place] = []

    def move(text: _Text) -> None:
        sha256 = hashlib.sha256(text.data).hexdigest()
        blobs[sha256] = text.data
        text.container[text.key] = f"blob:{sha256}"
        places.append(text.place)
        record["blobs"] = places

    for text in _texts(record["events"], over=TEXT_LIMIT, images=True):
        move(text)
    line = frame(record)
    if (excess := len(line) - LINE_LIMIT) > 0:
        for text in sorted(_texts(record["events"], over=SMALLEST_BLOB), key=lambda text: -len(text.data)):
            if excess > 0:
                move(text)
                excess -= len(text.data) - _REFERENCE_ROOM
        line = frame(record)
    if len(line) > LONGEST_LINE:
        raise ValueError(f"a commit may have {LONGEST_LINE} bytes beside its blobs; this one has {len(line)}")
    return Draft(line, blobs)


@dataclass(frozen=True, slots=True)
class _Text:
    container: Any
    key: str | int
    place: Place
    data: bytes


def _texts(events: list[JsonObject], *, over: int, images: bool = False) -> Iterator[_Text]:
    """Every text of more than `over` UTF-8 bytes and, on wish, every image's data."""
    for container, index, path in containers(events):
        image = images and isinstance(container, dict) and cast("JsonObject", container).get("type") == "image"
        for key, value in items(container):
            always = image and key == "data"
            if isinstance(value, str) and (always or len(value) * 4 > over):
                data = value.encode()
                if always or len(data) > over:
                    yield _Text(container, key, (index, [*path, key]), data)
