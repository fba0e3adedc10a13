"""The conversation tab in the real page: outlook, exports, titles, forks there and back, the doctor, and axe-clean."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.desk import SECONDS, Desk
from tests.e2e.test_everybody import violations

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(200)]

TALK = 'paws = play(reply("One.").using(input=2_000), reply("Two.").using(input=2_400), conversation="new")\npaws'


def test_a_conversation_is_exported_forked_and_opened_again(desk: Desk, root: Path):
    """R-FORK-1, R-FORK-2: the source stays, and the words of the message stand in the box."""
    desk.show(TALK)
    desk.say("The first question.")
    expect(desk.agent.get_by_text("One.", exact=True)).to_be_visible(timeout=30 * SECONDS)
    desk.say("The second question.")
    expect(desk.agent.get_by_text("Two.", exact=True)).to_be_visible(timeout=30 * SECONDS)
    expect(desk.state).to_have_text("Idle")

    panel = desk.tab("Conversation")
    expect(panel).to_contain_text("the agent is warned")
    with desk.page.expect_download() as download:
        panel.get_by_role("button", name="Without contents").click()
    text = Path(download.value.path()).read_text()
    assert "ResponseEvent" in text
    assert "question" not in text
    panel.get_by_role("button", name="Look").click()
    expect(panel).to_contain_text("a page is connected", timeout=20 * SECONDS)
    assert violations(desk, root) == []

    here = panel.get_by_role("listitem").filter(has_text="shown here")
    here.get_by_role("button", name="Rename").click()
    panel.get_by_label("Title").fill("Two questions")
    panel.get_by_label("Title").press("Enter")
    expect(here).to_contain_text("Two questions", timeout=10 * SECONDS)
    expect(desk.agent.locator(".paws-title")).to_have_text("Two questions")

    desk.tab("Transcript")
    desk.agent.get_by_role("button", name="Fork from before this").click()
    expect(desk.agent.get_by_role("textbox", name="Message to the agent")).to_have_value("The second question.")
    expect(desk.agent.get_by_text("Two.", exact=True)).to_have_count(0)
    expect(desk.agent.get_by_text("Forked from conversation")).to_be_visible()

    desk.button("Open it").click()
    expect(desk.agent.get_by_text("Two.", exact=True)).to_be_visible(timeout=20 * SECONDS)
    desk.button("Begin anew from this").click()
    expect(desk.agent.get_by_role("textbox", name="Message to the agent")).to_have_value("The first question.")
    expect(desk.agent.locator(".paws-row")).to_have_count(0)

    stored = desk.tab("Conversation").get_by_role("listitem").filter(has_text="Two questions").first
    stored.get_by_role("button", name="Rename").click()
    desk.agent.get_by_label("Title", exact=True).fill("Renamed from afar")
    desk.agent.get_by_label("Title", exact=True).press("Enter")
    expect(desk.button("Open Renamed from afar")).to_be_visible(timeout=10 * SECONDS)
