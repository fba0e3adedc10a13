"""One contract for every store: run against the one in memory and the one on disk."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.errors import StoreError
from smolpaws_jupyter.core.events import MessageEvent
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.runtime.draft import TEXT_LIMIT
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.memory_store import MemoryStore
from smolpaws_jupyter.runtime.store import Store
from smolpaws_jupyter.runtime.writers import kernel_of
from tests.runtime.failing_disk import FailingDisk
from tests.runtime.stored import commits_of, line_of, message, picture, put_log, record, texts_of


class Home(Protocol):
    """Where conversations of one kind of store live."""

    def new(self) -> Store: ...
    def reopen(self, store: Store) -> Store: ...
    def second(self, store: Store) -> Store: ...
    def fill(self, store: Store) -> None: ...
    def make_room(self, store: Store) -> None: ...


class InMemory:
    def new(self) -> MemoryStore:
        return MemoryStore()

    def reopen(self, store: Any) -> MemoryStore:
        return store.reopen()

    def second(self, store: Any) -> MemoryStore:
        return store.follow()

    def fill(self, store: Any) -> None:
        store.full = True

    def make_room(self, store: Any) -> None:
        store.full = False


@dataclass
class OnDisk:
    folder: Path
    disk: FailingDisk = field(default_factory=FailingDisk)
    count: int = 0

    def new(self) -> JsonlStore:
        self.count += 1
        return JsonlStore.create(self.folder / f"conversation-{self.count}", disk=self.disk)

    def reopen(self, store: Any) -> JsonlStore:
        store.close()
        return JsonlStore.open(self.folder / store.conversation_id, disk=self.disk)

    def second(self, store: Any) -> JsonlStore:
        return JsonlStore.open(self.folder / store.conversation_id, disk=self.disk)

    def fill(self, store: Any) -> None:
        self.disk.fail_next("write", errno.ENOSPC, written=0.5)

    def make_room(self, store: Any) -> None:
        self.disk.fails = None


@pytest.fixture(params=["memory", "disk"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    return InMemory() if request.param == "memory" else OnDisk(tmp_path)


def test_a_new_store_is_empty_and_can_be_written(home: Home):
    store = home.new()

    assert len(store) == 0
    assert list(store.read()) == []
    assert list(store.commits()) == []
    assert store.read_only is None
    assert store.last_writer_id is None
    assert store.recovered == ()


def test_what_was_appended_is_read_back_in_order_also_after_reopening(home: Home):
    store = home.new()
    first, second = (message("one"), message("two", picture())), (message("three"),)

    store.append(first)
    store.append(second)

    assert list(store.read()) == [*first, *second]
    assert commits_of(store) == [first, second]
    again = home.reopen(store)
    assert commits_of(again) == [first, second]
    assert (len(again), again.recovered, again.read_only) == (3, (), None)


def test_the_newest_events_are_read_first_and_commits_that_cannot_matter_are_passed_over(home: Home):
    """R-HIST-5: large texts lie in blobs, so their commits are never passed over."""
    store = home.new()
    assert list(store.read_back(9, lambda _: True)) == []
    events = [message(text) for text in ("one", "two", "three", "x" * (TEXT_LIMIT + 1), "four", "five", "six")]
    for commit in (events[:2], events[2:3], events[3:4], events[4:6], events[6:]):
        store.append(commit)

    newest_first = [*reversed([*enumerate(events)])]
    for stop in range(len(events) + 2):
        assert list(store.read_back(stop, lambda _: True)) == newest_first[max(0, len(events) - stop) :]
    found = store.read_back(6, lambda text: "two" in text or "four" in text)
    assert [at for at, _ in found] == [5, 4, 3, 1, 0]
    assert [at for at, _ in store.read_back(7, lambda _: False)] == [3]


def test_what_is_appended_while_events_are_read_back_does_not_disturb(home: Home):
    store = home.new()
    for text in ("one", "two", "three"):
        store.append([message(text)])
    seen: list[str] = []
    for _, event in store.read_back(len(store), lambda _: True):
        assert isinstance(event, MessageEvent)
        seen.append(event.text)
        store.append([message(f"after {event.text}")])
    assert seen == ["three", "two", "one"]


def test_i_7_opening_twice_gives_the_same(home: Home):
    """I-7, T-LOG-04: nothing but the lines is needed."""
    store = home.new()
    store.append([message("one"), message("two")])

    once = home.reopen(store)
    before = commits_of(once)
    twice = home.reopen(once)

    assert commits_of(twice) == before
    assert twice.last_writer_id == store.writer_id


@given(
    sizes=st.lists(st.integers(1, 4), max_size=8),
    start=st.integers(-2, 40),
    stop=st.none() | st.integers(0, 40),
)
def test_t_log_08_positions_count_events(sizes: list[int], start: int, stop: int | None):
    """T-LOG-08, R-VOC-2, R-VOC-3"""
    store = MemoryStore()
    events: list[MessageEvent] = []
    for number, size in enumerate(sizes):
        commit = [message(f"{number}.{n}") for n in range(size)]
        store.append(commit)
        events += commit
        assert len(store) == len(events)

    assert list(store.read(start, stop)) == events[max(start, 0) : stop]


@pytest.mark.parametrize(("start", "stop"), [(0, 2), (1, 4), (2, None), (5, None), (3, 1)])
def test_t_log_08_a_part_of_a_log_is_read_alone(home: Home, start: int, stop: int | None):
    """T-LOG-08"""
    store = home.new()
    events = [message(str(n)) for n in range(5)]
    store.append(events[:3])
    store.append(events[3:])

    assert list(store.read(start, stop)) == events[start:stop]


def test_t_log_05_order_is_that_of_the_appends_whatever_the_clocks_say(home: Home):
    """T-LOG-05, F-16"""
    store = home.new()
    stamps = ["2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "not a time"]

    for number, stamp in enumerate(stamps):
        store.append([message(str(number), timestamp=stamp)])

    assert texts_of(home.reopen(store)) == ["0", "1", "2", "3"]


def test_t_log_09_a_large_text_is_the_same_for_every_reader(home: Home):
    """T-LOG-09, R-LOG-11"""
    store = home.new()
    texts = ["x" * TEXT_LIMIT, "x" * (TEXT_LIMIT + 1), f"blob:{'0' * 64}", "ü" * TEXT_LIMIT]

    store.append([message(text) for text in texts])

    assert texts_of(store) == texts
    assert texts_of(home.reopen(store)) == texts


def test_blobs_are_kept_under_their_hash(home: Home):
    store = home.new()
    store.append([message("one")])

    name = store.put_blob(b"before")

    assert name == store.put_blob(b"before")
    assert store.get_blob(name) == b"before"
    assert store.get_blob("0" * 64) is None
    assert home.reopen(store).get_blob(name) == b"before"


def test_t_log_01_a_failed_append_leaves_nothing_and_the_next_one_follows(home: Home):
    """T-LOG-01, R-LOG-2, I-2, F-9"""
    store = home.new()
    store.append([message("one")])
    home.fill(store)

    with pytest.raises(StoreError) as failure:
        store.append([message("two"), message("three")])

    assert "room" in str(failure.value)
    assert texts_of(store) == ["one"]
    home.make_room(store)
    store.append([message("four")])
    assert texts_of(store) == ["one", "four"]
    assert texts_of(home.reopen(store)) == ["one", "four"]


@pytest.mark.parametrize(
    "unfit",
    [message("half a pair \udc3e"), UnknownEvent(kind="Future", id="", reason="unknown", raw={})],
)
def test_r_log_6_what_no_log_can_hold_is_refused_and_does_no_harm(home: Home, unfit: Any):
    """R-LOG-6, F-18"""
    store = home.new()
    store.append([message("one")])

    with pytest.raises(StoreError, match="cannot be stored"):
        store.append([message("two"), unfit])
    with pytest.raises(StoreError, match="at least one event"):
        store.append([])

    store.append([message("three")])
    assert texts_of(home.reopen(store)) == ["one", "three"]


def test_r_rest_9_the_writer_id_tells_the_opening_and_the_kernel(tmp_path: Path):
    """R-REST-9: the same process, the same kernel part; each opening, another id."""
    memory = MemoryStore()
    memory.append([message("one")])
    in_new_kernel = memory.reopen()
    in_same_kernel = in_new_kernel.reopen(same_kernel=True)
    disk = JsonlStore.create(tmp_path / "c")
    disk.append([message("one")])
    disk.close()
    again = JsonlStore.open(tmp_path / "c")

    assert memory.writer_id == in_new_kernel.last_writer_id
    assert kernel_of(memory.writer_id) != kernel_of(in_new_kernel.writer_id)
    assert kernel_of(in_new_kernel.writer_id) == kernel_of(in_same_kernel.writer_id)
    assert again.last_writer_id == disk.writer_id != again.writer_id
    assert kernel_of(again.writer_id) == kernel_of(disk.writer_id) == kernel_of(memory.writer_id)


def test_f_13_a_second_opener_reads_and_follows(home: Home):
    """F-13, T-LOG-03, R-LOG-4, I-6"""
    store = home.new()
    store.append([message("one")])

    reader = home.second(store)
    store.append([message("two"), message("three")])

    assert reader.read_only is not None
    assert "Another writer" in reader.read_only
    assert texts_of(reader) == ["one"]
    assert reader.refresh() == 2
    assert reader.refresh() == 0
    assert texts_of(reader) == ["one", "two", "three"]
    for write in (lambda: reader.append([message("mine")]), lambda: reader.put_blob(b"mine"), reader.take_over):
        with pytest.raises(StoreError, match="Another writer"):
            write()
    assert len(home.reopen(store)) == 3


def test_f_13_the_second_opener_takes_over_when_the_first_is_gone(home: Home):
    """F-13"""
    store = home.new()
    store.append([message("one")])
    reader = home.second(store)
    store.append([message("two")])
    store.close()

    reader.take_over()

    assert reader.read_only is None
    assert reader.last_writer_id == store.writer_id
    assert texts_of(reader) == ["one", "two"]
    reader.append([message("three")])
    assert texts_of(home.reopen(reader)) == ["one", "two", "three"]


def test_a_closed_store_does_nothing_more(home: Home):
    store = home.new()
    store.append([message("one")])
    store.close()
    store.close()

    assert store.read_only is not None
    for use in (lambda: store.append([message("two")]), lambda: list(store.read()), store.take_over):
        with pytest.raises(StoreError, match="closed"):
            use()


def test_r_fork_1_a_fork_is_a_copy_up_to_a_whole_commit_and_goes_its_own_way(home: Home):
    """R-FORK-1, R-FORK-2"""
    store = home.new()
    first = (message("one"), message("x" * (TEXT_LIMIT + 1), picture()))
    blob = store.put_blob(b"named in an ordinary field")
    second, later = (message(f"see {blob}"), message("three")), (message("y" * (TEXT_LIMIT + 1)),)
    for commit in (first, second, later):
        store.append(commit)

    fork = store.fork(2, "the-fork", [message("forked")])

    assert fork.conversation_id == "the-fork"
    assert commits_of(fork)[:2] == [first, second]
    assert texts_of(fork)[2:] == [f"see {blob}", "three", "forked"]
    assert fork.get_blob(blob) == b"named in an ordinary field"
    store.append([message("only in the source")])
    fork.append([message("only in the fork")])
    assert texts_of(home.reopen(fork))[4:] == ["forked", "only in the fork"]
    assert len(store) == 6
    assert commits_of(home.reopen(store))[:3] == [first, second, later]


@pytest.mark.parametrize("position", [-1, 2, 99])
def test_a_fork_needs_an_event_to_begin_at(home: Home, position: int):
    store = home.new()
    store.append([message("one"), message("two")])

    with pytest.raises(StoreError, match="no event at position"):
        store.fork(position, "the-fork", [message("forked")])


def test_r_fork_6_a_reader_can_fork(home: Home):
    """R-FORK-6"""
    store = home.new()
    store.append([message("one")])

    fork = home.second(store).fork(0, "the-fork", [message("forked")])

    assert fork.read_only is None
    assert texts_of(fork) == ["one", "forked"]


def test_reading_beside_an_append_never_shows_half_of_it(home: Home):
    """I-4: readers in other threads see whole commits, in order."""
    store = home.new()
    store.append([message("0.0"), message("0.1")])
    seen: list[list[str]] = []
    writing = threading.Event()

    def read() -> None:
        while not writing.is_set():
            seen.append(texts_of(store))
        seen.append(texts_of(store))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for n in range(1, 40):
        store.append([message(f"{n}.0"), message(f"{n}.1")])
    writing.set()
    for reader in readers:
        reader.join()

    whole = [f"{n}.{k}" for n in range(40) for k in range(2)]
    assert all(texts == whole[: len(texts)] and len(texts) % 2 == 0 for texts in seen)
    assert seen[-1] == whole


def test_r_log_6_what_reading_left_out_is_a_notice_once(tmp_path: Path):
    """R-LOG-6: the raw line keeps the field."""
    known = message("hello").model_dump(mode="json") | {"added_later": 1}
    folder = put_log(tmp_path / "c", [line_of(record(n, known)) for n in range(3)])

    store = JsonlStore.open(folder)
    before = store.notices
    texts = [texts_of(store), texts_of(store)]

    assert before == ()
    assert texts == [["hello"] * 3] * 2
    assert store.notices == ("MessageEvent: unknown field added_later was left out",)
    assert b'"added_later":1' in (folder / "log.jsonl").read_bytes()


def _is_a_store(make: Callable[[], Store]) -> None:
    """Type checkers see here that both classes keep the protocol."""


_is_a_store(MemoryStore)
_is_a_store(lambda: JsonlStore(Path("c")))
