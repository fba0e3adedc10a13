"""One writer: locks between processes, forked children, disks without locks, and what two writers leave behind (T7)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from smolpaws_jupyter.core.errors import StoreError
from smolpaws_jupyter.runtime import lock
from smolpaws_jupyter.runtime.disk import Disk
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from tests.conftest import LANE
from tests.runtime.stored import line_of, message, record, texts_of

ROUNDS = 50 if LANE == "all" else 20

WRITER = """
import os, sys
from pathlib import Path
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from tests.runtime.stored import message

folder = Path(sys.argv[1])
store = JsonlStore.open(folder) if (folder / "log.jsonl").exists() else JsonlStore.create(folder)

def say(text):
    print(text, flush=True)

for command in map(str.strip, sys.stdin):
    try:
        if command == "fork":
            pid = os.fork()
            if pid == 0:
                try:
                    store.append([message("from the child")])
                except Exception as error:
                    say(f"child: {error}")
                os.read(0, 1)  # stays alive until the test lets go
                os._exit(0)
        elif command == "close":
            store.close()
            say("closed")
        else:
            store.append([message(command)])
            say(f"stored {command}")
    except Exception as error:
        say(f"{type(error).__name__}: {error}")
"""


class Writer:
    """Another process with the conversation open."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(root)},
        )

    def do(self, command: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def writer(root: Path) -> Iterator[Callable[[Path], Writer]]:
    """Makes another process that writes to a conversation."""
    writers: list[Writer] = []

    def start(folder: Path) -> Writer:
        writers.append(Writer(folder, root))
        return writers[-1]

    yield start
    for one in writers:
        one.end()


StartWriter = Callable[[Path], Writer]


def test_a_follower_waits_for_the_end_of_a_line_that_is_being_written(tmp_path: Path):
    """F-13: what is not whole yet is neither shown nor damage."""
    folder = tmp_path / "c"
    store = JsonlStore.create(folder)
    store.append([message("one")])
    line = line_of(record(1, message("two")))
    with (folder / "log.jsonl").open("ab", buffering=0) as log:
        log.write(line[:40])
        reader = JsonlStore.open(folder)
        assert texts_of(reader) == ["one"]
        log.write(line[40:-1])
        early = JsonlStore.open(folder)
        assert (len(early), reader.refresh()) == (1, 0)
        log.write(line[-1:])

    assert (reader.refresh(), early.refresh()) == (1, 1)
    assert texts_of(reader) == texts_of(early) == ["one", "two"]


def test_a_follower_notices_damage(tmp_path: Path):
    folder = tmp_path / "c"
    store = JsonlStore.create(folder)
    store.append([message("one")])
    reader = JsonlStore.open(folder)
    with (folder / "log.jsonl").open("ab") as log:
        log.write(b"noise\n" + line_of(record(1, message("two"))))

    assert reader.refresh() == 0

    assert reader.read_only is not None
    assert "Line 2 of the log is damaged" in reader.read_only
    assert reader.refresh() == 0


@pytest.mark.slow
def test_o20_f_13_a_second_process_reads_and_takes_over_after_a_kill(tmp_path: Path, writer: StartWriter):
    """O20, F-13, T7: the lock of the dead does not lock anybody out."""
    for round_ in range(ROUNDS):
        folder = tmp_path / f"{round_}"
        first = writer(folder)
        assert first.do("one") == "stored one"

        reader = JsonlStore.open(folder)

        assert reader.read_only is not None
        assert f"process {first.process.pid} on {socket.gethostname()}" in reader.read_only
        assert first.do("two") == "stored two"
        assert reader.refresh() == 1
        with pytest.raises(StoreError, match=f"process {first.process.pid}"):
            reader.take_over()
        first.kill()
        reader.take_over()
        reader.append([message("three")])
        assert texts_of(reader) == ["one", "two", "three"]
        reader.close()
        first.end()


def test_f_13_f_20_a_living_child_of_a_dead_writer_holds_nothing(tmp_path: Path, writer: StartWriter):
    """F-13, F-20, T7: it neither writes nor keeps the lock."""
    first = writer(tmp_path / "c")
    first.do("one")
    assert "is a fork" in first.do("fork")
    first.kill()

    store = JsonlStore.open(tmp_path / "c")

    assert store.read_only is None
    store.append([message("two")])
    assert texts_of(store) == ["one", "two"]


def test_o20_two_processes_that_open_by_turns_leave_all_events_in_one_order(tmp_path: Path, writer: StartWriter):
    """O20"""
    first, second = writer(tmp_path / "c"), writer(tmp_path / "c")
    assert first.do("one") == "stored one"
    assert second.do("two").startswith("StoreError")  # whichever came first: opening or creating
    first.do("close")
    third = writer(tmp_path / "c")
    assert third.do("three") == "stored three"

    assert texts_of(JsonlStore.open(tmp_path / "c")) == ["one", "three"]


def test_f_14_a_second_opening_in_the_same_process_is_refused_too(tmp_path: Path):
    """F-14"""
    store = JsonlStore.create(tmp_path / "c")
    store.append([message("one")])

    second = JsonlStore.open(tmp_path / "c")

    assert second.read_only is not None
    assert f"process {os.getpid()} on {socket.gethostname()}, which is this kernel" in second.read_only


def test_f_20_a_subprocess_inherits_no_lock(tmp_path: Path):
    """F-20"""
    store = JsonlStore.create(tmp_path / "c")
    store.append([message("one")])
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    try:
        store.close()
        assert JsonlStore.open(tmp_path / "c").read_only is None
    finally:
        child.communicate(b"\n")


def test_a_damaged_log_is_not_kept_locked(tmp_path: Path):
    store = JsonlStore.create(tmp_path / "c")
    store.append([message("one")])
    store.append([message("two")])
    store.close()
    log = tmp_path / "c" / "log.jsonl"
    content = log.read_bytes()
    log.write_bytes(content.replace(b"one", b"two", 1))
    damaged = JsonlStore.open(tmp_path / "c")
    assert damaged.read_only is not None

    log.write_bytes(content)

    assert JsonlStore.open(tmp_path / "c").read_only is None


def test_a_store_that_nobody_holds_any_more_holds_no_lock(tmp_path: Path):
    store = JsonlStore.create(tmp_path / "c")
    store.append([message("one")])

    del store

    assert JsonlStore.open(tmp_path / "c").read_only is None


def test_a_lock_says_in_words_who_holds_it(tmp_path: Path):
    store = JsonlStore.create(tmp_path / "c")
    store.append([message("one")])

    said = dict(line.split(": ", 1) for line in (tmp_path / "c" / "lock").read_text().splitlines())

    assert said["host"] == socket.gethostname()
    assert said["pid"] == str(os.getpid())
    assert set(said) == {"host", "pid", "boot", "since"}


@pytest.mark.parametrize("text", ["", "host: \x1b[31m\npid: 1", "\x00" * 50, "host: other\npid: 77\n" + "x" * 9000])
def test_what_a_lock_says_cannot_do_harm(tmp_path: Path, text: str):
    store = JsonlStore.create(tmp_path / "c")
    store.append([message("one")])
    (tmp_path / "c" / "lock").write_text(text)

    reason = JsonlStore.open(tmp_path / "c").read_only

    assert reason is not None
    assert reason.isprintable()
    assert len(reason) < 200


class OtherHost(Disk):
    """The lock is held on another computer of a network disk."""

    def lock(self, path: Path) -> int:
        raise lock.Held("far-away", "4711")


def test_f_13_a_person_can_say_that_a_writer_on_another_computer_is_gone(tmp_path: Path):
    """F-13: the fence still holds then."""
    first = JsonlStore.create(tmp_path / "c")
    first.append([message("one")])
    store = JsonlStore.open(tmp_path / "c", disk=OtherHost())
    assert store.read_only == "Another writer has this conversation open: process 4711 on far-away."
    with pytest.raises(StoreError, match="far-away"):
        store.take_over()

    store.take_over(from_other_host=True)

    store.append([message("two")])
    with pytest.raises(StoreError, match="changed by somebody else"):
        first.append([message("three")])
    here = JsonlStore.create(tmp_path / "d")
    here.append([message("one")])
    with pytest.raises(StoreError, match="this kernel"):
        JsonlStore.open(tmp_path / "d").take_over(from_other_host=True)
