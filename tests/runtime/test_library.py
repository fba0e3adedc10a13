"""The list of stored conversations: titles, order, and that no log is too long, too odd or too damaged to be listed."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from smolpaws_jupyter.core.events import Event, TitleEvent
from smolpaws_jupyter.core.wire import ConversationInfo
from smolpaws_jupyter.runtime import library
from smolpaws_jupyter.runtime.draft import TEXT_LIMIT
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.library import SPAN, conversations
from tests.runtime.stored import NOON, line_of, message, put_log, record


def title(text: str) -> TitleEvent:
    return TitleEvent(id=f"title-{text}", timestamp=NOON, title=text)


def stored(folder: Path, *commits: Sequence[Event], changed: int | None = None) -> Path:
    store = JsonlStore.create(folder)
    for commit in commits:
        store.append(commit)
    store.close()
    if changed is not None:
        os.utime(folder / "log.jsonl", (changed, changed))
    return folder


def only(folder: Path) -> ConversationInfo:
    (info,) = conversations(folder)
    return info


def test_a_conversation_is_listed_with_its_first_words_its_size_and_its_last_change(tmp_path: Path):
    greeting = message("hello from us").model_copy(update={"source": "environment"})
    stored(tmp_path / "c", [greeting, message("Clean\n  data.csv")], [message("and more")], changed=1_780_000_000)

    info = only(tmp_path)

    assert info.id == "c"
    assert info.title == "Clean data.csv"
    assert info.events == 3
    assert info.changed == "2026-05-28T20:26:40Z"


def test_the_latest_title_counts_wherever_it_stands(tmp_path: Path):
    """R-EV-12"""
    long = [message("x" * 20_000) for _ in range(40)]
    stored(tmp_path / "late", [message("first words")], long, [title("early")], [title("late")], [message("bye")])
    stored(tmp_path / "early", [message("first words")], [title("early")], long, [message("bye")])

    assert {info.id: info.title for info in conversations(tmp_path)} == {"late": "late", "early": "early"}


@pytest.mark.parametrize("words", ["x" * 500, "x" * (TEXT_LIMIT + 1), "🐾 " * 100])
def test_a_long_first_message_gives_its_beginning(tmp_path: Path, words: str):
    stored(tmp_path / "c", [message(words)])

    assert only(tmp_path).title == words[: library.TITLE_LENGTH]


def test_the_latest_change_comes_first_and_there_are_no_more_than_asked_for(tmp_path: Path):
    for n, changed in enumerate([2_000, 4_000, 3_000]):
        stored(tmp_path / f"c{n}", [message(str(n))], changed=changed)

    assert [info.id for info in conversations(tmp_path)] == ["c1", "c2", "c0"]
    assert [info.id for info in conversations(tmp_path, most=1)] == ["c1"]


def test_o19_what_cannot_be_read_is_listed_and_what_is_no_conversation_is_not(tmp_path: Path):
    """O19: a conversation does not vanish from the list because something in it is odd."""
    good = line_of(record(0, message("first")))
    put_log(tmp_path / "torn", [good, good[:50]])
    put_log(tmp_path / "damaged", [b"noise\n", good])
    put_log(tmp_path / "noise", os.urandom(3 * SPAN))
    put_log(tmp_path / "foreign", [line_of(record(0, {"kind": "Future"})), line_of({"v": 9})])
    put_log(tmp_path / "empty", b"")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "log.jsonl").symlink_to(tmp_path / "torn" / "log.jsonl")
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "log.jsonl")

    listed = {info.id: info.title for info in conversations(tmp_path)}

    assert listed == {"torn": "first", "damaged": "first", "noise": "", "foreign": ""}
    assert conversations(tmp_path / "nowhere") == []


def test_listing_changes_and_locks_nothing(tmp_path: Path):
    folder = put_log(tmp_path / "c", [line_of(record(0, message("first"))), b"torn"])

    conversations(tmp_path)

    assert [f.name for f in folder.iterdir()] == ["log.jsonl"]
    assert JsonlStore.open(folder).read_only is None


def test_f_17_of_a_long_log_only_the_ends_are_read_and_the_number_of_events_is_estimated(tmp_path: Path):
    """F-17"""
    count = 200_000
    first, last = line_of(record(0, message("first words"))), line_of(record(count, title("named last")))
    middle = line_of(record(1, *(message("x" * 200) for _ in range(10))))
    with (put_log(tmp_path / "c", first) / "log.jsonl").open("ab") as log:
        for _ in range(count // 1000):
            log.write(middle * 100)
        log.write(last)
    assert (tmp_path / "c" / "log.jsonl").stat().st_size > library.READ_WHOLE

    info = only(tmp_path)

    assert info.title == "named last"
    assert 0.9 * count < info.events < 1.1 * count


@pytest.mark.slow
def test_f_17_ten_thousand_conversations_are_listed_in_bounded_time(tmp_path: Path):
    """F-17: at most ten times the two seconds that it takes."""

    line = line_of(record(0, message("hello")))
    for n in range(10_000):
        put_log(tmp_path / f"c{n}", line)
    began = time.monotonic()

    listed = conversations(tmp_path)

    assert time.monotonic() - began < 20
    assert len(listed) == 10_000
    assert {info.title for info in listed} == {"hello"}
