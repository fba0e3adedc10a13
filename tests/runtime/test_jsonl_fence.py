"""Disks without locks: the fence alone keeps two writers apart, and neither believes what is not so (T7)."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from smolpaws_jupyter.core.errors import StoreError
from smolpaws_jupyter.runtime import lock
from smolpaws_jupyter.runtime.disk import Disk
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from tests.runtime.stored import line_of, message, put_log, record, texts_of


class WithoutLocks(Disk):
    """A network disk. `before_write` is called between the fence and the write."""

    def __init__(self) -> None:
        self.before_write: Callable[[], None] = lambda: None

    def lock(self, path: Path) -> int:
        raise lock.Unsupported

    def write(self, fd: int, data: bytes | memoryview) -> int:
        act, self.before_write = self.before_write, lambda: None
        act()
        return super().write(fd, data)


def test_f_15_without_locks_the_fence_alone_stops_the_second_writer(tmp_path: Path):
    """F-15, I-6: one notice, and no record is overwritten."""
    first = JsonlStore.create(tmp_path / "c", disk=WithoutLocks())
    first.append([message("one")])
    second = JsonlStore.open(tmp_path / "c", disk=WithoutLocks())
    assert second.read_only is None
    assert len(second.notices) == len(first.notices) == 1
    assert "no locks" in second.notices[0]
    first.append([message("two")])

    with pytest.raises(StoreError, match="changed by somebody else"):
        second.append([message("never")])

    first.append([message("three")])
    assert texts_of(first) == ["one", "two", "three"]


def test_i_6_the_one_late_record_of_a_fenced_writer_is_left_out_and_reported_once(tmp_path: Path):
    """I-6, I-1, R-LOG-4, F-15: both write at the same moment; only what counts was acknowledged."""
    disk = WithoutLocks()
    first = JsonlStore.create(tmp_path / "c", disk=WithoutLocks())
    first.append([message("one")])
    second = JsonlStore.open(tmp_path / "c", disk=disk)

    def meanwhile() -> None:
        first.append([message("two")])
        first.append([message("three")])

    disk.before_write = meanwhile
    with pytest.raises(StoreError, match="at the same moment"):
        second.append([message("late")])
    for stopped in (first, second):
        with pytest.raises(StoreError, match="by somebody else"):
            stopped.append([message("never")])

    again = JsonlStore.open(tmp_path / "c", disk=WithoutLocks())
    assert texts_of(again) == ["one", "two", "three"]
    assert again.recovered == (
        "Line 4 of the log was written by another writer after this one had gone on; it is left out.",
    )
    again.append([message("four")])
    assert texts_of(again) == ["one", "two", "three", "four"]
    once_more = JsonlStore.open(tmp_path / "c", disk=WithoutLocks())
    assert (texts_of(once_more), once_more.recovered) == (["one", "two", "three", "four"], ())
    assert b"late" in (tmp_path / "c" / "log.jsonl").read_bytes()
    assert [*once_more.read_back(9, lambda _: True)] == [*reversed([*enumerate(once_more.read())])]
    assert texts_of(once_more.fork(3, "fork", [message("forked")])) == ["one", "two", "three", "four", "forked"]


def test_i_6_whoever_comes_first_counts_and_neither_is_told_that_it_is_stored_when_it_is_not(tmp_path: Path):
    """I-6, I-1"""
    disk = WithoutLocks()
    first = JsonlStore.create(tmp_path / "c", disk=disk)
    first.append([message("one")])
    second = JsonlStore.open(tmp_path / "c", disk=WithoutLocks())
    disk.before_write = lambda: second.append([message("second's")])

    with pytest.raises(StoreError, match="at the same moment") as failure:
        first.append([message("first's")])

    assert failure.value.code == "unknown_outcome"
    assert texts_of(JsonlStore.open(tmp_path / "c")) == ["one", "second's"]


def test_f_6_two_logs_put_together_are_damage_and_no_late_record(tmp_path: Path):
    """F-6: a fenced writer has one late record, never two."""
    lines = [line_of(record(n, message(f"a{n}"), writer="k1-o1")) for n in range(3)]
    lines += [line_of(record(n, message(f"b{n}"), writer="k2-o2")) for n in range(1, 3)]

    store = JsonlStore.open(put_log(tmp_path / "c", lines))

    assert texts_of(store) == ["a0", "a1", "a2"]
    assert store.read_only is not None
    assert "Line 5 of the log is damaged" in store.read_only


def test_a_failed_write_does_not_take_back_what_another_writer_wrote(tmp_path: Path):
    """I-3"""
    disk = WithoutLocks()
    first = JsonlStore.create(tmp_path / "c", disk=WithoutLocks())
    first.append([message("one")])
    second = JsonlStore.open(tmp_path / "c", disk=disk)

    def race() -> None:
        first.append([message("x" * 3000)])
        raise OSError(errno.ENOSPC, "No space left on device")

    disk.before_write = race
    with pytest.raises(StoreError, match="Nothing was stored"):
        second.append([message("late")])

    assert second.read_only is not None
    assert "somebody else has written" in second.read_only
    assert texts_of(JsonlStore.open(tmp_path / "c", disk=WithoutLocks())) == ["one", "x" * 3000]
