"""The notes of the practice model: plain lines that it, and a person, can read again after a reset.

`GOAL words` for each task; `DONE file offset of size` (characters) and behind it `FACT file | ... | end` with the
figures of what is covered; `TODO` lines for people; `ATTEMPT number` only where findings were lost.
"""

from __future__ import annotations

import re
from decimal import Decimal

from ..base import Frozen, JsonObject
from .arithmetic import Column, Spot, plain
from .facts import Facts
from .tasks import Figure, Needs

NOTHING_OPEN = "No open task was found in the history."
"""A summary of work that is done."""

_ROWS, _COLUMNS = Figure(kind="rows"), Figure(kind="columns")


class Notes(Frozen):
    """What a text in the notes format says. `facts` are those whose lines are whole."""

    goals: tuple[str, ...] = ()
    attempt: int = 0
    facts: tuple[Facts, ...] = ()

    def __add__(self, later: Notes) -> Notes:
        """Both; of two facts about one file the one that covers more."""
        facts = {fact.file: fact for fact in sorted(self.facts + later.facts, key=lambda fact: fact.offset)}
        goals = tuple(dict.fromkeys(self.goals + later.goals))
        return Notes(goals=goals, attempt=max(self.attempt, later.attempt), facts=tuple(facts.values()))


def write(goals: list[str], facts: list[Facts], rest: list[str], *, attempt: int = 0) -> str:
    """The notes as text. Files of which nothing is covered are left out."""
    lines = [f"GOAL {goal}" for goal in goals]
    lines += [f"ATTEMPT {attempt}"] if attempt else []
    for fact in facts:
        if fact.size is not None and (fact.offset or fact.complete):
            lines += [f"DONE {_safe(fact.file)} {fact.offset} of {fact.size}", _fact_line(fact)]
    return "\n".join([*lines, *(f"TODO {what}" for what in rest)]) + "\n"


def read(text: str) -> Notes:
    """What a text says in this format; other lines are passed over. A FACT counts only behind its DONE, and whole."""
    goals: list[str] = []
    attempt = 0
    done: dict[str, tuple[int, int]] = {}
    facts: dict[str, Facts] = {}
    for line in text.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "GOAL" and rest:
            goals.append(rest)
        elif word == "ATTEMPT" and rest.isdecimal():
            attempt = int(rest)
        elif word == "DONE" and (match := re.fullmatch(r"(\S+) (\d+) of (\d+)", rest)):
            done[match[1]] = int(match[2]), int(match[3])
        elif word == "FACT":
            name, *parts = rest.split(" | ")
            if name in done and parts[-1:] == ["end"]:
                try:
                    fact = _fact(_raw(name), *done.pop(name), parts)
                except (ValueError, ArithmeticError):  # somebody else wrote here
                    continue
                facts[fact.file] = fact
    return Notes(goals=tuple(dict.fromkeys(goals)), attempt=attempt, facts=tuple(facts.values()))


def _fact_line(fact: Facts) -> str:
    parts = [_safe(fact.file), *([f"rows {fact.rows}"] if fact.needs.table else [])]
    parts += [_part(figure, fact) for figure in fact.needs.figures if figure != _ROWS]
    still_of_use = not fact.complete or None in fact.columns.values()
    if fact.header and still_of_use and _COLUMNS not in fact.needs.figures:
        parts.append(f"header {_names(fact.header)}")
    parts += [f"delimiter {_safe(fact.delimiter)}"] if fact.delimiter != "," else []
    parts += [f"problem {_safe(fact.problem)}"] if fact.problem else []
    return "FACT " + " | ".join([*parts, "end"])


def _part(figure: Figure, fact: Facts) -> str:
    if figure == _COLUMNS:
        return f"columns {_names(fact.header)}"
    name = f"{figure.kind} {_safe(figure.name)}"
    if figure.kind == "word":
        return f"{name}: {fact.words[figure.name]}"
    column = fact.columns[figure.name]
    if column is None:
        return f"{name}: no column"
    spot = {"smallest": column.smallest, "largest": column.largest}.get(figure.kind)
    value = f"{plain(spot.value)} in row {spot.row}" if spot else plain(column.total)
    left_out = f", {column.left_out} left out" if column.left_out else ""
    over = "/" if figure.kind == "mean" else "of"
    return f"{name}: {value} {over} {column.count}{left_out}" if column.count else f"{name}: none{left_out}"


def _names(header: tuple[str, ...]) -> str:
    return " ".join(map(_safe, header))


_NUMBERS = re.compile(r"(?:none|(-?[\d.]+)(?: in row (\d+))? (?:of|/) (\d+))(?:, (\d+) left out)?")


def _fact(file: str, offset: int, size: int, parts: list[str]) -> Facts:
    """Raises `ValueError` for what `_fact_line` does not write."""
    figures: list[Figure] = []
    columns: dict[str, Column | None] = {}
    words: dict[str, int] = {}
    other: JsonObject = {}
    for part in parts[:-1]:
        key, _, rest = part.partition(" ")
        name, _, value = rest.partition(": ")
        figure = Figure(kind=key, name=_raw(name))
        if key in ("header", "columns"):
            other["header"] = tuple(map(_raw, rest.split()))
            figures += [_COLUMNS] if key == "columns" else []
        elif key in ("delimiter", "problem"):
            other[key] = _raw(rest)
        elif key == "rows":
            other["rows"] = int(rest)
            figures.append(_ROWS)
        elif key == "word":
            words[figure.name] = int(value)
            figures.append(figure)
        elif figure.of_numbers:
            columns[figure.name] = _joined(columns.get(figure.name), _column(value, key, file))
            figures.append(figure)
        else:
            raise ValueError(part)
    return Facts(
        file=file, needs=Needs(figures=tuple(figures)), offset=offset, size=size, columns=columns, words=words, **other
    )


def _column(text: str, kind: str, file: str) -> Column | None:
    if text == "no column":
        return None
    match = _NUMBERS.fullmatch(text)
    if match is None:
        raise ValueError(text)
    left_out = int(match[4] or 0)
    if match[1] is None:
        return Column(left_out=left_out)
    value, count = Decimal(match[1]), int(match[3])
    if match[2] is None:
        return Column(count=count, total=value, left_out=left_out)
    spot = Spot(value=value, row=int(match[2]), file=file)
    if kind == "smallest":
        return Column(count=count, smallest=spot, left_out=left_out)
    return Column(count=count, largest=spot, left_out=left_out)


def _joined(one: Column | None, other: Column | None) -> Column | None:
    """Two parts about the same numbers: what one of them does not say is in the other."""
    if one is None or other is None:
        return one or other
    return other.model_copy(
        update={
            "total": one.total or other.total,
            "smallest": one.smallest or other.smallest,
            "largest": one.largest or other.largest,
        }
    )


def _safe(name: str) -> str:
    """A name without what separates things in a line; an empty one is `%;`."""
    return re.sub(r"[%|:\s]", lambda match: f"%{ord(match[0]):x};", name) or "%;"


def _raw(name: str) -> str:
    return re.sub(r"%([0-9a-f]{0,6});", lambda match: chr(int(match[1], 16)) if match[1] else "", name)
