"""Timeline, weight and notes in the real page: by keyboard and by pointer, to the event and back, and axe-clean."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.desk import SECONDS, Desk
from tests.e2e.test_everybody import violations

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(200)]

WORKED = """
paws = play(
    call("write_file", path="notes/plan.md", content="GOAL Count the rows\\nTODO a.csv\\n").using(input=2_000),
    call("write_file", path="notes/facts.md", content="FACT a.csv 12\\n").using(input=2_400),
    call("condense").using(input=2_900),
    call("read_file", path="notes/plan.md").using(input=1_800),
    call("write_file", path="notes/plan.md", content="GOAL Count the rows\\nDONE a.csv\\n"),
    reply("Twelve rows.").using(input=2_300),
    conversation="new",
)
paws
"""


def worked(desk: Desk, tab: str) -> Locator:
    """An agent that has worked through a reset; the panel of one of its tabs."""
    desk.run("import shutil; shutil.rmtree('notes', ignore_errors=True)", 1)
    desk.show(WORKED)
    desk.say("Count the rows.")
    expect(desk.agent.get_by_text("Twelve rows.")).to_be_visible(timeout=30 * SECONDS)
    expect(desk.state).to_have_text("Idle")
    desk.agent.get_by_role("tab", name=tab).click()
    return desk.agent.get_by_role("tabpanel", name=tab)


def test_the_timeline_is_walked_by_keyboard_and_leads_to_the_event(desk: Desk, root: Path):
    """Arrow keys, Home and End; Enter goes to the transcript; a table has the same numbers; a click goes there too."""
    panel = worked(desk, "Timeline")
    expect(panel).to_contain_text("6 requests and their input tokens.")
    slider = panel.get_by_role("slider")
    slider.focus()
    desk.page.keyboard.press("Home")
    expect(slider).to_have_attribute(
        "aria-valuetext", re.compile(r"^Request 1: answered\. Estimated .*, measured 2,000,")
    )
    for _ in range(3):
        desk.page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^The agent started a fresh context"))
    desk.page.keyboard.press("ArrowRight")
    desk.page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^Request 5: .* measured unknown"))
    desk.page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^Request 6"))
    panel.get_by_role("button", name="Table").click()
    expect(panel.locator("tbody tr")).to_have_count(7)
    assert desk.value("[r['measured'] for r in paws.timeline() if r['what'] == 'request']") == (
        "[2000, 2400, 2900, 1800, None, 2300]"
    )
    assert violations(desk, root) == []
    desk.lab.screenshot("timeline")
    slider.focus()
    desk.page.keyboard.press("Home")
    desk.page.keyboard.press("Enter")
    found = desk.agent.locator(".paws-row[data-found]")
    expect(found).to_contain_text("notes/plan.md")
    expect(found).to_be_in_viewport()
    expect(desk.agent.locator(".paws-scroll")).to_be_focused()
    desk.agent.get_by_role("tab", name="Timeline").click()
    chart = desk.place_of(panel.locator("svg.paws-chart"))
    desk.page.mouse.move(chart["x"] + chart["width"] - 60, chart["y"] + 60)
    expect(panel.locator(".paws-readout")).to_contain_text("Request 6")
    desk.page.mouse.click(chart["x"] + chart["width"] - 60, chart["y"] + 60)
    expect(desk.agent.locator(".paws-row[data-found]")).to_contain_text("Twelve rows.")


def test_the_weights_add_up_and_lead_to_their_events(desk: Desk, root: Path):
    """What stands in a column is its total, and that is the sum of the timeline's estimates."""
    panel = worked(desk, "Weight")
    rows = panel.locator("tbody tr")
    expect(rows.last).to_contain_text("Total")
    cells = [[int(n.replace(",", "")) for n in row.locator("td").all_inner_texts()] for row in rows.all()]
    total = cells.pop()
    assert [sum(column) for column in zip(*cells, strict=True)] == total
    assert total[0] == int(desk.value("sum(r['estimated'] or 0 for r in paws.timeline())"))
    expect(panel).to_contain_text("Tool write_file")
    assert violations(desk, root) == []
    desk.lab.screenshot("weight")
    panel.get_by_role("button", name="Next request").click()
    expect(panel.locator("th[aria-sort=descending]")).to_have_text("Next request")
    panel.get_by_role("button", name=re.compile("^You: Count the rows")).click()
    expect(desk.agent.locator(".paws-row[data-found]")).to_contain_text("Count the rows.")


def test_the_notes_show_what_a_reset_left_and_what_was_read_again(desk: Desk, root: Path):
    """The notes now, changed by hand, gained before the reset, read again and not."""
    panel = worked(desk, "Notes")
    expect(panel.get_by_role("region", name="Reset 1")).to_contain_text(re.compile(r"Not read again.*notes/facts\.md"))
    expect(panel.get_by_role("region", name="Reset 1")).to_contain_text(
        re.compile(r"Read again after it.*notes/plan\.md")
    )
    change = panel.locator("details").filter(has_text=re.compile(r"^notes/plan\.md\+1 .1 lines"))
    change.locator("summary").click()
    expect(change.locator(".paws-diff-new")).to_have_text("+DONE a.csv")
    assert violations(desk, root) == []
    desk.lab.screenshot("notes")
    desk.run("open('notes/plan.md', 'a').write('by hand\\\\n')", 1)
    desk.say("Thank you.")  # no move is left, so the run fails; what is shown is asked for again
    expect(panel).to_contain_text("changed since, not with the agent's file tools", timeout=10 * SECONDS)
