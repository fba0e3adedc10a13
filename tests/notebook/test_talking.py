"""The front door in a real kernel and in a plain script: talk, attach, load, magics (O33, R-STR-9, F-14, F-34)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .kernels import ROOT, Kernel

pytestmark = pytest.mark.kernel


def test_o33_tell_returns_at_once_and_wait_blocks(k: Kernel):
    k.do("gate = scripted.Gate(); paws = scripted.play(scripted.reply('Hello.').held(gate))")
    assert k.do("paws.tell('hello'); print(paws.status)").text == "running\n"
    k.do("gate.open()")
    assert k.value("paws.wait()") == "Hello."
    assert k.value("paws.status") == "idle"


def test_o33_ask_is_awaited(k: Kernel):
    k.do("paws = scripted.play(scripted.reply('Hello.'), scripted.reply('Again.'))")
    assert k.do("await paws.ask('hello')").value == "'Hello.'"
    assert k.do("await paws.ask('hello')").value == "'Again.'"


def test_o33_ask_without_await_sends_nothing_and_names_the_right_way(k: Kernel):
    k.do("paws = scripted.play()")
    shown = k.do("paws.ask('hello')").value
    assert shown == "Nothing was sent yet. Write `await paws.ask(...)`, or `paws.tell(...)` and then `paws.wait()`."
    assert k.value("len(paws.events)") == 0


def test_o33_nobodys_loop_is_patched(k: Kernel):
    assert k.value("'nest_asyncio' in __import__('sys').modules") is False
    error = k.run("import asyncio; asyncio.run(asyncio.sleep(0))").error
    assert "cannot be called from a running event loop" in error


def test_ask_raises_what_ended_the_turn(k: Kernel):
    k.do("from smolpaws_jupyter.testing import failure")
    k.do("paws = scripted.play(failure('auth', 'no such key', status=401), scripted.reply('Hello.'))")
    assert "RunError" in k.run("await paws.ask('hello')").error
    assert k.value("(paws.status, paws.last_error.code)") == ("error", "auth")
    assert "The provider said: no such key" in k.run("paws.wait()").error
    assert k.do("print(await paws.ask('again'), paws.last_error)").text == "Hello. None\n"


def test_ask_does_not_take_an_older_answer_for_this_one(k: Kernel):
    """A stopped turn gave the answer to the question before it."""
    k.do("gate = scripted.Gate(); paws = scripted.play(scripted.reply('First.'), scripted.reply('x').held(gate))")
    k.do("await paws.ask('one')")
    k.do("import threading; threading.Thread(target=lambda: (gate.wait_until_reached(), paws.stop())).start()")
    assert "RunError: The turn was stopped before it was done." in k.run("await paws.ask('two')").error


def test_r_stop_10_ask_says_that_the_agent_is_paused(k: Kernel):
    k.do("paws = scripted.play(scripted.reply('First.'), scripted.reply('Second.'))")
    k.do("await paws.ask('one'); paws.pause()")
    assert "paws.resume()" in k.run("await paws.ask('two')").error
    assert k.do("paws.resume(); print(paws.wait())").text == "Second.\n"


def test_f_34_running_the_cell_again_shows_the_same_widget(k: Kernel):
    k.do("scripted._models['same'] = scripted.ScriptedLLM([scripted.reply('Hello.')])")
    cell = "agent = scripted.Scripted('same', approvals='allow')\nagent"
    first = k.do(cell).data[-1]["application/vnd.jupyter.widget-view+json"]["model_id"]
    k.do("await agent.ask('hello'); one = agent")
    assert k.do(cell).data[-1]["application/vnd.jupyter.widget-view+json"]["model_id"] == first
    assert k.value("agent is one and len(agent.events) > 0")
    assert k.value("scripted.Scripted('same', approvals='read_only') is one") is False
    assert k.value("scripted.Scripted('same', approvals='allow', conversation='new') is one") is False
    assert k.value("scripted.Scripted.load(one.conversation_id) is one")


def test_f_34_a_closed_widget_is_replaced_and_the_conversation_is_not(k: Kernel):
    k.do("paws = scripted.play(scripted.reply('Hello.'), name='closed'); await paws.ask('hello'); paws.close()")
    k.do("again = scripted.Scripted('closed', max_input_tokens=400_000, approvals='allow')")
    assert k.value("again is not paws and again.conversation_id == paws.conversation_id")
    assert k.value("again.event_count") == k.value("len(again.events)") > 0


def test_the_widget_has_a_stable_text_and_a_line_for_readers_without_a_kernel(k: Kernel):
    k.do("from smolpaws_jupyter import SmolPaws; practice = SmolPaws('practice', notes='elsewhere')")
    data = k.do("practice").data[-1]
    assert data["text/plain"] == "SmolPaws agent"
    assert f'SmolPaws.load("{k.value("practice.conversation_id")}")' in data["text/markdown"]
    assert k.value("repr(practice)") == "SmolPaws('practice', idle)"


def test_a_missing_conversation_is_named_with_those_that_there_are(k: Kernel):
    k.do("paws = scripted.play(scripted.reply('Hello.')); await paws.ask('hello')")
    error = k.run("SmolPaws = __import__('smolpaws_jupyter').SmolPaws; SmolPaws.load('nowhere')").error
    assert "ConversationNotFound: There is no conversation 'nowhere'" in error
    assert k.value("paws.conversation_id") in error


def test_r_stop_11_python_errors_keep_their_type_across_the_thread(k: Kernel):
    k.do("from smolpaws_jupyter.core.errors import CommandRefused\npaws = scripted.play()")
    k.do("""
        refused = []
        for act in (lambda: paws.tell("  "), lambda: paws.approve("x"), paws.condense, lambda: paws.withdraw("x")):
            try: act()
            except CommandRefused as error: refused.append(error.code)
    """)
    assert k.value("refused") == [
        "empty_message",
        "approval_unknown",
        "agent_controlled_condensation",
        "message_already_read",
    ]


def test_settings_errors_name_the_setting(k: Kernel):
    error = k.run("scripted.play(settings={'condenser': {'condenser_kind': 'no_such'}})").error
    assert "SettingsError" in error
    assert "condenser" in error


def test_a_key_that_is_asked_for_is_shown_nowhere(k: Kernel):
    k.do("scripted._models['prompted'] = scripted.ScriptedLLM([scripted.code('key'), scripted.reply('Done.')])")
    profile = "{'main': {'model': 'prompted', 'apiKeyRef': 'prompt'}}"
    cell = k.start(f"paws = scripted.Scripted(profiles={profile}, approvals='allow')\npaws", allow_stdin=True)
    asked = k.client.get_stdin_msg(timeout=20)["content"]
    assert asked == {"prompt": "Key for main: ", "password": True}
    k.client.input("sk-TYPED-0123456789")
    assert "TYPED" not in str(k.finish(cell).data)
    k.do("key = 'sk-TYPED-' + '0123456789'; await paws.ask('Print the key.')")
    assert k.value("scripted.results(paws)") == ["'[hidden]'"]
    again = k.start(f"paws = scripted.Scripted(profiles={profile}, approvals='allow')", allow_stdin=True)
    assert k.finish(again).error == ""


def test_an_interrupt_while_python_waits_for_the_worker_loses_no_message(k: Kernel):
    k.do("""
        import os, signal, threading
        from smolpaws_jupyter.notebook.worker import Worker
        paws = scripted.play(scripted.reply("Heard."))
        let_go = threading.Event()
        Worker.shared().soon(let_go.wait)
    """)
    error = k.run("""
        threading.Timer(0.2, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)).start()
        paws.tell("Hear me.")
    """).error
    assert "KeyboardInterrupt" in error
    k.do("let_go.set()")
    assert k.value("paws.wait(20)") == "Heard."


def test_the_agent_prints_nothing_by_itself(k: Kernel):
    k.do("paws = scripted.play(scripted.code('print(1)'), scripted.reply('Done.'))")
    cell = k.start("import logging; logging.getLogger('asyncio').warning; paws.tell('Go.')")
    assert k.finish(cell).text == ""
    k.pump(lambda: k.value("paws.status") == "idle")
    assert k.result(cell).text == ""


def test_observers_of_traits_may_act_and_may_fail(k: Kernel):
    """A failing observer kept the traits after it from the page; one that acted lost what was being sent."""
    k.do("""
        paws = scripted.play(scripted.reply("One."), scripted.reply("Two."))
        told = []
        def act(change):
            if not told:
                told.append(change.new)
                paws.tell("More.")
            raise ValueError("of the observer")
        paws.observe(act, "event_count")
        paws.tell("Go.")
    """)
    asked = "[e.text for e in paws.events if e.kind == 'MessageEvent' and e.source == 'user']"
    k.pump(lambda: k.value(f"(paws.status, paws.event_count == len(paws.events), {asked})") == SETTLED)


SETTLED = ("idle", True, ["Go.", "More."])


def test_waiting_in_an_observer_is_refused(k: Kernel):
    k.do("""
        paws, errors = scripted.play(scripted.reply("One.")), []
        def wait(change):
            try: paws.wait()
            except RuntimeError as error: errors.append(str(error))
        paws.observe(wait, "event_count")
        paws.tell("Go.")
    """)
    k.pump(lambda: k.value("paws.status") == "idle" and k.value("len(errors)"))
    assert "cannot wait for itself" in k.value("errors")[0]


def test_the_magics_talk_to_the_agent_and_show_it(k: Kernel):
    k.do("%load_ext smolpaws_jupyter")
    k.do("paws = scripted.play(scripted.reply('One.'), scripted.reply('Two.'), scripted.reply('Three.'))")
    shown = k.do("%paws what costs $5 and {x}?").data[-1]
    assert shown["application/vnd.jupyter.widget-view+json"]["model_id"] == k.value("paws.comm.comm_id")
    k.do("paws.wait()")
    k.do("%%paws first line\nsecond line\n  third")
    k.do("paws.wait()")
    assert k.do("%paws").data[-1]["text/plain"] == "SmolPaws agent"
    asked = "[e.text for e in paws.events if e.kind == 'MessageEvent' and e.source == 'user']"
    assert k.value(asked) == ["what costs $5 and {x}?", "first line\nsecond line\n  third"]


def test_the_magic_makes_an_agent_where_there_is_none_and_takes_nobodys_variable(k: Kernel):
    k.do("%load_ext smolpaws_jupyter")
    k.do("del paws")
    k.do("%paws")
    assert k.value("repr(paws)") == "SmolPaws('practice', idle)"
    k.do("agent = paws; paws = 'mine'")
    k.do("%paws")
    assert k.value("paws") == "mine"


SCRIPT = """
import asyncio
from tests.notebook import scripted
paws = scripted.play(scripted.reply("Hello."), scripted.call("write_file", path="notes/x.md", content="x"), scripted.reply("Done."))
paws.tell("hello")
print(paws.wait(timeout=20))
async def main():
    print(await paws.ask("write"))
asyncio.run(main())
print(paws.status, "run_python" in [tool.name for tool in paws.view.start.tools])
"""


def test_o33_a_plain_script_without_a_kernel_works(tmp_path: Path):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    assert done.stdout == "Hello.\nDone.\nidle False\n"
    assert (tmp_path / "notes/x.md").read_text() == "x"
