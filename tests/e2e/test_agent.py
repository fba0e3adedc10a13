"""The agent in a real JupyterLab: a person's journeys, one story each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.lab import LabPage, write_notebook

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(400)]

AGENT = """
from smolpaws_jupyter import SmolPaws
paws = SmolPaws(profiles={"main": {"model": "practice", "params": {"pace": 0.05}}}, approvals="APPROVALS")
paws
"""
SLOW = AGENT.replace("0.05", "1.5")
TASK = "In data/, total precipitation over all files and find the largest temp_max; write the report to report.md"
MINUTE = 60_000


def agent(lab: LabPage) -> Locator:
    return lab.notebook.locator(".paws-app").first


def say(lab: LabPage, text: str) -> None:
    box = agent(lab).get_by_label("Message to the agent")
    box.fill(text)
    box.press("Enter")


@pytest.fixture
def data(workspace: Path, root: Path) -> Path:
    """The workspace with the data of the examples in it."""
    shutil.copytree(root / "examples/data", workspace / "data")
    return workspace


def open_agent(lab: LabPage, folder: Path, code: str = AGENT, approvals: str = "allow") -> None:
    write_notebook(folder / "agent.ipynb", code.strip().replace("APPROVALS", approvals), "mine = 1")
    lab.open("agent.ipynb")
    lab.run_cell(0)
    expect(agent(lab)).to_be_visible(timeout=30_000)


def test_the_first_example_fills_its_context_resets_itself_and_finishes(lab: LabPage, workspace: Path, root: Path):
    shutil.copytree(root / "examples", workspace / "examples", ignore=shutil.ignore_patterns(".*", "notes"))
    lab.folder = f"{workspace.name}/examples"
    # On a busy machine JupyterLab sometimes asks for the kernel that the notebook names already; the answer is yes.
    asked = lab.page.locator(".jp-Dialog")
    lab.page.add_locator_handler(asked, lambda dialog: dialog.locator(".jp-mod-accept").first.click())
    lab.open("01_first_reset.ipynb")
    lab.run_cell(2)
    lab.run_cell(3)
    expect(agent(lab).get_by_role("meter")).to_be_visible(timeout=30_000)
    expect(agent(lab)).to_contain_text("Practice model: fixed rules, no network.")
    lab.screenshot("first-reset-1-empty")

    lab.run_cell(5)
    expect(agent(lab)).to_contain_text("The agent was warned. It decides what to do.", timeout=MINUTE)
    expect(agent(lab).locator(".paws-reset").first).to_be_attached(timeout=MINUTE)
    lab.screenshot("first-reset-2-reset")
    expect(agent(lab)).to_contain_text("The largest temp_max is 37.8", timeout=2 * MINUTE)
    expect(agent(lab)).to_contain_text("4 resets")
    expect(lab.page.locator(".smolpaws-status")).to_contain_text("idle")
    value = agent(lab).get_by_role("meter").get_attribute("aria-valuetext") or ""
    assert "of 8,000 tokens, measured" in value
    agent(lab).locator(".paws-composer").scroll_into_view_if_needed()
    lab.screenshot("first-reset-3-done-light")
    lab.use_theme("JupyterLab Dark")
    lab.screenshot("first-reset-3-done-dark")
    assert lab.errors == []
    assert lab.off_machine == []


def test_after_a_reload_the_conversation_is_there_again(lab: LabPage, data: Path):
    open_agent(lab, data)
    say(lab, "Count the rows of data/seattle-*.csv")
    expect(agent(lab)).to_contain_text("There are 1,095 rows", timeout=MINUTE)
    lab.save()
    lab.open("agent.ipynb", fresh=False)
    expect(agent(lab)).to_contain_text("There are 1,095 rows", timeout=30_000)
    say(lab, "What are you?")
    expect(agent(lab)).to_contain_text("Practice model: fixed rules", timeout=30_000)
    assert lab.errors == []


def test_stop_ends_a_run_says_so_and_the_next_message_goes_on(lab: LabPage, data: Path):
    open_agent(lab, data, SLOW)
    stop = agent(lab).get_by_role("button", name="Stop", exact=True)
    expect(stop).to_be_disabled()
    say(lab, TASK)
    expect(stop).to_be_enabled()
    stop.click()
    expect(agent(lab)).to_contain_text("Paused", timeout=10_000)
    expect(agent(lab)).to_contain_text("Stopped")
    lab.screenshot("stopped")
    agent(lab).get_by_role("button", name="Continue").click()
    expect(agent(lab)).to_contain_text("Running", timeout=10_000)
    agent(lab).get_by_label("Message to the agent").press("Escape")
    expect(agent(lab)).to_contain_text("Paused", timeout=10_000)


def test_a_change_waits_for_approval_with_its_diff_and_happens_once_approved(lab: LabPage, data: Path):
    open_agent(lab, data, approvals="ask")
    say(lab, "Count the rows of data/seattle-2013.csv; write the report to report.md")
    card = agent(lab).get_by_role("alert", name="Approve this call?")
    expect(card).to_contain_text("Create report.md", timeout=MINUTE)
    expect(card).to_contain_text("365")
    expect(agent(lab)).to_contain_text("Waiting for you")
    lab.screenshot("approval-light")
    assert not (data / "report.md").exists()
    card.get_by_role("button", name="Approve once").click()
    expect(agent(lab)).to_contain_text("The report is in report.md", timeout=MINUTE)
    assert "365" in (data / "report.md").read_text()
    assert lab.errors == []


def test_after_a_kernel_restart_a_new_conversation_offers_to_resume_the_last(lab: LabPage, data: Path):
    open_agent(lab, data)
    say(lab, "Count the rows of data/seattle-2013.csv")
    expect(agent(lab)).to_contain_text("There are 365 rows", timeout=MINUTE)
    lab.restart_kernel()
    lab.run_cell(0)
    expect(agent(lab).get_by_role("button", name="Resume")).to_be_visible(timeout=30_000)
    lab.screenshot("resume-offer")
    agent(lab).get_by_role("button", name="Resume").click()
    expect(agent(lab)).to_contain_text("There are 365 rows", timeout=30_000)
    say(lab, "Count the rows of data/seattle-2014.csv")
    expect(agent(lab).get_by_text("There are 365 rows")).to_have_count(2, timeout=MINUTE)
