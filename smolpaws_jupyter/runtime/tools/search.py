"""Finding lines in the files of the workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...core.errors import WorkspaceError
from ..text import plain
from ..workspace import LARGE_FILE, Workspace
from .files import MOST_LINES, FileText, fitting, matching_files, notes_on, told

SEARCHED_BYTES = 256 * 2**20
_AROUND = 100


def search_files(workspace: Workspace, query: str, path: str = ".", pattern: str | None = None) -> FileText:
    """Lines of text files that hold `query`: that text, not a regular expression, capital or small letters alike.

    `path` and `pattern` choose files as in `list_files`. Files that need a person's word to be read are passed over.

    The format: a line `search: lines <shown> of <found> · files searched <number>`, then for each line shown
    `<path>:<number>: <text>`, long ones cut around the query with `...`, then any number of lines `note: <sentence>`.
    """
    if not query.strip() or "\n" in query:
        what = "The query is empty." if not query.strip() else "The query holds a line break."
        raise WorkspaceError(what, code="invalid_query", detail="Search for text that stands in one line.")
    listing, files = matching_files(workspace, path, pattern)
    notes = notes_on(listing)
    passed_over = Counter[str]()
    lines: list[str] = []
    found = searched = 0
    room = SEARCHED_BYTES
    for file in files:
        room -= file.size
        if room < 0:
            notes.append(f"only {SEARCHED_BYTES} bytes are searched at once; name a folder or a pattern for the rest.")
            break
        try:
            with workspace.open(file.path) as stream:
                data = stream.read(LARGE_FILE)
        except WorkspaceError as error:
            passed_over["need a person's word" if error.code == "needs_approval" else "cannot be read"] += 1
            continue
        if b"\0" in data:
            passed_over["hold no text"] += 1
            continue
        searched += 1
        for number, line in _lines_with(query, data.decode(errors="replace")):
            found += 1
            if len(lines) < MOST_LINES:
                lines.append(f"{file.path}:{number}: {line}")
    lines = fitting(lines)
    notes += [f"files passed over because they {why}: {count}." for why, count in passed_over.items()]
    if len(lines) < found:
        notes.append(f"{found - len(lines)} more lines hold it; name a folder or a pattern, or search for more text.")
    return told(f"search: lines {len(lines)} of {found} · files searched {searched}", lines, notes)


def _lines_with(query: str, text: str) -> Iterator[tuple[int, str]]:
    sought = query.casefold()
    if sought in text.casefold():
        for number, line in enumerate(text.split("\n"), 1):
            at = line.casefold().find(sought)
            if at >= 0:
                yield number, plain(_around(line.removesuffix("\r"), at, len(query)))


def _around(line: str, at: int, length: int) -> str:
    start, stop = max(0, at - _AROUND), at + length + _AROUND
    return ("..." if start else "") + line[start:stop] + ("..." if stop < len(line) else "")
