"""Exact figures from text that arrives in pieces: numbers, CSV records, whole words."""

from __future__ import annotations

import csv
import io
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.practice.arithmetic import Column, column_of, number, plain
from smolpaws_jupyter.core.practice.facts import Facts, grow, start
from smolpaws_jupyter.core.practice.tables import delimiter_of, find_column, records, whole_words
from smolpaws_jupyter.core.practice.tasks import Figure, Needs

NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**12), max_value=10**12)
CELLS = st.one_of(
    NUMBERS.map(str), st.text(max_size=8), st.sampled_from(["", " 7 ", "1e3", "-0.0", "1,000", "NaN", 'a "b"\n'])
)
NEEDS = Needs(
    figures=(
        Figure(kind="rows"),
        Figure(kind="total", name="a"),
        Figure(kind="smallest", name="a"),
        Figure(kind="largest", name="a"),
        Figure(kind="word", name="rain"),
    )
)


@pytest.mark.parametrize("cell", ["", "n/a", "1,000", "1_000", "NaN", "Infinity", "0x1f", "١٢", "1e400", "9" * 61])
def test_what_only_looks_like_a_number_is_none(cell: str) -> None:
    assert number(cell) is None


@pytest.mark.parametrize(("cell", "value"), [(" 7 ", "7"), ("-.5", "-0.5"), ("1e3", "1000"), ("+12.50", "12.5")])
def test_numbers_are_read_as_people_write_them(cell: str, value: str) -> None:
    found = number(cell)
    assert found is not None
    assert plain(found) == value


def test_sums_are_exact_where_floats_are_not() -> None:
    assert plain(column_of(["0.1"] * 10 + ["1e20", "-1e20"], "f", 1).total) == "1"


@given(st.lists(CELLS, max_size=30), st.integers(0, 30))
def test_figures_of_two_parts_add_up_to_those_of_the_whole(cells: list[str], cut: int) -> None:
    whole = column_of(cells, "f.csv", 1)
    parts = column_of(cells[:cut], "f.csv", 1) + column_of(cells[cut:], "f.csv", min(cut, len(cells)) + 1)

    assert parts == whole


def test_of_equal_numbers_the_first_one_is_named() -> None:
    column = column_of(["2", "5"], "a.csv", 1) + column_of(["5", "2"], "b.csv", 1)

    assert column.largest is not None
    assert column.smallest is not None
    assert (column.largest.file, column.largest.row) == ("a.csv", 2)
    assert (column.smallest.file, column.smallest.row) == ("a.csv", 1)


def test_cells_without_a_number_are_left_out_and_counted_unless_blank() -> None:
    column = column_of(["1", "", "  ", "n/a", "2"], "f", 1)

    assert (column.count, column.left_out, column.mean) == (2, 1, Decimal("1.5"))
    assert Column().mean is None


@given(
    st.lists(st.lists(st.text(alphabet='ab",;\n\r ü', max_size=6), min_size=2, max_size=3), max_size=12),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.data(),
)
def test_records_cut_anywhere_are_the_records_of_the_whole(
    rows: list[list[str]], end: str, quoting: int, data: st.DataObject
) -> None:
    """Line breaks inside quotes, doubled quotes and both halves of a line end may lie on either side of a cut."""
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator=end, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    text = file.getvalue()
    expected = [row for row in csv.reader(io.StringIO(text, newline="")) if row]

    found: list[list[str]] = []
    offset = 0
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    for cut in [*cuts, len(text)]:
        if cut < offset:
            continue
        more, used = records(text[offset:cut], ",", last=cut == len(text))
        found += more
        offset += used

    assert found == expected
    assert offset == len(text)


def test_a_stray_quote_ends_no_record_early() -> None:
    assert records('1,5" pipe\n2,x\n3,"y', ",", last=False) == ([["1", '5" pipe'], ["2", "x"]], 14)


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [("a,b;c,d\n1;2", ","), ("a;b;c", ";"), ("a\tb", "\t"), ("a|b|c\n", "|"), ("alone", ","), ('"x|y";"|"', ";")],
)
def test_the_header_tells_the_delimiter(header: str, delimiter: str) -> None:
    assert delimiter_of(header) == delimiter


def test_columns_are_found_by_their_name_then_less_strictly() -> None:
    header = ("temp_max", "Temp Max", "TEMPMAX", "%")

    assert find_column(header, "Temp Max") == 1
    assert find_column(header, "tempmax") == 2
    assert find_column(header, "temp-max") == 0
    assert find_column(header, "%") == 3
    assert find_column(header, "$") is None


@given(st.text(alphabet="rain Rain\n.", max_size=60), st.integers(0, 60))
def test_a_word_is_counted_whole_wherever_the_text_is_cut(text: str, cut: int) -> None:
    used = whole_words(text[:cut], last=False)
    words = Needs(figures=(Figure(kind="word", name="rain"),))
    facts = grow(start("f.txt", words), text[:cut], min(cut, len(text)), len(text) + 1)
    facts = grow(facts, text[used:] + " ", len(text) + 1, len(text) + 1)

    assert facts.words["rain"] == len(re.findall(r"\brain\b", text.lower()))
    assert facts.complete


@given(st.lists(st.tuples(CELLS, st.sampled_from(["rain", "sun", "rain, rain"])), max_size=12), st.data())
def test_facts_grow_page_by_page_to_those_of_the_whole_file(rows: list[tuple[str, str]], data: st.DataObject) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([("a", "b"), *rows])
    text = file.getvalue()
    whole = grow(start("f.csv", NEEDS), text, len(text), len(text))

    facts = start("f.csv", NEEDS)
    read = ""
    while not facts.complete:
        read += text[facts.offset + len(read) :][: data.draw(st.integers(1, 40))]
        before, facts = facts.offset, grow(facts, read, facts.offset + len(read), len(text))
        read = read[facts.offset - before :]

    assert facts == whole
    assert (facts.rows, facts.header) == (len(rows), ("a", "b"))


def test_a_file_without_the_column_says_so() -> None:
    facts = grow(start("f.csv", NEEDS), "b,c\n1,2\n", 8, 8)

    assert facts.columns == {"a": None}
    assert (facts.rows, facts.complete) == (1, True)


def test_a_file_that_is_no_csv_is_done_with_and_says_why() -> None:
    facts = grow(start("f.csv", NEEDS), "a\n" + "x" * 140_000, 140_002, 140_002)

    assert facts.complete
    assert "is no CSV" in facts.problem


def test_an_empty_file_has_no_rows() -> None:
    facts: Facts = grow(start("f.csv", NEEDS), "", 0, 0)

    assert (facts.rows, facts.complete, facts.header) == (0, True, ())
