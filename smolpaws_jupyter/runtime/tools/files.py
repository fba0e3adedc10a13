"""What the file tools do, apart from being tools: list, read, write and edit (R-STR-10); `search.py` has the fifth.

Results are plain texts in fixed formats, which programs may parse. Everything that fails raises `WorkspaceError`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...core.errors import WorkspaceError
from ..text import diff
from ..workspace import LARGE_FILE, FoundFile, Listing, Workspace, name_of, parts_of, show
from .edits import replace_text
from .patterns import Pattern
from .text_files import TextFile, encode, page_of_file

PAGE = 20_000
MAX_PAGE = 25_000
"""Characters of a page: unless said otherwise, and at most. With its first line it fits into a bounded output."""

MOST_LINES = 500
MOST_CHARACTERS = 20_000
"""What a listing or a search shows at most."""


@dataclass(frozen=True, slots=True)
class FileText:
    """What the model is told."""

    text: str


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A change of one file, planned or made. `before` is None for a new file; `text` is what the model is told."""

    path: str
    before: bytes | None
    after: bytes
    text: str

    @property
    def replaces_binary(self) -> bool:
        """Whether it replaces something that is no UTF-8 text, as no change of a text file would."""
        return self.before is not None and _text_or_none(self.before) is None

    def diff(self) -> str:
        """The change as a unified diff, for approval; to be shown through `text.reveal`."""
        old = None if self.before is None else _text_or_none(self.before)
        if self.replaces_binary:
            old = f"({len(self.before or b'')} bytes that are not UTF-8 text)\n"
        return diff(old, self.after.decode(), self.path)


def list_files(workspace: Workspace, path: str = ".", pattern: str | None = None) -> FileText:
    """The regular files at or below `path`, sorted; with `pattern`, those that match it.

    A pattern without `/` (`*.csv`) is matched against file names, one with `/` (`data/**/*.csv`) against the path from
    `path` on; `**` stands for any number of folders. Hidden names are listed if a part of the pattern begins with a
    dot.

    The format: a line `folder: <path> · files <shown> of <all>`, then for each file shown a line `<path>  <size> bytes`
    (two blanks before the size; the path counts from the workspace), then any number of lines `note: <sentence>`.
    """
    listing, files = matching_files(workspace, path, pattern)
    lines = fitting([f"{file.path}  {file.size} bytes" for file in files])
    notes = notes_on(listing)
    if len(lines) < len(files):
        notes.append(f"{len(files) - len(lines)} more files match; name a folder or a pattern to see them.")
    return told(f"folder: {listing.path} · files {len(lines)} of {len(files)}", lines, notes)


def read_file(
    workspace: Workspace, path: str, offset: int = 0, limit: int | None = None, *, approved: bool = False
) -> FileText:
    """A page of a text file: `limit` characters (20,000 unless given, 25,000 at most) from `offset` on.

    The format: a line `path: <path> · characters <start>-<stop> of <all> · <next>`, where `<next>` is `end` or
    `next offset <stop>`, then exactly the characters from start to stop. For files that are not plain UTF-8 that line
    ends with ` · encoding <encoding>`; a byte order mark is named there (`utf-8-sig`, `utf-16`) and is no character.
    The texts of all pages, joined, are the text of the file. Match the line from its end: a path may hold a ` · `.

    `approved` is a person's word on a file about which the workspace has concerns.
    """
    name = name_of(parts_of(path))
    with workspace.open(path, approved=approved) as file:
        return FileText(page_of_file(file, name, offset, min(limit or PAGE, MAX_PAGE)).headed(name))


def plan_write(workspace: Workspace, path: str, content: str) -> FileWrite:
    """What `write_file` would do; nothing is changed yet."""
    before, after = workspace.read_for_change(path), encode(content)
    name = name_of(parts_of(path))
    if before is None:
        return FileWrite(name, before, after, f"created {name} · {len(after)} bytes")
    if before == after:
        return FileWrite(name, before, after, f"unchanged {name} · {len(after)} bytes, the same as before")
    return FileWrite(name, before, after, f"replaced {name} · {len(before)} -> {len(after)} bytes")


def plan_edit(workspace: Workspace, path: str, old: str, new: str, *, replace_all: bool = False) -> FileWrite:
    """What `edit_file` would do; nothing is changed yet."""
    before = workspace.read_for_change(path)
    name = name_of(parts_of(path))
    if before is None:
        raise WorkspaceError(f"{show(name)} does not exist.", code="not_found", detail="Create it with write_file.")
    file = TextFile.of(before, name)
    edit = replace_text(file.text, old, new, name, replace_all=replace_all)
    after = file.data(edit.text)
    places = "1 place" if edit.count == 1 else f"{edit.count} places"
    text = f"edited {name} · {places}, from line {edit.line} on · {len(before)} -> {len(after)} bytes"
    return FileWrite(name, before, after, text)


def apply_write(workspace: Workspace, change: FileWrite) -> FileWrite:
    """Makes a planned change. Refused with the code `changed` if the file is no longer what the plan was made from."""
    if len(change.after) > LARGE_FILE:
        what = f"{show(change.path)} would have {len(change.after)} bytes; file tools write up to {LARGE_FILE}."
        raise WorkspaceError(what, code="too_large", detail="Write it in parts, or with run_python.")
    workspace.write(change.path, change.after, expected=change.before)
    return change


def write_file(workspace: Workspace, path: str, content: str) -> FileWrite:
    """Creates a text file, or replaces one whole, with exactly `content` as UTF-8."""
    return apply_write(workspace, plan_write(workspace, path, content))


def edit_file(workspace: Workspace, path: str, old: str, new: str, *, replace_all: bool = False) -> FileWrite:
    """Replaces the one occurrence of `old`, or all. Line ends, the byte order mark and a missing last line end stay."""
    return apply_write(workspace, plan_edit(workspace, path, old, new, replace_all=replace_all))


def matching_files(workspace: Workspace, path: str, pattern: str | None) -> tuple[Listing, list[FoundFile]]:
    """What lies below `path`, and those files of it that the pattern means."""
    wanted = None if pattern is None else Pattern.of(pattern)
    listing = workspace.files(path, hidden=wanted is not None and wanted.hidden)
    start = len(parts_of(path))
    if wanted is None:
        return listing, listing.files
    return listing, [file for file in listing.files if wanted.matches(_from(file.path, start))]


def _from(path: str, start: int) -> tuple[str, ...]:
    parts = path.split("/")
    return tuple(parts[start:] or parts[-1:])


def fitting(lines: list[str]) -> list[str]:
    """As many lines from the first on as a result may show."""
    shown: list[str] = []
    room = MOST_CHARACTERS
    for line in lines[:MOST_LINES]:
        room -= len(line) + 1
        if room < 0:
            break
        shown.append(line)
    return shown


def notes_on(listing: Listing) -> list[str]:
    """What a listing passed over, in sentences."""
    notes: list[str] = []
    if listing.hidden:
        notes.append(
            f"hidden names left out: {listing.hidden}; a pattern with a dot in front, such as '.*', shows them."
        )
    if listing.noise:
        notes.append(f"folders such as node_modules left out: {listing.noise}; name one as path to look into it.")
    if listing.unusable:
        notes.append(f"links, special files and names that no tool can use left out: {listing.unusable}.")
    if listing.unreadable:
        notes.append(f"folders that may not be read: {listing.unreadable}.")
    if not listing.complete:
        notes.append("there is more, or it lies deeper, than is looked at; name a folder to see it.")
    return notes


def told(header: str, lines: list[str], notes: list[str]) -> FileText:
    """The layout of listings and search results."""
    return FileText("\n".join([header, *lines, *(f"note: {note}" for note in notes)]))


def _text_or_none(data: bytes) -> str | None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
