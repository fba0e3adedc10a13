"""Runs the benches that were named, or all of them."""

from __future__ import annotations

import platform
import sys

from tests.bench import durable, imports, reopen, requests, steps, wire

BENCHES = {
    "steps": steps.figures,
    "reopen": reopen.figures,
    "imports": imports.figures,
    "requests": requests.figures,
    "wire": wire.figures,
    "durable": durable.figures,
}


def main(names: list[str]) -> int:
    """Prints every figure beside its bar. A missed bar is told and fails nothing: machines differ."""
    print(f"Python {platform.python_version()}, {platform.machine()}; bars are ratios of one run where they can be")
    for name in names or list(BENCHES):
        for figure in BENCHES[name]():
            print(figure, flush=True)
    return 0


sys.exit(main(sys.argv[1:]))
