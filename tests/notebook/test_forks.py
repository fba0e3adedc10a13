"""Forks in a real kernel: a widget of its own from Python, and the page's command (section 22, T-FORK-01)."""

from __future__ import annotations

import pytest

from .kernels import Kernel
from .pages import page_of

pytestmark = pytest.mark.kernel

MESSAGES = "[e.text for e in {}.events if e.kind == 'MessageEvent']"
SECOND = "[e.id for e in paws.events if e.kind == 'MessageEvent' and e.genuine][1]"


def test_t_fork_01_a_fork_is_a_widget_of_its_own_and_the_source_stays_as_it_was(k: Kernel):
    """R-FORK-1, R-FORK-2: each with the kernel's Python, and both can be opened again."""
    k.do("paws = scripted.play(scripted.reply('One.'), scripted.reply('Two.')); await paws.ask('first')")
    k.do("await paws.ask('second')")
    before = k.value("[e.id for e in paws.events]")
    k.do(f"other = paws.fork(before={SECOND})")
    assert k.value("(other is paws, isinstance(other, scripted.Scripted), other.status)") == (False, True, "idle")
    assert k.value("type(other).__mro__[1] is type(paws).__mro__[1] is scripted.Scripted")
    assert k.value(MESSAGES.format("other")) == ["first", "One."]
    k.do("scripted.model_of(paws).extend([scripted.code('made = 40 + 2'), scripted.reply('In the fork.')])")
    k.do("answer = await other.ask('another second')")
    assert k.value("(answer, made)") == ("In the fork.", 42)
    assert k.value("[e.id for e in paws.events]") == before
    k.do("scripted.model_of(paws).extend([scripted.code('made += 1'), scripted.reply('In the source.')])")
    k.do("answer = await paws.ask('third')")
    assert k.value("(answer, made)") == ("In the source.", 43)
    assert "another second" not in k.value(MESSAGES.format("paws"))
    assert k.value("{info.id for info in scripted.Scripted.conversations()}") >= {
        k.value("paws.conversation_id"),
        k.value("other.conversation_id"),
    }
    assert k.value("scripted.Scripted.load(other.conversation_id) is other")


def test_a_conversation_that_is_not_saved_is_forked_in_memory(k: Kernel):
    k.do("paws = scripted.play(scripted.reply('One.'), save=False); await paws.ask('first')")
    k.do("other = paws.fork(paws.events[1].id)")
    assert k.value(MESSAGES.format("other")) == ["first"]
    k.do("scripted.model_of(paws).extend([scripted.reply('Uno.')]); other.resume(); other.wait()")
    assert k.value(MESSAGES.format("other")) == ["first", "Uno."]
    assert k.value(MESSAGES.format("paws")) == ["first", "One."]


def test_t_fork_01_a_page_forks_from_before_a_message_and_shows_the_fork(k: Kernel):
    """R-FORK-1, R-STOP-14: the same command again is no second fork, and the source can be opened again."""
    k.do("paws = scripted.play(scripted.reply('One.'), scripted.reply('Two.')); await paws.ask('first')")
    k.do("await paws.ask('second')")
    page = page_of(k, "paws")
    source, events = page.traits["conversation_id"], k.value("[e.id for e in paws.events]")
    command = {"kind": "fork", "id": "fork-it", "before": k.value(SECOND)}
    for _ in range(2):
        page.send_raw(command)
    k.pump(lambda: len([u for u in page.updates if u.get("id") == "fork-it"]) == 2)
    assert [u["kind"] for u in page.updates if u.get("id") == "fork-it"] == ["ack", "ack"]
    fork = k.value("paws.conversation_id")
    assert fork != source
    page.wait_for(conversation_id=fork, status="idle")
    page.ask("replay", since=0)
    k.pump(lambda: len(page.records) == page.traits["event_count"])
    assert [r["kind"] for r in page.records][-2:] == ["MessageEvent", "ForkEvent"]
    assert page.records[-1]["source_conversation_id"] == source
    page.ask("open", conversation_id=source)
    page.wait_for(conversation_id=source)
    assert k.value("[e.id for e in paws.events]") == events


def test_a_page_cannot_fork_what_is_running_nor_what_is_not_there(k: Kernel):
    """R-FORK-2: showing the fork would stop the source."""
    k.do("gate = scripted.Gate(); paws = scripted.play(scripted.reply('One.').held(gate))")
    page = page_of(k, "paws")
    assert page.ask("fork")["code"] == "nothing_to_fork"
    page.ask("tell", text="first")
    page.wait_for(status="running")
    assert page.ask("fork")["code"] == "busy"
    k.do("gate.open(); paws.wait()")
    events = k.value("len(paws.events)")
    refused = page.ask("fork", at="nobody")
    assert (refused["code"], refused["status"]) == ("event_not_found", 404)
    assert page.ask("fork", at="a", before="b")["code"] == "fork_place"
    assert page.ask("fork", at="")["code"] == "malformed_command"
    assert k.value("len(paws.events)") == events
    assert page.traits["event_count"] == events
