"""T9, the bad days of a page: lost messages, a killed kernel, a page that was away. It shows the log's truth again."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from tests.e2e.desk import MINUTE, SECONDS, Desk
from tests.e2e.lab import LabPage, Server

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(400)]

TASK = "Count the rows of data/seattle-*.csv"
PRACTICE = 'paws = SmolPaws("practice", conversation="new"); paws'


@pytest.fixture
def lossy(_desk: Desk, browser: Browser, server: Server) -> Iterator[Desk]:
    """A desk whose line to the kernel loses every seventh message of a widget, each way, and doubles every eleventh."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    numbers = itertools.count(1)

    def times() -> int:
        number = next(numbers)
        return 0 if number % 7 == 0 else 2 if number % 11 == 0 else 1

    def line(near: WebSocketRoute) -> None:
        far = near.connect_to_server()

        def onward(send: WebSocketRoute, message: str | bytes) -> None:
            whole = message if isinstance(message, bytes) else message.encode()
            custom = b'"custom"' in whole and b"comm_msg" in whole
            for _ in range(times() if custom else 1):
                send.send(message)

        near.on_message(lambda message: onward(far, message))
        far.on_message(lambda message: onward(near, message))

    page.route_web_socket("**/channels*", line)
    server.stop_kernels()
    desk = Desk(LabPage(page, server, _desk.folder.name, _desk.lab.shots), _desk.folder)
    desk.ready()
    yield desk
    context.close()
    server.stop_kernels()


@pytest.mark.exhaustive
def test_with_lost_and_doubled_messages_the_page_shows_the_whole_log_and_no_command_acts_twice(lossy: Desk):
    """F-31, F-32, R-STOP-14."""
    desk = lossy
    desk.show('paws = SmolPaws("practice", conversation="new", approvals="allow"); paws')
    for number in range(1, 5):
        desk.say(f"Count the rows of data/seattle-2013.csv; write the report to lossy-{number}.md")
        done = desk.agent.get_by_text(f"The report is in lossy-{number}.md")
        again = desk.button("Send again")
        expect(done.or_(again).first).to_be_visible(timeout=2 * MINUTE)
        if again.count() > 0:
            again.click()
            expect(done).to_be_visible(timeout=2 * MINUTE)
    shown = desk.agent.locator(".paws-row-message").all_inner_texts()
    sent = "[e.text for e in paws.events if e.kind == 'MessageEvent' and e.genuine]"
    assert len(shown) == 4
    assert desk.value(f"len({sent}), len(set({sent}))") == "4 4"
    rows = desk.value("sum(e.kind == 'ActionEvent' for e in paws.events)")
    assert desk.agent.locator(".paws-call, .paws-reset").count() == int(rows)  # a reset stands for its call


@pytest.mark.exhaustive
def test_a_killed_kernel_is_said_and_the_log_goes_on_from_where_it_was(desk: Desk):
    """F-1, F-33, invariant 1: kill -9 in the middle of a run."""
    desk.show("gate = Gate(); paws = play(reply('first'), reply('late').held(gate), name='scripted/kill'); paws")
    desk.say("one")
    expect(desk.agent.locator(".paws-reply")).to_contain_text("first", timeout=20 * SECONDS)
    desk.say("two")
    expect(desk.state).to_contain_text("Running")
    desk.leave()
    conversation = desk.value("paws.conversation_id")
    desk.run("import os; os.kill(os.getpid(), 9)", 1, wait=False)
    desk.page.locator(".jp-Dialog").get_by_role("button").last.click(timeout=MINUTE)
    expect(desk.agent).to_contain_text("the conversation is kept", timeout=MINUTE)
    desk.lab.screenshot("killed-light")
    desk.lab.wait_for_kernels()
    desk.ready()
    desk.show(f"paws = resume({conversation!r}, reply('after the kill'), name='scripted/kill'); paws")
    expect(desk.agent).to_contain_text("first")
    expect(desk.state).to_contain_text("Paused")
    desk.button("Continue").click()
    expect(desk.agent).to_contain_text("after the kill", timeout=20 * SECONDS)


@pytest.mark.exhaustive
def test_a_page_that_was_closed_during_a_run_shows_all_of_it_when_it_comes_back(desk: Desk):
    """Invariants 32: closed for the whole run."""
    desk.show(PRACTICE)
    desk.lab.save()
    desk.say(TASK)
    expect(desk.state).to_contain_text("Running")
    desk.page.goto("about:blank")
    desk.reload()
    expect(desk.agent).to_contain_text("There are 1,095 rows", timeout=MINUTE)
    assert desk.agent.locator(".paws-row-message").count() == 1
