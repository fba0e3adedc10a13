"""T7: processes contend for one conversation, die in it and fork; all that was stored stands there, in one order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest

from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from tests.conftest import LANE
from tests.runtime.stored import message, texts_of

ROUNDS = {"check": 3, "test": 20, "all": 50}[LANE]


@pytest.mark.slow
def test_t7_whoever_contends_nothing_stored_is_lost_or_mixed(
    tmp_path: Path, root: Path, count: Callable[[str, int], None]
) -> None:
    """T7, I-1, I-3, I-4, I-6, F-13, F-20, R-LOG-4: at most one writer at a time, whoever dies, forks or reads along."""
    rounds = [tmp_path / f"{number}" for number in range(ROUNDS)]
    for folder in rounds:
        store = JsonlStore.create(folder / "c")
        store.append([message("begun")])
        store.close()

    contend = [sys.executable, "-m", "tests.runtime.contenders", *map(str, rounds)]
    subprocess.run(contend, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, check=True)

    for folder in rounds:
        count("turns of writers", turns_in(folder))


def turns_in(folder: Path) -> int:
    """Checks what a round left behind; gives the number of writers that came to write."""
    noted = [line.split() for note in (folder / "notes").iterdir() for line in note.read_text().splitlines()]
    stored = {text for what, text in noted if what == "stored"}
    tried = {text for what, text in noted if what == "tried"}
    store = JsonlStore.open(folder / "c")
    texts = texts_of(store)[1:]
    assert store.read_only is None
    assert len(set(texts)) == len(texts)
    assert stored <= set(texts) <= tried
    for contender in {text.split("-")[0] for text in texts}:
        own = [int(text.split("-")[1]) for text in texts if text.split("-")[0] == contender]
        assert own == sorted(own)
    lines = (folder / "c" / "log.jsonl").read_bytes().splitlines(keepends=True)
    turns = [writer for writer, _ in groupby(json.loads(line[24:-2])["w"] for line in lines)]
    assert len(turns) == len(set(turns)), "nobody writes between the records of another"
    return len(turns)
