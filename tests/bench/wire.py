"""P9: what crosses to the page, in bytes and time for one event."""

from __future__ import annotations

import json
import time

from smolpaws_jupyter.core.base import TextBlock
from smolpaws_jupyter.core.events import Event, MessageEvent
from smolpaws_jupyter.core.records import encode
from smolpaws_jupyter.notebook.events_out import batch
from smolpaws_jupyter.runtime.log import mint
from tests.bench.figures import Figure

EVENTS = 600


def event() -> Event:
    return MessageEvent(**mint(), source="agent", role="assistant", content=(TextBlock(text="x" * 700),))


def updates(size: int, history: int = 0) -> tuple[float, float]:
    """Bytes of updates of this many events / bytes of the events' JSON, and microseconds an event, encoding included."""
    events = [event() for _ in range(EVENTS)]
    own = sum(len(json.dumps(encode(e))) for e in events)
    sent = 0
    began = time.process_time()
    for start in range(0, EVENTS, size):
        sent += len(json.dumps(batch("id", history + start, events[start : start + size])))
    return sent / own, (time.process_time() - began) / EVENTS * 1e6


def figures() -> list[Figure]:
    """Batches of 20 and lone events; the same with 100 and 10,000 events before them."""
    ratio, micro = updates(20)
    lone, lone_micro = updates(1)
    early, late = updates(20, 100)[1], updates(20, 10_000)[1]
    return [
        Figure("P9 bytes of an update of 20 events / bytes of the events", ratio, "x", 1.10),
        Figure("P9 bytes of an update of one event / bytes of the event", lone, "x", 1.7),
        Figure("P9 time of an event in an update of 20, encoding included", micro, "us"),
        Figure("P9 time of an event sent alone", lone_micro, "us"),
        Figure("P9 cost with 10,000 events before / with 100", late / early, "x", 1.3),
    ]
