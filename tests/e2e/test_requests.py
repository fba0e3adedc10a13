"""The next request and what changed between two, in the real page: the same words as Python's and the provider's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.desk import SECONDS, Desk
from tests.e2e.test_everybody import violations

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(300)]

MOVES = """[
    call("list_files"), reply("One. " * 200).using(input=4_000),
    call("condense", message_to_future_self="Look into notes."), reply("Two.").using(input=7_600), reply("Three."),
]"""
SCRIPTED = f"""
paws = play(*{MOVES}, max_input_tokens=10_000, conversation="new")
received = lambda: model_of(paws).requests[-1].body()
paws
"""
SERVED = f"""
import json
from smolpaws_jupyter import LLMProfile
from smolpaws_jupyter.testing import ScriptedServer
server = ScriptedServer({MOVES}).__enter__()
received = lambda: json.dumps(server.requests[-1])
profile = LLMProfile(model="openai/scripted", base_url=server.base_url, max_input_tokens=10_000)
paws = SmolPaws(profiles={{"main": profile}}, conversation="new", approvals="allow")
paws
"""


def asked(desk: Desk, text: str, answer: str) -> None:
    desk.say(text)
    expect(desk.agent.locator(".paws-row-reply").filter(has_text=answer).first).to_be_visible(timeout=90 * SECONDS)
    expect(desk.state).to_have_text("Idle")


def saved(desk: Desk, panel: Locator) -> dict:
    """What the tab gives as JSON."""
    with desk.page.expect_download() as download:
        panel.get_by_role("button", name="Download JSON").first.click()
    return json.loads(Path(download.value.path()).read_text(encoding="utf-8"))


# litellm takes long to load, and a kernel's test compares with what a server gets, too.
@pytest.mark.parametrize(
    "agent", [SCRIPTED, pytest.param(SERVED, marks=pytest.mark.exhaustive)], ids=["client", "server"]
)
def test_i_38_the_next_request_is_seen_rehearsed_compared_and_then_received(desk: Desk, root: Path, agent: str):
    """The canonical JSON of the tab is that of `next_request()` and of what the model's client or server then gets."""
    desk.show(agent)
    asked(desk, "First question.", "One.")
    asked(desk, "Second question.", "Two.")
    desk.run("paws.pause(); paws.tell('Third question.')", 1)

    panel = desk.tab("Next request")
    expect(panel.locator(".paws-sent").filter(has_text="Third question.")).to_contain_text("not read yet")
    expect(panel.locator("[data-state=due]")).to_contain_text("75%")
    shown = saved(desk, panel)
    assert shown == json.loads(desk.value("paws.next_request().body()"))

    panel.get_by_role("button", name="Rehearse a reset").click()
    sides = panel.locator(".paws-sides > div")
    expect(sides).to_have_count(2)
    expect(sides.first.locator("[data-gone]")).to_have_count(4)
    expect(sides.last.locator(".paws-sent")).to_have_count(4)
    expect(sides.last.locator(".paws-sent").last).to_contain_text("Third question.")
    assert violations(desk, root) == []
    desk.lab.screenshot("next-request")

    panel = desk.tab("Changes")
    panel.get_by_role("button", name="Around the last reset").click()
    left = panel.locator("[data-part=left]")
    expect(left).to_contain_text("5 messages left")
    expect(panel.locator("[data-part=came]")).to_contain_text("3 messages came")
    expect(panel.locator("[data-part=stayed]")).to_contain_text("0 messages stayed")
    long = left.locator(".paws-sent").filter(has_text="One. One.")
    long.get_by_role("button", name="Show all").click()
    expect(long.locator("pre")).to_contain_text("One. " * 190)
    assert violations(desk, root) == []
    desk.lab.screenshot("changes")
    left.get_by_role("button", name="Agent", exact=True).click()
    expect(desk.agent.locator(".paws-row[data-found]")).to_contain_text("One.")

    desk.run("paws.resume(); print(paws.wait())", 1)
    received = json.loads(desk.value("received()"))
    assert set(shown) == {"messages", "tools"}
    assert {name: received[name] for name in shown} == shown  # a server is told more: model, stream, limits
