"""A store that lives in memory: for tests, for trying things out, and for conversations that shall not be saved.

It keeps the same lines as a log file and keeps to the same contract, the death of the process included.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..core.base import JsonObject
from ..core.errors import StoreError
from ..core.events import Event
from . import writers
from .draft import draft
from .line_store import LineStore
from .record import parse


@dataclass
class _Content:
    """What outlives a process."""

    lines: list[bytes] = field(default_factory=list[bytes])
    firsts: list[int] = field(default_factory=list[int])
    """The position of each line's first event."""
    length: int = 0
    blobs: dict[str, bytes] = field(default_factory=dict[str, bytes])
    last_writer_id: str | None = None
    folds: tuple[int, JsonObject] | None = None
    owner: MemoryStore | None = None


class MemoryStore(LineStore):
    """A `Store` without a disk.

    `full` simulates a disk without room: while it is true, appends and blobs are refused.
    """

    def __init__(self, conversation_id: str | None = None) -> None:
        """A new and empty conversation, with a random id unless one is given."""
        super().__init__()
        self.conversation_id = conversation_id or uuid.uuid4().hex
        self.writer_id = writers.writer_id()
        self.recovered: tuple[str, ...] = ()
        self.full = False
        self._reason: str | None = None
        self._content = _Content(owner=self)
        self._closed = False
        self._catch_up()

    def _catch_up(self) -> None:
        self._length = self._content.length
        self.last_writer_id = self._content.last_writer_id

    def reopen(self, *, same_kernel: bool = False) -> MemoryStore:
        """Another opening of what is stored, as after the death of this process; this one can do nothing any more.

        `same_kernel` opens it in the process that wrote it, as after closing.
        """
        self.close()
        again = self.follow(same_kernel=same_kernel)
        again.take_over()
        return again

    def follow(self, *, same_kernel: bool = False) -> MemoryStore:
        """A second opening beside this one: it can read, and take over once this one is closed."""
        other = MemoryStore(self.conversation_id)
        other.writer_id = writers.writer_id(writers.kernel_of(self.writer_id) if same_kernel else writers.new_kernel())
        other._content = self._content
        other._catch_up()
        return other

    @property
    def read_only(self) -> str | None:
        if self._closed:
            return "This conversation was closed."
        if self._reason is not None:
            return self._reason
        if self._content.owner is not self:
            return "Another writer has this conversation open."
        return None

    def __len__(self) -> int:
        return self._length

    def append(self, events: Sequence[Event]) -> None:
        self._check_writable()
        content = self._content
        try:
            commit = draft(len(content.lines), self.writer_id, writers.utc_now(), events)
        except (ValueError, RecursionError) as error:
            raise StoreError(f"This cannot be stored: {error}.") from None
        content.blobs.update(commit.blobs)
        content.lines.append(commit.line)
        content.firsts.append(content.length)
        content.length += len(events)
        content.last_writer_id = self.writer_id
        self._length = content.length

    def _line(self, number: int) -> bytes:
        if self._closed:
            raise StoreError("This conversation was closed.", detail="Open it again.")
        return self._content.lines[number]

    def _lines_up_to(self, number: int) -> Sequence[bytes]:
        return (self._line(number),)

    @property
    def _firsts(self) -> Sequence[int]:
        return self._content.firsts

    @property
    def kept_folds(self) -> tuple[int, JsonObject] | None:
        return self._content.folds

    def keep_folds(self, folds: JsonObject) -> None:
        if self.read_only is None and not self._has_left_out:
            self._content.folds = (self._length, folds)

    def put_blob(self, data: bytes) -> str:
        self._check_writable()
        sha256 = hashlib.sha256(data).hexdigest()
        self._content.blobs[sha256] = bytes(data)
        return sha256

    def get_blob(self, sha256: str) -> bytes | None:
        return self._content.blobs.get(sha256)

    def _check_writable(self) -> None:
        if self.read_only is not None:
            raise StoreError(self.read_only, detail="Open it again.")
        if self.full:
            raise StoreError("There is no room left to store this.", detail="Make room, then go on.")

    def refresh(self) -> int:
        before = self._length
        self._catch_up()
        return self._length - before

    def take_over(self) -> None:
        if self._closed:
            raise StoreError("This conversation was closed.", detail="Open it again.")
        if self._content.owner not in (None, self):
            raise StoreError("Another writer has this conversation open.", detail="Close it there first.")
        self._content.owner, self._reason = self, None
        self._catch_up()

    def give_up(self, reason: str) -> None:
        self._reason = self.read_only or reason
        if self._content.owner is self:
            self._content.owner = None

    def fork(self, position: int, conversation_id: str, events: Sequence[Event]) -> MemoryStore:
        if not 0 <= position < self._length:
            raise StoreError(f"There is no event at position {position}; the log has {self._length}.")
        count = self._commit_of(position) + 1
        lines = self._content.lines[:count]
        fork = MemoryStore(conversation_id)
        fork.writer_id = writers.writer_id(writers.kernel_of(self.writer_id))
        copy = fork._content
        copy.lines += lines
        copy.firsts += self._content.firsts[:count]
        copy.length = self._content.firsts[count] if count < len(self._content.firsts) else self._content.length
        copy.blobs.update(
            {
                sha256: data
                for sha256, data in self._content.blobs.items()
                if any(sha256.encode() in line for line in lines)
            }
        )
        fork.append(events)
        fork.last_writer_id = parse(lines[-1]).writer
        return fork

    def close(self) -> None:
        if self._content.owner is self:
            self._content.owner = None
        self._closed = True
