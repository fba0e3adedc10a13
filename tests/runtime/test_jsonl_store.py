"""The log file: how it lies on the disk, and what opening makes of one that is torn, foreign, long or no file."""

from __future__ import annotations

import errno
import json
import os
import stat
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smolpaws_jupyter.core.errors import ConversationNotFound, StoreError
from smolpaws_jupyter.core.events import MessageEvent
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.runtime.disk import Disk
from smolpaws_jupyter.runtime.draft import TEXT_LIMIT
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from tests.runtime.failing_disk import FailingDisk, HurriedDisk
from tests.runtime.stored import (
    CONTENT,
    LINES,
    WORDS,
    line_of,
    message,
    opened,
    put_log,
    record,
    reopened,
    texts_of,
)

# How it lies on the disk


def test_nothing_is_on_disk_before_the_first_append(tmp_path: Path):
    folder = tmp_path / ".smolpaws" / "conversations" / "c"
    store = JsonlStore.create(folder)
    assert list(tmp_path.iterdir()) == []

    store.append([message("one")])

    assert sorted(f.name for f in folder.iterdir()) == [".gitignore", "lock", "log.jsonl"]
    assert (folder / ".gitignore").read_text() == "*\n"
    assert store.conversation_id == "c"


def test_f_61_nobody_else_can_read_a_conversation(tmp_path: Path):
    """F-61, whatever the umask is."""
    before = os.umask(0)
    try:
        folder = tmp_path / "c"
        store = JsonlStore.create(folder)
        store.append([message("x" * (TEXT_LIMIT + 1))])
    finally:
        os.umask(before)

    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}
    assert len(modes) == 6
    assert all(mode == (0o700 if path.is_dir() else 0o600) for path, mode in modes.items())


def test_the_log_is_plain_lines_of_json(tmp_path: Path):
    store = JsonlStore.create(tmp_path / "c")
    store.append([message("grep me"), message("and me")])
    store.append([message("later")])

    lines = [json.loads(line) for line in (tmp_path / "c" / "log.jsonl").read_text().splitlines()]

    assert [line["rec"]["seq"] for line in lines] == [0, 1]
    assert [len(line["rec"]["events"]) for line in lines] == [2, 1]
    assert {line["rec"]["w"] for line in lines} == {store.writer_id}


def test_a_second_conversation_in_the_same_folder_is_refused(tmp_path: Path):
    first, second = JsonlStore.create(tmp_path / "c"), JsonlStore.create(tmp_path / "c")
    first.append([message("one")])

    with pytest.raises(StoreError, match="already"):
        JsonlStore.create(tmp_path / "c")
    with pytest.raises(StoreError, match="already"):
        second.append([message("two")])

    assert texts_of(reopened(first, tmp_path / "c")) == ["one"]


def test_p11_an_append_is_one_write_and_one_sync(tmp_path: Path):
    """P11"""
    disk = FailingDisk()
    store = JsonlStore.create(tmp_path / "c", disk=disk)
    store.append([message("one")])
    before = disk.calls.copy()

    store.append([message("two"), message("three")])

    assert disk.calls - before == {"write": 1, "sync": 1}


# Torn tails (O18, F-3, F-4)


def test_o18_torn_at_every_byte_of_the_last_record_the_others_are_there(tmp_path: Path):
    """O18, T-LOG-02, R-LOG-5: a record that lacks only its line break is whole."""
    last = LINES[3]
    for kept in range(len(last) + 1):
        folder = put_log(tmp_path / str(kept), [*LINES[:3], last[:kept]])
        whole = WORDS if kept >= len(last) - 1 else WORDS[:3]

        store = JsonlStore.open(folder, disk=HurriedDisk())

        assert texts_of(store) == whole
        assert store.read_only is None
        assert bool(store.recovered) == (0 < kept < len(last) - 1)
        aside = list(folder.glob("log.torn-*"))
        assert [f.read_bytes() for f in aside] == ([last[:kept]] if store.recovered else [])
        assert all(f.name in store.recovered[0] for f in aside)
        store.append([message("X")])
        store.close()
        again = JsonlStore.open(folder, disk=HurriedDisk())
        assert (texts_of(again), again.recovered) == ([*whole, "X"], ())
        again.close()


@pytest.mark.parametrize(
    "tail",
    [
        bytes(5000),
        os.urandom(300).replace(b"\n", b"x"),
        b"\n\n\n",
        b"noise\nand more noise\n\n",
        LINES[3][:40] + "ü".encode()[:1],
        LINES[3][:40] + bytes(100),
        LINES[3][:40] + bytes(100) + b"\n",
        LINES[3][:60] + b"\n\n",
        LINES[3].replace(b"four", b"five"),
    ],
    ids=["zeros", "random", "blank lines", "noise", "half a letter", "zero tail", "zeros and end", "blank", "changed"],
)
def test_f_3_a_tail_of_anything_is_cut_kept_aside_and_reported(tmp_path: Path, tail: bytes):
    """F-3, I-3: reported on every opening, until something is appended."""
    folder = tmp_path / "c"

    store = opened(folder, [*LINES[:3], tail])

    (aside,) = folder.glob("log.torn-*")
    assert texts_of(store) == WORDS[:3]
    assert len(store.recovered) == 1
    assert f"kept in {aside.name}" in store.recovered[0]
    assert aside.read_bytes() == tail
    assert (folder / "log.jsonl").read_bytes() == b"".join(LINES[:3])
    again = reopened(store, folder)
    assert (texts_of(again), again.recovered) == (WORDS[:3], store.recovered)
    again.append([message("X")])
    last = reopened(again, folder)
    assert (texts_of(last), last.recovered) == ([*WORDS[:3], "X"], ())


@pytest.mark.parametrize("content", [b"", LINES[0][:50], bytes(100)], ids=["empty", "torn", "zeros"])
def test_f_4_a_log_without_a_whole_record_is_a_new_conversation_and_says_so(tmp_path: Path, content: bytes):
    """F-4"""
    store = opened(tmp_path / "c", content)

    assert len(store) == 0
    assert "begins anew" in store.recovered[-1]
    store.append([message("first")])
    assert texts_of(reopened(store, tmp_path / "c")) == ["first"]


def test_a_tail_that_cannot_be_kept_aside_is_not_cut(tmp_path: Path):
    folder = put_log(tmp_path / "c", [*LINES, b"torn"])
    disk = FailingDisk("write", 1, errno.ENOSPC)

    store = JsonlStore.open(folder, disk=disk)

    assert store.read_only is not None
    assert "No space" in store.read_only
    assert texts_of(store) == WORDS
    assert (folder / "log.jsonl").read_bytes().endswith(b"torn")


def test_opening_for_reading_changes_nothing(tmp_path: Path):
    folder = put_log(tmp_path / "c", [*LINES, b"torn"])

    store = JsonlStore.open(folder, write=False)

    assert texts_of(store) == WORDS
    assert store.read_only == "This conversation was opened for reading only."
    assert store.recovered == ()
    assert [f.name for f in folder.iterdir()] == ["log.jsonl"]


def o18_o19(root: Path) -> dict[str, dict[str, Any]]:
    return json.loads((root / "tests/fixtures/cases/data/open_log_files.json").read_text())["cases"]


@pytest.mark.parametrize(
    "name", ["O18-torn-tail", "O18-no-newline", "O18-blank-tail", "O19-unknown-kind", "O19-extra-field"]
)
def test_o18_o19_reported_logs_load(tmp_path: Path, root: Path, name: str):
    """O18, O19, T-LOG-02, T-LOG-03"""
    case = o18_o19(root)[name]
    expect = case["expect"]
    content = b"".join(_mapped(number, raw) for number, raw in enumerate(case["raw"].splitlines(keepends=True)))
    folder = tmp_path / "c"

    store = opened(folder, content)

    events = list(store.read())
    known = [e for e in events if isinstance(e, MessageEvent)]
    assert len(known) == expect.get("events_loaded", expect.get("known_events_loaded"))
    assert store.read_only is None
    if name == "O18-torn-tail":
        assert store.recovered
    if name == "O19-unknown-kind":
        assert [e.kind for e in events if isinstance(e, UnknownEvent)] == ["CanvasUIObservation"]
    if name == "O19-extra-field":
        assert "added_later" in store.notices[0]
    store.append([message("X")])
    assert texts_of(reopened(store, folder)) == expect.get(
        "after_append_of_X_and_reload", [e.text for e in known] + ["X"]
    )
    on_disk = (folder / "log.jsonl").read_bytes()
    assert (b"CanvasUIObservation" in on_disk) == expect.get("unknown_kept_on_disk", False)
    assert (b"added_later" in on_disk) == expect.get("extra_field_survives_on_disk", False)


def _mapped(seq: int, raw: str) -> bytes:
    """A line of the neutral log in this format: torn and ended as it was."""
    text = raw.rstrip("\n")
    end = raw[len(text) :].encode()
    try:
        neutral = json.loads(text)
    except ValueError:
        return (line_of(record(seq, message("torn")))[: len(text)] if text else b"") + end
    if neutral["kind"] == "MessageEvent":
        event = message(neutral.pop("text")).model_dump(mode="json") | neutral
        event["role"] = "user" if event["source"] == "user" else "assistant"
    else:
        event = neutral
    return line_of(record(seq, event))[:-1] + end


# Other versions, other files


def test_t_log_03_a_log_of_a_later_version_opens_read_only(tmp_path: Path):
    """T-LOG-03, R-LOG-6, F-18, T12"""
    later = line_of({**record(1, message("two")), "v": 2})
    unreadable = line_of({"v": 3, "shape": "another"})
    content = LINES[0] + later + unreadable
    folder = put_log(tmp_path / "c", content)

    store = JsonlStore.open(folder)

    assert store.read_only is not None
    assert "later version (format 2" in store.read_only
    assert texts_of(store) == ["one", "two"]
    with pytest.raises(StoreError, match="later version"):
        store.fork(1, "fork", [message("X")])
    assert texts_of(store.fork(0, "fork", [message("X")])) == ["one", "X"]
    assert (folder / "log.jsonl").read_bytes() == content


def _link(path: Path) -> None:
    target = path.with_name("elsewhere")
    target.write_bytes(CONTENT)
    path.symlink_to(target)


def _broken_link(path: Path) -> None:
    path.symlink_to("nowhere")


def _device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # /dev/zero
    except PermissionError:
        pytest.skip("only root can make a device")


@pytest.mark.parametrize("make", [_link, _broken_link, os.mkfifo, Path.mkdir, _device])
@pytest.mark.parametrize("write", [True, False])
def test_f_19_a_log_that_is_no_regular_file_is_refused(tmp_path: Path, make: Callable[[Path], None], write: bool):
    """F-19"""
    make(tmp_path / "log.jsonl")

    with pytest.raises(StoreError, match="cannot be used as a log"):
        JsonlStore.open(tmp_path, write=write)


@pytest.mark.parametrize("make", [_link, os.mkfifo, Path.mkdir])
def test_f_19_a_lock_that_is_no_regular_file_keeps_us_from_writing(tmp_path: Path, make: Callable[[Path], None]):
    """F-19"""
    folder = put_log(tmp_path / "c", CONTENT)
    make(folder / "lock")

    store = JsonlStore.open(folder)

    assert store.read_only is not None
    assert "Nothing can be written" in store.read_only
    assert texts_of(store) == WORDS


def test_there_is_no_conversation_in_an_empty_folder(tmp_path: Path):
    with pytest.raises(ConversationNotFound, match="no conversation in"):
        JsonlStore.open(tmp_path)


class ReadOnlyDisk(Disk):
    """A disk that nobody may write to, which root cannot make of folders."""

    def __init__(self, error: int, *, lock_too: bool) -> None:
        self.error = error
        self.lock_too = lock_too

    def open(self, path: Path, *, write: bool = False, create: bool = False) -> int:
        if write and (self.lock_too or path.name != "lock"):
            raise OSError(self.error, os.strerror(self.error))
        return super().open(path, write=write, create=create)


@pytest.mark.parametrize("error", [errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("lock_too", [True, False])
def test_f_12_a_disk_without_write_access_gives_a_conversation_to_read(tmp_path: Path, error: int, lock_too: bool):
    """F-12"""
    folder = put_log(tmp_path / "c", [*LINES, b"torn"])

    store = JsonlStore.open(folder, disk=ReadOnlyDisk(error, lock_too=lock_too))

    assert store.read_only is not None
    assert os.strerror(error) in store.read_only
    assert texts_of(store) == WORDS
    assert store.notices == ("The end of the log is not a whole record; it is not shown.",)


def test_f_12_a_last_line_without_its_line_break_is_read_where_nothing_may_be_written(tmp_path: Path):
    """F-12, F-18: its writer died before the last byte; opening could not mend that, and reading failed."""
    of_later = line_of({**record(1, message("two")), "v": 2})
    last = {"a disk without write access": LINES[1], "a log of a later version": of_later}
    for where, line in last.items():
        folder = put_log(tmp_path / where, LINES[0] + line[:-1])

        store = JsonlStore.open(folder, disk=ReadOnlyDisk(errno.EROFS, lock_too=True))

        assert store.read_only is not None
        assert texts_of(store) == WORDS[:2]


@pytest.mark.slow
def test_i_32_an_open_log_holds_24_bytes_a_commit_at_most(tmp_path: Path):
    """I-32, F-17: a log of 20,000 commits, of about 300 bytes each."""
    count = 20_000
    folder = put_log(tmp_path / "c", [line_of(record(n, {"kind": "X", "n": n})) for n in range(count)])
    JsonlStore.open(folder, write=False).close()  # whatever is made once is made
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        store = JsonlStore.open(folder)
        after, peak = tracemalloc.get_traced_memory()
        assert sum(1 for _ in store.read()) == count
        after_reading = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()

    assert after - before < 24 * count + 50_000
    assert peak - before < 24 * count + 4_000_000
    assert after_reading - after < 100_000


@pytest.mark.slow
def test_f_17_the_100_001st_event_and_one_of_50_mb_are_events_like_others(tmp_path: Path):
    """F-17: opening takes at most ten times the three seconds that it should."""
    count = 100_000
    one = message("x" * 100).model_dump(mode="json")
    folder = put_log(tmp_path / "c", [line_of(record(n, one)) for n in range(count)])
    large = message("y" * 50_000_000)

    began = time.monotonic()
    store = JsonlStore.open(folder)
    assert sum(len(commit) for commit in store.commits()) == count
    assert time.monotonic() - began < 30

    store.append([large])
    assert len(store) == count + 1
    assert list(reopened(store, folder).read(count)) == [large]
    assert (folder / "log.jsonl").stat().st_size < 100_000_000
