"""T1 at the level of the store: it dies at every step that reaches the disk, and what was acknowledged is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from smolpaws_jupyter.core.errors import ConversationNotFound
from smolpaws_jupyter.core.events import MessageEvent
from smolpaws_jupyter.runtime.draft import TEXT_LIMIT
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from tests.conftest import LANE
from tests.runtime.simulated_disk import ENDINGS, Died, Ending, SimulatedDisk
from tests.runtime.stored import Commit, commits_of, message, picture

pytestmark = pytest.mark.slow

FOLDER = Path("/work/.smolpaws/conversations/c")

COMMITS: list[tuple[MessageEvent, ...]] = [
    (message("one"),),
    (message("two"), message("three")),
    (message("x" * (TEXT_LIMIT + 1), picture()), message("four")),
    (message("x" * (TEXT_LIMIT + 1)),),
    (message("five"),),
]
NEXT = (message("after the crash"),)
PORTIONS = (0, 0.5, 1)
EVERY = 1 if LANE == "all" else 3


def write_all(disk: SimulatedDisk, acknowledged: list[Commit]) -> None:
    store = JsonlStore.create(FOLDER, disk=disk)
    for commit in COMMITS:
        store.append(commit)
        acknowledged.append(commit)


def recover(disk: SimulatedDisk, acknowledged: list[Commit]) -> None:
    """What the next process does: opens what there is, and goes on."""
    try:
        store = JsonlStore.open(FOLDER, disk=disk)
    except ConversationNotFound:
        assert acknowledged == []
        return
    found = commits_of(store)
    assert store.read_only is None
    assert found[: len(acknowledged)] == acknowledged
    assert found in (COMMITS[: len(found)], [*COMMITS[: len(found) - 1], NEXT])
    assert len(found) <= len(acknowledged) + 1
    acknowledged[:] = found
    if NEXT not in found:
        store.append(NEXT)
        acknowledged.append(NEXT)


def survives(disk: SimulatedDisk, acknowledged: list[Commit]) -> None:
    """I-1 to I-4 and I-7, on what a crash left."""
    recover(disk, acknowledged)
    if not acknowledged:
        return
    again = JsonlStore.open(FOLDER, disk=disk.reborn("kill"))
    assert commits_of(again) == acknowledged
    assert (again.recovered, again.read_only) == ((), None)


def crash(
    run: Callable[[SimulatedDisk, list[Commit]], None],
    start: Callable[[int | None, float], SimulatedDisk],
    acknowledged: list[Commit],
) -> list[tuple[SimulatedDisk, list[Commit]]]:
    """Runs as often as there are steps, and dies in each of them, three ways, and once after all."""
    whole, acks = start(None, 0), list(acknowledged)
    run(whole, acks)
    dead = [(whole, acks)]
    for dies_at in range(1, whole.steps + 1):
        for portion in PORTIONS:
            disk, acks = start(dies_at, portion), list(acknowledged)
            with pytest.raises(Died):
                run(disk, acks)
            dead.append((disk, acks))
    return dead


@pytest.mark.parametrize("ending", ENDINGS)
def test_t1_f_1_f_2_a_crash_at_every_step_loses_nothing_that_was_acknowledged(ending: Ending):
    """T1, F-1, F-2, I-1 to I-4, T-LOG-09: by kill or by power cut, wherever it happens."""
    crashes = crash(write_all, lambda dies_at, portion: SimulatedDisk(dies_at, portion), [])
    assert len(crashes) > 100

    for disk, acknowledged in crashes:
        survives(disk.reborn(ending), acknowledged)


@pytest.mark.parametrize("before", ["kill", "half"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_t1_a_crash_at_every_step_of_the_recovery_loses_nothing_either(before: Ending, ending: Ending):
    """T1: every second crash, by every way, after a first one in the middle of each step."""
    first = [c for c in crash(write_all, SimulatedDisk, []) if c[0].portion == 0.5]
    assert len(first) > 10

    beginning, rest = [c for c in first if not c[1]], [c for c in first if c[1]]
    for disk, acknowledged in beginning + rest[::EVERY]:
        for dead, acks in crash(
            recover, lambda at, part, disk=disk: disk.reborn(before, dies_at=at, portion=part), acknowledged
        ):
            survives(dead.reborn(ending), acks)


@pytest.mark.parametrize("ending", ENDINGS)
def test_i_3_a_torn_tail_that_was_cut_is_always_kept_aside_and_told_of(ending: Ending):
    """I-3, R-LOG-5: wherever cutting it is cut short."""
    whole = SimulatedDisk()
    write_all(whole, [])
    log = FOLDER / "log.jsonl"
    tail = whole.files[log].cache[:60]

    def torn(dies_at: int | None, portion: float) -> SimulatedDisk:
        disk = whole.reborn("lost", dies_at=dies_at, portion=portion)
        disk.files[log].cache += tail
        disk.files[log].platter += tail
        return disk

    def open_it(disk: SimulatedDisk, acknowledged: list[Commit]) -> None:
        assert JsonlStore.open(FOLDER, disk=disk).recovered

    for dead, _ in crash(open_it, torn, []):
        disk = dead.reborn(ending)
        store = JsonlStore.open(FOLDER, disk=disk)
        assert commits_of(store) == COMMITS
        assert all("cut off and kept in log.torn-" in sentence for sentence in store.recovered)
        assert store.recovered
        asides = [file.cache for name, file in disk.files.items() if name.name.startswith("log.torn-")]
        assert tail in asides


@pytest.mark.parametrize("ending", ENDINGS)
def test_r_fork_1_a_crash_while_forking_leaves_a_whole_fork_or_none(ending: Ending):
    """R-FORK-1"""
    source = SimulatedDisk()
    write_all(source, [])
    forked = (message("forked"), message("y" * (TEXT_LIMIT + 1)))

    def fork(disk: SimulatedDisk, acknowledged: list[Commit]) -> None:
        JsonlStore.open(FOLDER, disk=disk).fork(4, "the-fork", forked)
        acknowledged.append(forked)

    for dead, acknowledged in crash(fork, lambda at, part: source.reborn("kill", dies_at=at, portion=part), []):
        disk = dead.reborn(ending)
        assert commits_of(JsonlStore.open(FOLDER, disk=disk)) == COMMITS
        try:
            copy = JsonlStore.open(FOLDER.with_name("the-fork"), disk=disk)
        except ConversationNotFound:
            assert not acknowledged
        else:
            assert commits_of(copy) == [*COMMITS[:3], forked]
            assert (copy.read_only, copy.recovered) == (None, ())
