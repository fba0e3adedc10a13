"""The Python tool in a real kernel: what it shows the model, and what it does to nobody (O29, F-27 to F-29)."""

from __future__ import annotations

import pytest

from .kernels import Kernel, run_python

pytestmark = pytest.mark.kernel

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TABLE = """
class Table:
    def _repr_html_(self):
        return "<table><tr><td>1</td></tr></table>"
    def __repr__(self):
        return "a\\n1"
Table()
"""


def test_code_runs_as_a_cell_would_whichever_way_it_reaches_the_kernel(k: Kernel, way: str):
    k.do("mine = 20")
    shown = run_python(
        k,
        way,
        "print('hello')\nyours = mine + 1\nyours",
        "import sys\nprint('to stderr', file=sys.stderr)",
        "yours;",
        "pass",
        "import os\nos.system('echo from a program')",
        "!echo from a shell",
        "display({'a': 1})",
        "1/0",
        "1 +",
    )
    assert shown[:5] == ["hello\n21", "to stderr", "(no output)", "(no output)", "from a program\n0"]
    assert shown[5:7] == ["from a shell", "{'a': 1}"]
    assert "ZeroDivisionError: division by zero" in shown[7]
    assert "SyntaxError" in shown[8]
    assert k.value("yours") == 21
    failed = k.value("[o.is_error for o in scripted.observations(scripted.paws)]")
    assert failed == [False] * 7 + [True] * 2


@pytest.mark.parametrize("way", ["request", "ask"])
def test_code_may_await_at_its_top_level(k: Kernel, way: str):
    code = "import asyncio\nawait asyncio.sleep(0.01)\nprint('awaited')\n7"
    assert run_python(k, way, code, "await asyncio.sleep(0)\n1/0")[0] == "awaited\n7"
    assert "ZeroDivisionError" in k.value("scripted.results(scripted.paws)")[1]


def test_a_blocking_cell_tells_the_model_that_it_cannot_await(k: Kernel):
    (shown,) = run_python(k, "wait", "import asyncio\nawait asyncio.sleep(0)")
    assert shown.startswith("This code awaits at its top level")
    assert "paws.ask" in shown


def test_o29_a_large_output_is_bounded_and_says_where_the_rest_is(k: Kernel, way: str):
    (shown,) = run_python(k, way, "print('first'); print('x' * 5_000_000); print('last')")
    assert len(shown) <= 30_000
    assert shown.startswith("first\nxxx")
    assert shown.endswith("xxx\nlast")
    assert "characters are left out here" in shown
    action = k.value("[e.action_id for e in scripted.paws.events if e.kind == 'ObservationEvent'][0]")
    assert f'read_file("output:{action}")' in shown
    assert k.value("scripted.observations(scripted.paws)[0].output_bytes") == 5_000_012


def test_t_msg_07_the_pages_of_a_large_output_join_to_the_whole(k: Kernel):
    k.do("scripted.numbers = '\\n'.join(f'line {n}' for n in range(12_000))")
    k.do("scripted.paws = scripted.play(scripted.code('print(scripted.numbers)'), scripted.reply('Read.'))")
    k.do("await scripted.paws.ask('Go.')")
    k.do("""
        action = [e.action_id for e in scripted.paws.events if e.kind == "ObservationEvent"][0]
        size = 25_000
        pages = [
            scripted.call("read_file", path=f"output:{action}", offset=offset, limit=size)
            for offset in range(0, len(scripted.numbers), size)
        ]
        scripted.model_of(scripted.paws).extend([*pages, scripted.reply("Read.")])
        await scripted.paws.ask("Now the rest.")
        parts = [text.split("\\n", 1)[1] for text in scripted.results(scripted.paws)[1:]]
    """)
    assert k.value("len(parts)") > 3
    assert k.value("''.join(parts).strip() == scripted.numbers")


def test_o29_an_image_is_an_image_and_not_text(k: Kernel, way: str):
    code = f"import base64\nfrom IPython.display import Image\nImage(base64.b64decode('{PIXEL}'))"
    shown = run_python(k, way, code, f"display(Image(base64.b64decode('{PIXEL}')))")
    assert shown == ["[1 image shown]", "[1 image shown]"]
    blocks = "[b.data for o in scripted.observations(scripted.paws) for b in o.content if b.type == 'image']"
    assert k.value(blocks) == [PIXEL, PIXEL]


def test_o29_a_table_is_shown_as_text_without_markup(k: Kernel, way: str):
    assert run_python(k, way, TABLE) == ["a\n1"]


def test_o29_no_escape_sequence_reaches_the_model(k: Kernel, way: str):
    shown = run_python(k, way, "print('\\x1b[31mred\\x1b[0m')", "1/0", "print('\\x1b[31m' + 'y' * 40_000)")
    assert shown[0] == "red"
    stored = k.value("scripted.observations(scripted.paws)[2].output")
    assert not any("\x1b" in text for text in [*shown, stored])


def test_f_28_endless_printing_is_bounded_and_can_be_stopped(k: Kernel):
    k.do("scripted.paws = scripted.play(scripted.code('while True: print(\"again and again\")'))")
    k.do("""
        import threading
        threading.Timer(1.5, scripted.paws.stop).start()
        scripted.paws.tell('Go.')
        scripted.paws.wait(30)
    """)
    (shown,) = k.value("scripted.results(scripted.paws)")
    assert len(shown) <= 30_000
    # On a machine that is very busy it may not have ended when its result is due.
    assert shown.splitlines()[-1].startswith(("[interrupted: the user stopped this call]", "[asked to stop"))
    assert k.value("len(scripted.observations(scripted.paws)[0].output)") < 4_100_000
    assert k.value("scripted.paws.status") == "paused"


def test_f_28_a_progress_bar_leaves_its_last_state(k: Kernel, way: str):
    assert run_python(k, way, "for n in range(3): print(f'\\r{n} of 2', end='')\nprint()") == ["2 of 2"]


TEE = """
import sys
class Tee:
    def __init__(self, stream):
        self.stream, self.seen = stream, []
    def write(self, text):
        self.seen.append(text)
        return self.stream.write(text)
    def __getattr__(self, name):
        return getattr(self.stream, name)
kernels_own, sys.stdout = sys.stdout, Tee(sys.stdout)
"""


@pytest.mark.parametrize("way", ["request", "ask"])
def test_output_is_kept_apart_also_where_the_user_replaced_stdout(k: Kernel, way: str):
    k.do(TEE)
    try:
        assert run_python(k, way, "print('of the agent')", "kernels_own.write('directly')") == [
            "of the agent",
            "directly\n8",
        ]
        assert k.do("print('of the user')").text == "of the user\n"
    finally:
        k.do("tee, sys.stdout = sys.stdout, kernels_own")
    assert not [text for text in k.value("tee.seen") if text in ("of the agent", "directly")]
    assert "of the user" in k.value("tee.seen")


def test_what_threads_of_the_code_show_is_part_of_its_result(k: Kernel, way: str):
    code = """
import threading
def work():
    print("printed")
    display("shown")
t = threading.Thread(target=work)
t.start()
t.join()
"""
    assert run_python(k, way, code) == ["printed\n'shown'"]


def test_f_29_a_thread_that_prints_later_is_in_no_other_result(k: Kernel, way: str):
    start = """
import threading
go_on, printed = threading.Event(), threading.Event()
def late():
    print("from the thread, early")
    early.set()
    go_on.wait()
    print("from the thread, late")
    printed.set()
early = threading.Event()
threading.Thread(target=late).start()
early.wait()
print("started")
"""
    shown = run_python(k, way, start, "print('between')\ngo_on.set()\nprinted.wait()\nprint('after')")
    assert shown == ["from the thread, early\nstarted", "between\nafter"]


def test_i_26_a_thread_of_the_user_prints_into_the_users_cell_while_the_agent_works(k: Kernel):
    """A print of a background thread vanished into the agent's result, and so did all that followed."""
    cell = k.start("""
        import threading
        agent_is_there, heard = threading.Event(), threading.Event()
        def background():
            agent_is_there.wait()
            print("mine, meanwhile", flush=True)
            heard.set()
        threading.Thread(target=background).start()
    """)
    k.finish(cell)
    k.do("scripted.paws = scripted.play(scripted.code('agent_is_there.set(); heard.wait();'), scripted.reply('Done.'))")
    tell = k.start("scripted.paws.tell('Go.')")
    # Older kernels print where the thread was started, newer ones into the latest cell.
    k.pump(lambda: any("meanwhile" in k.result(users).text for users in (cell, tell)))
    k.pump(lambda: k.value("scripted.paws.status") == "idle")
    assert k.value("scripted.results(scripted.paws)") == ["(no output)"]
