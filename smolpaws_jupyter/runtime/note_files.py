"""The notes as they are now, beside what the log says of them: read inside the workspace, when somebody asks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

from ..core.errors import WorkspaceError
from ..core.instruments.notes import (
    NameOf,
    Notebook,
    NoteChange,
    NoteDiff,
    NoteFile,
    NoteReading,
    NotesAtReset,
    Stretch,
)
from .text import diff
from .workspace import Workspace, classify

MOST_FILES = 100
MOST_BYTES = 20_000
"""Of one note that is shown. A larger one is only named."""
MOST_DIFFS = 300_000
"""Characters of all differences that are told at once: the latest are, earlier ones only by their lines."""


def names_notes(folder: str) -> NameOf:
    """Tells which paths lie below the notes folder, by the rule that the file tools go by."""

    def name_of(path: str) -> str | None:
        found = classify(path, notes=folder)
        return found.path if found.kind == "notes" else None

    return name_of


def notes_now(workspace: Workspace, folder: str, left: Mapping[str, str | None]) -> tuple[list[NoteFile], str]:
    """The files of the notes folder, and why there are none, or not all. `left` is what the log says the agent left.

    A file is read as the agent may read it without asking; of any other only its name is told.
    """
    try:
        listing = workspace.files(f"{folder}/")
    except WorkspaceError as error:
        return _missing(left, set()), "" if error.code == "not_found" else str(error)
    shown = listing.files[:MOST_FILES]
    more = len(listing.files) - len(shown)
    files = [_note(workspace, found.path, found.size, left) for found in shown]
    there = {found.path for found in listing.files}
    return files + _missing(left, there), f"{more} more files are not shown." if more else ""


def _note(workspace: Workspace, path: str, size: int, left: Mapping[str, str | None]) -> NoteFile:
    text, why = None, ""
    digest = None
    try:
        with workspace.open(path) as file:
            data = file.read()
    except WorkspaceError as error:
        why = str(error)
    else:
        digest, size = hashlib.sha256(data).hexdigest(), len(data)
        text = _text(data) if size <= MOST_BYTES else None
        if text is None:
            why = f"It has {size} bytes." if size > MOST_BYTES else "It is no UTF-8 text."
    known = left.get(path)
    state = "other" if known is None else "unknown" if digest is None else "left" if digest == known else "changed"
    return NoteFile(path=path, bytes=size, text=text, why=why, state=state)


def _missing(left: Mapping[str, str | None], there: set[str]) -> list[NoteFile]:
    return [NoteFile(path=path, bytes=0, text=None, state="gone") for path in sorted(left) if path not in there]


class NoteDiffs:
    """What changes of notes were, as differences of texts; what was once made is kept."""

    def __init__(self, load: Callable[[str], bytes | None]) -> None:
        """`load` gives bytes by their SHA-256, None where they are not stored any more."""
        self._load = load
        self._made: dict[tuple[str, str | None, str | None], str | None] = {}
        self._room = 0

    def told(self, book: Notebook) -> tuple[list[NotesAtReset], list[NoteDiff]]:
        """What the log says of the notes at each reset, and since the latest."""
        self._room = MOST_DIFFS
        since = self._diffs(book.stretches[-1])
        numbers = range(len(book.stretches) - 1, 0, -1)
        resets = [self._at_reset(number, book.stretches[number - 1], book.stretches[number]) for number in numbers]
        return resets[::-1], since

    def _at_reset(self, number: int, before: Stretch, after: Stretch) -> NotesAtReset:
        assert after.began is not None
        reads = sorted(after.reads.items())
        return NotesAtReset(
            number=number,
            position=after.began.position,
            event_id=after.began.event_id,
            time=after.began.time,
            cause=after.began.cause,
            changes=tuple(self._diffs(before)),
            read=tuple(NoteReading(path=path, characters=r.characters, total=r.total) for path, r in reads),
            unread=tuple(path for path in sorted(after.known) if path not in after.reads),
        )

    def _diffs(self, stretch: Stretch) -> list[NoteDiff]:
        return [self._diff(path, change) for path, change in sorted(stretch.changes.items())]

    def _diff(self, path: str, change: NoteChange) -> NoteDiff:
        key = (path, change.before, change.after)
        if key not in self._made:
            self._made[key] = self._make(*key)
        text = self._made[key]
        signs = None if text is None else [line[:1] for line in text.split("\n")[2:]]
        self._room -= len(text or "")
        return NoteDiff(
            path=path,
            created=change.before is None,
            added=None if signs is None else signs.count("+"),
            removed=None if signs is None else signs.count("-"),
            diff=text if self._room >= 0 else None,
            times=change.times,
            otherwise=change.otherwise,
        )

    def _make(self, path: str, before: str | None, after: str | None) -> str | None:
        old, new = self._text(before), self._text(after)
        return None if old is None or new is None else diff(None if before is None else old, new, path)

    def _text(self, sha256: str | None) -> str | None:
        if sha256 is None:
            return ""
        data = self._load(sha256)
        return None if data is None else _text(data)


def _text(data: bytes) -> str | None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
