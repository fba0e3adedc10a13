"""Kernels for the tests of the notebook floor. Starting one takes seconds, so tests share one where they can."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .kernels import Kernel, kernel

SETUP = """
import builtins
from tests.notebook import scripted
builtins.scripted = scripted  # also after %reset
"""


def prepared(folder: Path) -> Iterator[Kernel]:
    """A kernel with the scripted model at hand."""
    with kernel(folder) as started:
        started.do(SETUP)
        # A first traceback loads so much that a call that is stopped would end too late, on a busy machine.
        started.run("1 / 0", store_history=False)
        yield started


@pytest.fixture(scope="module")
def k(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """The kernel of this module."""
    yield from prepared(tmp_path_factory.mktemp("kernel"))


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Kernel]:
    """A kernel for this test alone, which may end it."""
    yield from prepared(tmp_path)


@pytest.fixture(params=["request", "wait", "ask"])
def way(request: pytest.FixtureRequest) -> str:
    """How the Python tool reaches the main thread: by a request, inline in `wait()`, inline in `await ask()`."""
    return request.param
