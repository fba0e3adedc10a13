"""Figures that can be added up part by part: exact sums, and the smallest and largest number with file and row.

The figures of two parts, added, are the figures of the whole: that is why a reset in between costs nothing.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal, Inexact, InvalidOperation

from ..base import Frozen

_NUMBER = re.compile(r"[+-]?([0-9]{1,60}(\.[0-9]{0,60})?|\.[0-9]{1,60})([eE][+-]?[0-9]{1,2})?")
# Numbers of that shape reach from 10**-160 to 10**160, so sums of them fit with room for any count of rows.
_EXACT = Context(prec=400, Emin=-999, Emax=999, traps=[Inexact, InvalidOperation])
_ROUNDED = Context(prec=10)


def number(cell: str) -> Decimal | None:
    """The number in a cell; None for blanks, words, and what only looks like a number (`1,000`, `NaN`, `1_0`)."""
    text = cell.strip()
    return Decimal(text) if _NUMBER.fullmatch(text) else None


class Spot(Frozen):
    """A number and where it stands; `row` counts data rows from 1, the header apart."""

    value: Decimal
    row: int
    file: str = ""


class Column(Frozen):
    """The numbers of one column in some rows."""

    count: int = 0
    total: Decimal = Decimal(0)
    smallest: Spot | None = None
    largest: Spot | None = None
    left_out: int = 0
    """Cells that hold something, but no number."""

    def __add__(self, later: Column) -> Column:
        """Both parts together. Of equal numbers the earlier one keeps its place."""
        return Column(
            count=self.count + later.count,
            total=_EXACT.add(self.total, later.total),
            smallest=_better(self.smallest, later.smallest, -1),
            largest=_better(self.largest, later.largest, 1),
            left_out=self.left_out + later.left_out,
        )

    @property
    def mean(self) -> Decimal | None:
        """The total divided by the count, rounded to ten digits."""
        return _ROUNDED.divide(self.total, self.count) if self.count else None


def _better(first: Spot | None, second: Spot | None, sign: int) -> Spot | None:
    if first is None or second is None:
        return first or second
    return second if sign * second.value.compare(first.value) > 0 else first


def column_of(cells: list[str], file: str, first_row: int) -> Column:
    """The figures of consecutive cells; the first one stands in row `first_row`."""
    total, count, left_out = Decimal(0), 0, 0
    smallest: Spot | None = None
    largest: Spot | None = None
    for row, cell in enumerate(cells, first_row):
        value = number(cell)
        if value is None:
            left_out += bool(cell.strip())
            continue
        count += 1
        total = _EXACT.add(total, value)
        if smallest is None or value < smallest.value:
            smallest = Spot(value=value, row=row, file=file)
        if largest is None or value > largest.value:
            largest = Spot(value=value, row=row, file=file)
    return Column(count=count, total=total, smallest=smallest, largest=largest, left_out=left_out)


def plain(value: Decimal) -> str:
    """A number as people write it: no exponent, no zeros at the end of a fraction."""
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text
