"""A file is changed whole or not at all, whoever else writes, whatever the disk does (F-52, F-53, O32)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from smolpaws_jupyter.runtime.workspace import Workspace
from tests.runtime.workspace.helpers import PROJECT, just_before, names_in, read, refusal, within

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions and limits")


def test_a_written_file_is_replaced_whole_and_keeps_its_permissions(workspace: Workspace, ws: Path):
    file = ws / "notes" / "a.md"
    file.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(file, 1234, 1234)
    before = file.stat()

    workspace.write("notes/a.md", b"other\n", expected=b"notes\n")

    after = file.stat()
    assert file.read_bytes() == b"other\n"
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert names_in(ws / "notes") == ["a.md"]


def test_a_new_file_gets_the_permissions_that_are_usual_here(workspace: Workspace, ws: Path):
    (ws / "usual").touch()

    workspace.write("new.txt", b"", expected=None)

    assert (ws / "new.txt").stat().st_mode == (ws / "usual").stat().st_mode


def test_f_52_a_file_that_was_changed_in_between_is_left_alone(workspace: Workspace, ws: Path):
    file = ws / "notes" / "a.md"
    file.write_bytes(b"the person's own words\n")

    assert refusal(lambda: workspace.write("notes/a.md", b"x", expected=b"notes\n")) == "changed"
    assert refusal(lambda: workspace.write("notes/a.md", b"x", expected=None)) == "changed"
    file.unlink()
    assert refusal(lambda: workspace.write("notes/a.md", b"x", expected=b"notes\n")) == "changed"
    assert names_in(ws / "notes") == []


@pytest.mark.parametrize("change", ["rewritten", "replaced", "removed", "created"])
def test_f_52_a_change_at_the_last_moment_is_noticed_when_the_file_is_renamed(ws: Path, change: str):
    """The other writer strikes after the new bytes are on disk, just before they take the old ones' place."""
    target = ws / "notes" / ("new.md" if change == "created" else "a.md")
    expected = None if change == "created" else b"notes\n"

    def strike() -> None:
        if change == "replaced":
            (ws / "other").write_bytes(b"notes\n")
            (ws / "other").replace(target)
        elif change == "removed":
            target.unlink()
        else:
            target.write_bytes(b"THEIRS")

    with just_before(os.fsync, 1, strike):
        code = refusal(lambda: Workspace(ws).write(f"notes/{target.name}", b"mine", expected=expected))

    assert code == "changed"
    assert not target.exists() if change == "removed" else target.read_bytes() != b"mine"
    assert [name for name in names_in(ws / "notes") if name.endswith("smolpaws-new")] == []


def test_a_read_only_file_is_not_replaced(workspace: Workspace, ws: Path):
    (ws / "notes" / "a.md").chmod(0o444)

    assert refusal(lambda: workspace.write("notes/a.md", b"x", expected=b"notes\n")) == "no_permission"
    assert (ws / "notes" / "a.md").read_bytes() == b"notes\n"


def test_f_52_a_large_file_is_not_changed(workspace: Workspace, ws: Path):
    with (ws / "big.csv").open("wb") as file:
        file.truncate(2 * 2**30)

    with within(5):
        assert refusal(lambda: workspace.read_for_change("big.csv")) == "too_large"
        assert refusal(lambda: workspace.write("big.csv", b"x", expected=b"")) == "too_large"


FILL = """
import resource, signal, sys
from smolpaws_jupyter.core.errors import WorkspaceError
from smolpaws_jupyter.runtime.workspace import Workspace
workspace = Workspace(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
for path, expected in (("notes/a.md", b"notes\\n"), ("notes/new.md", None)):
    try:
        workspace.write(path, b"x" * 100_000, expected=expected)
    except WorkspaceError as error:
        print(error.code)
"""


@pytest.mark.parametrize("room", [0, 1, 50_000, 99_999])
def test_f_53_a_disk_that_fills_in_the_middle_of_writing_leaves_the_old_file_whole(ws: Path, room: int):
    command = [sys.executable, "-c", FILL, str(ws), str(room)]
    child = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=PROJECT)

    assert child.stdout.split() == ["disk_full", "disk_full"], child.stderr
    assert names_in(ws / "notes") == ["a.md"]
    assert (ws / "notes" / "a.md").read_bytes() == b"notes\n"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 512 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", place], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting a small disk takes root; the test with RLIMIT_FSIZE stands in")
    yield place
    subprocess.run(["umount", place], check=True)


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounting a small disk takes root on Linux")
def test_f_53_a_full_disk_costs_nothing_and_works_again_when_there_is_room(small_disk: Path):
    workspace = Workspace(small_disk)
    workspace.write("a.txt", b"old", expected=None)
    with (small_disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(b"x" * 4096):
            pass

    assert refusal(lambda: workspace.write("a.txt", b"x" * 100_000, expected=b"old")) == "disk_full"
    assert refusal(lambda: workspace.write("b.txt", b"x" * 100_000, expected=None)) == "disk_full"
    assert names_in(small_disk) == ["a.txt", "filler"]
    assert read(workspace, "a.txt") == b"old"

    (small_disk / "filler").unlink()
    workspace.write("a.txt", b"x" * 100_000, expected=b"old")
    assert read(workspace, "a.txt") == b"x" * 100_000


def test_o32_a_writer_that_is_killed_leaves_the_old_file_or_the_new_one(ws: Path):
    code = (
        "import sys; from smolpaws_jupyter.runtime.workspace import Workspace\n"
        "workspace, texts, i = Workspace(sys.argv[1]), [b'a' * 200_000, b'b' * 200_000], 0\n"
        "workspace.write('notes/k.md', texts[1], expected=None); print('go', flush=True)\n"
        "while True: workspace.write('notes/k.md', texts[i % 2], expected=texts[(i + 1) % 2]); i += 1\n"
    )
    for _ in range(5):
        (ws / "notes" / "k.md").unlink(missing_ok=True)
        with subprocess.Popen([sys.executable, "-c", code, str(ws)], stdout=subprocess.PIPE, cwd=PROJECT) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"go\n"
            inode = (ws / "notes" / "k.md").stat().st_ino
            while (ws / "notes" / "k.md").stat().st_ino == inode:
                pass
            child.kill()

        assert (ws / "notes" / "k.md").read_bytes() in (b"a" * 200_000, b"b" * 200_000)
        assert {file.path for file in Workspace(ws).files("notes", hidden=True).files} == {"notes/a.md", "notes/k.md"}
