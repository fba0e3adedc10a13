"""More lives than one: a killed kernel, a second kernel, a forked child, a shutdown (sections 21, F-13, F-20, F-23, F-24)."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

import pytest

from .conftest import SETUP
from .kernels import Kernel, kernel
from .pages import page_of

pytestmark = pytest.mark.kernel

REMARK = "the kernel was restarted"


def events_on_disk(k: Kernel, conversation_id: str) -> list[dict[str, object]]:
    log = Path(k.folder, ".smolpaws", "conversations", conversation_id, "log.jsonl")
    return [event for line in log.read_text().splitlines() for event in json.loads(line)["rec"]["events"]]


def test_t_rest_07_f_23_a_killed_kernel_is_restored_with_one_remark_and_the_same_view(own: Kernel):
    own.do(
        "paws = scripted.play(scripted.code('x = 1'), scripted.reply('Done.'), name='killed'); await paws.ask('Go.')"
    )
    conversation_id = own.value("paws.conversation_id")
    before = own.value("[e.id for e in paws.view.read]")
    own.kill()
    with kernel(own.folder) as new:
        new.do(SETUP)
        for _ in range(2):
            new.do(f"paws = scripted.resume({conversation_id!r}, scripted.reply('Here again.'), name='killed')")
        assert new.value("[e.id for e in paws.view.read]") == before
        assert new.value("(paws.conversation_id, paws.status)") == (conversation_id, "idle")
        assert new.value(f"[{REMARK!r} in a.text for a in paws.view.asides]") == [True]
        assert new.value("len(scripted.model_of(paws).requests)") == 0
        assert new.do("print(await paws.ask('Are you there?'))").text == "Here again.\n"
        sent = new.value("scripted.model_of(paws).requests[0].messages")
        assert json.dumps(sent).count(REMARK) == 1
        assert new.value("'x' in globals()") is False


def test_f_23_a_kernel_that_dies_in_a_tool_says_that_its_outcome_is_unknown(own: Kernel):
    own.do("paws = scripted.play(scripted.code('import os; os._exit(1)'), name='dies')")
    conversation_id = own.value("paws.conversation_id")
    own.client.execute("paws.tell('Go.')")
    own.pump(lambda: not own.manager.is_alive())
    with kernel(own.folder) as new:
        new.do(SETUP)
        new.do(f"paws = scripted.resume({conversation_id!r}, scripted.reply('I see.'), name='dies')")
        assert new.value("paws.status") == "paused"
        assert new.value("scripted.results(paws)")[0].startswith("outcome_unknown: ")
        assert new.value("await_none if False else len(scripted.model_of(paws).requests)") == 0
        assert new.do("print(await paws.ask('What happened?'))").text == "I see.\n"
        assert new.value("[e.kind for e in paws.events].count('ToolStartEvent')") == 1


def test_f_13_a_second_kernel_follows_and_takes_over_when_the_first_is_gone(own: Kernel):
    own.do("paws = scripted.play(scripted.reply('One.'), scripted.reply('Two.'), name='two'); await paws.ask('first')")
    own.do("more = scripted.play(scripted.reply('One.'), name='more'); await more.ask('first')")
    conversation_id, other_id = own.value("(paws.conversation_id, more.conversation_id)")
    with kernel(own.folder) as second:
        second.do(SETUP)
        second.do(f"paws = scripted.resume({conversation_id!r}, scripted.reply('Three.'), name='two')")
        open_other = f"more = scripted.resume({other_id!r}, scripted.reply('Two.'), name='more')"
        second.do(open_other)
        assert second.value("more.read_only") != ""
        page = page_of(second, "paws")
        assert "Another writer has this conversation open" in page.traits["read_only"]
        assert page.ask("tell", text="Me too.")["code"] == "conversation_read_only"
        assert page.ask("take_over")["code"] == "conversation_read_only"
        assert "ConversationReadOnly" in second.run("paws.tell('Me too.')").error

        own.do("await paws.ask('second')")
        count = own.value("len(paws.events)")
        second.pump(lambda: len(page.records) == count)
        page.wait_for(event_count=count)
        assert second.value("[e.id for e in paws.view.read]") == own.value("[e.id for e in paws.view.read]")

        own.kill()
        assert page.ask("take_over")["kind"] == "ack"
        page.wait_for(read_only="")
        assert second.do("print(await paws.ask('third'))").text == "Three.\n"
        second.do(open_other)  # as running the cell again does
        assert second.value("more.read_only") == ""
        assert second.do("print(await more.ask('second'))").text == "Two.\n"
    seqs = [e["id"] for e in events_on_disk(own, conversation_id)]
    assert len(seqs) == len(set(seqs))


def test_f_20_forked_children_do_no_harm_during_a_run(k: Kernel):
    k.do("gate = scripted.Gate(); paws = scripted.play(scripted.reply('Done.').held(gate)); paws.tell('Go.')")
    k.do("gate.wait_until_reached()")
    k.do("""
        import multiprocessing, os
        from smolpaws_jupyter import SmolPawsError
        child = os.fork()
        if child == 0:
            try:
                paws.tell("From the child.")
            except SmolPawsError as error:
                open("forked", "w").write(error.code)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        def square(n): return n * n
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map(square, range(4)))
        gate.open()
    """)
    assert k.value("paws.wait(20)") == "Done."
    assert k.wait_for_file("forked") == "forked_process"
    records = events_on_disk(k, k.value("paws.conversation_id"))
    assert [r["kind"] for r in records].count("MessageEvent") == 2


@pytest.mark.parametrize("state", ["model call", "tool"])
def test_i_31_f_24_a_run_in_flight_holds_the_shutdown_for_no_more_than_a_second(own: Kernel, state: str):
    own.do("import atexit, time; atexit.register(lambda: open('left', 'w').write('properly'))")
    slow = "import pathlib, time; pathlib.Path('began').write_text('x'); time.sleep(60)"
    move = "scripted.reply('x').held(scripted.Gate())" if state == "model call" else f"scripted.code({slow!r})"
    conversation_id = own.do(f"paws = scripted.play({move}); print(paws.conversation_id)").text.strip()
    own.do("paws.tell('Go.')")
    if state == "tool":
        own.wait_for_file("began")
    own.manager.shutdown_wait_time = 60  # it would kill a kernel that takes as long as a busy machine makes it
    began = time.monotonic()
    own.manager.shutdown_kernel()
    assert time.monotonic() - began < 10
    assert (own.folder / "left").read_text() == "properly"
    kinds = [e["kind"] for e in events_on_disk(own, conversation_id)]
    assert kinds[-1] == "InterruptEvent"
    with contextlib.suppress(RuntimeError):
        own.client.stop_channels()
