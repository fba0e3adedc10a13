"""T11: a conversation of many steps, resets and restores uses no more in the end than in the beginning."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Count = Callable[[str, int], None]


def soak(root: Path, *arguments: object) -> dict[str, Any]:
    """What a process of its own says about itself."""
    command = [sys.executable, "-m", "tests.recovery.soak", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    return json.loads(subprocess.run(command, cwd=root, env=environment, capture_output=True, check=True).stdout)


def lives(root: Path, folder: Path, steps: int, lives: int, count: Count) -> list[dict[str, int]]:
    """The marks at the end of each cycle, checked for all that must not grow at all."""
    said = soak(root, "live", folder, steps, lives)
    marks, milliseconds = said["marks"], said["milliseconds"]
    count("steps", steps)
    for what in ("descriptors", "threads", "tasks"):
        assert len({mark[what] for mark in marks}) == 1, what
    first, last = percentile(milliseconds[: steps // 10]), percentile(milliseconds[-steps // 10 :])
    count("microseconds, the slowest percent of the first steps", int(first * 1e3))
    count("microseconds, the slowest percent of the last steps", int(last * 1e3))
    assert last <= 10 * first
    settled, end = marks[len(marks) // 4], marks[-1]
    between = end["steps"] - settled["steps"]
    assert end["objects"] - settled["objects"] < 0.1 * between + 500
    count("bytes of memory a step", (end["kilobytes"] - settled["kilobytes"]) * 1024 // between)
    return marks


def percentile(values: list[float]) -> float:
    """The 99th."""
    return sorted(values)[len(values) * 99 // 100]


@pytest.mark.slow
def test_t11_i_32_2_000_steps_leave_nothing_behind(root: Path, tmp_path: Path, count: Count) -> None:
    """T11, I-32"""
    marks = lives(root, tmp_path / "c", 2_000, 5, count)

    assert marks[-1]["kilobytes"] - marks[2]["kilobytes"] < 8_000


@pytest.mark.exhaustive
@pytest.mark.timeout(3_600)
def test_t11_i_32_100_000_steps_leave_nothing_behind(root: Path, tmp_path: Path, count: Count) -> None:
    """T11, I-32, F-17: and 100,001 events are opened in seconds."""
    marks = lives(root, tmp_path / "c", 100_000, 20, count)

    settled, end = marks[len(marks) // 4], marks[-1]
    assert end["kilobytes"] - settled["kilobytes"] < end["steps"] - settled["steps"]
    restored = soak(root, "restore", beginning(tmp_path / "c", 100_001))
    count("milliseconds to open 100,001 events", int(restored["seconds"] * 1e3))
    count("megabytes to open 100,001 events", restored["megabytes"])
    assert restored["events"] >= 100_001
    assert restored["seconds"] < 30
    assert restored["megabytes"] < 150


def beginning(folder: Path, events: int) -> Path:
    """A conversation of the first lines of another one, up to so many events."""
    target = folder.with_name("beginning")
    target.mkdir()
    with (folder / "log.jsonl").open("rb") as log, (target / "log.jsonl").open("wb") as copy:
        length = 0
        for line in log:
            if length >= events:
                break
            length += len(json.loads(line[24:-2])["events"])
            copy.write(line)
    return target
