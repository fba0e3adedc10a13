"""The sentences that the practice model understands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.practice.tasks import SENTENCES, Figure, Place, Task, goes_on, understand


def task(text: str) -> Task:
    understood = understand(text)
    assert isinstance(understood, Task), understood
    return understood


def figures(text: str) -> list[tuple[str, str]]:
    return [(figure.kind, figure.name) for figure in task(text).figures]


def test_the_three_sentences_that_it_shows_are_understood() -> None:
    first, second, third = map(task, SENTENCES)

    assert first.figures == (Figure(kind="total", name="precipitation"), Figure(kind="largest", name="temp_max"))
    assert (first.places, first.report) == ((Place(path="data"),), "report.md")
    assert second.figures == (Figure(kind="rows"), Figure(kind="columns"))
    assert second.places == (Place(path="data", pattern="*.csv"),)
    assert third.figures == (Figure(kind="word", name="rain"),)
    assert third.places == (Place(path="notes.txt"),)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("What is the mean wind in the data folder?", [("mean", "wind")]),
        ("Which file has the highest temp_max in data/?", [("largest", "temp_max")]),
        ("average of a, b and c for data/**/*.csv", [("mean", "a"), ("mean", "b"), ("mean", "c")]),
        ("maximum and minimum of wind in data/", [("largest", "wind"), ("smallest", "wind")]),
        ('sum of "temp max" and the lowest `wind` in a.csv', [("total", "temp max"), ("smallest", "wind")]),
        ("Please add up the values of the column rain over data/.", [("total", "rain")]),
        ("total number of rows in data/", [("rows", "")]),
        ("Which columns do the files in folder data have?", [("columns", "")]),
        ("In data/, count the words rain and snow", [("word", "rain"), ("word", "snow")]),
        ("count 'snow' in data/*.csv", [("word", "snow")]),
    ],
)
def test_figures_are_asked_for_in_plain_english(sentence: str, expected: list[tuple[str, str]]) -> None:
    assert figures(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("count the rows of data/", [Place(path="data")]),
        ("count the rows of the data folder", [Place(path="data")]),
        ("count the rows in data/2013", [Place(path="data/2013")]),
        ("count the rows of ./a.csv and b.csv", [Place(path="./a.csv"), Place(path="b.csv")]),
        ("count the rows of *.csv", [Place(path=".", pattern="*.csv")]),
        ("count the rows in data/x-*.csv", [Place(path="data", pattern="x-*.csv")]),
        ("count the rows of data/*/x-*.csv", [Place(path="data", pattern="*/x-*.csv")]),
        ('count the rows of "my data/a b.csv"', [Place(path="my data/a b.csv")]),
    ],
)
def test_files_are_named_by_folder_pattern_or_name(sentence: str, expected: list[Place]) -> None:
    places = task(sentence).places

    assert list(places) == expected
    assert all(str(place).strip("./") in sentence for place in places)


@pytest.mark.parametrize(
    "ending",
    [
        "; write the report to out/report.md",
        " and save the results in out/report.md",
        ". Put it into the file out/report.md.",
        " and report to out/report.md",
    ],
)
def test_a_report_is_wanted_where_one_is_asked_for(ending: str) -> None:
    wanted = task(f"Count the rows of data/*.csv{ending}")

    assert wanted.report == "out/report.md"
    assert wanted.places == (Place(path="data", pattern="*.csv"),)


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("total precipitation, please", "not from which files"),
        ("look through data/ and write a report to report.md", "not which figures"),
        ("count the rows of data/ and write the results to data/results.csv", ".md or .txt"),
    ],
)
def test_half_a_task_is_answered_with_what_is_missing(sentence: str, missing: str) -> None:
    said = understand(sentence)

    assert isinstance(said, str)
    assert missing in said


@pytest.mark.parametrize(
    "text", ["", "Hello!", "Clean data.csv and plot the trend", "write a poem to poem.md", "total wind in data/ " * 60]
)
def test_anything_else_is_no_task(text: str) -> None:
    assert understand(text) == ""


def test_words_of_a_task_are_the_persons_own_on_one_line() -> None:
    assert task("Count the rows\n\nof  data/").words == "Count the rows of data/"


def test_only_a_short_word_asks_to_go_on() -> None:
    assert goes_on("Continue.")
    assert goes_on("please try again")
    assert not goes_on("Continue with the total wind of the next folder, which is data/2014 or so")
    assert not goes_on("Hello")


WORDS = ["total", "mean", "of", "in", "data/", "a.csv", ",", "and", "the", "word", '"', "'", "rows"]


@given(st.text(max_size=200) | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_no_text_is_too_much_for_it(text: str) -> None:
    understood = understand(text)

    if isinstance(understood, Task):
        assert understand(understood.words) == understood
