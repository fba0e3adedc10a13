"""One writer for one log: a lock on a file of its own, which the system lets go when its holder dies (R-LOG-4).

The file also says in words who holds it. That is for people: only the lock itself decides.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import sys
from pathlib import Path

from .writers import utc_now

_UNSUPPORTED = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)
_FAR = 0x7FFF0000  # Windows locks bytes against reading too: one far behind the text


class Held(Exception):
    """Somebody else has the lock: `host` and `pid` as they wrote them, empty where they did not."""

    def __init__(self, host: str, pid: str) -> None:
        super().__init__(host, pid)
        self.host = host
        self.pid = pid

    def __str__(self) -> str:
        """The holder, for a sentence."""
        if not self.pid:
            return "another process"
        ours = (self.host, self.pid) == (this_host(), str(os.getpid()))
        return f"process {self.pid} on {self.host}" + (", which is this kernel" if ours else "")


class Unsupported(Exception):
    """This disk has no locks, as some network disks."""


def hold(fd: int) -> None:
    """Locks the file of this descriptor until it is closed, and writes who we are. Raises Held or Unsupported."""
    try:
        _lock(fd)
    except (BlockingIOError, PermissionError):
        owner = _read_owner(fd)
        raise Held(owner.get("host", ""), owner.get("pid", "")) from None
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            raise Unsupported from None
        raise
    with contextlib.suppress(OSError):  # a full disk does not make the lock any weaker
        os.ftruncate(fd, 0)
        os.write(fd, _owner().encode())


def release(fd: int) -> None:
    """Lets the lock go at once, also where a process that is just being started has the descriptor for a moment yet."""
    with contextlib.suppress(OSError):
        _unlock(fd)


def this_host() -> str:
    """The name of this computer, as it is written into locks."""
    return socket.gethostname()


def _owner() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id")
    boot_id = boot.read_text().strip() if boot.exists() else "unknown"
    return f"host: {this_host()}\npid: {os.getpid()}\nboot: {boot_id}\nsince: {utc_now()}\n"


def _read_owner(fd: int) -> dict[str, str]:
    os.lseek(fd, 0, os.SEEK_SET)
    lines = os.read(fd, 1000).decode("utf-8", "replace").splitlines()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines) if value.isprintable()}


if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int) -> None:
        os.lseek(fd, _FAR, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

    def _unlock(fd: int) -> None:
        os.lseek(fd, _FAR, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)
