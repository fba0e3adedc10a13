"""The folder of one conversation on a disk: what its files are called, who holds its lock, and how it is made."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from ..core.errors import StoreError
from .blobs import Blobs
from .disk import Disk, write_all
from .draft import Draft
from .log_file import LogFile
from .record import LONGEST_LINE

_BLOB_NAME = re.compile(rb"[0-9a-f]{64}")


class ConversationFolder:
    """`log.jsonl`, `log.snapshot`, `lock`, `blobs/` and `.gitignore`, for their owner alone (F-61)."""

    def __init__(self, disk: Disk, path: Path) -> None:
        self.disk = disk
        self.path = path
        self.log_path = path / "log.jsonl"
        self._snapshot_path = path / "log.snapshot"
        self.blobs = Blobs(disk, path / "blobs")
        self._lock: int | None = None

    def __del__(self) -> None:
        self.let_go()

    @property
    def has_log(self) -> bool:
        return self.disk.exists(self.log_path)

    def open_log(self, *, write: bool, create: bool = False) -> LogFile:
        """Raises OSError, also for what is no regular file."""
        return LogFile(self.disk, self.log_path, write=write, create=create)

    def hold(self) -> None:
        """Take the writer's role, unless it is held. Raises `lock.Held`, `lock.Unsupported` or OSError."""
        if self._lock is None:
            self._lock = self.disk.lock(self.path / "lock")

    def let_go(self) -> None:
        """Give the writer's role up."""
        if self._lock is not None:
            self.disk.unlock(self._lock)
            self._lock = None

    def make(self) -> None:
        """The folder and its `.gitignore`. What is there will do, so a failure can be tried again. Raises OSError."""
        self.disk.make_folder(self.path)
        fd = self.disk.open(self.path / ".gitignore", write=True, create=True)
        try:
            if not self.disk.size(fd):  # a conversation is private; sharing it is an explicit export
                write_all(self.disk, fd, b"*\n")
                self.disk.sync(fd)
        finally:
            self.disk.close(fd)

    def make_log(self) -> LogFile:
        """A log without a line. Raises OSError, FileExistsError for one that has lines."""
        log = self.open_log(write=True, create=True)
        try:
            if log.size:
                raise FileExistsError(f"{self.log_path} has lines already")
            self.disk.sync_folder(self.path)
        except BaseException:
            log.close()
            raise
        return log

    def read_snapshot(self) -> bytes:
        """The snapshot beside the log. Raises OSError."""
        fd = self.disk.open(self._snapshot_path)
        try:
            size = self.disk.size(fd)
            return self.disk.read(fd, size, 0) if size <= LONGEST_LINE else b""
        finally:
            self.disk.close(fd)

    def write_snapshot(self, data: bytes) -> None:
        """Another snapshot in place of the last one. It is not made durable: it may be lost. Raises OSError."""
        part = self.path / "log.snapshot.part"
        self.disk.remove(part)
        fd = self.disk.open(part, write=True, create=True)
        try:
            write_all(self.disk, fd, data)
        finally:
            self.disk.close(fd)
        self.disk.replace(part, self._snapshot_path)

    def copy_from(self, other: ConversationFolder, log: LogFile, number: int, commit: Draft) -> None:
        """A log that begins as another one, up to a commit's number, and goes on with `commit`: wholly or not at all.

        Raises OSError or StoreError.
        """
        part = self.path / "log.part"
        try:
            for data in itertools.chain(other.blobs_of(log, number), commit.blobs.values()):
                self.blobs.put(data)
            with contextlib.suppress(OSError):  # it counts where the copy goes as far
                self.write_snapshot(other.read_snapshot())
            self.disk.remove(part)
            log.copy_up_to(number, part, commit.line)
            self.disk.replace(part, self.log_path)
            self.disk.sync_folder(self.path)
        except (OSError, StoreError):
            with contextlib.suppress(OSError):
                self.disk.remove(part)
            raise

    def blobs_of(self, log: LogFile, number: int) -> Iterator[bytes]:
        """Every blob that a commit up to this one names, also in an ordinary field."""
        seen: set[str] = set()
        for earlier in range(number + 1):
            for name in _BLOB_NAME.findall(log.line(earlier)):
                sha256 = name.decode()
                if sha256 not in seen and (data := self.blobs.get(sha256)) is not None:
                    yield data
                seen.add(sha256)
