"""Stop, interrupts and waiting cells in a real kernel (section 22, worker rules 3 and 4, F-25, F-26, F-30)."""

from __future__ import annotations

import time

import pytest

from .kernels import Kernel
from .pages import page_of

pytestmark = pytest.mark.kernel

# An interrupt that falls into the finaliser of a file that nobody closed is lost, so files are closed here.
SLEEPER = "import pathlib, time; said = pathlib.Path('{name}')\\nsaid.write_text('running'); time.sleep(30)\\nsaid.write_text('over')"


def sleeping(k: Kernel, name: str) -> None:
    """An agent whose first call sleeps for long, once it has written the file of this name."""
    k.do(f"paws = scripted.play(scripted.code(\"{SLEEPER.format(name=name)}\"), scripted.reply('Next.'))")


@pytest.mark.subshells
def test_o34_the_page_stops_a_sleeping_tool_and_the_kernel_is_free_again(k: Kernel):
    sleeping(k, "o34")
    page = page_of(k, "paws", subshell=True)
    page.ask("tell", text="Go.")
    k.wait_for_file("o34")
    began = time.monotonic()
    assert page.ask("stop") == {"kind": "ack", "id": page.updates[-1]["id"], "text": "Stopping."}
    page.wait_for(status="paused")
    assert time.monotonic() - began < 10
    (shown,) = k.value("scripted.results(paws)")
    assert "----> 2 said.write_text('running'); time.sleep(30)" in shown
    assert "notebook/job.py" not in shown
    assert shown.endswith("[interrupted: the user stopped this call]")
    assert k.value("scripted.kinds(paws)[-1]") == "InterruptEvent"
    assert k.value("1 + 1") == 2
    k.do("print(await paws.ask('Go on.'))")
    assert k.wait_for_file("o34") == "running"


@pytest.mark.subshells
@pytest.mark.parametrize(
    "busy",
    [
        "import time\ntime.sleep(30)",
        "while True: pass",
        "import asyncio\nfor _ in range(300): await asyncio.sleep(0.1)",
    ],
)
def test_i_28_stop_is_heard_while_a_cell_runs_and_events_stream(k: Kernel, busy: str):
    k.do("paws = scripted.play(*(scripted.call('read_file', path='missing') for _ in range(5_000)))")
    page = page_of(k, "paws", subshell=True)
    cell = k.start(busy)
    page.ask("tell", text="Go.")
    page.hear(lambda u: u["kind"] == "events" and u["start"] > 20)
    began = time.monotonic()
    assert page.ask("stop")["text"] == "Stopping."
    assert time.monotonic() - began < 2
    page.wait_for(status="paused")
    assert k.is_running(cell)
    k.interrupt()
    assert k.finish(cell).error


def test_f_22_where_messages_wait_for_the_cell_stop_is_heard_after_it_and_does_the_same(k: Kernel):
    """F-22: without subshells, or with them turned off."""
    k.do("paws = scripted.play(scripted.reply('never').held(scripted.Gate()))")
    page = page_of(k, "paws")
    page.ask("tell", text="Go.")
    cell = k.start("import time; time.sleep(1); print(paws.status)")
    stop = page.send("stop")
    assert k.finish(cell).text == "running\n"
    assert page.answer(stop)["text"] == "Stopping."
    page.wait_for(status="paused")
    assert k.value("scripted.kinds(paws)[-1]") == "InterruptEvent"


def test_what_a_stopped_call_had_printed_is_not_lost(k: Kernel):
    k.do("""
        paws = scripted.play(scripted.code("print('half'); pathlib.Path('half').write_text('x')\\nwhile True: pass"))
        import pathlib, threading
        paws.tell("Go.")
        def stop():
            while not pathlib.Path("half").exists() or not pathlib.Path("half").read_text(): pass
            paws.stop()
        threading.Thread(target=stop).start()
        paws.wait(30)
    """)
    (shown,) = k.value("scripted.results(paws)")
    assert shown.startswith("half\n")
    assert shown.endswith("[interrupted: the user stopped this call]")


@pytest.mark.subshells
def test_i_27_stop_skips_a_queued_call_and_leaves_the_users_cell_alone(k: Kernel):
    k.do('paws = scripted.play(scripted.code(\'open("ran", "w").write("ran")\'))')
    page = page_of(k, "paws", subshell=True)
    cell = k.start("""
        import time
        paws.tell("Go.")
        end = time.monotonic() + 60
        while paws.status != "paused" and time.monotonic() < end: time.sleep(0.01)
        print("untouched", paws.status)
    """)
    page.wait_for(detail="kernel busy")
    page.ask("stop")
    assert k.finish(cell).text == "untouched paused\n"
    assert k.value("scripted.results(paws)")[0].startswith("not_run: ")
    k.do("pass")
    assert not (k.folder / "ran").exists()


def test_t_stop_05_f_25_an_interrupt_of_the_kernel_ends_the_tool_and_pauses_the_run(k: Kernel):
    sleeping(k, "tool")
    k.do("paws.tell('Go.')")
    k.wait_for_file("tool")
    k.interrupt()
    k.pump(lambda: k.value("paws.status") == "paused")
    (shown,) = k.value("scripted.results(paws)")
    assert "KeyboardInterrupt" in shown
    assert shown.endswith("[interrupted: the code did not finish]")
    assert len(k.value("scripted.kinds(paws)")) == len(
        k.value("[e for e in scripted.kinds(paws) if e != 'UsageEvent']")
    )
    assert k.value("scripted.model_of(paws).left") == 1


def test_t_stop_05_an_interrupt_ends_a_tool_that_awaits(k: Kernel):
    k.do("""
        awaiting = "import asyncio, pathlib\\npathlib.Path('awaiting').write_text('x')\\nawait asyncio.sleep(30)"
        paws = scripted.play(scripted.code(awaiting))
        paws.tell("Go.")
    """)
    k.wait_for_file("awaiting")
    k.interrupt()
    k.pump(lambda: k.value("paws.status") == "paused")
    assert k.value("scripted.results(paws)")[0].endswith("[interrupted: the code did not finish]")


def test_t_stop_05_i_27_f_25_an_interrupt_of_the_users_cell_leaves_the_agent_alone(k: Kernel):
    k.do("gate = scripted.Gate(); paws = scripted.play(scripted.reply('Slowly.').held(gate)); paws.tell('Go.')")
    k.do("gate.wait_until_reached()")
    cell = k.start("import pathlib, time\npathlib.Path('mine').write_text('x')\ntime.sleep(60)")
    k.wait_for_file("mine")
    k.interrupt()
    assert "KeyboardInterrupt" in k.finish(cell).error
    assert k.value("paws.status") == "running"
    k.do("gate.open()")
    assert k.value("paws.wait(20)") == "Slowly."


@pytest.mark.parametrize("waiting", ["paws.tell('Go.')\npaws.wait()", "await paws.ask('Go.')"])
def test_r_stop_8_an_interrupt_of_a_waiting_cell_ends_the_waiting_and_not_the_agent(k: Kernel, waiting: str):
    k.do("gate = scripted.Gate(); paws = scripted.play(scripted.reply('Later.').held(gate))")
    page = page_of(k, "paws")
    cell = k.start(waiting)
    page.wait_for(status="running", detail="model")
    k.interrupt()
    error = k.finish(cell).error
    assert "KeyboardInterrupt" in error or "CancelledError" in error
    assert k.value("paws.status") == "running"
    k.do("gate.open()")
    assert k.value("paws.wait(20)") == "Later."


@pytest.mark.parametrize(("begin", "waiting"), [("paws.tell('Go.')", "paws.wait()"), ("", "await paws.ask('Go.')")])
def test_t_stop_07_f_30_an_interrupt_of_an_inline_tool_ends_tool_and_waiting(k: Kernel, begin: str, waiting: str):
    name = "inline-" + ("wait" if begin else "ask")
    sleeping(k, name)
    cell = k.start(f"{begin}\n{waiting}")
    k.wait_for_file(name)
    k.interrupt()
    error = k.finish(cell).error
    assert "KeyboardInterrupt" in error or "CancelledError" in error
    k.pump(lambda: k.value("paws.status") == "paused")
    assert k.value("scripted.results(paws)")[0].endswith("[interrupted: the code did not finish]")
    assert k.value("1 + 1") == 2


@pytest.mark.subshells
def test_t_stop_07_stop_ends_an_inline_tool_and_the_cell_goes_on(k: Kernel):
    sleeping(k, "inline-stop")
    page = page_of(k, "paws", subshell=True)
    cell = k.start("paws.tell('Go.')\nprint(repr(paws.wait()))\nprint('went on')")
    k.wait_for_file("inline-stop")
    page.ask("stop")
    assert k.finish(cell).text == "''\nwent on\n"


def test_a_cell_that_works_first_and_waits_later_does_not_wait_for_ever(k: Kernel):
    """tell(), a moment of one's own work, wait(): the tool's request stood behind the very cell that waited for it."""
    k.do("paws = scripted.play(scripted.code('6 * 7'), scripted.reply('Done.'))")
    result = k.do("""
        import time
        paws.tell("Go.")
        while paws.detail != "kernel busy": time.sleep(0.01)
        print(paws.wait(20))
    """)
    assert result.text == "Done.\n"
    assert k.value("scripted.results(paws)") == ["42"]


def test_two_questions_at_once_in_one_cell_are_both_answered(k: Kernel):
    k.do("""
        a = scripted.play(scripted.code('"a"'), scripted.reply('A.'))
        b = scripted.play(scripted.code('"b"'), scripted.reply('B.'))
    """)
    result = k.do("import asyncio\nprint(await asyncio.gather(a.ask('Go.'), b.ask('Go.')))", timeout=30)
    assert result.text == "['A.', 'B.']\n"
    assert k.value("scripted.results(a) + scripted.results(b)") == ["'a'", "'b'"]


def test_i_25_two_agents_never_run_code_at_the_same_time(k: Kernel):
    k.do("""
        import asyncio
        slow = "log.append('in'); print('a'); await asyncio.sleep(0.3); print('b'); log.append('out')"
        a, b = (scripted.play(scripted.code(slow), scripted.reply("Done.")) for _ in range(2))
        log = []
    """)
    k.do("await asyncio.gather(a.ask('Go.'), b.ask('Go.'))", timeout=30)
    assert k.value("log") == ["in", "out", "in", "out"]
    assert k.value("scripted.results(a) + scripted.results(b)") == ["a\nb", "a\nb"]
    cell = k.do("print(__import__('sys').stdout.write.__module__)", history=False)
    assert "smolpaws" not in cell.text


def test_code_of_the_agent_that_waits_for_the_agent_is_told_that_it_cannot(k: Kernel):
    k.do("paws = scripted.play(scripted.code('paws.wait()'), scripted.reply('Oh.'))")
    assert k.do("print(await paws.ask('Go.'))", timeout=30).text == "Oh.\n"
    assert "The agent cannot wait for itself" in k.value("scripted.results(paws)")[0]


def test_an_interrupt_of_gathered_questions_leaves_the_kernel_alive(k: Kernel):
    sleeping(k, "gathered")
    cell = k.start("import asyncio\nawait asyncio.gather(paws.ask('Go.'), asyncio.sleep(0))")
    k.wait_for_file("gathered")
    k.interrupt()
    assert k.finish(cell).error
    k.pump(lambda: k.value("paws.status") == "paused")


def test_f_26_a_failing_cell_of_the_user_aborts_the_request_which_is_sent_again(k: Kernel):
    k.do("paws = scripted.play(scripted.code('ran = globals().get(\"ran\", 0) + 1'), scripted.reply('Done.'))")
    cell = k.start("""
        import time
        paws.tell("Go.")
        while paws.detail != "kernel busy": time.sleep(0.01)
        raise ValueError("of the user")
    """)
    assert "of the user" in k.finish(cell).error
    k.pump(lambda: k.value("paws.status") == "idle")
    assert k.value("ran") == 1
    assert k.value("scripted.results(paws)") == ["(no output)"]


def test_i_26_a_failing_call_of_the_agent_aborts_none_of_the_users_cells(k: Kernel):
    k.do("paws = scripted.play(scripted.code('import time; time.sleep(0.3); 1/0'), scripted.reply('Oh.'))")
    cells = [
        k.start("paws.tell('Go.')"),
        k.start("import time; time.sleep(0.2)"),
        *(k.start("print('ran')") for _ in range(5)),
    ]
    assert [k.finish(cell).text for cell in cells[2:]] == ["ran\n"] * 5
    k.pump(lambda: k.value("paws.status") == "idle")


def test_t_stop_08_f_30_a_call_that_needs_approval_ends_a_waiting_cell_where_no_page_is_heard(k: Kernel):
    k.do("paws = scripted.play(scripted.code('40 + 2'), scripted.reply('Done.'), approvals='ask')")
    began = time.monotonic()
    result = k.run("await paws.ask('Go.')")
    assert time.monotonic() - began < 15
    action = k.value("paws.waiting[0].action_id")
    assert "ApprovalNeeded: The agent waits for your approval of run_python: Run Python in your kernel." in result.error
    assert f'paws.approve("{action}")' in result.error
    assert k.value("paws.status") == "waiting"
    assert k.do(f"paws.approve('{action}'); print(paws.wait(20))").text == "Done.\n"
    assert k.value("scripted.results(paws)") == ["42"]


@pytest.mark.subshells
def test_t_stop_08_a_cell_waits_on_where_a_page_was_heard(k: Kernel):
    k.do("paws = scripted.play(scripted.code('40 + 2'), scripted.reply('Done.'), approvals='ask')")
    page = page_of(k, "paws", subshell=True)
    cell = k.start("print(await paws.ask('Go.'))")
    page.wait_for(status="waiting")
    page.ask("replay", since=0)
    (call,) = page.hear(lambda u: u["kind"] == "approvals" and u["waiting"])["waiting"]
    assert (call["tool_name"], call["text"]) == ("run_python", "40 + 2")
    assert (
        page.ask("approve", action_id=call["action_id"], scope="once", digest="0" * 64)["code"] == "approval_outdated"
    )
    assert page.ask("approve", action_id=call["action_id"], scope="once", digest=call["digest"])["kind"] == "ack"
    assert k.finish(cell).text == "Done.\n"


def test_a_timeout_ends_the_waiting_and_not_the_agent(k: Kernel):
    k.do("gate = scripted.Gate(); paws = scripted.play(scripted.reply('Late.').held(gate)); paws.tell('Go.')")
    assert "TimeoutError: The agent was still working after 0.2 seconds" in k.run("paws.wait(0.2)").error
    assert k.value("paws.status") == "running"
    k.do("gate.open()")
    assert k.value("paws.wait(20)") == "Late."


def test_r_set_33_a_call_that_takes_too_long_is_stopped(k: Kernel):
    k.do("""
        from smolpaws_jupyter import AgentSettings
        limited = {"condenser": {"condenser_kind": "agent_reset"}, "python_timeout_seconds": 3}
        sleep = scripted.code("print('began')\\nimport time\\ntime.sleep(30)")
        paws = scripted.play(sleep, scripted.reply("Done."), settings=limited)
        paws.tell("Go.")
    """)
    k.pump(lambda: k.value("paws.status") == "idle")
    (shown,) = k.value("scripted.results(paws)")
    assert shown.startswith("began\n")
    assert shown.endswith("[stopped after 3 seconds]")
