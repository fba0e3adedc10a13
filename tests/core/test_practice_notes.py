"""The notes of the practice model: what is written is read again, and half of it counts for nothing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from smolpaws_jupyter.core.practice import notes
from smolpaws_jupyter.core.practice.facts import Facts, grow, start
from smolpaws_jupyter.core.practice.notes import Notes
from smolpaws_jupyter.core.practice.tasks import Figure, Needs

GOAL = "Count the rows and total wind of data/*.csv"
ROWS = Figure(kind="rows")
NAMES = st.text(alphabet='ab |%:;"é\u2028', min_size=1, max_size=6).filter(str.strip)


@st.composite
def facts(draw: st.DrawFn) -> Facts:
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    kinds = ["total", "mean", "smallest", "largest"]
    figures = [Figure(kind=draw(st.sampled_from(kinds)), name=name) for name in names]
    extra = draw(st.lists(st.sampled_from([Figure(kind="columns"), Figure(kind="word", name="rain")]), unique_by=repr))
    needs = Needs(figures=(ROWS, *figures, *extra))
    header = draw(st.lists(st.sampled_from([*names, "other", ""]), min_size=1, max_size=4))
    cells = st.sampled_from(["1", "-2.50", "rain", "", "1e9"])
    lines = draw(st.lists(st.lists(cells, min_size=len(header), max_size=len(header)), max_size=5))
    quoted = [";".join('"' + cell.replace('"', '""') + '"' for cell in line) for line in [header, *lines]]
    text = "\n".join(quoted) + "\n"
    return grow(start(draw(NAMES) + ".csv", needs), text, len(text), len(text) + draw(st.sampled_from([0, 10])))


def shown(fact: Facts) -> str:
    """All that a figure of these facts can say."""
    return notes.write([], [fact], [])


@settings(max_examples=100)
@given(st.lists(facts(), max_size=3, unique_by=lambda fact: fact.file))
def test_notes_say_again_what_was_written(found: list[Facts]) -> None:
    text = notes.write([GOAL], found, ["read data/b.csv"])

    again = notes.read(text)

    assert again.goals == (GOAL,)
    assert list(map(shown, again.facts)) == list(map(shown, found))
    assert [fact.offset for fact in again.facts] == [fact.offset for fact in found]


@settings(max_examples=100)
@given(facts())
def test_facts_that_were_read_again_grow_like_those_that_were_not(fact: Facts) -> None:
    """A reset in the middle of a file changes no figure, row number or header."""
    if fact.complete:
        return
    again = notes.read(shown(fact)).facts[0]
    more = ";".join(["3"] * len(fact.header)) + "\nx\n"

    stop = fact.offset + len(more)

    assert shown(grow(again, more, stop, stop + 9)) == shown(grow(fact, more, stop, stop + 9))


@settings(max_examples=100)
@given(facts(), st.integers(0, 400))
def test_a_line_that_was_cut_counts_for_nothing(fact: Facts, cut: int) -> None:
    """Summaries are made of clipped previews; half a figure would be a wrong one."""
    text = shown(fact)

    read = notes.read(text[:cut])

    assert read.facts == () or list(map(shown, read.facts)) == [text]


def test_facts_without_their_offset_count_for_nothing() -> None:
    assert notes.read("FACT a.csv | rows 3 | end\n").facts == ()


def test_what_people_write_between_the_lines_is_passed_over() -> None:
    text = (
        "# My notes\nGOAL find out\nFACT: it rains\nDONE nothing\nDONE a 1 of 2\nFACT a | rows many | end\nATTEMPT no\n"
    )

    assert notes.read(text) == Notes(goals=("find out",))


def test_of_two_notes_about_a_file_the_one_that_covers_more_counts() -> None:
    early = notes.read("DONE a.csv 10 of 90\nFACT a.csv | rows 1 | end\n")
    late = notes.read("DONE a.csv 40 of 90\nFACT a.csv | rows 4 | end\n")

    assert [fact.rows for fact in (early + late).facts] == [fact.rows for fact in (late + early).facts] == [4]


def test_the_attempt_is_kept_with_the_goal() -> None:
    assert notes.read(notes.write([GOAL], [], [], attempt=2)) == Notes(goals=(GOAL,), attempt=2)
