"""The text in a file's bytes: pages of it for reading, and all of it for a change, exact to the last byte (F-52)."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace
from typing import BinaryIO

from ...core.errors import WorkspaceError
from ..workspace import show

_CHUNK = 2**20
_BINARY = "holds NUL characters, so it is no text file"


@dataclass(frozen=True, slots=True)
class Page:
    """A stretch of a text; sizes in characters (code points)."""

    text: str
    offset: int
    total: int
    encoding: str = "utf-8"

    def headed(self, path: str) -> str:
        """The page as the model is shown it; `read_file` gives the format."""
        stop = self.offset + len(self.text)
        then = f"next offset {stop}" if stop < self.total else "end"
        encoding = "" if self.encoding == "utf-8" else f" · encoding {self.encoding}"
        return f"path: {path} · characters {self.offset}-{stop} of {self.total} · {then}{encoding}\n{self.text}"


def page_of(text: str, path: str, offset: int, limit: int) -> Page:
    """One page of a text that is at hand, such as a stored output."""
    _check(offset, limit)
    return _within(Page(text[offset : offset + limit], offset, len(text)), path)


def page_of_file(file: BinaryIO, path: str, offset: int, limit: int) -> Page:
    """One page of a text file of any size: all of it is decoded, only the page is kept in memory.

    UTF-8, with or without a byte order mark, and UTF-16 with one. In anything else U+FFFD stands for what is not UTF-8,
    and the page's `encoding` says so. Raises `WorkspaceError` for files with NUL characters.
    """
    _check(offset, limit)
    encoding = _encoding(file.read(4))
    try:
        page = _scan(file, path, offset, limit, encoding, "strict")
    except UnicodeDecodeError:
        page = _scan(file, path, offset, limit, encoding, "replace")
        page = replace(page, encoding=f"not {encoding} (U+FFFD stands for what is not)")
    return _within(page, path)


def _check(offset: int, limit: int) -> None:
    if offset < 0 or limit < 1:
        what = f"The offset {offset} or the limit {limit} is too small."
        raise WorkspaceError(what, code="invalid_range", detail="Use an offset of 0 or more and a limit of 1 or more.")


def _encoding(start: bytes) -> str:
    if start.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    return "utf-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"


def _scan(file: BinaryIO, path: str, offset: int, limit: int, encoding: str, errors: str) -> Page:
    file.seek(0)
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    kept: list[str] = []
    total = 0
    while True:
        data = file.read(_CHUNK)
        piece = decoder.decode(data, final=not data)
        if "\0" in piece:
            raise WorkspaceError(f"{show(path)} {_BINARY}.", code="not_text", detail="Read it with run_python.")
        kept.append(piece[max(0, offset - total) : max(0, offset + limit - total)])
        total += len(piece)
        if not data:
            return Page("".join(kept), offset, total, encoding)


def _within(page: Page, path: str) -> Page:
    if page.offset > page.total:
        what = f"The offset {page.offset} is past the end of {show(path)}, which has {page.total} characters."
        raise WorkspaceError(what, code="past_the_end", detail=f"Use an offset of at most {page.total}.")
    return page


@dataclass(frozen=True, slots=True)
class TextFile:
    """All of a UTF-8 file: its text without the byte order mark, and whether it had one."""

    text: str
    marked: bool = False

    @classmethod
    def of(cls, data: bytes, path: str) -> TextFile:
        """Raises `WorkspaceError` for bytes that could not be written back exactly: UTF-16, other encodings, binary."""
        marked = data.startswith(codecs.BOM_UTF8)
        try:
            text = data[len(codecs.BOM_UTF8) * marked :].decode()
        except UnicodeDecodeError:
            kind = "is UTF-16 text" if _encoding(data) == "utf-16" else "is not UTF-8 text"
            raise _not_editable(path, kind) from None
        if "\0" in text:
            raise _not_editable(path, _BINARY)
        return cls(text, marked)

    def data(self, text: str) -> bytes:
        """The bytes of this file with `text` as its new content."""
        return codecs.BOM_UTF8 * self.marked + encode(text)


def encode(text: str) -> bytes:
    """UTF-8. Raises `WorkspaceError` for text that is none: half of a surrogate pair, or a NUL."""
    if "\0" in text:
        raise WorkspaceError("The text holds a NUL character.", code="not_text", detail="Write text only.")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        what = f"The text holds half of a surrogate pair, at character {error.start}; no file can hold it."
        raise WorkspaceError(what, code="not_text", detail="Write the whole character.") from None


def _not_editable(path: str, kind: str) -> WorkspaceError:
    detail = "Only UTF-8 text can be edited; convert it with run_python first."
    return WorkspaceError(f"{show(path)} {kind}.", code="not_text", detail=detail)
