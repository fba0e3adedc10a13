"""Fixtures for the browser tests: one browser and one private JupyterLab for all, and a notebook that stays open."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.conftest import find_chromium
from tests.e2e.desk import Desk
from tests.e2e.lab import CHROMIUM_ARGS, LabPage, Server, jupyter_lab

expect.set_options(timeout=20_000)  # the browser shares two cores with a JupyterLab and its kernels


# While it lives, Playwright keeps an event loop on this thread, and no async test can run: browser tests come last.
@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_ARGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A private JupyterLab. It starts in seconds, so all tests share it, each with a folder of its own."""
    with jupyter_lab(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("jupyter")) as server:
        yield server


@pytest.fixture
def workspace(server: Server, request: pytest.FixtureRequest) -> Path:
    """The folder of this test in JupyterLab; put notebooks and data here before `lab.open(...)`."""
    folder = server.root / re.sub(r"\W+", "-", request.node.name)
    folder.mkdir()
    return folder


@pytest.fixture
def lab(browser: Browser, server: Server, workspace: Path, root: Path) -> Iterator[LabPage]:
    """A new page of that JupyterLab, not yet opened on a notebook."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    shots = root / "tests/shots"
    shots.mkdir(exist_ok=True)
    yield LabPage(context.new_page(), server, workspace.name, shots)
    context.close()
    server.stop_kernels()


@pytest.fixture(scope="session")
def _desk(browser: Browser, server: Server, root: Path) -> Iterator[Desk]:
    folder = server.root / "desk"
    folder.mkdir()
    shutil.copytree(root / "examples/data", folder / "data")
    shots = root / "tests/shots"
    shots.mkdir(exist_ok=True)
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    yield Desk(LabPage(context.new_page(), server, folder.name, shots), folder)
    context.close()
    server.stop_kernels()


@pytest.fixture
def desk(_desk: Desk) -> Iterator[Desk]:
    """An open notebook that the stories share, opened anew where a test before has ended its kernel."""
    _desk.ready()
    _desk.lab.console.clear()
    yield _desk
    assert _desk.lab.off_machine == []
