"""Weight: which events cost what, in the next request and in all requests so far.

An output that stood in 14 requests counts 14 times, failed requests included. Nothing is counted request by request:
an entry that stays costs its size times the number of requests between its coming and its going.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ..base import Frozen, JsonObject
from ..entries import Entries
from ..events import ConversationStartEvent, Event
from ..messages import closed
from ..records import UnknownEvent
from ..units import Entry
from ..view import View
from .asked import Requests
from .labels import Labels, What
from .parts import FIXED, Part, aside_parts, entry_parts, fixed_parts, tokens

FixedPart = Literal["system", "memory", "runtime", "skills", "tool"]


class Weighed(Frozen):
    """One event, or one part of the fixed context, in estimated input tokens; they come in quarters.

    `now` is its share of the next request, `summed` that of all requests so far, `requests` in how many it stood.
    `name` is that of a tool; `about` the first words of a text, or what a call is about. Fixed parts have no event.
    """

    what: What | FixedPart
    name: str = ""
    about: str = ""
    event_id: str | None = None
    position: int | None = None
    now: float = 0.0
    summed: float = 0.0
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Both:
    """Tokens of the next request, and of all requests so far."""

    now: float
    summed: float


@dataclass(frozen=True, slots=True)
class Scales:
    """What everything weighs.

    The parts and `rounding` add up to `total` exactly: each request's estimate is rounded up once, its parts are not.
    """

    parts: list[Weighed]
    rounding: Both
    total: Both
    requests: int
    """How many requests are summed up."""
    unknown: int
    """How many are not, because nobody knows what they held."""


@dataclass(slots=True)
class _Stay:
    """A part that stands in every request for now."""

    quarters: int
    since: int
    """How many requests there were before it came."""


@dataclass(slots=True)
class _Sum:
    quarters: int = 0
    requests: int = 0


class Weight:
    """Reads a log event by event. Each request costs as much time as what is new in it."""

    def __init__(self) -> None:
        self._requests = Requests()
        self._labels = Labels()
        self._start: ConversationStartEvent | None = None
        self._read: Entries[Entry] = Entries()
        self._cuts: object = None
        self._done = 0
        self._staying: dict[str, _Stay] = {}
        self._standing = 0
        """The quarters of all that stays."""
        self._gone: dict[str, _Sum] = {}
        self._count = self._unknown = 0
        self._quarters = self._tokens = 0

    def __len__(self) -> int:
        return self._requests.length

    def add(self, event: Event | UnknownEvent) -> None:
        """The next event of the log."""
        self._labels.add(event)
        asked = self._requests.add(event)
        if asked is None:
            return
        if asked.shown is None:
            self._unknown += 1
            return
        self._weigh(asked.shown)

    def _weigh(self, view: View) -> None:
        self._settle(view)
        loose = _sums((*entry_parts(view.read[self._done :], view), *_waiting(view)))
        for name, size in loose.items():
            self._add(name, size, 1)
        whole = self._standing + sum(loose.values())
        self._quarters += whole
        self._tokens += tokens(whole)
        self._count += 1

    def _settle(self, view: View) -> None:
        """Finds what stays in requests from this one on: `read`, up to the first call that is open."""
        if view.start is not None and view.start is not self._start:
            self._start = view.start
            self._come(_sums(fixed_parts(view.start)))
        if view.read.grew_from(self._read) and view.cuts is self._cuts:
            fresh = view.read[self._done :]
            settled = closed(fresh, view)
            self._come(_sums(entry_parts(fresh[:settled], view)))
            self._done += settled
        else:
            self._done = closed(view.read, view)
            self._change_to(_sums(entry_parts(view.read[: self._done], view)))
        self._read, self._cuts = view.read, view.cuts

    def _come(self, parts: Mapping[str, int]) -> None:
        for name, size in parts.items():
            before = self._go(name)  # only in a log of somebody else's does an id come twice
            self._staying[name] = _Stay(before + size, self._count)
            self._standing += before + size

    def _change_to(self, parts: Mapping[str, int]) -> None:
        """A condensation or a cut: most entries went, or weigh less."""
        changed = [
            name
            for name, stay in self._staying.items()
            if not name.startswith(FIXED) and parts.get(name) != stay.quarters
        ]
        for name in changed:
            self._go(name)
        self._come({name: size for name, size in parts.items() if name not in self._staying})

    def _go(self, name: str) -> int:
        """Ends the stay of a part; gives its size."""
        stay = self._staying.pop(name, None)
        if stay is None:
            return 0
        self._standing -= stay.quarters
        self._add(name, stay.quarters, self._count - stay.since)
        return stay.quarters

    def _add(self, name: str, size: int, requests: int) -> None:
        if requests:
            gone = self._gone.setdefault(name, _Sum())
            gone.quarters += size * requests
            gone.requests += requests

    def scales(self, view: View, installed: Collection[str] | None = None) -> Scales:
        """What everything weighs. `view` is what the next request would show, with those tools that are installed."""
        now = self._now(view, installed)
        summed = {name: _Sum(gone.quarters, gone.requests) for name, gone in self._gone.items()}
        for name, stay in self._staying.items():
            so_far = summed.setdefault(name, _Sum())
            so_far.quarters += stay.quarters * (self._count - stay.since)
            so_far.requests += self._count - stay.since
        names = [*now, *(name for name in summed if name not in now)]
        nothing = _Sum()
        parts = [self._weighed(name, now.get(name, 0), summed.get(name, nothing)) for name in names]
        next_request = sum(now.values())
        return Scales(
            parts,
            rounding=Both(tokens(next_request) - next_request / 4, self._tokens - self._quarters / 4),
            total=Both(tokens(next_request), self._tokens),
            requests=self._count,
            unknown=self._unknown,
        )

    def _now(self, view: View, installed: Collection[str] | None) -> dict[str, int]:
        start = view.start
        if start is None:
            return {}
        if installed is not None:
            start = start.model_copy(update={"tools": tuple(tool for tool in start.tools if tool.name in installed)})
        return _sums((*fixed_parts(start), *entry_parts(view.read, view), *_waiting(view)))

    def _weighed(self, name: str, now: int, summed: _Sum) -> Weighed:
        sizes: JsonObject = {"now": now / 4, "summed": summed.quarters / 4, "requests": summed.requests}
        if name.startswith(FIXED):
            what, _, tool = name.removeprefix(FIXED).partition(" ")
            return Weighed(what=what, name=tool, **sizes)  # type: ignore[arg-type]
        label = self._labels[name]
        place: JsonObject = {"event_id": label.event_id, "position": label.position}
        return Weighed(what=label.what, name=label.name, about=label.about, **place, **sizes)


def _sums(parts: Iterable[Part]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for name, size in parts:
        sums[name] = sums.get(name, 0) + size
    return sums


def _waiting(view: View) -> Iterable[Part]:
    return (*entry_parts(view.unread, view), *aside_parts(view.asides))
