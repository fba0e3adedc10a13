"""The page is for everybody: axe-core finds nothing, in each theme and state, and it works at 320 pixels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.desk import SECONDS, Desk
from tests.e2e.lab import Theme

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(400)]

WORKED = """
plot = code("import base64\\nfrom IPython.display import Image, display\\n"
    "display(Image(base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='), format='png'))")
many = "| file | rows |\\n|:--|--:|\\n| a.csv | **12** |\\n\\n- one\\n- [x] two\\n\\n> said\\n\\n`code` and [a link](https://example.org)"
paws = play(
    call("write_file", path="notes/plan.md", content="GOAL Count\\n").using(input=306_000),
    call("condense", message_to_future_self="Read notes/plan.md."),
    call("read_file", path="notes/plan.md").using(input=2_000),
    calls(code("1/0"), plot, code("print('x' * 50_000)")),
    reply(many).using(input=310_000, output=900, cost=0.25),
    conversation="new",
)
paws
"""
WAITS = """
asks = play(code("1"), call("write_file", path="a.md", content="x"), approvals="ask", conversation="new")
asks
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


THEMES: tuple[Theme, ...] = ("JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast")
TABS = ("Transcript", "Next request", "Changes", "Timeline", "Weight", "Notes", "Conversation")
NARROW = 320

TOO_WIDE = """(page) => {
    const edge = page.getBoundingClientRect().right + 1;
    return [...page.querySelectorAll("button, input, textarea, p, h3, .paws-row, .paws-bar, .paws-budget")]
        .filter((one) => one.getBoundingClientRect().right > edge && one.closest(".paws-table, .paws-hidden") === null)
        .map((one) => `too wide: ${one.className} ${one.textContent.slice(0, 40)}`);
}"""


def two_agents(desk: Desk) -> None:
    """One that has worked, with something of everything and an error at the end; below it, one that waits for consent."""
    desk.show(WORKED)
    desk.say("Show everything.")
    expect(desk.agent.locator(".paws-table")).to_be_visible(timeout=30 * SECONDS)
    desk.say("Once more.")
    expect(desk.state).to_contain_text("Stopped by an error", timeout=20 * SECONDS)
    for call in desk.agent.locator(".paws-call summary").all()[-3:]:
        call.click()
    desk.button("Details").click()
    desk.button("Search the transcript").click()
    desk.run(WAITS, 1)
    asks = desk.lab.cell(1).locator(".paws-app")
    asks.get_by_label("Message to the agent").fill("Work.")
    asks.get_by_label("Message to the agent").press("Enter")
    asks.get_by_role("button", name="Approve for this run").click(timeout=20 * SECONDS)
    expect(asks.locator(".paws-approval")).to_contain_text("a.md", timeout=20 * SECONDS)
    expect(asks.locator(".paws-grants")).to_be_visible()


def test_axe_finds_nothing_in_any_tab_theme_or_width_and_nothing_is_cut_off(desk: Desk, root: Path):
    """T9: 0 violations, wide and at 320 pixels, where nothing is wider than the page (reflow)."""
    two_agents(desk)
    found: dict[str, list[str]] = {}
    for theme in THEMES:
        desk.lab.use_theme(theme)
        for width in (0, NARROW):
            size = f"{width}px" if width else ""
            desk.evaluate(
                "(size) => document.querySelectorAll('.smolpaws').forEach((one) => one.style.width = size)", size
            )
            for name in TABS:
                panel = desk.tab(name)
                expect(panel).to_contain_text(re.compile(r"\w"))
                expect(panel.get_by_text("Loading…")).to_have_count(0)
                wrong = violations(desk, root) + (desk.agent.evaluate(TOO_WIDE) if width else [])
                found |= {f"{theme}, {width}, {name}": wrong} if wrong else {}
        desk.lab.screenshot(f"everything-{theme.rpartition(' ')[2].lower()}")
    desk.lab.use_theme("JupyterLab Light")
    assert found == {}


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
