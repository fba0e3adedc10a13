"""T11: one long conversation in a process of its own, which says what it used: `python -m tests.recovery.soak ...`.

live FOLDER STEPS LIVES    steps with tools, warnings, resets and rescues, in so many lives of the conversation
restore FOLDER             opens what is stored
"""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import sys
import threading
import time
from array import array
from dataclasses import asdict, dataclass
from pathlib import Path

from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.log import EventLog
from smolpaws_jupyter.runtime.opening import repair
from smolpaws_jupyter.runtime.redaction import Redactor
from smolpaws_jupyter.testing import Move, ScriptedLLM, call, overflow, reply
from tests.runtime.failing_disk import HurriedDisk
from tests.runtime.talks import WITH_FALLBACK, Echo, talk

CYCLE = 200
"""Steps from one reset to the next."""
TOKENS = 2_000
"""By so many a request is larger than the one before."""
SETTINGS: JsonObject = {**WITH_FALLBACK, "max_steps_per_run": 2 * CYCLE}
ARGUMENT = "x" * 100


@dataclass(frozen=True)
class Mark:
    """What the process used at the end of a cycle."""

    steps: int
    events: int
    kilobytes: int
    objects: int
    descriptors: int
    threads: int
    tasks: int


class Soak:
    """The conversation, its model and the clock. Every step is one request of the main model."""

    def __init__(self, folder: Path, steps: int) -> None:
        self.folder = folder
        self.wanted = steps
        self.steps = 0
        self.milliseconds = array("d", bytes(8 * steps))
        """The CPU time of each step: what else the machine does is not counted. All of it has its place from the start."""
        self._began = 0.0

    def answer(self, _: object) -> Move:
        """Calls a tool, step after step; every tenth cycle overflows on its way; the last step of a cycle resets."""
        now = time.process_time()
        if self.steps < self.wanted:
            self.milliseconds[self.steps] = (now - self._began) * 1e3
        self._began = now
        self.steps += 1
        cycle, step = divmod(self.steps, CYCLE)
        if step == 0:
            return call("condense", message_to_future_self=f"Go on with {cycle}.").using(input=CYCLE * TOKENS)
        if step == 1 and cycle:
            return reply(f"Done with {cycle}.")
        if step == CYCLE // 2 and cycle % 10 == 9:
            return overflow()
        return call("echo", text=f"{self.steps} {ARGUMENT}").using(input=step * TOKENS)

    def conversation(self) -> Conversation:
        """A new one, or another life of the one that is there."""
        tools = [Echo(ran=NothingKept())]
        if not (self.folder / "log.jsonl").exists():
            store = JsonlStore.create(self.folder, disk=HurriedDisk())
            t = talk(self.answer, store=store, settings=SETTINGS, tools=tools, summaries=lambda _: reply("So far."))
            t.llm.keep_requests = t.summariser.keep_requests = False
            return t.conversation
        log = opened(self.folder)
        model, summariser = ScriptedLLM(self.answer), ScriptedLLM(lambda _: reply("So far."))
        model.keep_requests = summariser.keep_requests = False
        return Conversation(
            log,
            settings=AgentSettings.model_validate(SETTINGS),
            llm_for=lambda binding: summariser if binding.profile == "summary" else model,
            tools=tools,
            approvals="allow",
        )

    async def live(self, lives: int) -> list[Mark]:
        """Lives so often, and marks the end of each cycle of steps."""
        marks: list[Mark] = []
        for life in range(lives):
            conversation = self.conversation()
            while self.steps < self.wanted * (life + 1) // lives:
                self._began = time.process_time()
                await conversation.ask("The next one, please.")
                marks.append(self._mark(len(conversation.log)))
            await conversation.close()
        return marks

    def _mark(self, events: int) -> Mark:
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return Mark(
            steps=self.steps,
            events=events,
            kilobytes=pages * resource.getpagesize() // 1024,
            objects=len(gc.get_objects()),
            descriptors=len(list(Path("/proc/self/fd").iterdir())),
            threads=threading.active_count(),
            tasks=len(asyncio.all_tasks()),
        )


class NothingKept(list[str]):
    """A tool's memory of its calls, for runs that are too long to remember."""

    def append(self, _: str) -> None:
        """Nothing."""


def opened(folder: Path) -> EventLog:
    """What is stored, folded and repaired."""
    log = EventLog(JsonlStore.open(folder, disk=HurriedDisk()), Redactor())
    repair(log)
    return log


def restored(folder: Path) -> JsonObject:
    """What opening costs, in CPU time and at the most."""
    began = time.process_time()
    log = opened(folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"events": len(log), "seconds": time.process_time() - began, "megabytes": peak}


def main(what: str, folder: str, steps: str = "", lives: str = "") -> None:
    """Prints what was used, as JSON."""
    if what == "restore":
        print(json.dumps(restored(Path(folder))))
        return
    soak = Soak(Path(folder), int(steps))
    marks = [asdict(mark) for mark in asyncio.run(soak.live(int(lives)))]
    print(json.dumps({"marks": marks, "milliseconds": list(soak.milliseconds)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
