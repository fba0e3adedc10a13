"""A key that no test may ever see again (T14): it stands in the environment, and at the end of the run in nothing else.

Looked through are all files below the folders that tests write to, and everything that was captured of each test: its
output, its log, its traceback.
"""

from __future__ import annotations

import base64
import mmap
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

KEY = "sk-watched-3fe0b7c1d29a4856b1e7"
NAMES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
"""What litellm would use, and agents of a person with these keys inherit."""


def spellings(key: str) -> list[bytes]:
    """The key as it is, and as it looks inside base64, wherever it begins there."""
    raw = key.encode()
    # What four characters of base64 share with the neighbours of the key is cut off at both ends.
    return [raw, *(base64.b64encode(b"." * before + raw)[4 * bool(before) : -4] for before in range(3))]


def files_with(key: str, folder: Path) -> Iterator[Path]:
    """The files below a folder that hold the key in their content or their name; links are not followed."""
    wanted = spellings(key)
    for place, folders, files in os.walk(folder):  # which takes it well if a folder goes while it looks
        for path in (Path(place, name) for name in [*folders, *files]):
            if key in path.name or (path.is_file() and not path.is_symlink() and _holds(path, wanted)):
                yield path


def _holds(path: Path, wanted: list[bytes]) -> bool:
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return any(content.find(spelling) >= 0 for spelling in wanted)
    except (OSError, ValueError):  # not ours to read any more, or empty
        return False


class Canary:
    """A pytest plugin that fails the run where the key was written or said."""

    def __init__(self, key: str = KEY, *folders: Path) -> None:
        """`folders` are looked through beside pytest's own temporary ones."""
        self.key = key
        self.folders = folders
        self.found: list[str] = []
        for name in NAMES:
            os.environ[name] = key

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        where = f"the output of {report.nodeid}"
        said = [report.longreprtext, *(text for _, text in report.sections)]
        if where not in self.found and any(self.key in text for text in said):
            self.found.append(where)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        factory: pytest.TempPathFactory = session.config._tmp_path_factory  # type: ignore[attr-defined]
        for folder in (factory.getbasetemp(), *self.folders):
            self.found += [str(path) for path in files_with(self.key, folder)]
        if self.found:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for where in self.found:
            terminalreporter.write_line(f"T14: the watched key is in {where}", red=True)
