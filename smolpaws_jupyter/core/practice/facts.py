"""What is known of one file: its figures up to an offset, and how they grow with the text that follows there."""

from __future__ import annotations

import csv

from ..base import Frozen
from .arithmetic import Column, column_of
from .tables import count_word, delimiter_of, find_column, records, whole_words
from .tasks import Figure, Needs


class Facts(Frozen):
    """The figures of the first `offset` characters of a file of `size` characters (None: not known yet).

    `columns` and `words` are keyed by what was asked for; a column that the file does not have is None there. Of each
    column only those figures count that are among the needs; `rows` counts in every table.
    """

    file: str
    needs: Needs
    offset: int = 0
    size: int | None = None
    header: tuple[str, ...] = ()
    delimiter: str = ","
    rows: int = 0
    columns: dict[str, Column | None]
    words: dict[str, int]
    problem: str = ""
    """Why the rest of the file cannot be used."""

    @property
    def complete(self) -> bool:
        return self.offset == self.size or bool(self.problem)

    def answers(self, needs: Needs) -> bool:
        """Whether these facts were gathered with all of these needs in mind."""
        known = (*self.needs.figures, *((Figure(kind="rows"),) if self.needs.table else ()))
        return needs.table == self.needs.table and all(figure in known for figure in needs.figures)


def start(file: str, needs: Needs) -> Facts:
    """Nothing is known yet."""
    return Facts(file=file, needs=needs, columns=dict.fromkeys(needs.columns), words=dict.fromkeys(needs.words, 0))


def grow(facts: Facts, text: str, stop: int, size: int) -> Facts:
    """The facts after the text between their offset and `stop`. What is unfinished at its end is left for later."""
    last = stop == size
    known = facts.model_copy(update={"size": size})
    if not facts.needs.table:
        used = whole_words(text, last=last)
        return known.model_copy(update={"offset": stop - (len(text) - used), "words": _counted(facts, text[:used])})
    delimiter = facts.delimiter if facts.header else delimiter_of(text)
    try:
        rows, used = records(text, delimiter, last=last)
    except csv.Error as error:
        return known.model_copy(update={"problem": f"is no CSV that can be read: {error}"})
    header = facts.header
    if not header and rows:
        header, rows = tuple(name.strip() for name in rows[0]), rows[1:]
    return known.model_copy(
        update={
            "offset": stop - (len(text) - used),
            "header": header,
            "delimiter": delimiter if header else facts.delimiter,
            "rows": facts.rows + len(rows),
            "columns": {name: _column(facts, header, name, rows) for name in facts.columns},
            "words": _counted(facts, text[:used]),
        }
    )


def _counted(facts: Facts, text: str) -> dict[str, int]:
    return {word: count + count_word(text, word) for word, count in facts.words.items()}


def _column(facts: Facts, header: tuple[str, ...], name: str, rows: list[list[str]]) -> Column | None:
    index = find_column(header, name)
    if index is None:
        return None
    cells = [row[index] if index < len(row) else "" for row in rows]
    return (facts.columns[name] or Column()) + column_of(cells, facts.file, facts.rows + 1)
