"""P1, P2, P4 and P7: a step costs little, and the same however long the log is."""

from __future__ import annotations

import asyncio
import json
import math
import time
from pathlib import Path

from smolpaws_jupyter.core.records import encode
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.log import EventLog
from smolpaws_jupyter.runtime.redaction import Redactor
from smolpaws_jupyter.testing import Move, ScriptedLLM, call, reply
from tests.bench.figures import Figure, middle, peak
from tests.bench.long_log import ARGUMENT, stored
from tests.bench.wire import event
from tests.runtime.talks import AGENT_RESET, Echo, Talk, talk

BATCH = 50
LONG = 10_000
"""Steps of the long run: three events each, all of them in view."""
RESET_EVERY = 33


class Costs:
    """The model of one conversation, which notes the CPU time between two of its calls, in milliseconds."""

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

    def run(self, folder: Path | None = None) -> Talk:
        """A new conversation in memory, or stored in a folder."""
        settings = {**AGENT_RESET, "max_steps_per_run": self.steps + 10}
        store = None if folder is None else JsonlStore.create(folder)
        t = talk(self.move, tools=[Echo()], settings=settings, store=store)  # type: ignore[arg-type]
        t.llm.keep_requests = False
        asyncio.run(t.ask("Go"))
        return t

    def resume(self, folder: Path) -> None:
        """A stored conversation, on the disk."""
        log = EventLog(JsonlStore.open(folder), Redactor())
        llm = ScriptedLLM(self.move)  # type: ignore[arg-type]
        llm.keep_requests = False
        conversation = Conversation(
            log,
            settings=AgentSettings.model_validate({**AGENT_RESET, "max_steps_per_run": self.steps + 10}),
            llm_for=lambda _: llm,
            tools=[Echo()],
            approvals="allow",
        )
        asyncio.run(_once(conversation))

    def cost(self, first: int, last: int) -> float:
        """The median cost of the steps in this range, taken over batches."""
        batches = range(first, last - BATCH, BATCH)
        return middle([(self.marks[b + BATCH] - self.marks[b]) / BATCH for b in batches])

    @property
    def total(self) -> float:
        """Milliseconds of all steps."""
        return self.marks[-1] - self.marks[0]


async def _once(conversation: Conversation) -> None:
    await conversation.ask("Go")
    await conversation.close()


def encoding() -> float:
    """Milliseconds of `json.dumps` of one event of a kilobyte: what this machine's time is worth now."""
    data = encode(event())
    costs = []
    for _ in range(11):
        began = time.process_time()
        for _ in range(1_000):
            json.dumps(data)
        costs.append(time.process_time() - began)
    return middle(costs)


def condensed() -> tuple[float, float]:
    """A step on logs of 1,000 and 100,000 events whose view is short, in turn: milliseconds."""
    short, long = [], []
    for _ in range(3):
        for events, costs in ((1_000, short), (100_000, long)):
            run = Costs(5 * RESET_EVERY, RESET_EVERY)
            run.resume(stored(events))
            costs.append(run.cost(10, 5 * RESET_EVERY))
    return middle(short), middle(long)


def figures() -> list[Figure]:
    """Bars in milliseconds are of a machine on which `json.dumps` of an event takes 3.8 us; in its terms they are ratios."""
    before = peak()
    unit, totals, fresh = encoding(), [], []
    for _ in range(3):
        for steps in (200, 1_000):
            run = Costs(steps)
            run.run()
            totals.append(run.total)
            fresh.append(run.cost(10, 160))
    units = [unit, encoding()]
    long = Costs(LONG)
    conversation = long.run().conversation
    memory = (peak() - before) * 1024 / len(conversation.log)
    full = long.cost(3_000, 4_000)
    units.append(encoding())
    early, late = condensed()
    exponent = math.log(middle(totals[1::2]) / middle(totals[::2])) / math.log(5)
    unit = middle(units)
    return [
        Figure("P1 step with 10,000 events in view / fresh step", full / middle(fresh), "x", 1.5),
        Figure("P1 step, condensed: log of 100,000 events / of 1,000", late / early, "x", 1.5),
        Figure("P2 fresh step / json.dumps of an event", middle(fresh) / unit, "x", 0.5 / 0.0038),
        Figure("P2 fresh step, CPU", middle(fresh), "ms"),
        Figure("P2 step with 10,000 events in view / json.dumps of an event", full / unit, "x", 0.9 / 0.0038),
        Figure("P2 step with 10,000 events in view, CPU", full, "ms"),
        Figure("P2 step, condensed, log of 100,000 events on disk, CPU", late, "ms"),
        Figure("P4 exponent of the time of 200 to 1,000 tool calls", exponent, "", 1.1),
        Figure(f"P4 memory of a run of {LONG:,} tool calls, for an event", memory, "KB", 4),
        Figure(
            "P7 size of a request of 30,000 events / json.dumps of an event", sizing(conversation) / unit, "x", 20 / 3.8
        ),
    ]


def sizing(conversation: Conversation) -> float:
    """Milliseconds of finding the size of the next request, from which its tokens are estimated."""
    agent, view, rounds = conversation.agent, conversation.view, 500
    tools = agent.tools(view)
    began = time.process_time()
    for _ in range(rounds):
        assert agent.renderer.size(view, tools).bytes
    return (time.process_time() - began) / rounds * 1e3
