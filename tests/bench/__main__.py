"""Runs the benches that were named, or all of them."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Iterable

from tests.bench import behind_a_server, durable, imports, page, peers, reopen, requests, steps, wire
from tests.bench.figures import Figure

BENCHES: dict[str, Callable[[], Iterable[Figure]]] = {
    "steps": steps.figures,
    "reopen": reopen.figures,
    "imports": imports.figures,
    "requests": requests.figures,
    "wire": wire.figures,
    "durable": durable.figures,
    "page": page.figures,
    "behind_a_server": behind_a_server.figures,
}


def main() -> int:
    """Prints every figure beside its bar. A missed bar is told and fails nothing: machines differ."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("benches", nargs="*", metavar="bench", help=f"one of: {', '.join(BENCHES)}")
    parser.add_argument("--peers", action="store_true", help="sessions of other systems, which are installed first")
    asked = parser.parse_args()
    if unknown := set(asked.benches) - set(BENCHES):
        parser.error(f"there is no bench {min(unknown)!r}; there are: {', '.join(BENCHES)}")
    benches = [BENCHES[name] for name in asked.benches or ([] if asked.peers else BENCHES)]
    print(f"Python {platform.python_version()}, {platform.machine()}; bars are ratios of one run where they can be")
    for figures in [*benches, *([peers.figures] if asked.peers else [])]:
        for figure in figures():
            print(figure, flush=True)
    return 0


sys.exit(main())
