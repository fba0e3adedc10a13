"""Code of the agent that means no good to the kernel (F-27), and a kernel that is afterwards as it was (I-26)."""

from __future__ import annotations

import pytest

from .kernels import Kernel, let_run, run_python
from .pages import page_of

pytestmark = pytest.mark.kernel

SNAPSHOT = """
def snapshot():
    import asyncio, builtins, getpass, os, signal, sys, warnings
    shell = get_ipython()
    return {
        "In": list(In),
        "Out": dict(Out),
        "results": [id(globals().get(name)) for name in ("_", "__", "___")],
        "count": shell.execution_count,
        "stdout": (id(sys.stdout), "write" in vars(sys.stdout)),
        "stderr": (id(sys.stderr), "write" in vars(sys.stderr)),
        "displayhook": (id(shell.displayhook), sys.displayhook is shell.displayhook),
        "display": (id(shell.display_pub), "publish" in vars(shell.display_pub), "_showtraceback" in vars(shell)),
        "signals": {n: repr(signal.getsignal(n)) for n in signal.valid_signals()},
        "cwd": os.getcwd(),
        "warnings": list(warnings.filters),
        "loop": id(asyncio.get_event_loop_policy().get_event_loop()),
        "path": list(sys.path),
        "input": (builtins.input.__qualname__, getpass.getpass.__qualname__),
        "await": (shell.autoawait, id(shell.loop_runner), "ask_exit" in vars(shell)),
        "names": sorted(name for name in get_ipython().user_ns if not name.startswith("_")),
    }
"""
DIFFERENCES = """
changed = sorted(name for name in before if before[name] != after[name])
"""


def changed_by(k: Kernel, way: str, *codes: str) -> list[str]:
    """Which of the fifteen things and the names are different after these pieces of code."""
    k.do(SNAPSHOT)
    k.do("1 + 1")
    k.do("before = after = changed = None; before = snapshot()", history=False)
    let_run(k, way, *codes, history=False)
    k.do("after = snapshot()" + DIFFERENCES, history=False)
    return k.value("changed")


def test_i_26_the_kernel_is_as_before_but_for_the_names_that_the_code_made(k: Kernel, way: str):
    code = "import math\nfor _ in range(3): pass\nprint(math.pi)\ndisplay(1)\nnew = 5\nnew"
    assert changed_by(k, way, code, "1/0", "1 +", "input()", "exit()") == ["names"]
    assert k.value("sorted(set(after['names']) - set(before['names']))") == ["math", "new"]
    k.do("del math, new")


def test_i_26_what_the_agent_prints_is_not_kept_as_an_output_of_the_users_cells(k: Kernel, way: str):
    """IPython keeps what its cells print, so that %notebook can write it; the agent's had been among it, without end."""
    let_run(k, way, "print('a needle, ' * 3)", "'a needle, ' * 3", "display('a needle, ' * 3)")
    kept = "str(getattr(get_ipython().history_manager, 'outputs', None)).count('needle, a ' + 'needle')"
    assert k.value(kept) == 0


@pytest.mark.parametrize("way", ["request", "ask"])
def test_i_26_also_after_code_that_awaits(k: Kernel, way: str):
    code = "import asyncio\nfor _ in range(3): await asyncio.sleep(0)\nprint(1)\n7"
    assert changed_by(k, way, "import asyncio", code, "await asyncio.sleep(0)\n1/0") in ([], ["names"])


HOSTILE = {
    "changes the folder": "import os\nos.mkdir('deeper') if not os.path.exists('deeper') else None\nos.chdir('deeper')",
    "removes its folder": "import os, tempfile\nd = tempfile.mkdtemp(); os.chdir(d); os.rmdir(d)",
    "replaces stdout": "import io, sys\nsys.stdout = io.StringIO(); sys.stderr = io.StringIO(); print('lost')",
    "closes stdout": "import sys\nsys.stdout = open('x', 'w'); sys.stdout.close()\nprint(1)",
    "sets signal handlers": "import signal\nfor s in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1): signal.signal(s, lambda *a: None)",
    "silences warnings": "import warnings\nwarnings.simplefilter('ignore'); warnings.resetwarnings()",
    "sets another loop": "import asyncio\nasyncio.set_event_loop(asyncio.new_event_loop())",
    "runs a loop": "import asyncio\nasyncio.run(asyncio.sleep(0))",
    "switches awaiting off": "%autoawait off",
    "sets the displayhook": "import sys\nsys.displayhook = lambda value: None",
    "overwrites results": "_ = __ = ___ = 'mine'\nOut.clear(); In.clear()",
    "counts": "get_ipython().execution_count = 1000",
    "asks": "input('Name: ')",
    "asks for a secret": "import getpass\ngetpass.getpass()",
    "leaves": "exit",
    "quits": "quit()",
    "exits": "import sys\nsys.exit(3)",
    "exits from deep": "raise SystemExit",
    "interrupts itself": "raise KeyboardInterrupt",
    "is cancelled": "import asyncio\nraise asyncio.CancelledError",
    "is no Python": "\\x00 \\ud800 ((((",
    "fails in its repr": "class Bad:\n    def __repr__(self): raise ValueError('bad repr')\nBad()",
    "prints no text": "print('\\ud800 half')",
    "shows much": "for n in range(200): display(n)",
    "clears": "from IPython.display import clear_output\nprint('gone'); clear_output(); print('stays')",
}


INLINE_TOO = (
    "changes the folder",
    "replaces stdout",
    "sets signal handlers",
    "sets another loop",
    "asks",
    "leaves",
    "exits",
)


@pytest.mark.parametrize(
    ("way", "what"), [*(("request", what) for what in HOSTILE), *(("ask", what) for what in INLINE_TOO)]
)
def test_f_27_after_hostile_code_the_kernel_is_as_before_and_the_agent_works(k: Kernel, way: str, what: str):
    differences = changed_by(k, way, HOSTILE[what], "print('still here')")
    assert differences in ([], ["names"])
    assert k.value("scripted.results(scripted.paws)")[-1] == "still here"
    assert k.value("scripted.paws.status") == "idle"
    assert k.do("import asyncio\nawait asyncio.sleep(0)\nprint('the user works')").text == "the user works\n"


def test_f_27_what_hostile_code_is_told(k: Kernel, way: str):
    shown = run_python(
        k, way, *[HOSTILE[w] for w in ("changes the folder", "asks", "exits", "clears", "prints no text")]
    )
    assert shown[0] == "[the working directory was set back afterwards; use paths relative to it]"
    assert shown[1].endswith("RuntimeError: Nobody can answer here: ask the user in a message instead.")
    assert "SystemExit: 3" in shown[2]
    assert shown[3] == "stays"
    assert shown[4] == "\N{REPLACEMENT CHARACTER} half"


def test_f_27_reset_empties_the_namespace_and_leaves_the_users_results(k: Kernel, way: str):
    k.do("import builtins; precious = 1")
    k.do("'a result'")
    count = k.value("(len(In), len(Out))")
    assert run_python(k, way, "%reset -f", "1 + 1")[-1] == "2"
    assert "NameError" in k.run("precious").error
    now = k.value("(len(In), len(Out))")
    assert now[0] > count[0]
    assert now[1] >= count[1]


@pytest.mark.subshells
def test_f_27_an_endless_job_that_catches_every_interrupt_is_reported_as_still_running(k: Kernel):
    stubborn = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nopen('deaf', 'w').write('x')\nwhile not stop: pass"
    k.do(f"stop = False; paws = scripted.play(scripted.code({stubborn!r}))")
    page = page_of(k, "paws", subshell=True)
    page.ask("tell", text="Go.")
    k.wait_for_file("deaf")
    page.ask("stop")
    page.wait_for(status="paused")
    k.run_in_subshell("stop = True", page.subshell)
    (shown,) = k.value("scripted.results(paws)")
    assert shown.endswith("[asked to stop, but the code has not ended yet: it still runs in the kernel]")
    assert k.value("1 + 1") == 2
