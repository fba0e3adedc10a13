"""Replacing one piece of text by another, pure: found once or said why not (F-52)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ...core.errors import WorkspaceError
from ..text import reveal
from ..workspace import show

_LONE_NEWLINE = re.compile(r"(?<!\r)\n")
_MOST_PLACES = 11
_MOST_COMPARED = 10_000
_CLOSE = 0.3
_WIDTH = 200


@dataclass(frozen=True, slots=True)
class Edit:
    """The new text, how many places were replaced, and the line (from 1) of the first."""

    text: str
    count: int
    line: int


def replace_text(text: str, old: str, new: str, path: str, *, replace_all: bool = False) -> Edit:
    r"""Replaces `old` by `new`: its one occurrence, or all with `replace_all`.

    Where every line of `text` ends with `\r\n`, lines of `old` and `new` are taken to end so too. Raises
    `WorkspaceError` if `old` stands there several times (naming the lines) or not at all (naming the closest text), and
    if nothing would change.
    """
    if "\r\n" in text and not _LONE_NEWLINE.search(text):
        old, new = _LONE_NEWLINE.sub("\r\n", old), _LONE_NEWLINE.sub("\r\n", new)
    if old == new or not old:
        what = "The new text is the old one" if old else "The text to replace is empty"
        raise WorkspaceError(f"{what}; nothing was changed.", code="nothing_to_change", detail="Say what to replace.")
    places = list(islice(_places(text, old), _MOST_PLACES))
    if not places:
        detail = "Read the file again and copy the text exactly, with its blanks and line ends."
        what = f"The text to replace does not stand in {show(path)}; nothing was changed.{_closest(text, old)}"
        raise WorkspaceError(what, code="text_not_found", detail=detail)
    lines = [text.count("\n", 0, place) + 1 for place in places]
    count = text.count(old)
    if len(places) > 1 and not replace_all:
        shown = ", ".join(map(str, lines[:10])) + (", ..." if len(lines) > 10 else "")
        what = f"The text to replace stands {max(count, len(places))} times in {show(path)}, at lines {shown};"
        detail = "Add a neighbouring line to say which one is meant, or set replace_all."
        raise WorkspaceError(f"{what} nothing was changed.", code="text_found_often", detail=detail)
    return Edit(text.replace(old, new), count, lines[0])


def _places(text: str, old: str) -> Iterator[int]:
    """Also places that overlap: "aa" stands twice in "aaa", and which one is meant is not clear."""
    at = text.find(old)
    while at >= 0:
        yield at
        at = text.find(old, at + 1)


def _closest(text: str, old: str) -> str:
    """Where the text most like the first line of `old` stands, and the first line at which the two differ."""
    lines, wanted = text.split("\n"), old.split("\n")
    first = next((i for i, line in enumerate(wanted) if line.strip()), 0)
    start = _most_alike(wanted[first].strip(), [line.strip() for line in lines])
    for number, (theirs, mine) in enumerate(zip(lines[start:], wanted[first:], strict=False), start + 1):
        if mine != theirs:
            return f" The closest is line {number}, with {_quoted(theirs)} instead of {_quoted(mine)}."
    return ""


def _most_alike(sought: str, lines: list[str]) -> int:
    """The index of the line that shares most with `sought`; past the last one if none shares enough."""
    if sought in lines:
        return lines.index(sought)
    # Not difflib: it takes seconds on long lines of data.
    wanted = _triples(sought)
    best, best_share = len(lines), _CLOSE
    for index, line in enumerate(lines[:_MOST_COMPARED]):
        triples = _triples(line)
        share = len(wanted & triples) / len(wanted | triples)
        if share > best_share:
            best, best_share = index, share
    return best


def _triples(line: str) -> set[str]:
    line = line[:_WIDTH]
    return {line[i : i + 3] for i in range(len(line) - 2)} or {line}


def _quoted(line: str) -> str:
    seen = reveal(line)
    return f"«{seen}»" if len(seen) <= _WIDTH else f"«{seen[:_WIDTH]}...»"
