"""P2 and P4 beside the peers: each runs a session of its own, on its own store, in an environment of its own."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tests.bench.figures import Figure, middle
from tests.bench.steps import Costs
from tests.environments import NoEnvironment, environment

STEPS = 200
"""Enough to see growth; strands-agents ends with a RecursionError before 300."""


@dataclass(frozen=True)
class Peer:
    """`thousand` tells whether it can make so many calls in one run."""

    name: str
    package: str
    at_least: tuple[int, int] = (3, 11)
    thousand: bool = True

    def session(self, steps: int) -> list[float]:
        """The CPU time at each of its model's calls, in milliseconds."""
        script = Path(__file__).parent / f"{self.name}_session.py"
        python = environment(self.package, at_least=self.at_least)
        done = subprocess.run([python, script, str(steps)], capture_output=True, text=True, check=True, timeout=600)
        return json.loads(done.stdout.splitlines()[-1])


PEERS = (
    Peer("openhands", "openhands-sdk", (3, 12)),
    Peer("strands", "strands-agents", thousand=False),
    Peer("llm", "llm"),
    Peer("pydantic_ai", "pydantic-ai-slim"),
)


def fresh(marks: list[float]) -> float:
    """The median cost of an early step."""
    return middle([after - before for before, after in pairwise(marks[10:61])])


def late(marks: list[float]) -> float:
    """The median cost of one of the last steps."""
    return middle([after - before for before, after in pairwise(marks[-52:-1])])


def figures() -> Iterator[Figure]:
    """Ours and theirs in turn. The bars are for the best of the peers that keep their sessions on the disk."""
    for peer in PEERS:
        try:
            theirs = peer.session(STEPS)
        except NoEnvironment as error:
            print(f"left out: {error}")
            continue
        mine = ours(STEPS)
        yield Figure(f"P2 fresh step, CPU: {peer.name}", fresh(theirs), "ms")
        yield Figure(f"P2 fresh step: ours / {peer.name}", fresh(mine) / fresh(theirs), "x", 1 / 8)
        yield Figure(f"P2 step {STEPS} of a session: ours / {peer.name}", late(mine) / late(theirs), "x", 1 / 8)
        if peer.thousand:
            theirs, mine = peer.session(1_000), ours(1_000)
            seconds = (theirs[-1] - theirs[0]) / 1e3
            yield Figure(f"P4 1,000 tool calls from empty, CPU: {peer.name}", seconds, "s")
            ratio = (mine[-1] - mine[0]) / 1e3 / seconds
            yield Figure(f"P4 1,000 tool calls from empty: ours / {peer.name}", ratio, "x", 1 / 40)


def ours(steps: int) -> list[float]:
    """The same of a conversation of ours on the disk."""
    costs = Costs(steps)
    with tempfile.TemporaryDirectory() as folder:
        costs.run(Path(folder, "conversation"))
    return costs.marks
