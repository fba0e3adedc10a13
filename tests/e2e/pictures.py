"""Takes the pictures of the documentation anew, from a run of the first example in a real JupyterLab (`make pictures`)."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Locator, expect, sync_playwright

from tests.conftest import find_chromium
from tests.e2e.desk import MINUTE, SECONDS, Desk
from tests.e2e.lab import CHROMIUM_ARGS, LabPage, jupyter_lab

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs/pictures"

AGENT = """
from smolpaws_jupyter import SmolPaws
paws = SmolPaws("practice", conversation="new", approvals="allow")
paws
"""
TASK = "In data/, total precipitation over all files and find the largest temp_max; write the report to report.md"


def main() -> None:
    """Every tab, light and dark, wide and at 320 pixels, and the reset as a sequence."""
    shutil.rmtree(PICTURES, ignore_errors=True)
    PICTURES.mkdir(parents=True)
    with (
        tempfile.TemporaryDirectory() as root,
        tempfile.TemporaryDirectory() as home,
        jupyter_lab(Path(root), Path(home)) as server,
        sync_playwright() as playwright,
    ):
        folder = server.root / "desk"
        shutil.copytree(ROOT / "examples/data", folder / "data")
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_ARGS)
        context = browser.new_context(viewport={"width": 1280, "height": 1000}, reduced_motion="reduce")
        desk = Desk(LabPage(context.new_page(), server, folder.name, PICTURES), folder)
        desk.ready()
        desk.show(AGENT)
        sequence(desk)
        for theme in ("Light", "Dark"):
            desk.lab.use_theme(f"JupyterLab {theme}")  # type: ignore[arg-type]
            for width, name in ((840, "wide"), (320, "narrow")):
                desk.agent.evaluate(f"(page) => {{ page.parentElement.style.width = '{width}px'; }}")
                tabs(desk, f"{theme.lower()}-{name}")
        browser.close()


def sequence(desk: Desk) -> None:
    """The first reset in three pictures: the warning, the line that marks the reset, the answer."""
    desk.say(TASK)
    warning = desk.agent.locator(".paws-row").filter(has_text=re.compile("The agent was warned")).first
    expect(warning).to_be_attached(timeout=MINUTE)
    take(desk.agent, "reset-1-warned")
    reset = desk.agent.locator(".paws-reset").first
    expect(reset).to_be_attached(timeout=MINUTE)
    take(desk.agent, "reset-2-reset")
    expect(desk.agent).to_contain_text("The largest temp_max is 37.8", timeout=3 * MINUTE)
    expect(desk.state).to_contain_text("Idle", timeout=20 * SECONDS)
    take(desk.agent, "reset-3-done")


def tabs(desk: Desk, name: str) -> None:
    """One picture of each tab."""
    for tab in desk.agent.get_by_role("tab").all():
        tab.click()
        desk.page.wait_for_timeout(1 * SECONDS)  # what it asks for has come and is drawn
        label = re.sub(r"\W+", "-", tab.inner_text().strip().lower())
        take(desk.agent, f"{label}-{name}")
    desk.agent.get_by_role("tab").first.click()


def take(thing: Locator, name: str) -> None:
    thing.screenshot(path=PICTURES / f"{name}.png")
    print(name, flush=True)


if __name__ == "__main__":
    main()
