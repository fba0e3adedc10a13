"""One file in a held folder: opening it, reading it before a change, replacing it in one step.

What counts is what was really opened: the descriptor is looked at, not the name.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

from ...core.errors import WorkspaceError
from .folders import Folder, LinkInTheWay, is_link
from .listing import TEMPORARY
from .paths import ON_WINDOWS, show

LARGE_FILE = 16 * 2**20
"""A larger file, in bytes, is read only with a person's word, and never changed: its old bytes could not be kept."""


@contextmanager
def opened(folder: Folder, name: str, flags: int = os.O_RDONLY) -> Generator[BinaryIO]:
    """The regular file `name`, open for reading. Links, folders, devices and pipes are refused at once (F-49, F-50)."""
    refuse_special(name, folder.stat(name))  # so that a device is not even opened; the check below is what protects
    descriptor = folder.open(name, flags)
    try:
        refuse_special(name, os.fstat(descriptor))
    except BaseException:
        os.close(descriptor)
        raise
    with os.fdopen(descriptor, "rb") as file:
        yield file


def refuse_special(name: str, found: os.stat_result) -> None:
    """Raises for whatever is not a regular file on a real disk."""
    if is_link(found):
        raise LinkInTheWay(name)
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder", name)
    if not stat.S_ISREG(found.st_mode) or found.st_dev in _pseudo_disks():
        what = f"{show(name)} is a device, a pipe, a socket or made up by the system."
        raise WorkspaceError(what, code="special_file", detail="Name a regular file.")


@cache
def _pseudo_disks() -> frozenset[int]:
    """Disks whose files are made up: reading one can give the environment away, writing one can change the system."""
    found = {Path(path).stat().st_dev for path in ("/proc", "/sys") if Path(path).is_dir()}
    return frozenset(found - {Path("/").stat().st_dev})


@contextmanager
def changeable(folder: Folder, name: str) -> Generator[BinaryIO]:
    """Like `opened`, and refuses what `replace` may not touch: hard links, large files, files that are read-only."""
    with opened(folder, name, os.O_RDWR) as file:
        found = os.fstat(file.fileno())
        if found.st_nlink > 1:
            raise OSError(errno.EMLINK, "has several names", name)
        if not found.st_mode & 0o222:  # root may write all the same, but somebody has said no
            raise PermissionError(errno.EACCES, "is read-only", name)
        if found.st_size > LARGE_FILE:
            raise _too_large(name, found.st_size)
        yield file


def read_whole(file: BinaryIO, name: str) -> bytes:
    """All bytes of a file that `changeable` let through, and that may have grown since."""
    data = file.read(LARGE_FILE + 1)
    if len(data) > LARGE_FILE:
        raise _too_large(name, len(data))
    return data


def replace(folder: Folder, name: str, data: bytes, expected: bytes | None) -> None:
    """Puts `data` in the place of `expected`, or of nothing if None, in one step (F-53). Permissions stay.

    Raises `WorkspaceError` with the code `changed` if something else is there, up to the moment of renaming (F-52).
    """
    before = _stat_if_unchanged(folder, name, expected)
    temporary = f".{secrets.token_hex(8)}{TEMPORARY}"
    descriptor = folder.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if before else 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if before and not ON_WINDOWS:
                with suppress(PermissionError):
                    os.fchown(descriptor, before.st_uid, before.st_gid)
                os.fchmod(descriptor, before.st_mode & 0o777)
            os.fsync(descriptor)
        if _version(_stat(folder, name)) != _version(before):
            raise _changed(name)
        folder.replace(temporary, name)
    except BaseException:
        with suppress(OSError):
            folder.remove(temporary)
        raise
    folder.sync()


def _stat_if_unchanged(folder: Folder, name: str, expected: bytes | None) -> os.stat_result | None:
    try:
        with changeable(folder, name) as file:
            found = os.fstat(file.fileno())
            if read_whole(file, name) != expected:
                raise _changed(name)
            return found
    except FileNotFoundError:
        if expected is not None:
            raise _changed(name) from None
        return None


def _stat(folder: Folder, name: str) -> os.stat_result | None:
    try:
        return folder.stat(name)
    except FileNotFoundError:
        return None


def _version(found: os.stat_result | None) -> tuple[int, ...]:
    """Differs when a file was changed or replaced in between."""
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns) if found else ()


def _too_large(name: str, size: int) -> WorkspaceError:
    what = f"{show(name)} has {size} bytes or more; file tools change files of up to {LARGE_FILE}."
    return WorkspaceError(what, code="too_large", detail="Change it with run_python.")


def _changed(name: str) -> WorkspaceError:
    what = f"{show(name)} was changed by someone else in the meantime; nothing was written."
    return WorkspaceError(what, code="changed", detail="Read it again, then change what is there now.")
