"""One commit as one line: `{"crc":"9f31c2aa","rec":{"v":1,"seq":41,"w":"…","t":"…","events":[…]}}` and a line break.

Pure. Large texts and all images leave the line for blobs (R-LOG-11). In their place stands `blob:<sha256>`, and the
record's `blobs` lists the places, so that a person's text which merely looks like that is never taken for one.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NoReturn, cast

from pydantic import ConfigDict, Strict, TypeAdapter
from pydantic_core import from_json

from ..core.base import JsonObject
from ..core.events import Event
from ..core.records import UnknownEvent, decode

VERSION = 1

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes; nothing longer is written, or held in memory by a reader."""
DEPTH_LIMIT = 200
"""Levels of lists and objects inside an event. Python's own limit would depend on who calls."""

_HEAD = re.compile(rb'\{"crc":"([0-9a-f]{8})","rec":')
_HEAD_SIZE = 24
_REFERENCE = re.compile(r"blob:([0-9a-f]{64})")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

Place = tuple[int, list[str | int]]
"""The index of an event in its commit, and the keys and indexes that lead to a text inside it."""


_PLACES: TypeAdapter[list[Place]] = TypeAdapter(
    list[Annotated[tuple[int, list[str | int]], Strict(False)]], config=ConfigDict(strict=True)
)


class Damage(Exception):
    """A line is not a record that this version can read; the message says why, as the end of a sentence."""


class BadFrame(Damage):
    """Not even the frame holds: what a write that did not finish leaves behind."""


class BadRecord(Damage):
    """The frame holds, so this was written whole; but its content is impossible."""


class TooNew(Damage):
    """The frame holds, and a later version has filled it in a way that this one cannot read."""

    def __init__(self, version: int) -> None:
        super().__init__(f"it is in format {version}")
        self.version = version


@dataclass(frozen=True, slots=True)
class Record:
    """A line that was read. Its events are JSON as stored, with references where `places` says so."""

    version: int
    seq: int
    writer: str
    time: str
    events: list[JsonObject]
    references: tuple[tuple[str, Place], ...]
    """SHA-256 of each blob, and the place of its text."""

    def decode(self, get_blob: Callable[[str], bytes | None]) -> tuple[tuple[Event | UnknownEvent, ...], list[str]]:
        """The events with their texts restored, and what had to be left out, a sentence each.

        To be called once: it changes `events`. Raises BadRecord for a blob that is missing or no text.
        """
        for sha256, place in self.references:
            container, key = _slot(self.events, place)
            data = get_blob(sha256)
            if data is None:
                raise BadRecord(f"blobs/{sha256} is missing or damaged")
            try:
                container[key] = data.decode()
            except UnicodeDecodeError:
                raise BadRecord(f"blobs/{sha256} is not text") from None
        decoded = [decode(event) for event in self.events]
        return tuple(event for event, _ in decoded), [sentence for _, left_out in decoded for sentence in left_out]


def parse(line: bytes) -> Record:
    """The record of a whole line with its line break. Raises a kind of `Damage`, and nothing else."""
    text = unframe(line)
    try:
        value = _DECODER.decode(text)
        found = _record(value)
        if may_be_deep(line):
            for _ in containers(found.events):
                pass
        if _SURROGATE.search(text):
            _ENCODER.encode(value).encode()
    except UnicodeEncodeError:
        raise BadRecord("it holds half of a surrogate pair") from None
    except RecursionError:
        raise BadRecord("it is nested too deep") from None
    except ValueError as error:
        raise BadRecord(f"its content is not valid: {error}") from None
    return found


def parse_again(line: bytes) -> Record:
    """The record of a line that was parsed before, in a third of the time: its checksum says that it is the same."""
    text = unframe(line)
    try:
        return _record(from_json(text))
    except ValueError:  # nested deeper than this parser goes
        return parse(line)


def unframe(line: bytes) -> str:
    """The JSON text of a record, its checksum checked. Raises BadFrame, or BadRecord for what is no text."""
    head = _HEAD.match(line)
    if head is None or line[-2:] != b"}\n":
        raise BadFrame("it is not a whole record")
    body = line[_HEAD_SIZE:-2]
    if zlib.crc32(body) != int(head[1], 16):
        raise BadFrame("its checksum does not match")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise BadRecord("it is not UTF-8") from None


def frame(record: JsonObject) -> bytes:
    """The line of a record: checksum, record, line break."""
    body = _ENCODER.encode(record).encode()
    return b'{"crc":"%08x","rec":%b}\n' % (zlib.crc32(body), body)


def _record(value: Any) -> Record:
    """The record that a JSON value is. Keys that a later version added are ignored.

    Compared by type, so that `true` is no number, and not by pattern: this is done for each line of a log.
    """
    match value:
        case {"v": version, "seq": seq, "w": writer, "t": time, "events": events} if (
            tuple(map(type, (version, seq, writer, time, events))) == (int, int, str, str, list)
            and version > 0
            and seq >= 0
            and set(map(type, events)) == {dict}
        ):
            references: tuple[tuple[str, Place], ...] = ()
            if "blobs" in value:
                references = tuple(
                    (_reference(events, place), place) for place in _PLACES.validate_python(value["blobs"])
                )
            return Record(version, seq, writer, time, events, references)
        case {"v": int(version)} if version > VERSION:
            raise TooNew(version)
        case _:
            raise BadRecord("it does not have the shape of a record")


def _reference(events: list[JsonObject], place: Place) -> str:
    try:
        container, key = _slot(events, place)
        match = _REFERENCE.fullmatch(container[key])
    except (LookupError, TypeError):
        match = None
    if match is None:
        raise BadRecord("its list of blobs names a place without a reference")
    return match[1]


def _slot(events: list[JsonObject], place: Place) -> tuple[Any, str | int]:
    index, path = place
    container: Any = events[index]
    for key in path[:-1]:
        container = container[key]
    return container, path[-1]


def may_be_deep(line: bytes) -> bool:
    """Whether a line has so many brackets that an event in it could be nested too deep."""
    return line.count(b"[") + line.count(b"{") > DEPTH_LIMIT


def containers(events: list[JsonObject]) -> Iterator[tuple[Any, int, list[str | int]]]:
    """Every object and list with its event's index and the way to it. Raises ValueError where it is nested too deep."""
    stack: list[tuple[Any, int, list[str | int]]] = [(event, index, []) for index, event in enumerate(events)]
    while stack:
        container, index, path = stack.pop()
        if len(path) >= DEPTH_LIMIT:
            raise ValueError(f"an event may be nested {DEPTH_LIMIT} levels deep")
        yield container, index, path
        stack += [(value, index, [*path, key]) for key, value in items(container) if isinstance(value, dict | list)]


def items(container: Any) -> Iterable[tuple[Any, Any]]:
    """The keys or indexes of an object or list, with what stands there."""
    if isinstance(container, dict):
        return cast("JsonObject", container).items()
    return enumerate(cast("list[Any]", container))


def _unique(pairs: list[tuple[str, Any]]) -> JsonObject:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return fields


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is no finite number")
    return number


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant)
