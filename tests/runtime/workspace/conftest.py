"""A workspace with something worth stealing beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from smolpaws_jupyter.runtime.workspace import Workspace
from tests.runtime.workspace.helpers import SECRET


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A folder with a few files, beside one that is none of its business."""
    ws, outside = tmp_path / "ws", tmp_path / "ws-secrets"
    for folder in (ws / "notes", ws / "data", ws / ".git" / "hooks", ws / ".smolpaws", outside):
        folder.mkdir(parents=True)
    (ws / "notes" / "a.md").write_bytes(b"notes\n")
    (ws / "data" / "b.csv").write_bytes(b"x,y\n1,2\n")
    (ws / ".git" / "config").write_bytes(SECRET)
    (ws / ".smolpaws" / "log.jsonl").write_bytes(SECRET)
    (outside / "secret.txt").write_bytes(SECRET)
    return ws


@pytest.fixture(params=["by descriptor", "by name"])
def workspace(request: pytest.FixtureRequest, ws: Path) -> Workspace:
    """The same rules hold both ways; only a race can tell them apart."""
    return Workspace(ws, by_name=request.param == "by name")
