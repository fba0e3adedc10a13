"""Tells the pages: small facts as traits, events as numbered messages, at most some 25 flushes a second.

Everything is sent from the worker's thread and in the context of the page's latest message; on some kernels Stop would
otherwise wait for the user's cell.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from ..core.base import JsonObject
from ..core.events import Event
from ..core.records import UnknownEvent, encode
from ..core.wire import UPDATE, LeftOut, Traits, UnknownRecord, Update
from ..runtime.draft import TEXT_LIMIT

FLUSH_SECONDS = 0.04
FLUSH_BYTES = 1_000_000
SHOWN_CHARS = 4_000
"""How much of a large text stands in an update; the rest is fetched on demand."""


class Door(Protocol):
    """One widget's way out."""

    def send(self, content: JsonObject) -> None: ...

    def set_traits(self, traits: JsonObject) -> None: ...


class Publisher:
    """Collects what happened and flushes it to every door."""

    def __init__(self, conversation_id: Callable[[], str]) -> None:
        self._conversation_id = conversation_id
        self._doors: dict[int, tuple[Door, contextvars.Context]] = {}
        self._events: list[tuple[int, JsonObject, list[LeftOut]]] = []
        self._words: dict[tuple[str, str], str] = {}
        self._updates: list[Update] = []
        self._traits: JsonObject = {}
        self._dirty: JsonObject = {}
        self._flush: asyncio.TimerHandle | None = None
        self._last = 0.0

    def attach(self, door: Door, context: contextvars.Context) -> None:
        """Tells this door too. `context` is that of the page's message, or of the cell that made the widget."""
        self._doors[id(door)] = (door, context)
        with contextlib.suppress(Exception):
            context.run(door.set_traits, self._traits)

    def detach(self, door: Door) -> None:
        self._doors.pop(id(door), None)

    def traits(self, traits: Traits) -> None:
        """What is, now. Only what changed is sent."""
        now = traits.model_dump(mode="json")
        self._dirty.update({k: v for k, v in now.items() if self._traits.get(k, _NOTHING) != v})
        self._traits = now
        self._later()

    def events(self, start: int, events: Sequence[Event | UnknownEvent]) -> None:
        """Events at positions start, start + 1, ..."""
        for position, event in enumerate(events, start):
            data, left_out = shown(position, event)
            self._events.append((position, data, left_out))
        self._later()

    def words(self, kind: str, about: str, text: str) -> None:
        """Words of a reply (they add up), or the live tail of a tool (the latest counts)."""
        key = (kind, about)
        self._words[key] = self._words.get(key, "") + text if kind == "delta" else text
        self._later()

    def update(self, update: Update) -> None:
        """Anything else, in order."""
        self._updates.append(update)
        self._later()

    def forget_words(self) -> None:
        """Words still to be sent belong to a try that failed."""
        self._words = {key: text for key, text in self._words.items() if key[0] != "delta"}

    def answer(self, door: Door, context: contextvars.Context, updates: Iterable[Update | JsonObject]) -> None:
        """Sends updates to one door alone, at once and after what was flushed before."""
        self.flush()
        for update in updates:
            content = update if isinstance(update, dict) else UPDATE.dump_python(update, mode="json")
            with contextlib.suppress(Exception):
                context.run(door.send, content)

    def _later(self) -> None:
        if self._flush is None:
            loop = asyncio.get_running_loop()
            wait = max(0.0, self._last + FLUSH_SECONDS - loop.time())
            self._flush = loop.call_later(wait, self.flush)

    def flush(self) -> None:
        """Sends all that waits."""
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        self._last = asyncio.get_running_loop().time()
        batches = [*self._event_batches(), *self._word_updates()]
        batches += [UPDATE.dump_python(update, mode="json") for update in self._updates]
        dirty, self._dirty, self._updates = self._dirty, {}, []
        for door, context in tuple(self._doors.values()):
            # A page that is gone must not stop the agent; it asks for what it missed when it comes back.
            with contextlib.suppress(Exception):
                for batch in batches:
                    context.run(door.send, batch)
                if dirty:
                    context.run(door.set_traits, dirty)

    def _event_batches(self) -> list[JsonObject]:
        waiting, self._events = self._events, []
        return event_batches(self._conversation_id(), waiting)

    def _word_updates(self) -> list[JsonObject]:
        words, self._words = self._words, {}
        made: list[JsonObject] = []
        for (kind, about), text in words.items():
            if kind == "delta":
                made.append({"kind": "delta", "what": about, "text": text})
            else:
                made.append({"kind": "output", "action_id": about, "text": text})
        return made


_NOTHING = object()


def event_batches(conversation_id: str, items: Iterable[tuple[int, JsonObject, list[LeftOut]]]) -> list[JsonObject]:
    """Numbered `events` updates of up to about a megabyte each."""
    batches: list[JsonObject] = []
    size = FLUSH_BYTES
    for position, data, left_out in items:
        if size >= FLUSH_BYTES or position != batches[-1]["start"] + len(batches[-1]["events"]):
            batches.append(
                {"kind": "events", "conversation_id": conversation_id, "start": position, "events": [], "left_out": []}
            )
            size = 0
        batches[-1]["events"].append(data)
        batches[-1]["left_out"] += [one.model_dump(mode="json") for one in left_out]
        size += _weight(data)
    return batches


def shown(position: int, event: Event | UnknownEvent) -> tuple[JsonObject, list[LeftOut]]:
    """An event as the page gets it: large texts by their beginning, the rest on demand."""
    if isinstance(event, UnknownEvent):
        record = UnknownRecord(id=event.id, record_kind=event.kind, reason=event.reason)
        return record.model_dump(mode="json"), []
    left_out: list[LeftOut] = []
    data = _shorten(encode(event), position, (), left_out)
    return data, left_out


def _shorten(value: Any, position: int, path: tuple[str | int, ...], left_out: list[LeftOut]) -> Any:
    if isinstance(value, dict):
        if value.get("type") == "image":
            return value
        return {k: _shorten(v, position, (*path, k), left_out) for k, v in value.items()}
    if isinstance(value, list):
        return [_shorten(v, position, (*path, i), left_out) for i, v in enumerate(value)]
    if isinstance(value, str) and len(value) > SHOWN_CHARS and len(data := value.encode()) > TEXT_LIMIT:
        left_out.append(
            LeftOut(position=position, path=path, sha256=hashlib.sha256(data).hexdigest(), chars=len(value))
        )
        return value[:SHOWN_CHARS]
    return value


def _weight(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(_weight(v) + len(k) for k, v in value.items())
    return sum(map(_weight, value)) if isinstance(value, list) else 8
