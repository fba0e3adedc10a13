"""Simulated disks that a test looks over the shoulder of, or that fail once."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.runtime.simulated_disk import SimulatedDisk


@dataclass
class WatchedDisk(SimulatedDisk):
    """A disk that lives on. `seen` is called wherever a process could die: before, halfway through and behind a step."""

    seen: Callable[[], None] = lambda: None

    def _step(self, do: Callable[[], None], half: Callable[[], None] | None = None) -> None:
        self.steps += 1
        self.seen()
        if half is not None:
            before = {file: (file.cache, file.platter) for file in self.files.values()}
            half()
            self.seen()
            for file, content in before.items():
                file.cache, file.platter = content
        do()
        self.seen()


@dataclass
class FaultyDisk(SimulatedDisk):
    """A disk of which one call fails: the n-th write or sync. The write has written half of its bytes by then."""

    fails_at: int = 0
    calls: int = 0

    def write(self, fd: int, data: bytes | memoryview) -> int:
        if self._fails():
            super().write(fd, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(fd, data)

    def sync(self, fd: int) -> None:
        if self._fails():
            raise OSError(errno.EIO, "Input/output error")
        super().sync(fd)

    def sync_folder(self, path: Path) -> None:
        if self._fails():
            raise OSError(errno.EIO, "Input/output error")
        super().sync_folder(path)

    def _fails(self) -> bool:
        self.calls += 1
        return self.calls == self.fails_at
