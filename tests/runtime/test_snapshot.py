"""The snapshot beside a log makes opening faster and nothing else: without it, or with a wrong one, all is the same."""

from __future__ import annotations

import errno
import itertools
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from smolpaws_jupyter.core import folds
from smolpaws_jupyter.core.ledger import Ledger
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.core.replay import Replay
from smolpaws_jupyter.runtime.draft import TEXT_LIMIT
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.log import KEEP_EVERY, EventLog
from smolpaws_jupyter.runtime.opening import repairs
from smolpaws_jupyter.runtime.record import frame, unframe
from smolpaws_jupyter.runtime.redaction import Redactor
from smolpaws_jupyter.runtime.store import Store
from tests.bench.long_log import condensed_log
from tests.builders import History
from tests.histories import histories
from tests.runtime.failing_disk import FailingDisk, HurriedDisk
from tests.runtime.simulated_disk import ENDINGS, Died, Ending, File, SimulatedDisk
from tests.runtime.stored import LINES, framed, line_of, message, put_log, record

LATER = message("later")


def opened(store: Store) -> EventLog:
    return EventLog(store, Redactor())


@dataclass(frozen=True)
class Opening:
    """All that can be asked of a log that was opened."""

    replay: Replay
    ledger: Ledger
    violation: Any
    events: tuple[Any, ...]
    one_by_one: tuple[Any, ...]
    commits: tuple[Any, ...]
    read_only: str | None
    repairs: tuple[str, ...]
    notices: tuple[str, ...]
    last_writer: str | None


def opening_of(folder: Path, *, write: bool = False) -> Opening:
    """What an opening gives. Closes it again."""
    log = opened(store := JsonlStore.open(folder, write=write, disk=HurriedDisk()))
    try:
        return Opening(
            log.replay,
            log.ledger,
            log.violation,
            tuple(log.read()),
            tuple(event for at in range(len(log)) for event in log.read(at, at + 1)),
            tuple(store.commits()),
            log.read_only,
            tuple(event.kind for event in repairs(log)),
            store.notices,
            store.last_writer_id,
        )
    finally:
        store.close()


def is_used(folder: Path) -> bool:
    """Whether opening takes the snapshot for true."""
    store = JsonlStore.open(folder, write=False)
    store.close()
    return store.kept_folds is not None


def without(folder: Path) -> Path:
    """A copy of a conversation without its snapshot."""
    copy = folder.with_name(f"{folder.name}-without")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    (copy / "log.snapshot").unlink(missing_ok=True)
    return copy


def keep(log: EventLog) -> None:
    """What closing does with a log that is long enough."""
    log._kept = -KEEP_EVERY
    log._keep_folds(0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A conversation of some 60 events with a snapshot, and an event behind it."""
    folder = condensed_log(tmp_path / "c", 60, steps=4)
    log = opened(JsonlStore.open(folder, disk=HurriedDisk()))
    log.append(message("before"))
    keep(log)
    log.append(LATER)
    log.store.close()
    assert is_used(folder)
    return folder


@given(histories(), st.data())
def test_i_7_opening_with_a_snapshot_equals_opening_without_one(history: History, data: st.DataObject):
    """T-LOG-04, I-4, P5: view, usage, what is open, what is repaired, and every event by its position."""
    assume(not any("\\ud8" in repr(event) for event in history.events))  # no half of a surrogate pair gets into a log
    known = [n for n, commit in enumerate(history.commits) if not any(isinstance(e, UnknownEvent) for e in commit)]
    kept = data.draw(st.sampled_from(known))
    lines = [_line(number, commit) for number, commit in enumerate(history.commits)]
    with tempfile.TemporaryDirectory() as name:
        folder = put_log(Path(name, "c"), lines[:kept])
        log = opened(JsonlStore.open(folder, disk=HurriedDisk()))
        log.store.append(history.commits[kept])  # type: ignore[arg-type]
        log = opened(log.store)
        log.store.keep_folds(folds.dump(log.replay, log.ledger))
        log.store.close()
        with (folder / "log.jsonl").open("ab") as file:
            file.writelines(lines[kept + 1 :])
        assert is_used(folder)
        opening = opening_of(folder)
        assert opening == opening_of(without(folder))
        assert opening.replay.view == history.view


def _line(number: int, commit: Sequence[Any]) -> bytes:
    return line_of(record(number, *(e.raw if isinstance(e, UnknownEvent) else e for e in commit)))


def test_p5_only_what_came_after_the_snapshot_is_read_and_folded(folder: Path):
    store = JsonlStore.open(folder, write=False)
    assert store.kept_folds is not None
    length, _ = store.kept_folds
    assert length == len(store) - 1
    assert opened(store).view.unread[-1] == LATER
    store.close()


def test_i_5_each_bit_that_flips_behind_a_snapshot_is_noticed_as_without_one(folder: Path):
    """F-5: at many places of the log, in what the snapshot is of and behind it."""
    log = folder / "log.jsonl"
    content = log.read_bytes()
    for at in [*range(5, len(content), 1499), len(content) - 30]:
        log.write_bytes(content[:at] + bytes([content[at] ^ 1 << at % 7]) + content[at + 1 :])
        with_one, without_one = opening_of(folder), opening_of(without(folder))
        assert with_one == without_one
        assert with_one.read_only is not None


CHANGES: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "a line is missing": lambda lines: [*lines[:30], *lines[31:]],
    "lines are swapped": lambda lines: [*lines[:30], lines[31], lines[30], *lines[32:]],
    "it was cut": lambda lines: lines[:30],
    "it was cut in the middle of a line": lambda lines: [*lines[:30], lines[30][:-9]],
    "it is another log": lambda _: LINES,
    "it is empty": lambda _: [],
    "its end is torn": lambda lines: [*lines, lines[-1][:-20]],
    "an older version went on": lambda lines: [*lines, _next(lines)],
    "it was written anew with the same length": lambda lines: [*lines[:30], _other(lines[30]), *lines[31:]],
}


def _next(lines: list[bytes]) -> bytes:
    last = json.loads(unframe(lines[-1]))
    return frame({**last, "seq": last["seq"] + 1, "events": [message("more").model_dump(mode="json")]})


def _other(line: bytes) -> bytes:
    """A sound record of the same size that says something else."""
    return frame(json.loads(unframe(line).replace("xxx", "yyy", 1)))


@pytest.mark.parametrize("name", CHANGES)
def test_a_log_that_changed_after_its_snapshot_is_read_as_without_one(folder: Path, name: str):
    """F-6, F-7, I-3"""
    log = folder / "log.jsonl"
    log.write_bytes(b"".join(CHANGES[name](log.read_bytes().splitlines(keepends=True))))
    copy = without(folder)
    assert is_used(folder) == (name in ("its end is torn", "an older version went on"))
    assert opening_of(folder) == opening_of(copy)
    assert opening_of(folder, write=True) == opening_of(copy, write=True)


def _edited(data: bytes, **fields: Any) -> bytes:
    return frame({**json.loads(unframe(data)), **fields})


WRONG: dict[str, Callable[[bytes], bytes]] = {
    "it is empty": lambda _: b"",
    "it is cut": lambda data: data[:-100],
    "it is zeros": lambda data: bytes(len(data)),
    "it is not finished": lambda data: data[: len(data) // 2] + bytes(len(data) // 2),
    "it is no JSON": lambda _: framed(b"nothing"),
    "it is nested deep": lambda _: framed(b"[" * 100_000),
    "it is another object": lambda _: frame({"kind": "snapshot"}),
    "it was made by other code": lambda data: _edited(data, code="little 00000000"),
    "its places are none": lambda data: _edited(data, starts="", firsts=""),
    "its places are no places": lambda data: _edited(data, starts="abc"),
    "its end is before its beginning": lambda data: _edited(data, end=-1),
    "its end is far away": lambda data: _edited(data, end=10**30),
    "its folds are of another shape": lambda data: _edited(data, folds={"replay": 1}),
}


@pytest.mark.parametrize("name", WRONG)
def test_i_40_a_snapshot_of_any_bytes_is_as_good_as_none(folder: Path, name: str):
    expected = opening_of(without(folder))
    snapshot = folder / "log.snapshot"
    snapshot.write_bytes(WRONG[name](snapshot.read_bytes()))
    assert is_used(folder) == (name == "its folds are of another shape")  # which is found out when they are loaded
    assert opening_of(folder) == expected


def test_each_bit_that_flips_in_a_snapshot_makes_it_none(folder: Path):
    snapshot = folder / "log.snapshot"
    content = snapshot.read_bytes()
    for at in range(0, len(content), 499):
        snapshot.write_bytes(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :])
        assert not is_used(folder)


def test_the_snapshot_of_another_conversation_counts_for_nothing(folder: Path, tmp_path: Path):
    other = put_log(tmp_path / "other", LINES)
    shutil.copy(folder / "log.snapshot", other)
    assert not is_used(other)
    assert opening_of(other) == opening_of(without(other))


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.symlink_to("log.jsonl")])
def test_f_19_a_snapshot_that_is_no_regular_file_counts_for_nothing(folder: Path, make: Callable[[Path], None]):
    expected = opening_of(without(folder))
    (folder / "log.snapshot").unlink()
    make(folder / "log.snapshot")
    assert opening_of(folder) == expected
    log = opened(JsonlStore.open(folder))
    log.append(message("more"))
    keep(log)
    log.store.close()


def test_a_large_text_that_is_gone_is_noticed_although_a_snapshot_says_where_it_was(tmp_path: Path):
    """I-5, F-5"""
    folder = condensed_log(tmp_path / "c", 60, steps=4)
    log = opened(JsonlStore.open(folder))
    log.append(message("x" * (TEXT_LIMIT + 1)))
    keep(log)
    log.store.close()
    assert is_used(folder)
    (blob,) = (folder / "blobs").iterdir()
    blob.write_bytes(b"y" + blob.read_bytes()[1:])
    assert not is_used(folder)
    opening = opening_of(folder)
    assert opening == opening_of(without(folder))
    assert opening.read_only is not None


def test_i_7_opening_and_closing_write_no_snapshot(tmp_path: Path):
    """Only who appended keeps one, and only of a long log with a short view."""
    folder = condensed_log(tmp_path / "c", 60, steps=4)
    log = opened(JsonlStore.open(folder))
    keep(log)
    log.close()
    assert not (folder / "log.snapshot").exists()
    log = opened(JsonlStore.open(folder))
    log.append(message("one"))
    log.close()
    assert not (folder / "log.snapshot").exists()


def test_a_long_log_keeps_a_snapshot_when_it_is_closed_and_at_a_reset(tmp_path: Path):
    folder = condensed_log(tmp_path / "c", KEEP_EVERY + 200)
    log = opened(JsonlStore.open(folder, disk=HurriedDisk()))
    log.append(message("one"))
    assert not (folder / "log.snapshot").exists()
    log.close()
    assert is_used(folder)


def test_f_12_a_reader_and_a_folder_without_write_access_write_none_and_complain_of_nothing(folder: Path):
    before = (folder / "log.snapshot").read_bytes()
    log = opened(JsonlStore.open(folder, write=False))
    keep(log)
    log.close()
    assert (folder / "log.snapshot").read_bytes() == before
    disk = FailingDisk()
    log = opened(JsonlStore.open(folder, disk=disk))
    log.append(message("more"))
    for call in ("open", "write", "replace"):
        disk.fail_next(call, errno.EROFS)
        keep(log)
        assert log.read_only is None
    log.append(message("and more"))
    log.store.close()
    assert (folder / "log.snapshot").read_bytes() == before
    assert opening_of(folder) == opening_of(without(folder))


def test_f_13_a_second_kernel_opens_from_the_snapshot_and_follows(folder: Path):
    writer = opened(JsonlStore.open(folder, disk=HurriedDisk()))
    reader = opened(JsonlStore.open(folder, write=False))
    writer.append(message("seen by both"))
    keep(writer)
    assert reader.refresh() == 1
    assert (reader.replay, reader.ledger) == (writer.replay, writer.ledger)
    assert list(reader.read()) == list(writer.read())
    third = opened(JsonlStore.open(folder, write=False))
    assert (third.replay, third.ledger) == (writer.replay, writer.ledger)
    for log in (writer, reader, third):
        log.store.close()


HOME = Path("/work/.smolpaws/conversations/c")


@pytest.mark.parametrize("ending", ENDINGS)
def test_t1_f_1_f_2_a_crash_around_a_snapshot_loses_nothing(ending: Ending, tmp_path: Path):
    """Between an append and its snapshot, halfway through the snapshot, and behind it."""
    lines = (condensed_log(tmp_path / "c", 15, steps=2) / "log.jsonl").read_bytes()
    said = [message("one"), message("two")]
    done: list[str] = []

    def life(disk: SimulatedDisk) -> None:
        log = opened(JsonlStore.open(HOME, disk=disk))
        for event in said:
            log.append(event)
            done.append(event.id)
            keep(log)
        log.store.close()

    def disk(dies_at: int | None = None, portion: float = 0) -> SimulatedDisk:
        files = {HOME / "log.jsonl": File(lines, lines), HOME / "lock": File()}
        folders = {HOME, *HOME.parents}
        return SimulatedDisk(dies_at, portion, files, dict(files), set(folders), set(folders))

    life(whole := disk())
    used = 0
    for step, portion in itertools.product(range(1, whole.steps + 1), (0, 0.5, 1)):
        done.clear()
        with pytest.raises(Died):
            life(dying := disk(step, portion))
        after = dying.reborn(ending)
        with_one = opened(JsonlStore.open(HOME, disk=after, write=False))
        used += with_one.store.kept_folds is not None
        after.files.pop(HOME / "log.snapshot", None)
        without_one = opened(JsonlStore.open(HOME, disk=after, write=False))
        assert (with_one.replay, with_one.ledger) == (without_one.replay, without_one.ledger)
        assert list(with_one.read()) == list(without_one.read())
        assert set(done) <= {event.id for event in with_one.read()}
    assert bool(used) == (ending in ("kill", "kept"))
