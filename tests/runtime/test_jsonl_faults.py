"""A disk that fails under an open log: every call, every time it is made, and what is left afterwards."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from smolpaws_jupyter.core.errors import StoreError
from smolpaws_jupyter.runtime.disk import Disk
from smolpaws_jupyter.runtime.draft import TEXT_LIMIT
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from tests.runtime.failing_disk import Call, FailingDisk
from tests.runtime.simulated_disk import SimulatedDisk
from tests.runtime.stored import message, texts_of

LARGE = "x" * (TEXT_LIMIT + 1)
TEXTS = ["one", LARGE, "two", LARGE + "y", "three"]


def converse(store: JsonlStore, folder: Path, disk: Disk) -> int:
    """Appends all texts, and after a failure the same one again: on the same store if it can, else on a reopened one.

    Gives the number of failures.
    """
    acknowledged: list[str] = []
    failures = 0
    while len(acknowledged) < len(TEXTS):
        text = TEXTS[len(acknowledged)]
        try:
            store.append([message(text)])
        except StoreError:
            failures += 1
            if store.read_only is not None:
                with pytest.raises(StoreError):
                    store.append([message("never")])
                store = JsonlStore.open(folder, disk=disk)
                found = texts_of(store)
                assert found in (acknowledged, [*acknowledged, text])
                acknowledged = found
        else:
            acknowledged.append(text)
    store.close()
    return failures


CALLS: list[Call] = ["make_folder", "open", "write", "sync", "sync_folder", "replace"]


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("call", CALLS)
def test_t6_f_9_f_10_whichever_call_fails_nothing_is_lost_or_stored_twice(tmp_path: Path, call: Call, error: int):
    """T6, F-9, F-10, I-2, T-LOG-01: the n-th of each kind, for every n."""
    whole = FailingDisk()
    converse(JsonlStore.create(tmp_path / "whole", disk=whole), tmp_path / "whole", whole)

    for nth in range(1, whole.calls[call] + 1):
        folder = tmp_path / f"{nth}"
        disk = FailingDisk(call, nth, error)

        failures = converse(JsonlStore.create(folder, disk=disk), folder, disk)

        assert failures == 1 or call == "open"  # one opening only asks whether a blob is there already
        again = JsonlStore.open(folder)
        assert (texts_of(again), again.read_only, again.recovered) == (TEXTS, None, ())
        assert not list(folder.rglob("*.part"))
        again.close()


@pytest.mark.parametrize("written", [0, 0.01, 0.5, 0.99])
def test_f_9_a_full_disk_at_any_byte_takes_nothing_and_works_again_with_room(tmp_path: Path, written: float):
    """F-9"""
    disk = FailingDisk()
    store = JsonlStore.create(tmp_path / "c", disk=disk)
    store.append([message("one")])
    before = (tmp_path / "c" / "log.jsonl").read_bytes()
    disk.fail_next("write", errno.ENOSPC, written=written)

    with pytest.raises(StoreError, match="No space"):
        store.append([message("two")])

    assert (tmp_path / "c" / "log.jsonl").read_bytes() == before
    assert store.read_only is None
    store.append([message("two")])
    assert texts_of(store) == ["one", "two"]


def test_f_10_after_a_failed_sync_nothing_is_believed_until_the_log_is_opened_again(tmp_path: Path):
    """F-10, R-LOG-2: the lock is given up, so that the same process can open it again."""
    disk = FailingDisk()
    store = JsonlStore.create(tmp_path / "c", disk=disk)
    store.append([message("one")])
    disk.fail_next("sync", errno.EIO)

    with pytest.raises(StoreError, match="could not be made durable") as failure:
        store.append([message("two")])

    assert failure.value.code == "unknown_outcome"
    assert "Open the conversation again" in failure.value.detail
    assert store.read_only is not None
    with pytest.raises(StoreError, match="could not be made durable"):
        store.append([message("three")])
    with pytest.raises(StoreError, match="could not be made durable"):
        store.take_over()
    assert texts_of(store) == ["one"]
    again = JsonlStore.open(tmp_path / "c")
    assert again.read_only is None
    assert texts_of(again) == ["one"]


def test_f_10_a_failed_write_that_cannot_be_taken_back_stops_the_log(tmp_path: Path):
    """F-10"""

    class Stuck(FailingDisk):
        def truncate(self, fd: int, size: int) -> None:
            raise OSError(errno.EIO, "Input/output error")

    disk = Stuck()
    store = JsonlStore.create(tmp_path / "c", disk=disk)
    store.append([message("one")])
    disk.fail_next("write", errno.ENOSPC, written=0.5)

    with pytest.raises(StoreError, match="Nothing was stored"):
        store.append([message("two")])

    assert store.read_only is not None
    assert "could not be taken back" in store.read_only
    again = JsonlStore.open(tmp_path / "c")
    assert texts_of(again) == ["one"]
    assert again.recovered


def test_i_2_a_failed_append_is_not_there_after_a_power_cut_either():
    """I-2: what was taken back is taken back on the platter, also when only the line break was missing."""

    class Full(SimulatedDisk):
        full = False

        def write(self, fd: int, data: bytes | memoryview) -> int:
            if not self.full:
                return super().write(fd, data)
            if len(data) > 1:
                return super().write(fd, data[:-1])
            for file in self.files.values():  # a system writes back when it likes, also before it is asked to
                file.platter = file.cache
            raise OSError(errno.ENOSPC, "No space left on device")

    folder = Path("/work/c")
    disk = Full()
    store = JsonlStore.create(folder, disk=disk)
    store.append([message("one")])
    disk.full = True

    with pytest.raises(StoreError, match="No space"):
        store.append([message("two")])

    for ending in ("lost", "kept", "half"):
        assert texts_of(JsonlStore.open(folder, disk=disk.reborn(ending))) == ["one"]


class Stingy(Disk):
    """Takes a few bytes at a time, and sometimes asks to be asked again."""

    def __init__(self) -> None:
        self.calls = 0

    def write(self, fd: int, data: bytes | memoryview) -> int:
        self.calls += 1
        if self.calls % 3 == 0:
            raise (BlockingIOError if self.calls % 2 else InterruptedError)(errno.EAGAIN, "try again")
        return super().write(fd, data[:7])


def test_f_11_short_writes_and_interruptions_still_give_whole_lines(tmp_path: Path):
    """F-11"""
    store = JsonlStore.create(tmp_path / "c", disk=Stingy())
    store.append([message("one")])
    store.append([message("two")])
    store.close()

    again = JsonlStore.open(tmp_path / "c")
    assert (texts_of(again), again.recovered) == (["one", "two"], ())


def test_f_11_a_disk_that_takes_no_bytes_at_all_is_a_failure_and_not_a_hang(tmp_path: Path):
    class Deaf(Disk):
        def write(self, fd: int, data: bytes | memoryview) -> int:
            return 0

    with pytest.raises(StoreError, match="takes no bytes"):
        JsonlStore.create(tmp_path / "c", disk=Deaf()).append([message("one")])


# The file changes under us


def test_f_7_a_log_that_somebody_else_changed_stops_the_writer(tmp_path: Path):
    """F-7, I-6"""
    for change in ("longer", "shorter", "replaced"):
        folder = tmp_path / change
        log = folder / "log.jsonl"
        store = JsonlStore.create(folder)
        store.append([message("one")])
        store.append([message("two")])
        content = log.read_bytes()
        if change == "longer":
            log.write_bytes(content + b"hand-made line\n")
        elif change == "shorter":
            os.truncate(log, len(content) // 2)
        else:
            log.with_name("copy").write_bytes(content)
            log.with_name("copy").replace(log)
        after = log.read_bytes()

        with pytest.raises(StoreError, match="while it was open here") as failure:
            store.append([message("three")])

        assert failure.value.code == "log_changed"
        assert store.read_only is not None
        assert log.read_bytes() == after
        assert JsonlStore.open(folder).read_only is None


def test_f_8_a_log_that_was_deleted_or_moved_is_not_made_again(tmp_path: Path):
    """F-8: it stays readable here, and can be forked to another place."""
    for change in ("deleted", "moved"):
        folder = tmp_path / change / "c"
        store = JsonlStore.create(folder)
        store.append([message("one")])
        if change == "deleted":
            (folder / "log.jsonl").unlink()
        else:
            folder.rename(tmp_path / "elsewhere")

        with pytest.raises(StoreError, match="deleted, moved or replaced"):
            store.append([message("two")])

        assert not (folder / "log.jsonl").exists()
        assert texts_of(store) == ["one"]
        assert texts_of(store.fork(0, "saved", [message("went on")])) == ["one", "went on"]


def test_a_follower_notices_that_the_log_is_another(tmp_path: Path):
    folder = tmp_path / "c"
    store = JsonlStore.create(folder)
    store.append([message("one")])
    store.append([message("two")])
    reader = JsonlStore.open(folder)
    os.truncate(folder / "log.jsonl", 10)

    with pytest.raises(StoreError, match="not any more what was read here"):
        reader.refresh()


# Real limits


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """512 kB of real file system, which only root can make."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_t6_f_9_a_really_full_disk_takes_nothing_and_works_again_with_room(tiny_disk: Path):
    """T6, F-9"""
    ballast = tiny_disk / "ballast"
    ballast.write_bytes(bytes(300_000))
    store = JsonlStore.create(tiny_disk / "c")

    def fill() -> None:
        for _ in range(200):
            store.append([message("x" * 5000)])

    with pytest.raises(StoreError, match="No space"):
        fill()

    kept = len(store)
    assert 10 < kept < 100
    ballast.unlink()
    store.append([message("room again")])
    store.close()
    again = JsonlStore.open(tiny_disk / "c")
    assert (len(again), again.recovered) == (kept + 1, ())


def test_t6_a_file_size_limit_takes_nothing_and_works_again_without(tmp_path: Path):
    """T6: RLIMIT_FSIZE stands in for a full disk where nobody is root."""
    store = JsonlStore.create(tmp_path / "c")
    store.append([message("one")])
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((tmp_path / "c" / "log.jsonl").stat().st_size + 100, limit[1]))
    try:
        with pytest.raises(StoreError, match="File too large"):
            store.append([message("two")])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)

    store.append([message("three")])
    assert texts_of(store) == ["one", "three"]
