"""The local disk, with one call that fails: the n-th of its kind."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

from smolpaws_jupyter.runtime.disk import Disk

Call = Literal["make_folder", "sync_folder", "open", "write", "sync", "truncate", "replace"]
T = TypeVar("T")


class FailingDisk(Disk):
    """`fails` is the call that fails, `nth` which one of them (from 1), `error` the errno.

    A write that fails has written a part: `written` of its bytes, in a first call that succeeds.
    """

    def __init__(self, fails: Call | None = None, nth: int = 1, error: int = 0, *, written: float = 0) -> None:
        self.fails: Call | None = fails
        self.nth = nth
        self.error = error
        self.written = written
        self.calls: Counter[str] = Counter()

    def fail_next(self, call: Call, error: int, *, written: float = 0) -> None:
        self.fails, self.nth, self.error, self.written = call, self.calls[call] + 1, error, written

    def _counted(self, call: Call, do: Callable[[], T]) -> T:
        self.calls[call] += 1
        if call == self.fails and self.calls[call] == self.nth:
            raise OSError(self.error, os.strerror(self.error))
        return do()

    def make_folder(self, path: Path) -> None:
        self._counted("make_folder", lambda: super(FailingDisk, self).make_folder(path))

    def sync_folder(self, path: Path) -> None:
        self._counted("sync_folder", lambda: super(FailingDisk, self).sync_folder(path))

    def open(self, path: Path, *, write: bool = False, create: bool = False) -> int:
        return self._counted("open", lambda: super(FailingDisk, self).open(path, write=write, create=create))

    def write(self, fd: int, data: bytes | memoryview) -> int:
        part = int(len(data) * self.written)
        if part and self.fails == "write" and self.calls["write"] + 1 == self.nth:
            self.written = 0
            return super().write(fd, data[:part])
        return self._counted("write", lambda: super(FailingDisk, self).write(fd, data))

    def sync(self, fd: int) -> None:
        self._counted("sync", lambda: super(FailingDisk, self).sync(fd))

    def truncate(self, fd: int, size: int) -> None:
        self._counted("truncate", lambda: super(FailingDisk, self).truncate(fd, size))

    def replace(self, source: Path, target: Path) -> None:
        self._counted("replace", lambda: super(FailingDisk, self).replace(source, target))


class HurriedDisk(Disk):
    """The local disk, without waiting for it: for tests that open hundreds of logs."""

    def sync(self, fd: int) -> None:
        pass

    def sync_folder(self, path: Path) -> None:
        pass
