"""Logs of any length in a second or two: one cycle of a real conversation, from reset to reset, again and again."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from functools import cache
from hashlib import md5
from pathlib import Path

from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.runtime.memory_store import MemoryStore
from smolpaws_jupyter.runtime.record import frame, unframe
from smolpaws_jupyter.testing import Move, call, reply
from tests.runtime.talks import AGENT_RESET, Echo, talk

ARGUMENT = "x" * 430
_ID = re.compile(r"\b[0-9a-f]{32}\b")


_HOME = tempfile.TemporaryDirectory(prefix="smolpaws-bench-")


@cache
def stored(events: int) -> Path:
    """One stored conversation of this length for the whole run of the bench; to be used, not to be changed much."""
    return condensed_log(Path(_HOME.name, str(events)), events)


def condensed_log(folder: Path, events: int, *, steps: int = 33) -> Path:
    """Stores a conversation of about this many events, at rest after its last reset; gives its folder.

    A reset comes every so many steps, each of which makes about three events.
    """
    head, cycle = _template(steps)
    texts = [*head]
    before, own = _ids(head[-len(cycle) :]), _ids(cycle)
    names = before
    for copy in range((events - sum(map(_events, head))) // len(own)):
        fresh = [md5(f"{copy} {number}".encode(), usedforsecurity=False).hexdigest() for number in range(len(own))]
        renamed = dict(zip([*before, *own], [*names, *fresh], strict=True))
        texts += [_renamed(text, renamed) for text in cycle]
        names = fresh
    folder.mkdir(parents=True)
    with (folder / "log.jsonl").open("wb") as log:
        for number, text in enumerate(texts):
            log.write(frame({**json.loads(text), "seq": number}))
    return folder


def _template(steps: int) -> tuple[list[str], list[str]]:
    """The commits of a conversation up to its second reset, and those of the cycle behind it."""
    asked = 0

    def move(_request: object) -> Move:
        nonlocal asked
        asked += 1
        if asked > 3 * steps:
            return reply("done")
        return call("condense") if asked % steps == 0 else call("echo", text=ARGUMENT)

    store = MemoryStore()
    t = talk(move, tools=[Echo()], settings={**AGENT_RESET, "max_steps_per_run": 4 * steps}, store=store)  # type: ignore[arg-type]
    t.llm.keep_requests = False
    asyncio.run(t.ask("Go"))
    texts = [unframe(line) for line in store._content.lines]
    resets = [number for number, text in enumerate(texts) if '"kind":"Condensation"' in text]
    return texts[: resets[1] + 1], texts[resets[1] + 1 : resets[2] + 1]


def _renamed(text: str, names: dict[str, str]) -> str:
    return _ID.sub(lambda found: names.get(found[0], found[0]), text)


def _ids(texts: list[str]) -> list[str]:
    return [event["id"] for text in texts for event in _record(text)["events"]]


def _events(text: str) -> int:
    return len(_record(text)["events"])


def _record(text: str) -> JsonObject:
    return json.loads(text)
