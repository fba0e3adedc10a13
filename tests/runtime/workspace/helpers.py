"""What the tests of the workspace share: reading, refusals, and looking at what is on disk."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from smolpaws_jupyter.core.errors import WorkspaceError
from smolpaws_jupyter.runtime.workspace import Workspace

PROJECT = Path(__file__).parents[3]
PATHS = json.loads((PROJECT / "tests/fixtures/cases/data/open_texts.json").read_text("utf-8"))["O37-paths"]
SECRET = b"secret from outside"


def read(workspace: Workspace, path: str) -> bytes:
    with workspace.open(path) as file:
        return file.read()


def refusal(action: Callable[[], object]) -> str:
    """The code with which something is refused, at once and with a next step."""
    with pytest.raises(WorkspaceError) as caught, within(5):
        action()
    assert caught.value.message
    assert caught.value.detail
    return caught.value.code


@contextmanager
def within(seconds: float) -> Generator[None]:
    """Fails instead of hanging, also in a system call."""

    def give_up(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"still not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    outer = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *outer)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def just_before(call: Callable[..., object], nth: int, action: Callable[[], None]) -> Generator[None]:
    """Does something at the worst moment: right before the nth call that this thread makes of a system function."""
    left = [nth]

    def profile(frame: FrameType, event: str, argument: object) -> None:
        if event == "c_call" and argument is call:
            left[0] -= 1
            if left[0] == 0:
                action()

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)
    assert left[0] <= 0, "the moment never came"


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Content and mode of every regular file below a folder."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
