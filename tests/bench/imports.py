"""P8: the package opens fast, loads no model library, and shows its widget at once."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.bench.figures import Figure, middle

ROUNDS = 5
HEAVY = ("litellm", "openai", "httpx", "tiktoken")
KERNEL = "import time, IPython, ipykernel.kernelapp, ipykernel.ipkernel, ipykernel.zmqshell, jupyter_client"
"""What a running kernel has loaded before its first cell."""
BARE = "import anywidget"
OURS = "from smolpaws_jupyter import SmolPaws"
SHOWN = f"{OURS}; SmolPaws(save=False)._repr_mimebundle_()"


def cost(code: str) -> tuple[float, float, float]:
    """CPU seconds, wall seconds and megabytes that this costs in a fresh process that has what a kernel has."""
    figures = "time.process_time(), time.perf_counter(), peak()"
    measured = f"from tests.bench.figures import peak; {KERNEL}; print({figures}); {code}; print({figures})"
    before, after = output(measured).splitlines()
    cpu, wall, size = (float(b) - float(a) for a, b in zip(before.split(), after.split(), strict=True))
    return cpu, wall, size


def output(code: str) -> str:
    """What a fresh process prints. Byte code may be kept, as it is for everyone who imports a package twice."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout


def figures() -> list[Figure]:
    """Ours and a bare anywidget in turn, so that both see the same machine."""
    cost(SHOWN)
    bare, ours, shown = zip(*([cost(code) for code in (BARE, OURS, SHOWN)] for _ in range(ROUNDS)), strict=True)
    loaded = output(f"import sys; {OURS}; print(sum(m in sys.modules for m in {HEAVY}))")

    def of(costs: tuple[tuple[float, float, float], ...], what: int) -> float:
        return middle([one[what] for one in costs])

    return [
        Figure("P8 import of SmolPaws / import of anywidget", of(ours, 0) / of(bare, 0), "x", 2.5),
        Figure("P8 import of SmolPaws", of(ours, 0), "s"),
        Figure("P8 memory that it takes beside anywidget's", of(ours, 2) - of(bare, 2), "MB", 10),
        Figure("P8 model libraries that it loads", float(loaded), "", 0),
        Figure("P8 import, a first agent, and its display, wall", of(shown, 1), "s", 0.3),
        Figure("P8 the same, CPU time / import of anywidget", of(shown, 0) / of(bare, 0), "x"),
    ]
