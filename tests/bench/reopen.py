"""P5 and P6: a long conversation opens at once, and folding it anew gives what was kept."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from pathlib import Path

from smolpaws_jupyter.core.replay import Replay
from smolpaws_jupyter.core.view import View
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.log import EventLog
from smolpaws_jupyter.runtime.redaction import Redactor
from tests.bench.figures import Figure, middle
from tests.bench.long_log import stored
from tests.bench.steps import encoding
from tests.runtime.stored import message

LENGTHS = (1_000, 10_000, 100_000)
ROUNDS = 5


def opening(folder: Path) -> float:
    """CPU seconds until a conversation is ready for its next request."""
    began = time.process_time()
    log = EventLog(JsonlStore.open(folder, write=False), Redactor())
    took = time.process_time() - began
    assert log.view.start is not None
    log.store.close()
    return took


def reading(folder: Path) -> float:
    """CPU seconds for reading the bytes of its log."""
    began = time.process_time()
    with (folder / "log.jsonl").open("rb") as file:
        while file.read(1 << 20):
            pass
    return time.process_time() - began


def keep(folder: Path) -> None:
    """Opens, goes on, and closes, which leaves a snapshot."""
    log = EventLog(JsonlStore.open(folder), Redactor())
    log.append(message("And now?"))
    log._kept = -1_000_000
    log._keep_folds(0)
    log.store.close()


def memory(folder: Path) -> float:
    """Megabytes by which opening makes a fresh process larger that has opened a short conversation before."""
    script = (
        "import resource, sys; from pathlib import Path; from tests.bench.reopen import opening; from tests.bench.figures import peak;"
        "opening(Path(sys.argv[1])); before = peak(); opening(Path(sys.argv[2])); print(peak() - before)"
    )
    command = [sys.executable, "-c", script, str(stored(LENGTHS[0])), str(folder)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def figures() -> list[Figure]:
    """A conversation with a reset every hundred events."""
    folders = [stored(length) for length in LENGTHS]
    whole = folders[-1]
    (whole / "log.snapshot").unlink(missing_ok=True)
    decoding = opening(whole)
    for folder in folders:
        keep(folder)
    opening(folders[0])
    times: dict[Path, list[float]] = {folder: [] for folder in folders}
    floors = []
    for _ in range(ROUNDS):
        floors.append(reading(whole))
        for folder in folders:
            times[folder].append(opening(folder))
    ready = [middle(times[folder]) for folder in folders]
    unit = encoding() / 1e3
    store = JsonlStore.open(whole, write=False)
    commits = list(store.commits())
    store.close()
    began = time.process_time()
    replay = Replay.of(commits)
    cold = time.process_time() - began
    began = time.process_time()
    view = View.of(event for commit in commits for event in commit)
    viewed = time.process_time() - began
    assert isinstance(replay, Replay)
    same = view == replay.view == EventLog(JsonlStore.open(whole, write=False), Redactor()).view
    exponent = math.log(ready[2] / ready[0]) / math.log(LENGTHS[2] / LENGTHS[0])
    return [
        Figure("P5 exponent of opening, 1,000 to 100,000 events", exponent, "", 0.1),
        Figure("P5 opening 100,000 events / reading the bytes", ready[2] / middle(floors), "x", 2.5),
        Figure("P5 opening 100,000 events, CPU", ready[2] * 1e3, "ms"),
        Figure("P5 memory that opening 100,000 events takes", memory(whole), "MB", 3),
        Figure("P5 decoding 100,000 events / json.dumps of one", decoding / unit, "x", 0.42 / 3.8e-6),
        Figure("P5 decoding 100,000 events, CPU", decoding, "s"),
        Figure("P6 folding the view of 100,000 events / json.dumps of one", viewed / unit, "x", 0.1 / 3.8e-6),
        Figure("P6 folding the view of 100,000 events, CPU", viewed, "s"),
        Figure("P6 the same with all rules of replay, CPU", cold, "s"),
        Figure("P6 views that differ when folded anew, kept, or at once", float(not same), "", 0),
    ]
