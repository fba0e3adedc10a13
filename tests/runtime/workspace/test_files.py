"""No path, link or special file leads a workspace outside or hangs it (F-48 to F-50, F-60, O37, T13)."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from smolpaws_jupyter.runtime.workspace import LARGE_FILE, Workspace
from tests.runtime.workspace.helpers import PATHS, SECRET, read, refusal, snapshot

pytestmark = pytest.mark.skipif(os.name == "nt", reason="makes links, pipes and sockets")


def test_files_are_read_written_and_found_by_their_path(workspace: Workspace):
    workspace.write("notes/new/plan.md", b"plan\n", expected=None)

    assert read(workspace, "notes/new/plan.md") == b"plan\n"
    assert read(workspace, "./notes/../notes/a.md") == b"notes\n"
    found = workspace.find("data//b.csv")
    assert found is not None
    assert (found.path, found.size, found.links) == ("data/b.csv", 8, 1)
    assert workspace.find("data/none.csv") is None
    assert workspace.find("none/none.csv") is None


def test_a_listing_is_sorted_and_says_what_it_passed_over(workspace: Workspace, ws: Path):
    for name in ("b.txt", "B.txt", "data/a.csv", ".hidden", "node_modules/x.js", "__pycache__/x.pyc", "a\nb", "a\\b"):
        (ws / name).parent.mkdir(exist_ok=True)
        (ws / name).write_bytes(b"1")
    (ws / "link").symlink_to(ws / "b.txt")
    os.mkfifo(ws / "pipe")
    (ws / ".0123456789abcdef.smolpaws-new").write_bytes(b"half")

    listing = workspace.files()

    assert [file.path for file in listing.files] == ["B.txt", "b.txt", "data/a.csv", "data/b.csv", "notes/a.md"]
    assert (listing.hidden, listing.noise, listing.unusable, listing.complete) == (1, 2, 4, True)
    assert workspace.files(hidden=True).files[0].path == ".hidden"
    assert [file.path for file in workspace.files("node_modules").files] == ["node_modules/x.js"]
    assert [file.path for file in workspace.files("data/b.csv").files] == ["data/b.csv"]


def test_a_folder_without_end_is_listed_in_part(workspace: Workspace, ws: Path):
    deep = ws
    for _ in range(60):
        deep = deep / "d"
        deep.mkdir()
    (deep / "far.txt").touch()

    listing = workspace.files()

    assert not listing.complete
    assert "far.txt" not in {Path(file.path).name for file in listing.files}


@contextmanager
def as_somebody() -> Generator[None]:
    """Without the powers of root, who may read everything."""
    before = os.geteuid()
    os.seteuid(before or 65534)
    try:
        yield
    finally:
        os.seteuid(before)


def test_f_54_what_may_not_be_read_is_counted_and_refused():
    with tempfile.TemporaryDirectory() as place:  # pytest's own is closed to others
        Path(place).chmod(0o755)
        for name in ("closed/x.txt", "open/x.txt"):
            Path(place, name).parent.mkdir()
            Path(place, name).write_bytes(b"x")
        Path(place, "closed").chmod(0o000)
        Path(place, "open", "x.txt").chmod(0o000)
        workspace = Workspace(place)

        with as_somebody():
            assert [file.path for file in workspace.files().files] == ["open/x.txt"]
            assert workspace.files().unreadable == 1
            assert refusal(lambda: read(workspace, "open/x.txt")) == "no_permission"
            assert refusal(lambda: read(workspace, "closed/x.txt")) == "no_permission"
        Path(place, "closed").chmod(0o755)


# Bad names


@pytest.mark.parametrize("path", [*PATHS["deny"], "", "..", "a\nb", "x" * 300, "x/" * 2048, "$HOME/x", "~"])
def test_o37_f_48_a_bad_path_reads_writes_and_lists_nothing(workspace: Workspace, ws: Path, path: str):
    before = snapshot(ws.parent)

    for action in (
        lambda: read(workspace, path),
        lambda: workspace.write(path, b"x", expected=None),
        lambda: workspace.files(path),
        lambda: workspace.find(path),
        lambda: workspace.read_for_change(path),
    ):
        assert refusal(action) in ("invalid_path", "outside_workspace")
    assert snapshot(ws.parent) == before


@pytest.mark.parametrize("path", PATHS["allow"])
def test_o37_a_good_path_is_written_and_read(workspace: Workspace, path: str):
    if workspace.find(path) is None:
        workspace.write(path, b"new", expected=None)

    assert read(workspace, path)


@pytest.mark.parametrize("path", [".", "notes", "notes/", "notes/a.md/", "notes/."])
def test_f_48_a_folder_is_no_file(workspace: Workspace, path: str):
    assert refusal(lambda: read(workspace, path)) == "not_a_file"
    assert refusal(lambda: workspace.write(path, b"x", expected=None)) == "not_a_file"


@pytest.mark.parametrize("path", ["notes/a.md/b", "none/b", "none"])
def test_f_48_a_way_that_does_not_exist_is_no_way(workspace: Workspace, path: str):
    assert refusal(lambda: read(workspace, path)) in ("not_found", "not_a_folder")


@pytest.mark.parametrize("path", [".smolpaws/log.jsonl", ".git/config", ".git/hooks/x", "sub/.git/x", ".GIT/config"])
def test_f_60_the_store_and_version_control_are_neither_read_nor_written(workspace: Workspace, ws: Path, path: str):
    before = snapshot(ws)

    assert refusal(lambda: read(workspace, path)) == "forbidden_path"
    assert refusal(lambda: workspace.write(path, b"x", expected=None)) == "forbidden_path"
    assert refusal(lambda: workspace.files(".git")) == "forbidden_path"
    assert not [file for file in workspace.files(hidden=True).files if file.path.startswith((".git/", ".smolpaws/"))]
    assert snapshot(ws) == before


# Links


def _link_to_file(ws: Path) -> str:
    (ws / "link").symlink_to(ws.parent / "ws-secrets" / "secret.txt")
    return "link"


def _link_to_folder(ws: Path) -> str:
    (ws / "link").symlink_to(ws.parent / "ws-secrets")
    return "link/secret.txt"


def _link_in_the_middle(ws: Path) -> str:
    (ws / "data" / "link").symlink_to("../../ws-secrets")
    return "data/link/secret.txt"


def _chain(ws: Path) -> str:
    (ws / "one").symlink_to("two")
    (ws / "two").symlink_to("../ws-secrets/secret.txt")
    return "one"


def _loop(ws: Path) -> str:
    (ws / "one").symlink_to("two")
    (ws / "two").symlink_to("one")
    return "one"


def _inner_link(ws: Path) -> str:
    (ws / "link").symlink_to("notes/a.md")
    return "link"


def _to_environment(ws: Path) -> str:
    (ws / "link").symlink_to("/proc/self/environ")
    return "link"


@pytest.mark.parametrize(
    "make", [_link_to_file, _link_to_folder, _link_in_the_middle, _chain, _loop, _inner_link, _to_environment]
)
def test_f_49_links_are_never_followed(workspace: Workspace, ws: Path, make: Callable[[Path], str]):
    path = make(ws)
    before = snapshot(ws.parent)

    assert refusal(lambda: read(workspace, path)) == "link"
    assert refusal(lambda: workspace.write(path, b"x", expected=None)) == "link"
    assert refusal(lambda: workspace.write(path, b"x", expected=SECRET)) == "link"
    assert refusal(lambda: workspace.find(path)) == "link"
    assert SECRET not in [read(workspace, file.path) for file in workspace.files().files]
    assert snapshot(ws.parent) == before


def test_f_49_a_hard_link_is_never_written_and_read_only_with_a_persons_word(workspace: Workspace, ws: Path):
    os.link(ws.parent / "ws-secrets" / "secret.txt", ws / "hard.txt")

    assert refusal(lambda: read(workspace, "hard.txt")) == "needs_approval"
    assert refusal(lambda: workspace.write("hard.txt", b"x", expected=SECRET)) == "hard_link"
    assert refusal(lambda: workspace.read_for_change("hard.txt")) == "hard_link"
    assert workspace.concerns("hard.txt") == (
        "'hard.txt' has 2 names (hard links), so it may be a file from elsewhere.",
    )
    with workspace.open("hard.txt", approved=True) as file:
        assert file.read() == SECRET
    assert (ws.parent / "ws-secrets" / "secret.txt").read_bytes() == SECRET


def test_protected_names_and_large_files_are_read_only_with_a_persons_word(workspace: Workspace, ws: Path):
    (ws / "server.key").write_bytes(b"k")
    with (ws / "big.csv").open("wb") as file:
        file.truncate(LARGE_FILE + 1)

    for path in ("server.key", "big.csv"):
        assert len(workspace.concerns(path)) == 1
        assert refusal(lambda path=path: read(workspace, path)) == "needs_approval"
        with workspace.open(path, approved=True) as file:
            assert file.read(1)
    assert workspace.concerns("notes/a.md") == workspace.concerns("none") == ()


def test_the_workspace_itself_may_be_named_by_a_link_but_not_be_swapped(workspace: Workspace, ws: Path):
    (ws.parent / "short").symlink_to(ws)
    assert read(Workspace(ws.parent / "short"), "notes/a.md") == b"notes\n"

    ws.rename(ws.parent / "moved")
    assert refusal(lambda: read(workspace, "notes/a.md")) == "not_found"
    (ws.parent / "ws-secrets").rename(ws)
    assert refusal(lambda: read(workspace, "secret.txt")) == "workspace_replaced"


@pytest.mark.parametrize("place", ["none", "file"])
def test_a_workspace_must_be_a_folder(tmp_path: Path, place: str):
    (tmp_path / "file").touch()

    assert refusal(lambda: Workspace(tmp_path / place)) == "no_workspace"


# Special files


def test_f_50_pipes_sockets_and_folders_are_refused_without_waiting(workspace: Workspace, ws: Path):
    os.mkfifo(ws / "pipe")
    (ws / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(ws)  # the path of a socket may only be about 100 bytes long
        listener.bind("socket")
        os.chdir(here)

        for path, code in (("pipe", "special_file"), ("socket", "special_file"), ("folder", "not_a_file")):
            assert refusal(lambda path=path: read(workspace, path)) == code
            assert refusal(lambda path=path: workspace.write(path, b"x", expected=None)) == code
            assert refusal(lambda path=path: workspace.find(path)) == code


@pytest.mark.skipif(sys.platform != "linux", reason="looks at the devices of Linux")
@pytest.mark.parametrize("by_name", [False, True])
def test_f_50_devices_and_files_made_up_by_the_system_are_refused(by_name: bool):
    everything = Workspace("/", by_name=by_name)

    for path in (
        "dev/zero",
        "dev/null",
        "dev/tty",
        "proc/version",
        f"proc/{os.getpid()}/environ",
        "sys/kernel/profiling",
    ):
        if Path("/", path).exists():
            assert refusal(lambda path=path: read(everything, path)) == "special_file"
            assert refusal(lambda path=path: everything.write(path, b"x", expected=b"")) == "special_file"
    assert refusal(lambda: read(everything, "proc/self/environ")) == "link"
