"""Two ways to hold a folder while something is done in it: by descriptor, or by name.

By descriptor no link and no rename, however fast, can lead outside. By name is weaker, and meant for systems without
descriptor calls (Windows). Both raise OSError as the system gave it, or `LinkInTheWay`; `words.py` makes it a sentence.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Protocol, Self

from .paths import is_inside

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
# O_NONBLOCK: opening a FIFO or a device must not hang. O_BINARY: Windows translates line ends otherwise.
_FILE_FLAGS = _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_FOLDER_FLAGS = os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_DIRECTORY", 0)


class LinkInTheWay(OSError):
    """A part of the path is a link, and links are never followed."""

    def __init__(self, name: str) -> None:
        super().__init__(errno.ELOOP, "is a link", name)


class Folder(Protocol):
    """A folder that is being worked in. Names are single parts, never paths; no method follows a link."""

    def itself(self) -> os.stat_result: ...

    def enter(self, name: str, *, make: bool = False) -> Folder:
        """The folder `name` in this one; with `make` it is created where it is missing."""
        ...

    def scan(self, most: int) -> Iterator[tuple[str, os.stat_result]]:
        """The first `most` names in no order, with what `stat` says of each."""
        ...

    def stat(self, name: str) -> os.stat_result: ...

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """A descriptor. What it is must still be checked: it may be a device or a FIFO, opened without waiting."""
        ...

    def replace(self, name: str, target: str) -> None:
        """Renames `name` to `target`, in one step and over what was there."""
        ...

    def remove(self, name: str) -> None: ...

    def sync(self) -> None:
        """Returns when the names of this folder are on disk, where the system can say so."""
        ...

    def close(self) -> None: ...


def is_link(found: os.stat_result) -> bool:
    """Whether this is a symbolic link, or a junction of Windows."""
    junction = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
    return stat.S_ISLNK(found.st_mode) or (junction is not None and getattr(found, "st_reparse_tag", 0) == junction)


class FolderByDescriptor:
    """Every step starts from an open descriptor and refuses links, so the way to it cannot be changed underneath."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def at(cls, path: str) -> Self:
        """Holds the folder at an absolute path."""
        return cls(os.open(path, _FOLDER_FLAGS))

    def itself(self) -> os.stat_result:
        return os.fstat(self._descriptor)

    def enter(self, name: str, *, make: bool = False) -> Self:
        if make:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=self._descriptor)
                self.sync()
        if is_link(self.stat(name)):  # only to say what is wrong: the flags below are what protects
            raise LinkInTheWay(name)
        return type(self)(os.open(name, _FOLDER_FLAGS, dir_fd=self._descriptor))

    def scan(self, most: int) -> Iterator[tuple[str, os.stat_result]]:
        with os.scandir(self._descriptor) as entries:
            for entry in islice(entries, most):
                with suppress(FileNotFoundError):
                    yield entry.name, entry.stat(follow_symlinks=False)

    def stat(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        return os.open(name, flags | _FILE_FLAGS, mode, dir_fd=self._descriptor)

    def replace(self, name: str, target: str) -> None:
        os.replace(name, target, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def remove(self, name: str) -> None:
        os.unlink(name, dir_fd=self._descriptor)

    def sync(self) -> None:
        os.fsync(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)


class FolderByName:
    """Looks at each part before and compares the resolved path after; a swap at the right moment can still win."""

    def __init__(self, path: Path, root: str) -> None:
        self._path = path
        self._root = root
        if not stat.S_ISDIR(path.lstat().st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path.name)

    @classmethod
    def at(cls, path: str) -> Self:
        """Works in the folder at an absolute, resolved path."""
        return cls(Path(path), path)

    def itself(self) -> os.stat_result:
        return self._path.lstat()

    def enter(self, name: str, *, make: bool = False) -> Self:
        inner = self._path / name
        if make:
            inner.mkdir(exist_ok=True)
        if is_link(self.stat(name)):
            raise LinkInTheWay(name)
        self._check(inner)
        return type(self)(inner, self._root)

    def scan(self, most: int) -> Iterator[tuple[str, os.stat_result]]:
        with os.scandir(self._path) as entries:
            for entry in islice(entries, most):
                with suppress(FileNotFoundError):
                    yield entry.name, entry.stat(follow_symlinks=False)

    def stat(self, name: str) -> os.stat_result:
        return (self._path / name).lstat()

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        if not flags & os.O_CREAT and is_link(self.stat(name)):
            raise LinkInTheWay(name)
        descriptor = os.open(self._path / name, flags | _FILE_FLAGS, mode)
        try:
            self._check(self._path / name)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def replace(self, name: str, target: str) -> None:
        self._check(self._path)
        (self._path / name).replace(self._path / target)

    def remove(self, name: str) -> None:
        (self._path / name).unlink()

    def sync(self) -> None:
        """Windows has no way to ask for this."""

    def close(self) -> None:
        """Nothing is held."""

    def _check(self, path: Path) -> None:
        if not is_inside(self._root, os.path.realpath(path)):
            raise LinkInTheWay(path.name)
