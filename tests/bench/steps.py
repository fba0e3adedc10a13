"""P1 and P2: a step costs little, and the same however long the log is."""

from __future__ import annotations

import asyncio
import time

from smolpaws_jupyter.testing import Move, call, reply
from tests.bench.figures import Figure, middle
from tests.runtime.talks import AGENT_RESET, Echo, Talk, talk

BATCH = 50
ARGUMENT = "x" * 430


class Costs:
    """Runs one conversation and notes the CPU time between two calls of the model, in milliseconds."""

    def __init__(self, steps: int, reset_every: int | None = None) -> None:
        self.marks: list[float] = []
        self.steps = steps
        self.reset_every = reset_every

    def move(self, _request: object) -> Move:
        self.marks.append(time.process_time() * 1e3)
        number = len(self.marks)
        if number > self.steps:
            return reply("done")
        if self.reset_every and number % self.reset_every == 0:
            return call("condense")
        return call("echo", text=ARGUMENT)

    def run(self) -> Talk:
        settings = {**AGENT_RESET, "max_steps_per_run": self.steps + 10}
        t = talk(self.move, tools=[Echo()], settings=settings)  # type: ignore[arg-type]
        t.llm.keep_requests = False
        asyncio.run(t.ask("Go"))
        return t

    def cost(self, first: int, last: int) -> float:
        """The median cost of the steps in this range, taken over batches."""
        batches = range(first, last - BATCH, BATCH)
        return middle([(self.marks[b + BATCH] - self.marks[b]) / BATCH for b in batches])


def figures() -> list[Figure]:
    """Uncondensed to 10,000 events in view; condensed, with a reset every 33 steps, to 30,000 events."""
    long = Costs(3_400)
    long.run()
    condensed = Costs(10_000, reset_every=33)
    condensed.run()
    fresh, full = long.cost(10, 160), long.cost(3_200, 3_400)
    early, late = condensed.cost(300, 700), condensed.cost(9_500, 10_000)
    return [
        Figure("P1 step with 10,000 events in view / fresh step", full / fresh, "x", 1.5),
        Figure("P1 step, condensed: log of 30,000 events / log of 1,000", late / early, "x", 1.5),
        Figure("P2 fresh step, model in process, in memory", fresh, "ms", 0.5),
        Figure("P2 step with 10,000 events in view", full, "ms", 0.9),
        Figure("P2 step, condensed, log of 30,000 events", late, "ms"),
    ]
