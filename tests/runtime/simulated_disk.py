"""A disk that forgets: what was written is in the cache, what was synced is on the platter.

It can die at any of its steps, wholly or halfway through one: by a kill (the cache survives) or by a power cut (the
platter survives, and of the rest whatever the disk pleases).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Literal

from smolpaws_jupyter.runtime import lock
from smolpaws_jupyter.runtime.disk import Disk

Ending = Literal["kill", "lost", "kept", "half", "zeros", "half and zeros"]
"""What becomes of what was not synced: a kill keeps all of it; the others are power cuts.

`lost`: nothing reached the platter; `kept`: all did; `half`: a part of the bytes did; with `zeros` the file has its new
size, but nothing was written there. Names of files that were not synced are lost in `lost` only.
"""
ENDINGS: tuple[Ending, ...] = ("kill", "lost", "kept", "half", "zeros", "half and zeros")


class Died(BaseException):
    """The process is gone. No `except Exception` can mend that."""


@dataclass(eq=False)
class File:
    cache: bytes = b""
    platter: bytes = b""

    def after(self, ending: Ending) -> bytes:
        if ending in ("kill", "kept"):
            return self.cache
        if ending == "lost":
            return self.platter
        same = len(self.platter) if self.cache.startswith(self.platter) else _common(self.cache, self.platter)
        reached = (same + len(self.cache)) // 2 if ending.startswith("half") else same
        zeros = len(self.cache) - reached if ending.endswith("zeros") else 0
        return self.cache[:reached] + bytes(zeros)


def _common(one: bytes, other: bytes) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


@dataclass
class SimulatedDisk(Disk):
    """`dies_at` is the number of the step at which it dies, `portion` how much of that step is still done."""

    dies_at: int | None = None
    portion: float = 0
    files: dict[Path, File] = field(default_factory=dict[Path, File])
    synced_files: dict[Path, File] = field(default_factory=dict[Path, File])
    folders: set[Path] = field(default_factory=lambda: {Path("/")})
    synced_folders: set[Path] = field(default_factory=lambda: {Path("/")})
    steps: int = 0
    dead: bool = False

    def __post_init__(self) -> None:
        self._fds = count(3)
        self._open: dict[int, File] = {}
        self._held: dict[int, File] = {}

    def reborn(self, ending: Ending, *, dies_at: int | None = None, portion: float = 0) -> SimulatedDisk:
        """The disk as the next process finds it."""
        kill = ending == "kill"
        lost = ending == "lost"
        names = self.synced_files if lost else self.files
        folders = self.synced_folders if lost else self.folders
        files = {name: File(file.after(ending)) for name, file in names.items() if set(name.parents) <= folders}
        for name, file in files.items():
            file.platter = names[name].platter if kill else file.cache
        synced = {n: f for n, f in files.items() if not kill or self.synced_files.get(n) is self.files[n]}
        return SimulatedDisk(
            dies_at, portion, files, synced, set(folders), set(self.synced_folders if kill else folders)
        )

    def _step(self, do: Callable[[], None], half: Callable[[], None] = lambda: None) -> None:
        if self.dead:
            raise Died
        self.steps += 1
        if self.steps != self.dies_at:
            return do()
        self.dead = True
        if self.portion == 1:
            do()
        elif self.portion:
            half()
        raise Died

    # What a log asks of a disk

    def make_folder(self, path: Path) -> None:
        if path not in self.folders:
            self.make_folder(path.parent)
            self._step(lambda: self.folders.add(path))
            try:
                self.sync_folder(path.parent)
            except OSError:
                self.folders.discard(path)
                raise

    def sync_folder(self, path: Path) -> None:
        def sync() -> None:
            self.synced_files = {n: f for n, f in self.synced_files.items() if n.parent != path}
            self.synced_files |= {n: f for n, f in self.files.items() if n.parent == path}
            self.synced_folders |= {f for f in self.folders if f.parent == path}

        self._step(sync)

    def exists(self, path: Path) -> bool:
        return path in self.files or path in self.folders

    def names(self, path: Path) -> list[str]:
        return [name.name for name in self.files if name.parent == path]

    def open(self, path: Path, *, write: bool = False, create: bool = False) -> int:
        if path not in self.files:
            if not create or path.parent not in self.folders:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
            self._step(lambda: self.files.setdefault(path, File()) and None)
        fd = next(self._fds)
        self._open[fd] = self.files[path]
        return fd

    def close(self, fd: int) -> None:
        self._open.pop(fd, None)
        self._held.pop(fd, None)

    def read(self, fd: int, size: int, offset: int) -> bytes:
        return self._open[fd].cache[offset : offset + size]

    def write(self, fd: int, data: bytes | memoryview) -> int:
        file, new = self._open[fd], bytes(data)

        def put(content: bytes) -> None:
            file.cache += content

        self._step(lambda: put(new), lambda: put(new[: len(new) // 2]))
        return len(new)

    def sync(self, fd: int) -> None:
        file = self._open[fd]

        def put(content: bytes) -> None:
            file.platter = content

        self._step(lambda: put(file.cache), lambda: put(file.cache[: (len(file.platter) + len(file.cache)) // 2]))

    def truncate(self, fd: int, size: int) -> None:
        file = self._open[fd]

        def cut() -> None:
            file.cache = file.cache[:size]

        self._step(cut)

    def size(self, fd: int) -> int:
        return len(self._open[fd].cache)

    def is_still(self, fd: int, path: Path) -> bool:
        return self.files.get(path) is self._open[fd]

    def replace(self, source: Path, target: Path) -> None:
        def rename() -> None:
            self.files[target] = self.files.pop(source)

        self._step(rename)

    def remove(self, path: Path) -> None:
        self._step(lambda: self.files.pop(path, None) and None)

    def lock(self, path: Path) -> int:
        fd = self.open(path, write=True, create=True)
        if self._open[fd] in self._held.values():
            self.close(fd)
            raise lock.Held("somewhere", "1")
        self._held[fd] = self._open[fd]
        return fd
