"""Whole conversations with the practice model: real files, real tools, real warnings and resets."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import tempfile
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.errors import RunError
from smolpaws_jupyter.core.events import Condensation
from smolpaws_jupyter.core.practice.window import least_window
from tests.conftest import LANE
from tests.practice_driver import WITH_FALLBACK, Played, conversation, play
from tests.runtime.talks import until

TASK = "In data/, total precipitation over all files and find the largest temp_max; write the report to report.md"
FIXED = 1_300
"""Tokens of the driver's system message and tools, about."""


@pytest.fixture
def weather(tmp_path: Path, root: Path) -> Path:
    """A workspace with the data of the examples."""
    (tmp_path / "data").mkdir()
    for file in (root / "examples" / "data").glob("*.csv"):
        (tmp_path / "data" / file.name).write_bytes(file.read_bytes())
    return tmp_path


def rows(folder: Path) -> list[tuple[str, int, dict[str, str]]]:
    """All rows as Python's own reader sees them: file, row number, cells by column."""
    found: list[tuple[str, int, dict[str, str]]] = []
    for file in sorted(folder.glob("*.csv")):
        with file.open(newline="") as stream:
            reader = csv.DictReader(stream, delimiter=";" if file.name.startswith("semicolon") else ",")
            found += [(f"{folder.name}/{file.name}", number, row) for number, row in enumerate(reader, 1)]
    return found


def in_full(value: Decimal) -> str:
    text = format(value.normalize(), "f")
    return "0" if value == 0 else text


async def test_the_first_example_ends_with_the_right_answer_after_resets_of_its_own(weather: Path) -> None:
    played = await play(weather, TASK)

    days = rows(weather / "data")
    total = sum((Decimal(day["precipitation"]) for _, _, day in days), Decimal(0))
    file, row, hottest = max(days, key=lambda day: Decimal(day[2]["temp_max"]))
    assert f"The total of precipitation is {in_full(total)}, from 2,190 numbers." in played.answer
    assert f"The largest temp_max is {in_full(Decimal(hottest['temp_max']))}, in {file}, row {row}." in played.answer
    assert 1 <= played.resets <= 4
    assert played.warned
    assert f"total of precipitation is {in_full(total)}" in (weather / "report.md").read_text()
    assert "GOAL " + TASK in (weather / "notes" / "practice.md").read_text()


async def test_whoever_waits_for_ninety_percent_finishes_too(weather: Path) -> None:
    early, late = await play(weather, TASK), await play(weather, TASK, model="practice/late")

    assert late.answer == early.answer
    assert max(late.warned) == 0.9
    assert len(late.warned) / late.resets > len(early.warned) / early.resets


async def test_whoever_keeps_no_notes_says_in_the_end_that_the_findings_are_lost(weather: Path) -> None:
    played = await play(weather, TASK, model="practice/careless")

    assert played.resets == 2
    assert "write_file" not in played.calls
    assert "I lost my findings" in played.answer


async def test_whoever_never_resets_is_refused_in_the_end(weather: Path) -> None:
    with pytest.raises(RunError) as ended:
        await play(weather, TASK, model="practice/stubborn")

    assert ended.value.code == "context_window_exceeded"


async def test_a_second_task_in_the_same_conversation_is_done_as_well(weather: Path) -> None:
    played = await play(weather, TASK, "How often does the word snow occur in data/seattle-*.csv?")

    snow = sum(day["weather"] == "snow" for file, _, day in rows(weather / "data") if "seattle" in file)
    assert f'The word "snow" occurs {snow} times. I read 3 files' in played.answer


async def test_in_a_larger_window_no_reset_is_needed(weather: Path) -> None:
    small, large = await play(weather, TASK), await play(weather, TASK, window=100_000)

    assert (large.resets, large.answer) == (0, small.answer)


async def test_without_a_condenser_it_reads_on_until_it_is_refused(weather: Path) -> None:
    with pytest.raises(RunError):
        await play(weather, TASK, settings={})


async def test_an_emergency_keeps_the_goal_and_in_the_end_says_what_was_lost(weather: Path) -> None:
    """R-EMERG-1, R-EMERG-15: refused, summarised, begun again."""
    played = await play(weather, TASK, model="practice/stubborn", settings=WITH_FALLBACK)

    assert [fact.notice for fact in played.of(Condensation)] == [wording.EMERGENCY_NOTICE] * 2
    assert all(f"GOAL {TASK}" in fact.summary for fact in played.of(Condensation))
    assert "I lost my findings" in played.answer


async def test_notes_survive_an_emergency(weather: Path) -> None:
    """The second task is never warned about: its budget is far larger than the window."""
    first = await play(weather, TASK)
    (weather / "notes" / "practice.md").rename(weather / "kept.md")
    lost = await play(weather, TASK, limit=400_000, settings=WITH_FALLBACK)
    assert (lost.warned, "I lost my findings" in lost.answer) == ([], True)

    (weather / "kept.md").rename(weather / "notes" / "practice.md")
    played = await play(weather, TASK, limit=400_000, settings=WITH_FALLBACK)

    assert played.resets == 1
    assert played.answer == first.answer


async def test_a_rejected_report_ends_the_turn_with_the_figures(weather: Path) -> None:
    talk = conversation(weather, [], approvals="ask", window=100_000)
    talk.tell(TASK)
    await until(lambda: talk.waiting)
    talk.reject(talk.waiting[0].action_id, "elsewhere, please")

    answer = await talk.answer()

    assert "writing report.md failed" in answer
    assert "The total of precipitation is 6366.1" in answer
    assert not (weather / "report.md").exists()


# Any folder, any window


NAMES = ["a", "b c", "größe", 'q"x', "semi;colon"]
NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-10_000, max_value=10_000, places=2).map(str)
CELLS = st.one_of(
    NUMBERS,
    NUMBERS,
    st.sampled_from(["", "n/a", " 5 ", "rain", 'two\nlines, "quoted"', "rain\r\nrain", "wörter 🐾" * 9, "x" * 700]),
)


@st.composite
def tables(draw: st.DrawFn, size: int) -> str:
    """A CSV text of at least `size` characters: a few rows, again and again, each time with other numbers."""
    header = ["a", *draw(st.lists(st.sampled_from(NAMES[1:]), unique=True, max_size=3))]
    pattern = draw(st.lists(st.lists(CELLS, min_size=1, max_size=len(header)), min_size=1, max_size=6))
    text = io.StringIO(newline="")
    writer = csv.writer(
        text,
        delimiter=draw(st.sampled_from([",", ";"])) if len(header) > 1 else ",",
        lineterminator=draw(st.sampled_from(["\n", "\r\n"])),
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
    )
    writer.writerow(header)
    number = 0
    while text.tell() < size:
        number += 1
        writer.writerows([[_varied(cell, number) for cell in row] for row in pattern])
    whole = text.getvalue()
    return whole if draw(st.booleans()) else whole.rstrip("\r\n")


def _varied(cell: str, number: int) -> str:
    return str(Decimal(cell) + number) if re.fullmatch(r"-?\d+\.\d\d", cell) else cell


@st.composite
def folders(draw: st.DrawFn) -> tuple[int, dict[str, str]]:
    """A window and files that do not fit into it."""
    window = draw(st.integers(least_window(FIXED), 5_500))
    count = draw(st.integers(1, 4))
    return window, {f"f{number}.csv": draw(tables(5 * window // count)) for number in range(count)}


def expected(files: dict[str, str]) -> tuple[list[Decimal], int]:
    """The numbers of column a, and how often the word rain occurs."""
    numbers: list[Decimal] = []
    for _, text in sorted(files.items()):
        header = next(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text)))
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
        column = [row[header.index("a")] for row in lines if row][1:]
        numbers += [Decimal(cell) for cell in column if re.fullmatch(r"\s*-?[\d.]+\s*", cell)]
    return numbers, sum(len(re.findall(r"\brain\b", text)) for text in files.values())


def _delimiter(text: str) -> str:
    """What the writer was told, seen from how the header's first name ends."""
    first = re.match(r'"?a"?(.)', text)
    return first[1] if first and first[1] in ",;" else ","


def play_in_new_folder(files: dict[str, str], sentences: Sequence[str], window: int) -> Played:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data")
        data.mkdir()
        for name, text in files.items():
            (data / name).write_bytes(text.encode())
        return asyncio.run(play(Path(folder), *sentences, window=window))


@pytest.mark.slow
@pytest.mark.timeout(900)
@settings(
    max_examples={"check": 5, "test": 15, "all": 150}[LANE], suppress_health_check=[HealthCheck.too_slow], deadline=None
)
@given(folders())
def test_in_any_folder_and_window_the_diligent_one_finds_what_a_direct_computation_finds(
    case: tuple[int, dict[str, str]],
) -> None:
    window, files = case
    numbers, rain = expected(files)
    task = "total a, mean a, smallest a and largest a in data/, and how often does the word rain occur?"

    played = play_in_new_folder(files, [task], window)

    assert played.resets >= 1
    assert f'The word "rain" occurs {"once" if rain == 1 else f"{rain:,} times"}.' in played.answer
    if numbers:
        assert f"The total of a is {in_full(sum(numbers, Decimal(0)))}, from {len(numbers):,} number" in played.answer
        assert f"The smallest a is {in_full(min(numbers))}, in data/" in played.answer
        assert f"The largest a is {in_full(max(numbers))}, in data/" in played.answer
    else:
        assert "The column a holds no numbers." in played.answer


def test_the_least_window_of_the_tests_is_that_of_the_driver(weather: Path) -> None:
    played = asyncio.run(play(weather, "Hello"))

    first = played.requests[0].response
    assert first is not None
    assert first.usage.input is not None
    assert abs(first.usage.input - FIXED) < 100
    assert wording.CONTEXT_HABIT.split("{")[0] in played.requests[0].messages[0]["content"]
