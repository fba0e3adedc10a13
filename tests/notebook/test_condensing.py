"""A summary by hand in a real kernel: from Python, by the page's command and in words (section 19, T-STOP-04)."""

from __future__ import annotations

import pytest

from .kernels import Kernel
from .pages import Page, page_of

pytestmark = pytest.mark.kernel

WINDOW = "{'condenser': {'condenser_kind': 'summarizing_window', 'summary_ratio': 0.5, 'preserve_recent_messages': 0}}"
DONE = "Done: a summary stands in the place of the earlier history."


def talked(k: Kernel, *moves: str, **options: str) -> Page:
    """The page of an agent that has answered twice; then its model makes these moves, summaries among them."""
    k.do("gate = scripted.Gate()")
    made = ", ".join(["scripted.reply('Hello.')"] * 2 + list(moves))
    more = "".join(f", {name}={value}" for name, value in options.items())
    k.do(f"paws = scripted.play({made}, settings={WINDOW}{more})")
    for _ in range(2):
        k.do("await paws.ask('hello')")
    return page_of(k, "paws")


def facts(k: Kernel) -> int:
    return k.value("scripted.kinds(paws).count('Condensation')")


def test_t_man_01_t_man_04_three_ways_one_path_and_one_receipt_for_each_command(k: Kernel):
    """R-MAN-1, R-MAN-7: in Python, by command and in words; `/condense now` is a message."""
    page = talked(
        k, "scripted.reply('S1')", "scripted.reply('Now what?')", "scripted.reply('S2')", "scripted.reply('S3')"
    )
    assert k.value("paws.condense()") == DONE
    assert page.ask("tell", text="/condense now")["kind"] == "ack"
    k.do("paws.wait()")
    assert facts(k) == 1
    for _ in range(3):
        page.send_raw({"kind": "tell", "id": "the-same", "text": " /condense\n"})
    k.pump(lambda: len([u for u in page.updates if u.get("id") == "the-same"]) == 3)
    assert [u for u in page.updates if u.get("id") == "the-same"] == [
        {"kind": "ack", "id": "the-same", "text": DONE}
    ] * 3
    assert facts(k) == 2
    assert page.ask("condense")["text"] == DONE
    assert page.ask("condense")["code"] == "nothing_to_condense"
    said = "[e.text for e in paws.events if e.kind == 'MessageEvent' and e.genuine]"
    assert k.value(said) == ["hello", "hello", "/condense now"]


def test_t_man_05_a_refusal_is_an_error_with_its_code_in_python(k: Kernel):
    """R-MAN-2, R-STR-3: nothing is begun where the caller cannot wait."""
    k.do("paws = scripted.play()")
    k.do(
        "try:\n    paws.condense()\nexcept Exception as error:\n"
        "    caught = (type(error).__name__, error.code, error.status)"
    )
    assert k.value("caught") == ("CommandRefused", "agent_controlled_condensation", 409)


def test_t_stop_04_the_page_stops_a_summary_by_hand_and_is_heard_meanwhile(k: Kernel):
    """R-STOP-5, R-LOG-7: a summary that is being made holds up no other command."""
    page = talked(k, "scripted.reply('late').held(gate)", "scripted.reply('Yes?')")
    asked = page.send("condense")
    page.wait_for(detail="summary")
    assert page.ask("set_title", title="Meanwhile")["kind"] == "ack"
    assert page.ask("stop")["text"] == "Stopping."
    refusal = page.answer(asked)
    assert (refusal["code"], refusal["status"]) == ("condensation_failed", 502)
    page.wait_for(status="idle", detail="", title="Meanwhile")
    assert facts(k) == 0
    assert k.value("await paws.ask('still there?')") == "Yes?"


def test_t_man_03_while_it_waits_for_a_step_the_call_of_that_step_can_be_approved(k: Kernel):
    """R-MAN-6: the step waits for a person, and the summary for the step."""
    page = talked(k, "scripted.code('1 + 1')", "scripted.reply('S1')", "scripted.reply('Two.')", approvals="'ask'")
    page.ask("tell", text="add")
    (call,) = page.hear(lambda u: u["kind"] == "approvals" and u["waiting"])["waiting"]
    asked = page.send("condense")
    assert page.ask("approve", action_id=call["action_id"], scope="once", digest=call["digest"])["kind"] == "ack"
    assert page.answer(asked)["text"] == DONE
    page.wait_for(status="idle")
    kinds = k.value("scripted.kinds(paws)")
    assert kinds.index("ObservationEvent") < kinds.index("CondensationRequest")
    assert k.value("paws.wait()") == "Two."
