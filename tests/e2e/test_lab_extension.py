"""The JupyterLab extension in a real JupyterLab: the command, and the status-bar item."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.lab import LabPage, write_notebook

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(300)]

AGENT_CELL = "from smolpaws_jupyter import SmolPaws\npaws = SmolPaws()\npaws"

# What the page of an agent does when its status or budget change, done here from the output of the first cell.
ANNOUNCE = """(output, [fraction, status]) => output.dispatchEvent(new CustomEvent("smolpaws:state", {
    bubbles: true,
    detail: { status, budget: { tokens: null, limit: null, fraction, counted: "measured", limit_from: "profile" } },
}))"""


def status_item(lab: LabPage) -> Locator:
    return lab.page.locator(".smolpaws-status")


def test_new_agent_cell_inserts_the_cell_below_and_runs_it(lab: LabPage, workspace: Path):
    write_notebook(workspace / "work.ipynb", "first = 1", "last = 2")
    lab.open("work.ipynb")
    lab.run_cell(0)

    lab.palette("New agent cell")

    lab.wait_done(1)
    assert [lab.source(i) for i in range(3)] == ["first = 1", AGENT_CELL, "last = 2"]
    lab.screenshot("new-agent-cell")
    assert lab.off_machine == []


def test_the_status_bar_shows_the_agent_of_the_notebook_in_front(lab: LabPage, workspace: Path):
    write_notebook(workspace / "work.ipynb", "print('an agent would be here')")
    write_notebook(workspace / "other.ipynb", "print('no agent here')")
    lab.open("work.ipynb")
    lab.run_cell(0)
    expect(status_item(lab)).to_be_hidden()

    lab.output(0).evaluate(ANNOUNCE, [0.62, "running"])
    expect(status_item(lab)).to_have_text("paws 62 % · running")
    expect(status_item(lab)).to_be_visible()
    lab.screenshot("status-item")

    lab.output(0).evaluate(ANNOUNCE, [None, "idle"])
    expect(status_item(lab)).to_have_text("paws unknown · idle")

    lab.page.get_by_role("listitem", name="other.ipynb").dblclick()
    expect(lab.page.get_by_role("tab", name="other.ipynb")).to_have_attribute("aria-selected", "true")
    expect(status_item(lab)).to_be_hidden()

    lab.page.get_by_role("tab", name="work.ipynb").click()
    expect(status_item(lab)).to_have_text("paws unknown · idle")

    lab.restart_kernel()
    expect(status_item(lab)).to_be_hidden()
    assert lab.errors == []
    assert lab.off_machine == []
