"""Notebook 7 with the oldest ipykernel that is supported, in an environment of their own: the same agent, the same page."""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.desk import MINUTE
from tests.e2e.lab import LabPage, Server, jupyter_lab
from tests.environments import NoEnvironment, environment

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.exhaustive, pytest.mark.timeout(900)]

NOTEBOOK, IPYKERNEL = "notebook==7.6.5", "ipykernel==6.31.0"


@pytest.fixture(scope="module")
def notebook_7(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Server]:
    """A Notebook 7 on a folder with the examples. Its kernels import the project from here; litellm stays away."""
    needed = tomllib.loads((root / "pyproject.toml").read_text())["project"]["dependencies"]
    others = [one for one in needed if not one.startswith(("ipykernel", "litellm"))]
    try:
        python = environment(NOTEBOOK, IPYKERNEL, *others)
    except NoEnvironment as reason:
        pytest.skip(str(reason))
    folder = tmp_path_factory.mktemp("root")
    shutil.copytree(root / "examples", folder / "examples", ignore=shutil.ignore_patterns(".*", "notes"))
    with jupyter_lab(folder, tmp_path_factory.mktemp("jupyter"), python, "notebook") as server:
        yield server


def test_in_notebook_7_the_first_example_runs_and_a_reload_finds_everything_again(
    browser: Browser, notebook_7: Server, root: Path
):
    """W-1, F-32: all cells are run from the menu; after a reload the same rows are there, and the agent answers."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    lab = LabPage(page, notebook_7, "examples", root / "tests/shots")
    # A busy one may ask for the kernel that the notebook names already; the answer is yes.
    dialog = page.locator(".jp-Dialog").filter(has_text="Select Kernel")
    page.add_locator_handler(dialog, lambda dialog: dialog.locator(".jp-mod-accept").first.click())
    page.goto(f"{notebook_7.url}/notebooks/examples/01_first_reset.ipynb?token={notebook_7.token}")
    expect(page.locator(".jp-CodeCell").first).to_be_visible(timeout=MINUTE)
    lab.wait_for_kernels()
    run_all(page)
    agent = page.locator(".paws-app").first
    expect(agent).to_contain_text("The largest temp_max is 37.8", timeout=4 * MINUTE)
    expect(agent).to_contain_text("4 resets")
    before = agent.locator(".paws-log").text_content() or ""

    with page.expect_response(lambda reply: reply.request.method == "PUT" and "/api/contents/" in reply.url):
        page.keyboard.press("Control+s")
    page.reload()
    expect(agent).to_contain_text("4 resets", timeout=MINUTE)
    expect(agent.locator(".paws-log")).to_have_text(before)
    agent.get_by_label("Message to the agent").fill("Count the rows of data/seattle-2013.csv")
    agent.get_by_label("Message to the agent").press("Enter")
    expect(agent).to_contain_text("There are 365 rows", timeout=2 * MINUTE)
    lab.screenshot("notebook-7")
    assert lab.off_machine == []
    context.close()
    notebook_7.stop_kernels()


def run_all(page: Page) -> None:
    """Runs all cells from the menu; once more where a busy one drops a run that comes before it is quite ready."""
    for last_try in (False, False, False, True):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        try:
            expect(page.locator(".jp-CodeCell .jp-InputPrompt").first).to_have_text(re.compile(r"[*0-9]"))
            return
        except AssertionError:
            if last_try:
                raise
