"""Whoever swaps folders for links while the agent works wins nothing, and no path leads outside (T13, I-35)."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.errors import WorkspaceError
from smolpaws_jupyter.runtime.workspace import Workspace
from tests.runtime.workspace.helpers import SECRET, just_before, names_in, read, refusal, snapshot, within

pytestmark = pytest.mark.skipif(os.name == "nt", reason="makes links and pipes")


ATTACK = """
import ctypes, os, sys
ws, outside = sys.argv[1:]
os.chdir(ws)
os.mkdir("swap"); open("swap/secret.txt", "wb").write(b"inside")
os.symlink(outside, "other")
open("file", "wb").write(b"inside"); os.symlink(outside + "/secret.txt", "filelink")
exchange = ctypes.CDLL(None, use_errno=True).renameat2
print("go", flush=True)
while True:
    for one, other in ((b"swap", b"other"), (b"file", b"filelink")):
        if exchange(-100, one, -100, other, 2):
            raise OSError(ctypes.get_errno(), "renameat2")
"""


@contextmanager
def attacked(ws: Path) -> Generator[None]:
    """Folder and link, file and link change places all the time, by another process."""
    command = [sys.executable, "-c", ATTACK, str(ws), str(ws.parent / "ws-secrets")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as attacker:
        try:
            assert attacker.stdout is not None
            assert attacker.stdout.readline() == b"go\n"
            yield
            assert attacker.poll() is None
        finally:
            attacker.kill()


def naive_read(ws: Path, path: str) -> bytes:
    """What many programs do: check the resolved path, then open the path."""
    real = os.path.realpath(ws / path)
    if not real.startswith(f"{os.path.realpath(ws)}/"):
        raise PermissionError(errno.EPERM, "outside")
    return (ws / path).read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="swaps names in one step, as only Linux can")
def test_t13_no_link_race_ever_leaks_or_writes_outside(ws: Path, lane: str):
    """Also checks the attack: the same race makes the check of resolved paths leak."""
    workspace = Workspace(ws)
    seen = {b"inside": 0, "refused": 0}
    seconds = {"check": 1, "test": 3, "all": 10}[lane]

    with attacked(ws):
        stop = time.monotonic() + seconds
        while time.monotonic() < stop:
            for path in ("swap/secret.txt", "file"):
                try:
                    with workspace.open(path) as file:
                        seen[file.read()] += 1
                except WorkspaceError:
                    seen["refused"] += 1
            with suppress(WorkspaceError):
                assert [f for f in workspace.files("swap").files if f.size == len(SECRET)] == []
        stop = time.monotonic() + seconds
        while time.monotonic() < stop:
            with suppress(WorkspaceError):
                workspace.write("swap/secret.txt", b"inside", expected=b"inside")
            with suppress(WorkspaceError):
                workspace.write("swap/new.txt", b"inside", expected=None)

        leaks = 0
        stop = time.monotonic() + 30
        while not leaks and time.monotonic() < stop:
            with suppress(OSError):
                leaks += naive_read(ws, "swap/secret.txt") == SECRET

    assert seen[b"inside"] > 10
    assert seen["refused"] > 10
    assert leaks
    assert snapshot(ws.parent / "ws-secrets") == {"secret.txt": (SECRET, stat.S_IFREG | 0o644)}


def _list(workspace: Workspace, path: str) -> None:
    workspace.files(str(Path(path).parent))


def _replace(workspace: Workspace, path: str) -> None:
    workspace.write(path, b"mine", expected=b"x,y\n1,2\n")


def _create(workspace: Workspace, path: str) -> None:
    workspace.write(f"{path}.new", b"mine", expected=None)


@pytest.mark.parametrize(
    ("act", "swapped"),
    [
        (read, "data"),
        (_list, "data"),
        (_replace, "data"),
        (_create, "data"),
        (read, "data/b.csv"),
        (_replace, "data/b.csv"),
    ],
)
def test_f_49_a_link_that_takes_a_names_place_during_the_call_is_not_followed(
    ws: Path, act: Callable[[Workspace, str], object], swapped: str
):
    """The strike falls after the name was looked at and before it is opened; the root is opened first."""
    outside = ws.parent / "ws-secrets"
    (outside / "b.csv").write_bytes(b"x,y\n1,2\n")
    before = snapshot(outside)
    workspace = Workspace(ws)

    def strike() -> None:
        (ws / swapped).rename(ws / "moved")
        (ws / swapped).symlink_to(outside / Path(swapped).relative_to("data"))

    with just_before(os.open, 1 + len(Path(swapped).parts), strike):
        assert refusal(lambda: act(workspace, "data/b.csv")) in ("link", "not_a_folder")
    assert snapshot(outside) == before


# Any path at all

steps = st.sampled_from(
    ["..", ".", "", "in", "out", "file", "hard", "loop", "pipe", "new", "~", "a\\b", "\0", ".git", "x" * 300]
)
any_path = st.builds(
    lambda start, parts: start + "/".join(parts), st.sampled_from(["", "/", "./"]), st.lists(steps, max_size=5)
)


@pytest.fixture(scope="module")
def maze(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders, and in each of them every kind of way out."""
    base = tmp_path_factory.mktemp("maze")
    outside = base / "ws-secrets"
    outside.mkdir()
    (outside / "file").write_bytes(SECRET)
    for folder in (base / "ws", base / "ws" / "in", base / "ws" / "in" / "in"):
        folder.mkdir()
        (folder / "file").write_bytes(b"inside")
        (folder / "out").symlink_to(outside)
        (folder / "loop").symlink_to("loop")
        os.link(outside / "file", folder / "hard")
        os.mkfifo(folder / "pipe")
    return base


@given(path=any_path, by_name=st.booleans())
def test_i_35_t13_no_path_reads_lists_or_changes_anything_outside(maze: Path, path: str, by_name: bool):
    workspace = Workspace(maze / "ws", by_name=by_name)
    inside = {os.lstat(Path(at, name)).st_ino for at, _, names in os.walk(maze / "ws") for name in names}

    with within(5):
        with suppress(WorkspaceError), workspace.open(path) as file:
            assert os.fstat(file.fileno()).st_ino in inside
            assert file.read() == b"inside"
        with suppress(WorkspaceError):
            assert all((maze / "ws" / file.path).stat().st_ino in inside for file in workspace.files(path).files)
        with suppress(WorkspaceError):
            workspace.write(path, b"inside", expected=b"inside")
        with suppress(WorkspaceError):
            workspace.write(path, b"inside", expected=None)
    assert {name: data for name, (data, _) in snapshot(maze / "ws-secrets").items()} == {"file": SECRET}
    assert names_in(maze) == ["ws", "ws-secrets"]
