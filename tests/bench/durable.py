"""P11 and P12: durable at the floor of the disk, and the kernel stays free meanwhile."""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
import time
from pathlib import Path

from smolpaws_jupyter.notebook.worker import Worker
from smolpaws_jupyter.runtime.disk import Disk
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.testing import call, calls, reply
from tests.bench.figures import Figure, middle
from tests.bench.wire import event
from tests.runtime.talks import AGENT_RESET, Echo, talk

ROUNDS = 200
TICKS = 1_000


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


class BusyDisk(Disk):
    """The local disk while others use it: each sync takes 20 ms more."""

    def sync(self, fd: int) -> None:
        super().sync(fd)
        time.sleep(0.02)


def lateness(folder: Path | None) -> float:
    """By how many milliseconds the loop of the main thread is late, one time in a hundred, while an agent works."""

    async def ticks() -> list[float]:
        late = []
        for _ in range(TICKS):
            began = time.perf_counter()
            await asyncio.sleep(0.001)
            late.append((time.perf_counter() - began - 0.001) * 1e3)
        return late

    async def work(folder: Path) -> None:
        settings = {**AGENT_RESET, "max_steps_per_run": 100_000}
        store = JsonlStore.create(folder, disk=BusyDisk())
        t = talk(lambda _: call("echo", text="x" * 430), tools=[Echo()], settings=settings, store=store)  # type: ignore[arg-type]
        t.conversation.tell("Go")
        await asyncio.to_thread(over.wait)
        await t.conversation.close()

    over = threading.Event()
    agent = Worker.shared().start(work(folder)) if folder is not None else None
    late = asyncio.run(ticks())
    over.set()
    if agent is not None:
        agent.result()
    return sorted(late)[-TICKS // 100]


def figures() -> list[Figure]:
    """On the disk of the temporary folder."""
    with tempfile.TemporaryDirectory() as name:
        ratio = appends(Path(name))
        one, ten, files = syncs(Path(name))
        idle, busy = zip(*((lateness(None), lateness(Path(name, f"busy{n}"))) for n in range(3)), strict=True)
    return [
        Figure("P11 append / write and fsync, wall", ratio, "x", 1.3),
        Figure("P11 syncs of a step with one reading call", one, "", 2),
        Figure("P11 syncs of a step with ten reading calls", ten, "", 2),
        Figure("P11 files of a conversation", files, "", 5),
        Figure(
            "P12 delay of the kernel's loop by an agent on a busy disk, 99 % of ticks",
            middle([*busy]) - middle([*idle]),
            "ms",
            5,
        ),
        Figure("P12 the same loop without an agent", middle([*idle]), "ms"),
    ]
