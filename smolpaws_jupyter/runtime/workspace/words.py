"""What the system says about a file, in words for people and models: what was wrong, and the next step."""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager

from ...core.errors import WorkspaceError
from .paths import show

_FULL = (
    "disk_full",
    "could not be written, since the disk is full; it is as it was",
    "Make room, then try again.",
)
_DENIED = ("no_permission", "may not be used: permission denied", "Ask the person to change its permissions.")
_WORDS = {
    errno.ENOENT: ("not_found", "does not exist", "List the files to see what is there."),
    errno.ENOTDIR: (
        "not_a_folder",
        "goes through something that is not a folder",
        "List the files to see what is there.",
    ),
    errno.EISDIR: ("not_a_file", "is a folder, not a file", "Name a file in it."),
    errno.ELOOP: ("link", "is a link or goes through one, and links are not followed", "Name the file itself."),
    errno.EMLINK: (
        "hard_link",
        "has several names (hard links), so it may be a file from elsewhere",
        "Change a copy of it.",
    ),
    errno.EFBIG: _FULL,
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.EROFS: ("no_permission", "may not be written: the disk is read-only", "Use another folder."),
    errno.ENAMETOOLONG: ("invalid_path", "is too long for this disk", "Use shorter names."),
}


@contextmanager
def in_words(path: str) -> Generator[None]:
    """Turns what the system says about `path` into a `WorkspaceError`."""
    try:
        yield
    except OSError as error:
        said = f"could not be used: {error.strerror or type(error).__name__}"
        code, what, detail = _WORDS.get(error.errno or 0, ("not_usable", said, "Try another file."))
        raise WorkspaceError(f"{show(path)} {what}.", code=code, detail=detail) from error
