"""The page is for everybody: axe-core finds nothing, in each theme and state, and it works at 320 pixels."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import expect

from tests.e2e.desk import SECONDS, Desk

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(400)]

FULL = """
plot = code("import base64\\nfrom IPython.display import Image, display\\n"
    "display(Image(base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='), format='png'))")
many = "| file | rows |\\n|:--|--:|\\n| a.csv | **12** |\\n\\n- one\\n- [x] two\\n\\n> said\\n\\n`code` and [a link](https://example.org)"
paws = play(
    calls(code("1/0"), plot, code("print('x' * 50_000)")),
    reply(many).using(input=310_000, output=900, cost=0.25),
    code("last = 1"),
    approvals="ask",
)
paws
"""

AXE = """async () => {
    const found = await axe.run(document.querySelector(".smolpaws"), {
        resultTypes: ["violations"],
        rules: { region: { enabled: false } }, // it is a part of JupyterLab's page, not a page
    });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
}"""


def violations(desk: Desk, root: Path) -> list[str]:
    """What axe-core finds in the agent's page."""
    if not desk.evaluate("() => 'axe' in window"):
        # By the console's door: it needs no script element, so it works under every policy.
        desk.evaluate((root / "js/node_modules/axe-core/axe.min.js").read_text())
    return desk.evaluate(AXE)


def full(desk: Desk) -> None:
    """An agent with something of everything: failed, done and waiting calls, a picture, a table, details and a search."""
    desk.show(FULL)
    desk.say("Show everything.")
    desk.button("Approve for this run").click(timeout=20 * SECONDS)
    expect(desk.agent.locator(".paws-table")).to_be_visible(timeout=20 * SECONDS)
    desk.say("Once more.")
    expect(desk.agent.locator(".paws-grants")).to_be_visible()
    for call in desk.agent.locator(".paws-call summary").all()[:3]:
        call.click()
    desk.button("Details").click()
    desk.button("Search the transcript").click()


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"])
def test_axe_finds_nothing_in_the_full_page(
    desk: Desk, root: Path, theme: Literal["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"]
):
    """T9: 0 violations, with everything unfolded and an error at the end, and with an approval that waits."""
    desk.lab.use_theme(theme)
    full(desk)
    assert violations(desk, root) == []
    name = theme.removeprefix("JupyterLab ").lower().replace(" ", "-")
    desk.lab.screenshot(f"full-{name}")
    desk.show('paws = SmolPaws("practice", conversation="new", approvals="ask"); paws')
    desk.say("Count the rows of data/seattle-2013.csv; write the report to axe.md")
    expect(desk.agent.locator(".paws-approval")).to_be_visible(timeout=30 * SECONDS)
    assert violations(desk, root) == []
    desk.lab.screenshot(f"approval-{name}")
    desk.button("Stop").click()
    desk.lab.use_theme("JupyterLab Light")


def test_the_page_works_at_320_pixels_without_scrolling_aside(desk: Desk):
    """Reflow: nothing is wider than the page, and every control can be reached."""
    full(desk)
    desk.agent.evaluate("(page) => { page.parentElement.style.width = '320px'; }")
    wide = desk.agent.evaluate("""(page) => {
        const edge = page.getBoundingClientRect().right + 1;
        return [...page.querySelectorAll("button, input, textarea, .paws-row, .paws-bar, .paws-budget")]
            .filter((one) => one.getBoundingClientRect().right > edge && one.closest(".paws-table") === null)
            .map((one) => one.className);
    }""")
    assert wide == []
    desk.lab.screenshot("narrow-light")


def test_everything_can_be_done_by_keyboard_and_the_state_is_told_in_words(desk: Desk):
    """Tab reaches each control, in the order in which they stand; one announcer says what changed."""
    desk.show("gate = Gate(); paws = play(reply('heard').held(gate)); paws")
    announcer = desk.agent.locator("[role=status]")
    expect(announcer).to_have_count(1)
    desk.box.focus()
    desk.page.keyboard.type("one")
    desk.page.keyboard.press("Shift+Enter")
    desk.page.keyboard.type("two")
    assert desk.box.input_value() == "one\ntwo"
    desk.page.keyboard.press("Enter")
    expect(announcer).to_have_text("Running", timeout=10 * SECONDS)
    expect(desk.agent.get_by_role("log")).to_be_attached()
    reached: list[str] = []
    for _ in range(14):
        desk.page.keyboard.press("Shift+Tab")
        reached.append(
            desk.evaluate("() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText")
        )
    assert [name for name in reached if name in ("Details", "Search the transcript", "Stop", "Pause", "Warning 1")] == [
        "Search the transcript",
        "Details",
        "Warning 1",
        "Stop",
        "Pause",
    ]
    desk.box.focus()
    desk.page.keyboard.press("Escape")
    expect(announcer).to_have_text(re.compile("Paused"), timeout=10 * SECONDS)
    assert desk.lab.errors == []
