"""The conversation tab in the real page: outlook, an export, a fork from before a message, the doctor, and axe-clean."""

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

    desk.agent.get_by_role("tab", name="Conversation").click()
    panel = desk.agent.get_by_role("tabpanel", name="Conversation")
    expect(panel).to_contain_text("the agent is warned")
    with desk.page.expect_download() as download:
        panel.get_by_role("button", name="Without contents").click()
    text = Path(download.value.path()).read_text()
    assert "ResponseEvent" in text
    assert "question" not in text
    panel.get_by_role("button", name="Look").click()
    expect(panel).to_contain_text("a page is connected", timeout=20 * SECONDS)
    assert violations(desk, root) == []

    desk.agent.get_by_role("tab", name="Transcript").click()
    desk.agent.get_by_role("button", name="Fork from before this").click()
    expect(desk.agent.get_by_role("textbox", name="Message to the agent")).to_have_value("The second question.")
    expect(desk.agent.get_by_text("Two.", exact=True)).to_have_count(0)
    expect(desk.agent.get_by_text("Forked from conversation")).to_be_visible()
