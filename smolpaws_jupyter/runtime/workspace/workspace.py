"""Finds, reads, writes and lists the files of one folder, walking to each of them without following a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ...core.errors import WorkspaceError
from .files import LARGE_FILE, changeable, opened, read_whole, refuse_special, replace
from .folders import Folder, FolderByDescriptor, FolderByName
from .listing import FoundFile, Listing, list_below
from .paths import ON_WINDOWS, classify, name_of, parts_of, refuse_forbidden, show
from .words import in_words


class Workspace:
    """The files below `root` (F-48 to F-53, F-60). Methods raise `WorkspaceError` for what may not be, or cannot.

    Paths are relative and use `/`. A hard link cannot be told from a file of the folder, so it is never written, and
    read only with a person's word. `by_name` is the weaker way for systems without descriptor calls.
    """

    def __init__(self, root: str | os.PathLike[str], *, by_name: bool = ON_WINDOWS) -> None:
        self.root = Path(root).resolve()
        if not self.root.is_dir():
            what = f"The workspace {show(str(root))} is not a folder."
            raise WorkspaceError(what, code="no_workspace", detail="Make the folder first, or name another.")
        with in_words(str(root)):
            self._hold = FolderByName.at if by_name else FolderByDescriptor.at
            folder = self._hold(str(self.root))
            self._identity = _identity(folder)
            folder.close()

    def find(self, path: str) -> FoundFile | None:
        """The regular file at `path`; None if nothing is there."""
        parts = _file_parts(path)
        try:
            with in_words(path), self._folder(parts[:-1]) as folder:
                return _found(parts, folder.stat(parts[-1]))
        except WorkspaceError as error:
            return _none_if_missing(error)

    def concerns(self, path: str) -> tuple[str, ...]:
        """Why reading `path` needs a person's word, in sentences; empty if it does not, or if nothing is there."""
        found = self.find(path)
        return _concerns(found) if found else ()

    @contextmanager
    def open(self, path: str, *, approved: bool = False) -> Generator[BinaryIO]:
        """A file, open for reading. `approved` is a person's word on this file; without it, `concerns` are refused."""
        parts = _file_parts(path)
        with in_words(path), self._folder(parts[:-1]) as folder, opened(folder, parts[-1]) as file:
            concerns = _concerns(_found(parts, os.fstat(file.fileno())))
            if concerns and not approved:
                detail = "Only a person can allow it."
                raise WorkspaceError(" ".join(concerns), code="needs_approval", detail=detail)
            yield file

    def read_for_change(self, path: str) -> bytes | None:
        """All bytes of a file that is to be changed, None if there is none. Refuses what `write` would refuse."""
        parts = _file_parts(path)
        try:
            with in_words(path), self._folder(parts[:-1]) as folder, changeable(folder, parts[-1]) as file:
                return read_whole(file, parts[-1])
        except WorkspaceError as error:
            return _none_if_missing(error)

    def write(self, path: str, data: bytes, *, expected: bytes | None) -> None:
        """Replaces the bytes `expected` by `data`, durably and in one step; None creates the file and its folders.

        If something else is there by now, or the disk is full, the error leaves it as it was (F-52, F-53).
        """
        parts = _file_parts(path)
        with in_words(path), self._folder(parts[:-1], make=expected is None) as folder:
            replace(folder, parts[-1], data, expected)

    def files(self, path: str = ".", *, hidden: bool = False) -> Listing:
        """The regular files below `path`, or the one at it. No link is followed, no `.git` or `.smolpaws` entered."""
        parts = parts_of(path)
        refuse_forbidden(parts)
        if parts and not path.endswith("/"):
            with in_words(path), self._folder(parts[:-1]) as folder:
                found = folder.stat(parts[-1])
                if not stat.S_ISDIR(found.st_mode):
                    return Listing(name_of(parts), [_found(parts, found)])
        with in_words(path), self._folder(parts) as folder:
            return list_below(folder, parts, hidden=hidden)

    @contextmanager
    def _folder(self, parts: tuple[str, ...], *, make: bool = False) -> Generator[Folder]:
        folder: Folder = self._hold(str(self.root))
        try:
            if _identity(folder) != self._identity:
                what = "The workspace was replaced by another folder of that name."
                raise WorkspaceError(what, code="workspace_replaced", detail="Make a new agent in it.")
            for part in parts:
                inner = folder.enter(part, make=make)
                folder.close()
                folder = inner
            yield folder
        finally:
            folder.close()


def _identity(folder: Folder) -> tuple[int, int]:
    found = folder.itself()
    return found.st_dev, found.st_ino


def _file_parts(path: str) -> tuple[str, ...]:
    parts = parts_of(path)
    refuse_forbidden(parts)
    if not parts or path.endswith(("/", "/.", "/..")):
        raise WorkspaceError(
            f"{show(path)} names a folder, not a file.", code="not_a_file", detail="Name a file in it."
        )
    return parts


def _found(parts: tuple[str, ...], found: os.stat_result) -> FoundFile:
    refuse_special(parts[-1], found)
    return FoundFile(name_of(parts), found.st_size, found.st_nlink)


def _none_if_missing(error: WorkspaceError) -> None:
    if error.code != "not_found":
        raise error


def _concerns(file: FoundFile) -> tuple[str, ...]:
    named = classify(file.path)
    concerns = [named.reason] if named.kind == "protected" else []
    if file.size > LARGE_FILE:
        concerns.append(f"{show(file.path)} has {file.size} bytes; up to {LARGE_FILE} are read without asking.")
    if file.links > 1:
        concerns.append(f"{show(file.path)} has {file.links} names (hard links), so it may be a file from elsewhere.")
    return tuple(concerns)
