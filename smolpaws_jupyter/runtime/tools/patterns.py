"""Which paths a pattern such as `*.csv` or `data/**/*.csv` means."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ...core.errors import WorkspaceError
from ..workspace import show

_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Pattern:
    """`*`, `?` and `[...]` stay within one part of a path; the part `**` stands for any number of folders."""

    parts: tuple[str, ...]
    anywhere: bool
    """Without a `/` a pattern is matched against the last part of a path alone."""

    @classmethod
    def of(cls, pattern: str) -> Pattern:
        """Raises `WorkspaceError` for a pattern that can match nothing below a folder."""
        parts = tuple(_same_spelling(part) for part in pattern.split("/") if part not in ("", "."))
        if not parts or ".." in parts or len(pattern) > _LONGEST:
            what = f"The pattern {show(pattern)} is empty, leads out of the folder, or is longer than {_LONGEST}."
            raise WorkspaceError(what, code="invalid_pattern", detail="Use one such as '*.csv' or 'data/**/*.csv'.")
        return cls(parts, anywhere="/" not in pattern)

    @property
    def hidden(self) -> bool:
        """Whether it asks for hidden names: one of its parts begins with a dot."""
        return any(part.startswith(".") for part in self.parts)

    def matches(self, path: tuple[str, ...]) -> bool:
        """Whether the parts of a path match; the path begins where the search does."""
        if self.anywhere:
            return fnmatchcase(_same_spelling(path[-1]), self.parts[0])
        used = self._past_stars({0})  # how many parts of the pattern the path so far may have used up
        for name in path:
            spelled = _same_spelling(name)
            inner = [i for i in used if i < len(self.parts)]
            stay = {i for i in inner if self.parts[i] == "**"}
            used = self._past_stars(stay | {i + 1 for i in inner if fnmatchcase(spelled, self.parts[i])})
        return len(self.parts) in used

    def _past_stars(self, used: set[int]) -> set[int]:
        for i, part in enumerate(self.parts):
            if part == "**" and i in used:
                used.add(i + 1)
        return used


def _same_spelling(part: str) -> str:
    """Some disks keep accents as letters of their own."""
    return unicodedata.normalize("NFC", part)
