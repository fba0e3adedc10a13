"""Runs the benches that were named, or all of them."""

from __future__ import annotations

import platform
import sys

from tests.bench import durable, imports, steps, wire

BENCHES = {"steps": steps.figures, "imports": imports.figures, "wire": wire.figures, "durable": durable.figures}


def main(names: list[str]) -> int:
    """Prints every figure beside its target. A missed target is told and fails nothing: machines differ."""
    print(f"Python {platform.python_version()}, {platform.machine()}, targets as ratios of one run")
    for name in names or list(BENCHES):
        for figure in BENCHES[name]():
            print(figure, flush=True)
    return 0


sys.exit(main(sys.argv[1:]))
