"""Changes to a log such as disks, editors, merges and hands make: of its bytes, of its lines, of what a record says.

Records that were changed get the right checksum, so that what stands behind the checksum is reached too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from smolpaws_jupyter.core.base import JsonObject
from tests.runtime.stored import framed

DEPTHS = (5, 199, 201, 1_100)
ODD = (
    "null", "true", "0", "-1", "1.5", "-0.0", "1e999", "NaN", "-Infinity", "9" * 30, "9" * 5_000, '""', '" \\n"', '"x"',
    '"\\ud83d"', '"\\udc3e\\ud83d"', '"\\u0000"', f'"blob:{"0" * 64}"', '"9999-12-31T24:00:00Z"', "[]", "[null]", "{}",
    '{"kind":"TitleEvent"}', f'"{"word " * 300}"', *("[" * n + "]" * n for n in DEPTHS),
    *('{"a":' * n + "0" + "}" * n for n in DEPTHS),
)  # fmt: skip
"""JSON texts, and some that are none, to stand where something else is meant to."""
NOISE = (b"\0", b"\xff\xfe", b"\xed\xa0\xbd", b'"', b"}", b"\n", b"\r", b"{", b'{"crc":"', bytes(512))
MARKERS = (b"<<<<<<< HEAD\n", b"=======\n", b">>>>>>> theirs\n")

_HEAD_SIZE = 24
_HERE = "put the odd text here"

Records = list[JsonObject]


class Mutator:
    """Makes logs out of logs. Equal random numbers make equal logs."""

    def __init__(self, random: Random, donors: Sequence[bytes]) -> None:
        """`donors` are other logs, of which lines may get into this one."""
        self._random = random
        self._donors = donors
        of_bytes = (self._flip, self._overwrite, self._insert, self._remove, self._cut, self._repeat)
        of_lines = (
            self._double_line, self._drop_line, self._swap_lines, self._repeat_late, self._merge_conflict, self._graft,
            self._join_lines, self._windows_lines, self._blank_line,
        )  # fmt: skip
        of_records = (
            self._odd_value, self._lost_key, self._new_key, self._double_key, self._foreign_value, self._other_kind,
            self._move_event, self._double_event, self._drop_event, self._swap_records, self._drop_record,
            self._double_record, self._graft_record, self._other_envelope,
        )  # fmt: skip
        self._kinds: tuple[tuple[Callable[[bytes], bytes], ...], ...] = (of_bytes, of_lines, of_records, of_records)

    def mutated(self, log: bytes) -> bytes:
        """The log after one change, sometimes after two or three."""
        for _ in range(self._random.choice((1, 1, 1, 2, 3))):
            change = self._random.choice(self._random.choice(self._kinds))
            log = change(log) if log else self._any(self._donors)
        return log

    def _any(self, choices: Sequence[Any]) -> Any:
        return self._random.choice(choices)

    def _at(self, log: Sequence[Any]) -> int:
        return self._random.randrange(len(log))

    # Bytes

    def _flip(self, log: bytes) -> bytes:
        at = self._at(log)
        return log[:at] + bytes([log[at] ^ (1 << self._random.randrange(8))]) + log[at + 1 :]

    def _overwrite(self, log: bytes) -> bytes:
        at, noise = self._at(log), self._any(NOISE)
        return log[:at] + noise + log[at + len(noise) :]

    def _insert(self, log: bytes) -> bytes:
        at = self._at(log)
        return log[:at] + self._any(NOISE) + log[at:]

    def _remove(self, log: bytes) -> bytes:
        at = self._at(log)
        return log[:at] + log[at + self._random.randrange(1, 200) :]

    def _cut(self, log: bytes) -> bytes:
        return log[: self._at(log)] + self._any((b"", b"", *NOISE))

    def _repeat(self, log: bytes) -> bytes:
        at = self._at(log)
        return log[: at + self._random.randrange(200)] + log[at:]

    # Lines

    def _line(self, log: bytes) -> tuple[list[bytes], int]:
        lines = log.splitlines(keepends=True)
        return lines, self._at(lines)

    def _double_line(self, log: bytes) -> bytes:
        lines, at = self._line(log)
        return b"".join([*lines[:at], lines[at], *lines[at:]])

    def _drop_line(self, log: bytes) -> bytes:
        lines, at = self._line(log)
        return b"".join(lines[:at] + lines[at + 1 :])

    def _swap_lines(self, log: bytes) -> bytes:
        lines, at = self._line(log)
        other = self._at(lines)
        lines[at], lines[other] = lines[other], lines[at]
        return b"".join(lines)

    def _repeat_late(self, log: bytes) -> bytes:
        lines, at = self._line(log)
        return log + lines[at]

    def _merge_conflict(self, log: bytes) -> bytes:
        lines, at = self._line(log)
        theirs = self._any(self._any(self._donors).splitlines(keepends=True))
        head, middle, end = MARKERS
        return b"".join([*lines[:at], head, lines[at], middle, theirs, end, *lines[at + 1 :]])

    def _graft(self, log: bytes) -> bytes:
        lines, at = self._line(log)
        theirs = self._any(self._donors).splitlines(keepends=True)
        return b"".join(lines[:at] + theirs[min(at, len(theirs) - 1) :])

    def _join_lines(self, log: bytes) -> bytes:
        lines, at = self._line(log)
        return b"".join([*lines[:at], lines[at].rstrip(b"\n"), *lines[at + 1 :]])

    def _windows_lines(self, log: bytes) -> bytes:
        return log.replace(b"\n", b"\r\n")

    def _blank_line(self, log: bytes) -> bytes:
        lines, at = self._line(log)
        return b"".join([*lines[:at], b"\n", *lines[at:]])

    # Records, numbered and framed anew

    def _records(self, log: bytes) -> Records | None:
        try:
            return [json.loads(line[_HEAD_SIZE:-2]) for line in log.splitlines(keepends=True)]
        except (ValueError, RecursionError):
            return None

    def _changed(self, log: bytes, change: Callable[[Records], object], odd: str = "0") -> bytes:
        records = self._records(log)
        if records is None or not all(isinstance(r, dict) and isinstance(r.get("events"), list) for r in records):
            return self._flip(log)
        change(records)
        if self._random.random() < 0.8:
            for number, record in enumerate(records):
                record["seq"] = number if record.get("seq") != _HERE else _HERE
        bodies = (json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in records)
        texts = (body.replace(json.dumps(_HERE), odd) for body in bodies)
        return b"".join(framed(text.encode("utf-8", "surrogatepass")) for text in texts)

    def _odd_value(self, log: bytes) -> bytes:
        def change(records: Records) -> None:
            container, key = self._any(list(_places(self._any(records))))
            container[key] = _HERE

        return self._changed(log, change, self._any(ODD))

    def _lost_key(self, log: bytes) -> bytes:
        def change(records: Records) -> None:
            container, key = self._any(list(_places(self._any(records))))
            del container[key]

        return self._changed(log, change)

    def _new_key(self, log: bytes) -> bytes:
        def change(records: Records) -> None:
            keys = sorted({key for record in records for _, key in _places(record) if isinstance(key, str)})
            objects = [c for c, _ in _places(self._any(records)) if isinstance(c, dict)]
            self._any(objects)[self._any([*keys, "tomorrow"])] = _HERE

        return self._changed(log, change, self._any(ODD))

    def _double_key(self, log: bytes) -> bytes:
        lines, at = self._line(log)
        body = lines[at][_HEAD_SIZE:-2]
        opens = [place for place, byte in enumerate(body) if byte == ord("{")]
        if not opens:
            return self._flip(log)
        place = self._any(opens) + 1
        lines[at] = framed(
            body[:place] + self._any((b'"kind":"X",', b'"seq":0,', b'"id":"x","id":"y",')) + body[place:]
        )
        return b"".join(lines)

    def _foreign_value(self, log: bytes) -> bytes:
        """Something that stands elsewhere in the log: another event's id, say."""

        def change(records: Records) -> None:
            places = [place for record in records for place in _places(record)]
            (container, key), (source, other) = self._any(places), self._any(places)
            if isinstance(source[other], str | int | None):
                container[key] = source[other]

        return self._changed(log, change)

    def _other_kind(self, log: bytes) -> bytes:
        def change(records: Records) -> None:
            kinds = sorted({str(event.get("kind")) for event in _events(records)})
            events = list(_events(records))
            if events:
                self._any(events)["kind"] = self._any([*kinds, "CanvasEvent", ""])

        return self._changed(log, change)

    def _move_event(self, log: bytes) -> bytes:
        def change(records: Records) -> None:
            source, target = self._any(records)["events"], self._any(records)["events"]
            if source:
                target.insert(self._random.randrange(len(target) + 1), source.pop(self._at(source)))

        return self._changed(log, change)

    def _double_event(self, log: bytes) -> bytes:
        def change(records: Records) -> None:
            source, target = self._any(records)["events"], self._any(records)["events"]
            if source:
                target.append(json.loads(json.dumps(self._any(source))))

        return self._changed(log, change)

    def _drop_event(self, log: bytes) -> bytes:
        def change(records: Records) -> None:
            events = self._any(records)["events"]
            if events:
                events.pop(self._at(events))

        return self._changed(log, change)

    def _swap_records(self, log: bytes) -> bytes:
        def change(records: Records) -> None:
            one, other = self._at(records), self._at(records)
            records[one], records[other] = records[other], records[one]

        return self._changed(log, change)

    def _drop_record(self, log: bytes) -> bytes:
        return self._changed(log, lambda records: records.pop(self._at(records)))

    def _double_record(self, log: bytes) -> bytes:
        return self._changed(log, lambda records: records.append(dict(self._any(records))))

    def _graft_record(self, log: bytes) -> bytes:
        donor = self._records(self._any(self._donors))
        assert donor is not None
        return self._changed(log, lambda records: records.insert(self._at(records), self._any(donor)))

    def _other_envelope(self, log: bytes) -> bytes:
        """Another version, writer, number or list of blobs."""
        choices: tuple[JsonObject, ...] = (
            {"v": 2}, {"v": 0}, {"v": _HERE}, {"w": "other-1"}, {"w": _HERE}, {"seq": 0, "w": "other-2"}, {"seq": 10**9},
            {"seq": _HERE}, {"t": _HERE}, {"events": []}, {"events": _HERE}, {"blobs": _HERE}, {"blobs": [[0, []]]},
            {"blobs": [[0, ["id"]]]}, {"blobs": [[99, ["id"]]]}, {"blobs": [[-1, ["content", 0, "text"]]]},
        )  # fmt: skip
        return self._changed(log, lambda records: self._any(records).update(self._any(choices)), self._any(ODD))


def _events(records: Records) -> Iterator[JsonObject]:
    return (event for record in records for event in record["events"] if isinstance(event, dict))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value, as a container and a key."""
    stack = [value]
    while stack:
        container = stack.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            yield container, key
            if isinstance(container[key], dict | list):
                stack.append(container[key])
