"""The agent in a real JupyterLab: a person's journeys, one story each, in one notebook that stays open."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.desk import MINUTE, SECONDS, Desk

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(400)]


def test_words_stream_in_and_a_message_waits_can_be_edited_and_withdrawn(desk: Desk):
    """F-31, W-27."""
    desk.show("""
gate = Gate()
paws = play(reply().streamed("Streaming ", "**words**", " and more").held(gate, after=2), reply("Read it."))
paws
""")
    desk.say("begin")
    expect(desk.agent.locator(".paws-streaming strong")).to_have_text("words", timeout=20 * SECONDS)
    expect(desk.state).to_contain_text("Running")
    desk.say("second")
    expect(desk.agent.get_by_text("Not read yet")).to_be_visible()
    desk.lab.screenshot("queued-light")
    desk.button("Edit").click()
    expect(desk.box).to_have_value("second")
    expect(desk.agent.locator(".paws-message[data-state=withdrawn]")).to_have_count(1)
    desk.box.fill("second, better")
    desk.box.press("Enter")
    desk.say("third")
    expect(desk.button("Withdraw")).to_have_count(2)
    desk.button("Withdraw").last.click()
    expect(desk.agent.locator(".paws-message[data-state=withdrawn]")).to_have_count(2)
    desk.run("gate.open(); paws.wait()", 1)
    expect(desk.agent).to_contain_text("Read it.")
    expect(desk.agent.get_by_text("Not read yet")).to_have_count(0)
    sent = desk.value("[m['content'] for m in model_of(paws).requests[-1].messages if m['role'] == 'user']")
    assert "second, better" in sent
    assert "third" not in sent
    assert desk.lab.errors == []


def test_stop_works_in_every_state_and_says_what_it_kept(desk: Desk):
    """O32, O34, W-12."""
    desk.show("""
gates = [Gate() for _ in range(9)]
slow = code("import time\\nfor i in range(200):\\n    print('tick', i, flush=True)\\n    time.sleep(0.1)")
paws = play(
    reply("never heard").held(gates[0]),
    reply().streamed("half a ", "reply").held(gates[1], after=1),
    slow,
    call("write_file", path="stop.md", content="x"),
    reply("All well."),
    approvals="ask",
)
paws
""")
    stop = desk.button("Stop")
    expect(stop).to_be_disabled()
    desk.say("one")  # while the model has said nothing
    expect(desk.state).to_contain_text("Running")
    stop.click()
    expect(desk.state).to_contain_text("Paused", timeout=10 * SECONDS)
    expect(desk.agent.locator(".paws-stopped").last).to_contain_text("Everything above is kept.")

    desk.button("Continue").click()  # while words come
    expect(desk.agent.locator(".paws-streaming")).to_contain_text("half a", timeout=10 * SECONDS)
    desk.box.press("Escape")
    expect(desk.state).to_contain_text("Paused", timeout=10 * SECONDS)
    expect(desk.agent.locator(".paws-stopped").last).to_contain_text("The reply that was coming is not kept.")

    desk.button("Continue").click()  # while a tool runs
    desk.button("Approve for this run").click(timeout=20 * SECONDS)
    expect(desk.agent.locator(".paws-tail")).to_contain_text("tick 3", timeout=20 * SECONDS)
    expect(desk.agent.locator(".paws-took")).to_be_visible()
    desk.lab.screenshot("running-tool-light")
    stop.click()
    expect(desk.state).to_contain_text("Paused", timeout=10 * SECONDS)
    expect(desk.agent.locator(".paws-stopped").last).to_contain_text("1 call was cut off.")
    expect(desk.agent.locator(".paws-grants")).to_have_count(0)

    desk.button("Continue").click()  # while a call waits for a person
    expect(desk.agent.locator(".paws-approval")).to_be_visible(timeout=20 * SECONDS)
    stop.click()
    expect(desk.state).to_contain_text("Paused", timeout=10 * SECONDS)
    expect(desk.agent.locator(".paws-approval")).to_have_count(0)
    assert not (desk.folder / "stop.md").exists()
    desk.lab.screenshot("stopped-light")

    desk.say("and now?")
    expect(desk.agent).to_contain_text("All well.", timeout=20 * SECONDS)
    assert desk.lab.errors == []


def test_stop_is_heard_while_the_persons_own_cell_runs_or_it_is_said_that_it_waits(desk: Desk):
    """O34, second part; F-11."""
    desk.show("gate = Gate(); paws = play(reply('late').held(gate)); paws")
    desk.say("work")
    expect(desk.state).to_contain_text("Running")
    desk.run("import os, time\nwhile not os.path.exists('enough'): time.sleep(0.1)", 1, wait=False)
    desk.button("Stop").click()
    expect(desk.agent.get_by_text("Stopping…").or_(desk.state.get_by_text("Paused")).first).to_be_visible()
    either = desk.state.get_by_text("Paused").or_(desk.agent.get_by_text("Stop will be heard when it ends"))
    expect(either.first).to_be_visible()
    (desk.folder / "enough").touch()
    desk.lab.wait_done(1)
    expect(desk.state).to_contain_text("Paused", timeout=10 * SECONDS)


def test_a_change_waits_for_its_approval_and_is_done_rejected_or_covered(desk: Desk):
    """T-TOOL, F-57: a diff, whole code, a reason, an approval for the run that is taken back."""
    (desk.folder / "report.md").write_text("# Sales\n\nold line\n")
    desk.show("""
hidden = "total = 1  # \\u202e look\\u200b here"
paws = play(
    call("edit_file", path="report.md", old="old line", new="new line"),
    code(hidden),
    code("total = 2"),
    code("total = 3"),
    code("total = 4"),
    reply("Done with total."),
    approvals="ask",
)
paws
""")
    desk.say("work on the report")
    card = desk.agent.locator(".paws-approval")
    expect(card.locator(".paws-diff-old")).to_have_text("-old line", timeout=20 * SECONDS)
    expect(card.locator(".paws-diff-new")).to_have_text("+new line")
    expect(desk.state).to_contain_text("Waiting for you")
    expect(desk.box).to_be_focused()  # the card took nothing away
    desk.lab.screenshot("approval-diff-light")
    assert "old line" in (desk.folder / "report.md").read_text()
    desk.box.press("Alt+a")
    expect(desk.button("Approve once")).to_be_focused()
    desk.page.keyboard.press("Enter")
    expect(card).to_contain_text("total = 1", timeout=20 * SECONDS)
    assert "new line" in (desk.folder / "report.md").read_text()

    expect(card).to_contain_text("\\u202e look\\u200b here")
    desk.lab.screenshot("approval-code-light")
    card.get_by_label("Reason (optional)").fill("nothing hidden, please")
    desk.button("Reject").click()
    expect(desk.agent.locator(".paws-remark-line").get_by_text("nothing hidden, please")).to_be_visible(
        timeout=20 * SECONDS
    )

    expect(card).to_contain_text("total = 2", timeout=20 * SECONDS)
    desk.button("Approve for this run").click()
    expect(desk.agent.locator(".paws-grants")).to_contain_text("run_python", timeout=20 * SECONDS)
    expect(desk.agent).to_contain_text("Done with total.", timeout=20 * SECONDS)  # 3 and 4 were covered
    assert desk.value("total") == "4"
    desk.button("Take back").click()
    expect(desk.agent.locator(".paws-grants")).to_have_count(0)
    assert desk.lab.errors == []


def test_the_stages_of_the_meter_are_dragged_moved_by_keys_and_typed(desk: Desk):
    """R-BIND-10, T-BIND-06, W-7."""
    desk.show('paws = SmolPaws("practice", conversation="new"); paws')
    sliders = desk.agent.get_by_role("slider")
    expect(sliders).to_have_count(4, timeout=10 * SECONDS)
    stage, meter = desk.place_of(sliders.first), desk.place_of(desk.agent.locator(".paws-meter"))
    y = stage["y"] + stage["height"] / 2
    desk.page.mouse.move(stage["x"] + stage["width"] / 2, y)
    desk.page.mouse.down()
    desk.page.mouse.move(meter["x"] + meter["width"] * 0.4, y, steps=6)
    expect(desk.agent.locator(".paws-stage-value")).to_have_text("40%")
    desk.lab.screenshot("threshold-drag-light")
    desk.page.mouse.up()
    expect(desk.agent).to_contain_text("Warnings now at 40, 80, 85, 90 %", timeout=10 * SECONDS)

    sliders.last.focus()
    for _ in range(3):
        desk.page.keyboard.press("ArrowRight")
    expect(desk.agent).to_contain_text("Warnings now at 40, 80, 85, 93 %", timeout=10 * SECONDS)

    desk.button("Details").click()
    field = desk.agent.get_by_label("Warnings at, in percent")
    field.fill("90, 20")
    expect(desk.agent.get_by_text("Each stage has to be higher")).to_be_visible()
    field.fill("20, 90")
    field.press("Enter")
    expect(desk.agent).to_contain_text("Warnings now at 20, 90 %", timeout=10 * SECONDS)
    expect(sliders).to_have_count(2)
    desk.lab.screenshot("details-light")
    assert desk.value("list(paws.thresholds)") == "[0.2, 0.9]"

    desk.say("Count the rows of data/*.csv")
    expect(desk.agent).to_contain_text("Context 2", timeout=MINUTE)  # 2x % full: the new stage fired
    expect(desk.agent.get_by_role("slider").first).to_have_attribute("data-state", "given", timeout=MINUTE)
    assert desk.lab.errors == []


def test_two_views_of_one_agent_never_disagree(desk: Desk):
    """F-13, W-34."""
    desk.show("paws = play(reply('first **answer**'), reply('second answer')); paws")
    desk.run("paws", 1)
    other = desk.lab.cell(1).locator(".paws-app")
    desk.say("one")
    expect(other).to_contain_text("first answer", timeout=20 * SECONDS)
    other.get_by_label("Message to the agent").fill("two")
    expect(desk.box).to_have_value("")  # drafts are each view's own
    other.get_by_label("Message to the agent").press("Enter")
    expect(desk.agent).to_contain_text("second answer", timeout=20 * SECONDS)
    expect(other).to_contain_text("second answer")
    log = "[role=log]"
    assert desk.agent.locator(log).inner_text() == other.locator(log).inner_text()
    desk.run("print('view closed')", 1)
    expect(desk.agent).to_contain_text("second answer")
    assert desk.lab.errors == []


def test_after_a_reload_the_page_shows_the_logs_truth_again(desk: Desk):
    """F-32, invariants 32: the same rows, a call that waits still waits, and nothing is approved by reloading."""
    desk.show("""
paws = play(reply("The **first** answer."), code("later = 5"), reply("It is 5."), approvals="ask")
paws
""")
    desk.say("one")
    expect(desk.agent).to_contain_text("The first answer.", timeout=20 * SECONDS)
    desk.say("two")
    expect(desk.agent.locator(".paws-approval")).to_be_visible(timeout=20 * SECONDS)
    before = desk.agent.get_by_role("log").inner_text()
    desk.lab.save()
    desk.reload()
    expect(desk.agent.locator(".paws-approval")).to_contain_text("later = 5", timeout=30 * SECONDS)
    assert desk.agent.get_by_role("log").inner_text() == before
    desk.button("Approve once").click()
    expect(desk.agent).to_contain_text("It is 5.", timeout=20 * SECONDS)
    assert desk.lab.errors == []


def test_a_kernel_that_was_restarted_is_said_to_be_gone_with_the_way_back(desk: Desk):
    """F-33, W-21, W-22."""
    shutil.copytree(desk.folder / "data", desk.folder / "restart/data")
    desk.show('paws = SmolPaws("practice", workspace="restart"); paws')
    desk.say("Count the rows of data/seattle-2013.csv")
    expect(desk.agent).to_contain_text("There are 365 rows", timeout=MINUTE)
    desk.leave()
    desk.lab.restart_kernel()
    expect(desk.agent).to_contain_text("the conversation is kept", timeout=30 * SECONDS)
    expect(desk.agent).to_contain_text("There are 365 rows")
    desk.lab.screenshot("kernel-gone-light")
    desk.run(PREPARED)
    desk.show('paws = SmolPaws("practice", workspace="restart"); paws')
    expect(desk.button("Resume")).to_be_visible(timeout=30 * SECONDS)
    desk.lab.screenshot("resume-offer-light")
    desk.button("Resume").click()
    expect(desk.agent).to_contain_text("There are 365 rows", timeout=30 * SECONDS)
    desk.say("Count the rows of data/seattle-2014.csv")
    expect(desk.agent.get_by_text("There are 365 rows")).to_have_count(2, timeout=MINUTE)


PREPARED = "from smolpaws_jupyter import SmolPaws"


def test_the_first_example_fills_its_context_resets_itself_and_finishes(desk: Desk, root: Path):
    """T-PRAC, W-1, W-6."""
    lab = desk.lab
    shutil.copytree(root / "examples", desk.folder / "examples", ignore=shutil.ignore_patterns(".*", "notes"))
    desk.leave()
    lab.server.stop_kernels()
    lab.open("examples/01_first_reset.ipynb")
    agent = lab.notebook.locator(".paws-app").first
    lab.run_cell(2)
    lab.run_cell(3)
    expect(agent.get_by_role("meter")).to_be_visible(timeout=30 * SECONDS)
    expect(agent).to_contain_text("Practice model: fixed rules, no network.")

    lab.run_cell(5)
    expect(agent).to_contain_text("The agent was warned. It decides what to do.", timeout=MINUTE)
    expect(agent.locator(".paws-reset").first).to_be_attached(timeout=MINUTE)
    lab.screenshot("first-reset-light")
    expect(agent).to_contain_text("The largest temp_max is 37.8", timeout=2 * MINUTE)
    expect(agent).to_contain_text("4 resets")
    expect(lab.page.locator(".smolpaws-status")).to_contain_text("idle")
    value = agent.get_by_role("meter").get_attribute("aria-valuetext") or ""
    assert "of 8,000 tokens, measured" in value
    assert 25 <= int(value.partition("%")[0]) < 75, "the meter does not tell of the last request"
    agent.locator(".paws-composer").scroll_into_view_if_needed()
    lab.screenshot("first-reset-done-light")
    assert lab.errors == []
