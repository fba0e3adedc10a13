"""Text that arrives in pages: the CSV records and words that are surely whole, and where the next one begins."""

from __future__ import annotations

import csv
import io
import re

DELIMITERS = ",;\t|"


class _Lines:
    """Hands lines to the CSV reader, and notices when it asks for more than there are."""

    def __init__(self, text: str) -> None:
        # newline="" keeps line ends as they are, and splits at all three kinds of them.
        self._lines = list(io.StringIO(text, newline=""))
        self.taken = 0
        self.ran_out = False

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self.taken == len(self._lines):
            self.ran_out = True
            raise StopIteration
        self.taken += 1
        return self._lines[self.taken - 1]

    def length(self, start: int) -> int:
        """The characters from line `start` to the last one taken."""
        return sum(map(len, self._lines[start : self.taken]))

    def ended(self) -> bool:
        """Whether the last line taken is whole: a `\\r` at the very end may be half of a line end."""
        line = self._lines[self.taken - 1]
        return line.endswith("\n") or (line.endswith("\r") and self.taken < len(self._lines))


def records(text: str, delimiter: str, *, last: bool) -> tuple[list[list[str]], int]:
    """The CSV records that surely end within `text`, and how many characters they and their line ends take.

    `last` says that the file ends with `text`; then all of it counts. What a record is, Python's own reader decides,
    line breaks inside quotes included. Blank lines are none. Raises `csv.Error` for what that reader refuses.
    """
    lines = _Lines(text)
    rows: list[list[str]] = []
    used = done = 0
    for row in csv.reader(lines, delimiter=delimiter):
        # The reader gives an unfinished record away by asking for one line more.
        if not last and (lines.ran_out or not lines.ended()):
            break
        used += lines.length(done)
        done = lines.taken
        if row:
            rows.append(row)
    return rows, len(text) if last else used


def delimiter_of(text: str) -> str:
    """The character that separates the names of the header, which is the first line of `text`."""
    header = next(iter(io.StringIO(text)), "")
    return max(DELIMITERS, key=re.sub(r'"[^"]*"', "", header).count)


def find_column(header: tuple[str, ...], name: str) -> int | None:
    """The column of that name: as written, else without regard to capitals, else of letters and digits alone."""
    for same in (str, str.casefold, _letters):
        if same(name) in (names := [same(given) for given in header]) and same(name):
            return names.index(same(name))
    return None


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def whole_words(text: str, *, last: bool) -> int:
    """How many characters of `text` end with a blank or a line break, so that no word goes on behind them."""
    if last:
        return len(text)
    blanks = re.search(r"\s\S*\Z", text)
    return blanks.start() + 1 if blanks else 0


def count_word(text: str, word: str) -> int:
    """How often a whole word occurs, in capital or small letters."""
    return len(re.findall(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE))
