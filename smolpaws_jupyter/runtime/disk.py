"""Every call that a log makes to the disk, in one small class, so that another disk can be put underneath.

What is opened is a regular file and no link. Descriptors are closed in forked children: a child that kept one would
keep the lock of a dead parent alive.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import threading
from pathlib import Path

from . import lock

_NOT_HERE = 0  # for flags that this platform does not have
_FLAGS = (
    getattr(os, "O_NOFOLLOW", _NOT_HERE)
    | getattr(os, "O_CLOEXEC", _NOT_HERE)
    | getattr(os, "O_NONBLOCK", _NOT_HERE)  # a pipe in the file's place must not hang us
    | getattr(os, "O_NOCTTY", _NOT_HERE)
    | getattr(os, "O_BINARY", _NOT_HERE)
    | getattr(os, "O_NOINHERIT", _NOT_HERE)
)
_NO_FOLDER_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)

_ours: set[int] = set()
_moving = threading.Lock()  # Windows reads where the last call left off, whichever thread that was


class Disk:
    """The local disk. All methods raise OSError."""

    def make_folder(self, path: Path) -> None:
        """A folder for its owner alone, with the missing ones above it; durable. One that is there will do."""
        if path.is_dir() and not path.is_symlink():
            return
        if not path.parent.exists():
            self.make_folder(path.parent)
        path.mkdir(mode=0o700)
        try:
            self.sync_folder(path.parent)
        except OSError:
            path.rmdir()  # the next try would take it for durable
            raise

    def sync_folder(self, path: Path) -> None:
        """Makes durable which files a folder has."""
        if sys.platform == "win32":
            return
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        except OSError as error:
            if error.errno not in _NO_FOLDER_SYNC:
                raise
        finally:
            os.close(fd)

    def exists(self, path: Path) -> bool:
        """Whether anything has this name, a broken link included."""
        return os.path.lexists(path)

    def names(self, path: Path) -> list[str]:
        """What a folder holds."""
        return os.listdir(path)

    def open(self, path: Path, *, write: bool = False, create: bool = False) -> int:
        """A descriptor of a regular file. Writes go to its end; a new file is its owner's alone."""
        if not hasattr(os, "O_NOFOLLOW") and path.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        mode = os.O_RDWR | os.O_APPEND if write else os.O_RDONLY
        fd = os.open(path, mode | (os.O_CREAT if create else 0) | _FLAGS, 0o600)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise OSError(errno.EINVAL, "Not a regular file", str(path))
        _ours.add(fd)
        return fd

    def close(self, fd: int) -> None:
        """Does nothing in a forked child, where the descriptor is closed and its number may be another's."""
        if fd in _ours:
            _ours.discard(fd)
            os.close(fd)

    def read(self, fd: int, size: int, offset: int) -> bytes:
        """At most `size` bytes from `offset` on; none at the end of the file."""
        if sys.platform == "win32":
            with _moving:
                os.lseek(fd, offset, os.SEEK_SET)
                return os.read(fd, size)
        return os.pread(fd, size, offset)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        """Appends some of `data`, and says how many bytes."""
        if sys.platform == "win32":
            with _moving:
                return os.write(fd, data)
        return os.write(fd, data)

    def sync(self, fd: int) -> None:
        """Makes a file's content durable."""
        if sys.platform == "darwin":
            import fcntl

            try:  # a plain fsync leaves the data in the drive's cache there
                fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            except OSError as error:
                if error.errno not in _NO_FOLDER_SYNC:
                    raise
            else:
                return
        os.fsync(fd)

    def truncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def size(self, fd: int) -> int:
        return os.fstat(fd).st_size

    def is_still(self, fd: int, path: Path) -> bool:
        """Whether `path` names the file that this descriptor is of."""
        try:
            return os.path.samestat(os.fstat(fd), path.lstat())
        except FileNotFoundError:
            return False

    def replace(self, source: Path, target: Path) -> None:
        source.replace(target)

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def lock(self, path: Path) -> int:
        """A descriptor that holds the lock, for `unlock`. Raises `lock.Held` or `lock.Unsupported` too."""
        fd = self.open(path, write=True, create=True)
        try:
            lock.hold(fd)
        except BaseException:
            self.close(fd)
            raise
        return fd

    def unlock(self, fd: int) -> None:
        """Lets a lock go. In a forked child it stays the parent's."""
        if fd in _ours:
            lock.release(fd)
        self.close(fd)


def write_all(disk: Disk, fd: int, data: bytes) -> None:
    """Appends all of `data`, however small the pieces that the system takes (F-11). Raises OSError."""
    rest = memoryview(data)
    idle = 0
    while rest:
        try:
            written = disk.write(fd, rest)
        except (BlockingIOError, InterruptedError):
            written = 0
        idle = 0 if written else idle + 1
        if idle > 100:
            raise OSError(errno.EIO, "The system takes no bytes")
        rest = rest[written:]


def _close_ours() -> None:
    for fd in _ours:
        with contextlib.suppress(OSError):
            os.close(fd)
    _ours.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_ours)
