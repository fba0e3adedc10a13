"""P9: what crosses to the page, in bytes and time for one event."""

from __future__ import annotations

import asyncio
import contextvars
import json
import time
from typing import Any

from smolpaws_jupyter.core.base import TextBlock
from smolpaws_jupyter.core.events import Event, MessageEvent
from smolpaws_jupyter.core.records import encode
from smolpaws_jupyter.notebook.publisher import Publisher
from smolpaws_jupyter.runtime.log import mint
from tests.bench.figures import Figure

EVENTS = 600


class Counter:
    """A door that counts what goes through it."""

    def __init__(self) -> None:
        self.bytes = 0
        self.messages = 0

    def send(self, content: Any) -> None:
        self.bytes += len(json.dumps(content))
        self.messages += 1

    def set_traits(self, traits: Any) -> None:
        """Traits are small and few."""


def event() -> Event:
    return MessageEvent(**mint(), source="agent", role="assistant", content=(TextBlock(text="x" * 700),))


async def flushed(batch: int, history: int = 0) -> tuple[float, float, float]:
    """Bytes of an update / bytes of its events' JSON, microseconds an event, and messages, for flushes of this size."""
    door, publisher = Counter(), Publisher(lambda: "id")
    publisher.attach(door, contextvars.copy_context())
    events = [event() for _ in range(EVENTS)]
    own = sum(len(json.dumps(encode(e))) for e in events)
    began = time.process_time()
    for start in range(0, EVENTS, batch):
        publisher.events(history + start, events[start : start + batch])
        publisher.flush()
    spent = time.process_time() - began
    return door.bytes / own, spent / EVENTS * 1e6, door.messages


def figures() -> list[Figure]:
    """Batches of 20 and lone events; the same with 100 and 10,000 events before them."""
    ratio, micro, _ = asyncio.run(flushed(20))
    lone, lone_micro, _ = asyncio.run(flushed(1))
    _, early, _ = asyncio.run(flushed(20, 100))
    _, late, _ = asyncio.run(flushed(20, 10_000))
    return [
        Figure("P9 bytes of an update of 20 events / bytes of the events", ratio, "x", 1.10),
        Figure("P9 bytes of an update of one event / bytes of the event", lone, "x", 1.7),
        Figure("P9 time of an event in an update of 20, encoding included", micro, "us"),
        Figure("P9 time of an event sent alone", lone_micro, "us"),
        Figure("P9 cost with 10,000 events before / with 100", late / early, "x", 1.3),
    ]
