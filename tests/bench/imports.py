"""P8: the package opens fast, and loads no model library."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.bench.figures import Figure, middle

ROUNDS = 5
HEAVY = ("litellm", "openai", "httpx", "tiktoken")


def seconds(code: str) -> float:
    """CPU seconds of an import in a fresh process that has IPython, as a kernel has."""
    timed = f"import IPython, time; t = time.process_time(); {code}; print(time.process_time() - t)"
    return float(output(timed).split()[-1])


def output(code: str) -> str:
    """What a fresh process prints. Byte code may be kept, as it is for everyone who imports a package twice."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout


def figures() -> list[Figure]:
    """Ours and a bare anywidget in turn, so that both see the same machine."""
    seconds("from smolpaws_jupyter import SmolPaws")
    ours, bare = [], []
    for _ in range(ROUNDS):
        bare.append(seconds("import anywidget"))
        ours.append(seconds("from smolpaws_jupyter import SmolPaws"))
    check = f"import sys; from smolpaws_jupyter import SmolPaws; print(sum(m in sys.modules for m in {HEAVY}))"
    loaded = output(check)
    return [
        Figure("P8 import of SmolPaws / import of anywidget", middle(ours) / middle(bare), "x", 2.5),
        Figure("P8 import of SmolPaws", middle(ours), "s"),
        Figure("P8 model libraries that it loads", float(loaded), "", 0),
    ]
