"""Reading a log from its beginning to its end: where each commit stands, and what is wrong with the rest.

A region that is no record and reaches the end is a torn tail: a write that did not finish. Anything else that does not
hold is damage, and what stands before it stays readable (I-3, I-5).
"""

from __future__ import annotations

import io
import re
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .disk import Disk
from .record import LONGEST_LINE, VERSION, BadFrame, BadRecord, Damage, Record, TooNew, parse, unframe

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_RECORD_BEGINS = re.compile(rb'\{"crc":"[0-9a-f]{8}","rec":\{"v":')


@dataclass
class Index:
    """Where each commit begins in the file, and which event it begins with: 16 bytes a commit.

    One thread may add while others look up: `length` grows last, and nobody asks for an event beyond it.
    """

    starts: array[int] = field(default_factory=lambda: array("Q"))
    firsts: array[int] = field(default_factory=lambda: array("Q"))
    lines: int = 0
    end: int = 0
    """Bytes of the file that are known and sound."""
    crc: int = 0
    """`zlib.crc32` of those bytes."""
    length: int = 0
    """Events."""
    last_writer_id: str | None = None
    late_writers: set[str] = field(default_factory=set[str])
    """Who has written the one record that a fenced writer may still write."""
    blobs: set[str] = field(default_factory=set[str])
    """The SHA-256 of every blob that a commit names."""

    def add(self, line: bytes, writer: str, events: int, blobs: Iterable[str]) -> None:
        """One more commit."""
        self.starts.append(self.end)
        self.firsts.append(self.length)
        self.last_writer_id = writer
        self.blobs.update(blobs)
        self.skip(line)
        self.length += events

    def skip(self, line: bytes) -> None:
        """A line that counts for nothing."""
        self.lines += 1
        self.grow(line)

    def grow(self, data: bytes) -> None:
        """More bytes that are known."""
        self.end += len(data)
        self.crc = zlib.crc32(data, self.crc)

    def span(self, number: int) -> tuple[int, int]:
        """Where the line of a commit begins, and where it ends at the latest."""
        stop = self.starts[number + 1] if number + 1 < len(self.starts) else self.end
        return self.starts[number], stop


@dataclass
class Findings:
    """What a scan met beside sound records."""

    damage: str = ""
    """What is damaged and where, as a sentence."""
    later_version: int = 0
    """The first format of a later version that was met."""
    later_from: int = 0
    """The position from which on the events are in that format."""
    skipped: list[int] = field(default_factory=list[int])
    """Lines of a fenced writer that nobody has been told of yet."""
    torn: int = 0
    """Bytes at the end that are no record."""
    unended: bool = False
    """The last record is whole but for its line break."""

    @property
    def forbids(self) -> str:
        """Why nothing may be appended to this log, as sentences for people; "" where something may."""
        if self.later_version:
            return (
                f"This log was written by a later version (format {self.later_version}; this version writes format "
                f"{VERSION}). Update smolpaws-jupyter to go on with it."
            )
        if self.damage:
            return f"{self.damage} What stands before it can be read, and a new conversation can begin there."
        return ""


def read_lines(disk: Disk, fd: int, start: int, stop: int) -> Iterator[bytes]:
    """The lines of a part of a file, with their line breaks, read as they are asked for.

    A line without an end comes in pieces of `LONGEST_LINE` bytes.
    """
    file = io.BufferedReader(_Part(disk, fd, start, stop), 1 << 20)
    return iter(lambda: file.readline(LONGEST_LINE), b"")


def scan(
    lines: Iterator[bytes],
    index: Index,
    has_blob: Callable[[str], bool],
    writer_of: Callable[[int], str],
    *,
    writer_gone: bool,
) -> Findings:
    """Adds to `index` what is sound, from its end on, and says what is not.

    `writer_of` gives the writer of a commit in the index. While a writer may be at work, a record without its line
    break is not there yet.
    """
    findings = Findings()
    for line in lines:
        ended = line.endswith(b"\n")
        try:
            record = parse(line if ended or not writer_gone else line + b"\n")
            late = _is_late(record, index, writer_of)
            if not late:
                _check(record, index, has_blob)
        except BadFrame as error:
            _judge_rest(findings, index, line, lines, error)
            break
        except TooNew as error:
            _note_version(findings, error.version, index)
            break
        except Damage as error:
            findings.damage = _sentence(index, error)
            break
        if late:
            index.skip(line)
            index.late_writers.add(record.writer)
            findings.skipped.append(index.lines)
        else:
            _note_version(findings, record.version, index)
            index.add(line, record.writer, len(record.events), (sha256 for sha256, _ in record.references))
            findings.skipped.clear()  # whoever wrote this record has told of them
        findings.unended = not ended
    return findings


def _is_late(record: Record, index: Index, writer_of: Callable[[int], str]) -> bool:
    """Whether this is the one record that another writer wrote before the fence stopped it."""
    return (
        record.seq < len(index.starts)
        and record.writer not in index.late_writers
        and record.writer != writer_of(record.seq)
    )


def _check(record: Record, index: Index, has_blob: Callable[[str], bool]) -> None:
    expected = len(index.starts)
    if record.seq != expected:
        raise BadRecord(f"it is commit {record.seq}, and commit {expected} should be next")
    for sha256, _ in record.references:
        if not has_blob(sha256):
            raise BadRecord(f"blobs/{sha256} is missing or damaged")


def _judge_rest(findings: Findings, index: Index, bad: bytes, rest: Iterator[bytes], error: Damage) -> None:
    """A torn tail holds no sound record, and no more than the beginning of one: each was durable before the next."""
    torn, sound = len(bad), False
    beginnings = len(_RECORD_BEGINS.findall(bad))
    for line in rest:
        torn += len(line)
        beginnings += len(_RECORD_BEGINS.findall(line))
        sound = _is_framed(line)
        if sound or beginnings > 1:
            break
    if sound or beginnings > 1:
        findings.damage = _sentence(index, error)
    else:
        findings.torn = torn


def _is_framed(line: bytes) -> bool:
    try:
        unframe(line if line.endswith(b"\n") else line + b"\n")
    except BadFrame:
        return False
    except BadRecord:
        return True
    return True


def _note_version(findings: Findings, version: int, index: Index) -> None:
    if version > VERSION and not findings.later_version:
        findings.later_version = version
        findings.later_from = index.length


def _sentence(index: Index, error: Damage) -> str:
    return f"Line {index.lines + 1} of the log is damaged: {error}."


class _Part(io.RawIOBase):
    """A part of a file for `io.BufferedReader`."""

    def __init__(self, disk: Disk, fd: int, start: int, stop: int) -> None:
        super().__init__()
        self._disk = disk
        self._fd = fd
        self._at = start
        self._stop = stop

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer).cast("B")
        data = self._disk.read(self._fd, min(len(view), self._stop - self._at), self._at)
        view[: len(data)] = data
        self._at += len(data)
        return len(data)
