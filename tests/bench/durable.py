"""P11: durable at the floor of the disk."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path

from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.testing import call, calls, reply
from tests.bench.figures import Figure, middle
from tests.bench.wire import event
from tests.runtime.talks import Echo, talk

ROUNDS = 200


def appends(folder: Path) -> float:
    """The median wall time of an append / that of a plain write and fsync of as many bytes, in turn."""
    store = JsonlStore.create(folder / "conversation")
    store.append([event()])
    line = len((folder / "conversation/log.jsonl").read_bytes())
    plain = os.open(folder / "plain", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    ours, floor = [], []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        os.write(plain, b"x" * line)
        os.fsync(plain)
        floor.append(time.perf_counter() - began)
        record = [event()]
        began = time.perf_counter()
        store.append(record)
        ours.append(time.perf_counter() - began)
    os.close(plain)
    store.close()
    return middle(ours) / middle(floor)


def syncs(folder: Path) -> tuple[float, float, float]:
    """Commits (one sync each) for a step with one reading call, for a step with ten, and files in the folder."""
    counts = []
    for width in (1, 10):
        store = JsonlStore.create(folder / f"run{width}")
        moves = [calls(*(call("echo", text="x") for _ in range(width))) for _ in range(20)]
        t = talk([*moves, reply("ok")], tools=[Echo()], store=store)
        asyncio.run(t.ask("Go"))
        commits = len((folder / f"run{width}/log.jsonl").read_bytes().splitlines())
        counts.append((commits - 3) / 20)
    return counts[0], counts[1], float(len(list((folder / "run1").iterdir())))


def figures() -> list[Figure]:
    """On the disk of the temporary folder."""
    with tempfile.TemporaryDirectory() as name:
        ratio = appends(Path(name))
        one, ten, files = syncs(Path(name))
    return [
        Figure("P11 append / write and fsync, wall", ratio, "x", 1.3),
        Figure("P11 syncs of a step with one reading call", one, "", 2),
        Figure("P11 syncs of a step with ten reading calls", ten, ""),
        Figure("P11 files of a conversation", files, "", 5),
    ]
