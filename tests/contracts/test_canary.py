"""T14: the watch over the suite's key sees what it should see."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import canary

OTHER = "sk-planted-0123456789abcdef"  # the suite's own would be found in here, too
CONFTEST = f"""
from tests.canary import Canary

def pytest_configure(config):
    config.pluginmanager.register(Canary({OTHER!r}))
"""


def run(folder: Path, root: Path, test: str) -> subprocess.CompletedProcess[str]:
    """A run of one test with a watch of its own."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={folder / 'tmp'}", folder]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


PLANTED = """
import base64, logging, os, sys
KEY = os.environ["OPENAI_API_KEY"]

def test_in_a_file(tmp_path):
    (tmp_path / "a").write_text(KEY)

def test_deep_in_a_large_file(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b").write_bytes(b"x" * 99_999 + KEY.encode())

def test_in_base64(tmp_path):
    (tmp_path / "c").write_bytes(base64.b64encode(b"Bearer " + KEY.encode() + b" "))

def test_in_a_name(tmp_path):
    (tmp_path / f"d-{KEY}").touch()

def test_printed():
    print(KEY)

def test_said_to_stderr():
    sys.stderr.write(KEY)

def test_logged():
    logging.getLogger("x").warning(KEY)

def test_of_an_innocent(tmp_path):
    (tmp_path / "e").write_text("nothing")
    (tmp_path / "f").symlink_to(tmp_path / "e")
"""
FOUND = [
    "file0/a",
    "file0/deep/b",
    "base640/c",
    f"name0/d-{OTHER}",
    "::test_printed",
    "::test_said_to_stderr",
    "::test_logged",
]


@pytest.mark.slow
def test_t14_f_59_each_planted_key_is_found_and_fails_the_run(tmp_path: Path, root: Path) -> None:
    done = run(tmp_path, root, PLANTED)
    assert "8 passed" in done.stdout
    assert done.returncode == 1
    found = [line for line in done.stdout.splitlines() if line.startswith("T14: the watched key is in ")]
    assert len(found) == len(FOUND)
    for where in FOUND:
        assert any(where in line for line in found), where


@pytest.mark.slow
def test_t14_a_run_that_keeps_the_key_to_itself_passes(tmp_path: Path, root: Path) -> None:
    done = run(tmp_path, root, "def test_it(tmp_path):\n    (tmp_path / 'a').write_text('nothing')\n")
    assert (done.returncode, "T14" in done.stdout) == (0, False)


def test_t14_i_36_i_39_this_run_is_watched(pytestconfig: pytest.Config) -> None:
    """Whatever this suite and its kernels do, they do with a key in their environment."""
    assert any(isinstance(plugin, canary.Canary) for plugin in pytestconfig.pluginmanager.get_plugins())
    assert os.environ["OPENAI_API_KEY"] == canary.KEY


@pytest.mark.parametrize("before", range(4))
def test_the_key_is_known_inside_base64_wherever_it_begins(before: int) -> None:
    encoded = base64.b64encode(b"x" * before + canary.KEY.encode() + b"yyy")
    assert any(spelling in encoded for spelling in canary.spellings(canary.KEY))
