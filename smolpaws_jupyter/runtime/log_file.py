"""The open log file: one durable append after another, each behind the fence, and what opening may mend.

A failed append is taken back. Where that is not certain, the file is `broken`: nothing is appended any more, and
whoever opens it again finds out what the disk holds (R-LOG-2).
"""

from __future__ import annotations

import contextlib
import errno
import re
import threading
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from ..core.errors import StoreError
from .disk import Disk, write_all
from .record import parse
from .scan import Findings, Index, read_lines, scan

_FULL = (errno.ENOSPC, errno.EFBIG)
_PIECE = 1 << 20
_REOPEN = "Open the conversation again: what is found on the disk then counts."
_ELSEWHERE = "What was read can still be forked or copied from here; open the conversation again to go on."


class LogFile:
    """`log.jsonl` and the index of it. One thread appends; others may read."""

    def __init__(self, disk: Disk, path: Path, *, write: bool, create: bool = False) -> None:
        """Raises OSError. Nothing is read yet."""
        self.path = path
        self.index = Index()
        self.broken = ""
        """Why nothing can be appended any more, as a sentence."""
        self.has_grown = False
        """Something was appended, so it ends with a commit of this opening."""
        self._disk = disk
        self._using = threading.Lock()
        self._closed = True
        self._fd = disk.open(path, write=write, create=create)
        self._closed = False

    def __del__(self) -> None:
        self.close()

    # Reading

    @property
    def size(self) -> int:
        """Bytes in the file, whoever wrote them. Raises OSError."""
        return self._disk.size(self._fd)

    @property
    def is_in_place(self) -> bool:
        """Whether its path still names this file."""
        return self._disk.is_still(self._fd, self.path)

    def begins_with(self, index: Index) -> bool:
        """Whether its first bytes are those that an index is of: no other bytes have that checksum. Raises OSError."""
        at = crc = 0
        while at < index.end and (piece := self._disk.read(self._fd, min(_PIECE, index.end - at), at)):
            at, crc = at + len(piece), zlib.crc32(piece, crc)
        return (at, crc) == (index.end, index.crc)

    def scan(self, has_blob: Callable[[str], bool], *, writer_gone: bool) -> Findings:
        """Brings the index up to what the file holds now. Raises OSError."""
        lines = read_lines(self._disk, self._fd, self.index.end, self.size)
        return scan(
            lines, self.index, has_blob, lambda number: parse(self.line(number)).writer, writer_gone=writer_gone
        )

    def line(self, number: int) -> bytes:
        """The line of a commit, with its line break, which the last one may lack in the file. Raises StoreError."""
        start, stop = self.index.span(number)
        return _first_line(self._read(start, stop - start))

    def lines_up_to(self, number: int) -> list[bytes]:
        """The lines of as many commits as a piece of the file holds, this one the last. Raises StoreError."""
        stop = self.index.span(number)[1]
        first = bisect_left(self.index.starts, stop - _PIECE, 0, number)
        bounds = [*self.index.starts[first : number + 1], stop]
        piece = self._read(bounds[0], stop - bounds[0])
        return [_first_line(piece[a - bounds[0] : b - bounds[0]]) for a, b in pairwise(bounds)]

    def _read(self, offset: int, size: int) -> bytes:
        with self._using:  # the descriptor's number must not become another file's in between
            if self._closed:
                raise StoreError("This conversation was closed.", detail="Open it again.")
            try:
                data = self._disk.read(self._fd, size, offset)
                while len(data) < size and (more := self._disk.read(self._fd, size - len(data), offset + len(data))):
                    data += more
                return data
            except OSError as error:
                raise StoreError(f"{self.path} cannot be read: {error.strerror}.") from error

    def close(self) -> None:
        """Idempotent."""
        with self._using:
            if not self._closed:
                self._closed = True
                self._disk.close(self._fd)

    # Appending

    def append(self, line: bytes, writer: str, events: int, blobs: Iterable[str] = ()) -> None:
        """One line, durable on return. Raises StoreError, and then it is not in the log, or the log is broken."""
        self._check_fence()
        try:
            write_all(self._disk, self._fd, line)
        except OSError as error:
            self._take_back(len(line))
            if error.errno not in _FULL:
                self._break(f"Writing to {self.path} failed: {error.strerror}.")
            detail = _REOPEN if self.broken else "Make room on this disk, then try again."
            raise StoreError(f"Nothing was stored in {self.path}: {error.strerror}.", detail=detail) from error
        except BaseException:
            self._break(f"A write to {self.path} was interrupted.")
            raise
        try:
            self._disk.sync(self._fd)
            alone = self.size == self.index.end + len(line)
        except BaseException as error:
            self._take_back(len(line))
            self._break(f"{self.path} could not be made durable.")
            if not isinstance(error, OSError):
                raise
            raise StoreError(f"{self.broken} {error.strerror}.", code="unknown_outcome", detail=_REOPEN) from error
        if not alone:  # whose line is first, and counts, is found out by reading
            self._break(f"{self.path} was written by somebody else at the same moment.")
            raise StoreError(self.broken, code="unknown_outcome", detail=_REOPEN)
        self.index.add(line, writer, events, blobs)
        self.has_grown = True

    def _check_fence(self) -> None:
        """Stops a writer whose file is no longer what it left (F-7, F-8, I-6)."""
        try:
            if not self.is_in_place:
                self._break(f"{self.path} was deleted, moved or replaced while it was open here.")
            elif self.size != self.index.end:
                self._break(f"{self.path} was changed by somebody else while it was open here.")
        except OSError as error:
            self._break(f"{self.path} cannot be reached: {error.strerror}.")
        if self.broken:
            raise StoreError(self.broken, code="log_changed", detail=_ELSEWHERE)

    def _take_back(self, most: int) -> None:
        """Removes what a failed append left, if it is certain that it is ours."""
        try:
            if self.size > self.index.end + most:
                raise OSError(errno.EBUSY, "somebody else has written")
            self._disk.truncate(self._fd, self.index.end)
            self._disk.sync(self._fd)
        except OSError as error:
            self._break(f"A failed write to {self.path} could not be taken back: {error.strerror}.")

    def _break(self, why: str) -> None:
        self.broken = self.broken or why

    # Mending, on opening

    def mend(self, findings: Findings) -> Iterator[str]:
        """Makes the end fit for the next append, and says what was found, a sentence each. Raises OSError.

        A torn tail is cut and kept aside; a last line that lacks only its line break gets it. What was found counts
        from here on, so it is made durable: its writer may have died before that.
        """
        for number in findings.skipped:
            yield f"Line {number} of the log was written by another writer after this one had gone on; it is left out."
        if findings.unended:
            write_all(self._disk, self._fd, b"\n")
            self.index.grow(b"\n")
        if findings.torn:
            self._keep_aside(self.index.end, findings.torn)
            self._disk.truncate(self._fd, self.index.end)
        self._disk.sync(self._fd)
        self._disk.sync_folder(self.path.parent)
        for name in self._kept_aside_here():
            yield f"The end of the log was a record that had not been written whole. It was cut off and kept in {name}."
        if not self.index.length:
            yield "The log held nothing whole, so the conversation begins anew."

    def _keep_aside(self, start: int, size: int) -> None:
        time = datetime.now(UTC)
        while self._disk.exists(aside := self.path.with_name(f"log.torn-{time:%Y%m%dT%H%M%SZ}-at-{start}")):
            time += timedelta(seconds=1)
        self.copy_to(aside, start, start + size)
        self._disk.sync_folder(self.path.parent)

    def _kept_aside_here(self) -> list[str]:
        """What was cut off at the end of the log. It is told of until something is appended there (I-3)."""
        kept = re.compile(rf"log\.torn-.*-at-{self.index.end}")
        return sorted(filter(kept.fullmatch, self._disk.names(self.path.parent)))

    def copy_up_to(self, number: int, target: Path, more: bytes) -> None:
        """A new file with all lines up to that of a commit, and `more`; as `copy_to`."""
        self.copy_to(target, 0, self.index.starts[number], self.line(number) + more)

    def copy_to(self, target: Path, start: int, stop: int, more: bytes = b"") -> None:
        """A new file with a part of this one and `more`; durable but for its name. Raises OSError or StoreError."""
        fd = self._disk.open(target, write=True, create=True)
        try:
            while start < stop and (piece := self._read(start, min(_PIECE, stop - start))):
                write_all(self._disk, fd, piece)
                start += len(piece)
            write_all(self._disk, fd, more)
            self._disk.sync(fd)
        except (OSError, StoreError):
            with contextlib.suppress(OSError):
                self._disk.remove(target)
            raise
        finally:
            self._disk.close(fd)


def _first_line(data: bytes) -> bytes:
    """A line, without what may stand behind it: one that counts for nothing, or was appended this moment."""
    return data.partition(b"\n")[0] + b"\n"
