"""What lies below a folder: its regular files, and how many names were passed over and why."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field

from ...core.errors import WorkspaceError
from .folders import Folder, is_link
from .paths import is_forbidden, is_hidden, name_of, parts_of

MAX_ENTRIES = 100_000
MAX_DEPTH = 50

NOISE = ("node_modules", "__pycache__")
"""Folders that are entered only when the path of the listing names them."""

TEMPORARY = ".smolpaws-new"
"""How the names of half-written files end; only a killed process leaves one behind."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file: its normalised path, size in bytes, and how many names (hard links) it has."""

    path: str
    size: int
    links: int


@dataclass(slots=True)
class Listing:
    """Regular files, sorted by the parts of their paths, and how many names were passed over."""

    path: str
    files: list[FoundFile] = field(default_factory=list[FoundFile])
    hidden: int = 0
    noise: int = 0
    unusable: int = 0
    """Links, special files, and names that no tool can be given."""
    unreadable: int = 0
    seen: int = 0
    complete: bool = True
    """False where there is more, or it lies deeper, than a listing looks at."""


def list_below(folder: Folder, parts: tuple[str, ...], *, hidden: bool) -> Listing:
    """Everything below a folder whose path is `parts`; names that begin with a dot only if `hidden`."""
    listing = Listing(name_of(parts))
    _walk(folder, parts, listing, hidden, MAX_DEPTH)
    return listing


def _walk(folder: Folder, parts: tuple[str, ...], listing: Listing, hidden: bool, depth: int) -> None:
    room = MAX_ENTRIES - listing.seen
    if not depth or not room:
        listing.complete = False
        return
    entries = sorted(folder.scan(room), key=lambda entry: entry[0])
    listing.seen += len(entries)
    listing.complete &= len(entries) < room
    for name, found in entries:
        is_folder = stat.S_ISDIR(found.st_mode) and not is_link(found)
        if is_forbidden(name) or name.endswith(TEMPORARY):
            continue
        if is_hidden(name) and not hidden:
            listing.hidden += 1
        elif is_folder and name in NOISE:
            listing.noise += 1
        elif not _is_usable(name, parts) or not (is_folder or stat.S_ISREG(found.st_mode)):
            listing.unusable += 1
        elif is_folder:
            try:
                inner = folder.enter(name)
            except OSError:
                listing.unreadable += 1
                continue
            try:
                _walk(inner, (*parts, name), listing, hidden, depth - 1)
            finally:
                inner.close()
        else:
            listing.files.append(FoundFile(name_of((*parts, name)), found.st_size, found.st_nlink))


def _is_usable(name: str, parts: tuple[str, ...]) -> bool:
    try:
        return parts_of(f"x/{name}" if parts else name)[-1] == name
    except WorkspaceError:
        return False
