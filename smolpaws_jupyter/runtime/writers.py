"""Who wrote a commit, and when. An id has one part per kernel process and one per opening of a log (R-REST-9)."""

from __future__ import annotations

import os
import secrets
from datetime import UTC, datetime

_kernel = ""


def writer_id(kernel: str | None = None) -> str:
    """A fresh id for one opening of a log: by this process, or by the one with this kernel part."""
    global _kernel
    if not _kernel:
        _kernel = new_kernel()
    return f"{kernel or _kernel}-{secrets.token_hex(4)}"


def new_kernel() -> str:
    """A kernel part that no process has yet."""
    return secrets.token_hex(6)


def kernel_of(writer: str) -> str:
    """The part that all openings by one process share: another one means that the kernel is new."""
    return writer.partition("-")[0]


def utc_now() -> str:
    """The time, ISO 8601 in UTC: for people. Order is `seq`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _forget() -> None:
    global _kernel
    _kernel = ""


if hasattr(os, "register_at_fork"):  # a forked child is another process
    os.register_at_fork(after_in_child=_forget)
