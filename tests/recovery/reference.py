"""The contract as a toy: a log of facts folded by the letter of sections 5, 6, 7, 12 and 16, with lists and no cleverness.

Nothing here is imported from the code that it judges, but for the wording of remarks. Positions stand for events.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.recovery.facts import Commit, Fact, Place

DEFAULT_THRESHOLDS = (0.75, 0.80, 0.85, 0.90)

PICTURE = 100

Shown = tuple[Any, ...]
"""One message of a request: role, text, and for an assistant its calls by name and arguments."""


@dataclass
class Reference:
    """What a log means. `add` tells it the next fact; everything else is read off."""

    warns: bool = True
    """Whether the condenser is an enabled agent_reset (R-WARN-1)."""
    thresholds: Sequence[float] = DEFAULT_THRESHOLDS
    profile: str = "main"
    limit: int | None = None
    """The input limit of the profile in use (R-BUD-1)."""
    window: int | None = None
    """The model's own window, by metadata."""
    estimate: int | None = None
    """What the counter says of a request without pictures; each picture adds `PICTURE`."""

    log: list[Fact] = field(default_factory=list[Fact])

    read: list[Place] = field(default_factory=list[Place])
    unread: list[int] = field(default_factory=list[int])
    asides: list[int] = field(default_factory=list[int])

    cycle: int | None = None
    stage: float = 0.0
    reminded: bool = False
    pins: frozenset[Place] = frozenset()
    cuts: dict[tuple[Place, int], tuple[int, int, int]] = field(
        default_factory=dict[tuple[Place, int], tuple[int, int, int]]
    )
    """By entry and block: how many characters are shown, left out, and shown again."""
    count: tuple[int | None] | None = None
    """None: none yet. (None,): unknown. (n,): a number (R-BUD-4)."""

    open_calls: list[int] = field(default_factory=list[int])
    started: set[int] = field(default_factory=set[int])
    results: dict[int, int] = field(default_factory=dict[int, int])
    """By call, its first result."""
    outstanding: list[int] = field(default_factory=list[int])
    rescue: int | None = None
    """The intent that closes the bound (R-BOUND-1)."""
    routine: int | None = None
    """The intent that bars another routine summary (R-BOUND-5)."""
    receipts: set[str] = field(default_factory=set[str])
    """The commands of persons that bought a summary, or tried to (R-MAN-7)."""
    grant: int | None = None
    """The approval "for this run" in force (R-STOP-15)."""

    calls_in_last_response: int = 0
    answered: bool = True
    """False after an empty reply."""
    empty_in_a_row: int = 0
    refused_in_a_row: int = 0
    paused: bool = False
    error: str | None = None
    title: str | None = None

    def add_all(self, commits: Iterable[Commit]) -> Reference:
        for commit in commits:
            for fact in commit:
                self.add(fact)
        return self

    @property
    def last(self) -> int:
        """The position of the last event: the boundary of a request made now (R-VOC-11)."""
        return len(self.log) - 1

    def add(self, fact: Fact) -> None:
        position = len(self.log)
        self.log.append(fact)
        match fact.what, fact.details:
            case "user", _:
                self.unread.append(position)
                self._a_person_acted()
            case "remark", _:
                self.asides.append(position)
            case "reply", _:
                self.read.append(position)
                self._answered()
            case "response", (boundary, consumed, tokens):
                self._success(boundary, consumed, tokens)
            case "call", _:
                self.read.append(position)
                self.open_calls.append(position)
                self.calls_in_last_response += 1
                self._answered()
            case "started", (call,):
                self.started.add(call)
            case (("result" | "closed" | "rejected"), (call, *_)):
                if call in self.open_calls:
                    self.open_calls.remove(call)
                    self.results[call] = position
                    self.read.append(position)
            case "approval", (_, decision, _):
                self.grant = {"run": position, "revoked": None}.get(decision, self.grant)
            case "warning", (cycle, threshold, *_):
                self.asides.append(position)
                if cycle == self.cycle:
                    self.stage = max(self.stage, threshold)
            case "request", (trigger, *_):
                self.outstanding.append(position)
                if trigger in ("provider_context_window", "capacity"):
                    self.rescue = position
                if trigger in ("size", "tokens", "proactive"):
                    self.routine = position
                if fact.by is not None:
                    self.receipts.add(fact.by)
            case "condensation", (request, forgotten, notice, summary, offset):
                self._condensed(position, request, forgotten, notice, summary, offset)
            case "pin", (entries,):
                self.pins |= entries
            case "cut", (cuts,):
                self.cuts = {
                    **self.cuts,
                    **{(entry, block): (head, gone, tail) for entry, block, head, gone, tail in cuts},
                }
                self.count = None
            case "reminder", _:
                self.asides.append(position)
                self.reminded = True
            case "failure", (request, *_):
                self.outstanding = [r for r in self.outstanding if r != request]
            case "withdrawn", (message,):
                self.unread.remove(message)
            case "thresholds", (thresholds,):
                self.thresholds = thresholds
            case "bound", (profile, limit):
                if profile != self.profile:
                    self.count = None
                self.profile, self.limit = profile, limit
            case "usage", ("main_failed", "content_policy", *_):
                self.refused_in_a_row += 1
            case "error", (code,):
                self.error = code
            case "interrupt", _:
                self.error = self.grant = None
            case "pause", _:
                self.paused = True
            case "resume", _:
                self.paused = False
                self._a_person_acted()
            case "title", (title,):
                self.title = title
            case _:
                assert fact.what in ("start", "usage", "recovery"), fact

    def _answered(self) -> None:
        self.answered, self.empty_in_a_row = True, 0

    def _a_person_acted(self) -> None:
        self.error, self.empty_in_a_row, self.refused_in_a_row = None, 0, 0

    def _success(self, boundary: Place | None, consumed: frozenset[Place], tokens: int | None) -> None:
        """R-VIEW-4, R-BUD-4, R-BOUND-1."""
        assert isinstance(boundary, int), "our own responses name a boundary that stands before them"
        self.read += [m for m in self.unread if m <= boundary]
        self.unread = [m for m in self.unread if m > boundary]
        self.asides = [a for a in self.asides if a not in consumed]
        self.read += [a for a in self.asides if self.log[a].what != "warning"]
        self.asides = [a for a in self.asides if self.log[a].what == "warning"]
        self.count = (tokens,)
        if self.rescue is not None and boundary >= self.rescue:
            self.rescue = None
        if self.routine is not None and boundary >= self.routine:
            self.routine = None
        self.calls_in_last_response = 0
        self.answered, self.empty_in_a_row = False, self.empty_in_a_row + 1  # until the reply turns out to be one
        self.refused_in_a_row = 0
        self.error = None

    def _condensed(
        self,
        position: int,
        request: int,
        forgotten: frozenset[Place],
        notice: str | None,
        summary: str | None,
        offset: int | None,
    ) -> None:
        """R-VIEW-6, R-VIEW-7: the summary at its place among what stays, before all of it the notice."""
        self.outstanding = [r for r in self.outstanding if r != request]
        kept = [entry for entry in self.read if entry not in forgotten]
        if summary is not None:
            kept.insert(offset or 0, ("summary", position))
        self.read = [("notice", position)] * (notice is not None) + kept
        self.asides = [a for a in self.asides if self.log[a].what == "remark"]
        self.pins -= forgotten
        self.cuts = {at: cut for at, cut in self.cuts.items() if at[0] not in forgotten}
        self.cycle, self.stage, self.reminded, self.count, self.grant = position, 0.0, False, None, None

    # What follows from it

    @property
    def unfinished(self) -> bool:
        """R-REST-7. An empty reply is no end of a turn: its nudge waits for an answer (R-STEP-9)."""
        return bool(self.unread) or self.calls_in_last_response > 0 or not self.answered

    @property
    def status(self) -> str:
        """Of a conversation in which nothing runs (R-REST-7, R-STOP-17)."""
        if self.error is not None:
            return "error"
        return "paused" if self.paused or self.unfinished else "idle"

    @property
    def input_limit(self) -> int | None:
        """R-BUD-1"""
        return self.limit if self.limit is not None else self.window

    @property
    def shown(self) -> list[Place]:
        """The entries of a request made now, remarks aside."""
        return [*self.read, *self.unread]

    def size(self, entries: Iterable[Place]) -> int | None:
        """What the counter says of a request with these entries."""
        if self.estimate is None:
            return None
        return self.estimate + PICTURE * sum(self.log[e].pictures for e in entries if isinstance(e, int))

    def text(self, entry: Place) -> str:
        """The whole text of an entry."""
        return (
            self.log[entry].said if isinstance(entry, int) else self.log[entry[1]].details[2 + (entry[0] == "summary")]
        )

    def snapshot(self) -> Reference:
        """What a request that is made now is built from; what comes later is not in it (R-STEP-2)."""
        return replace(self, read=list(self.read), unread=list(self.unread), asides=list(self.asides))

    def budget(self) -> tuple[int | None, str]:
        """The input count of the next request, and how it is known (R-BUD-4, R-BUD-11)."""
        if self.count is not None:
            return self.count[0], "unknown" if self.count[0] is None else "measured"
        estimate = self.size(self.shown)
        return estimate, "unknown" if estimate is None else "estimated"

    def due_warning(self) -> Fact | None:
        """The one warning that is due before a request made now (R-WARN-1 to 6)."""
        tokens, counted = self.budget()
        if not self.warns or tokens is None or self.input_limit is None:
            return None
        crossed = [t for t in self.thresholds if tokens / self.input_limit >= t]
        if not crossed or max(crossed) <= self.stage:
            return None
        return Fact("warning", (self.cycle, max(crossed), tokens, self.input_limit, counted))

    def warnings(self) -> frozenset[int]:
        """Those that wait to be shown, or to be shown again."""
        return frozenset(a for a in self.asides if self.log[a].what == "warning")

    def request(self) -> list[Shown]:
        """The messages of a request made now, without the fixed context: read, unread, asides (R-VIEW-2)."""
        shown: list[Shown] = []
        for entry in [*self.read, *self.unread, *self.asides]:
            shown += self._message(entry)
        return shown

    def _message(self, entry: Place) -> list[Shown]:
        """R-MSG-3: a batch is shown where its first call stands, and nowhere else; its pictures follow it."""
        if isinstance(entry, tuple):
            return [("user", self._cut(entry))]
        fact = self.log[entry]
        if fact.what == "call":
            batch = [
                p for p, other in enumerate(self.log) if other.what == "call" and other.details[0] == fact.details[0]
            ]
            if entry != batch[0]:
                return []
            calls = [(self.log[call].details[1], sendable(self.log[call].details[2])) for call in batch]
            results = [("tool", self._cut(self.results[call])) for call in batch]
            taken = [self.log[call].details[1] for call in batch if self.log[self.results[call]].pictures]
            pictures = [part for tool in taken for part in (f"[1 image(s) from {tool}]", "a picture")]
            return [
                ("assistant", self._cut(entry) or None, calls),
                *results,
                *[("user", tuple(pictures))] * bool(taken),
            ]
        if fact.what in ("result", "closed", "rejected"):
            return []
        said = self._cut(entry)
        if fact.pictures:
            return [("user", (said, *["a picture"] * fact.pictures))]
        return [("assistant", said, []) if fact.what == "reply" else ("user", said)]

    def _cut(self, entry: Place) -> str:
        """The text as a cut leaves it (R-WIN-16, R-STR-4)."""
        text = self.text(entry)
        if (entry, 0) not in self.cuts:
            return text
        head, gone, tail = self.cuts[entry, 0]
        return f"{text[:head]}{marker(gone)}{text[-tail:]}"


def marker(removed: int) -> str:
    """R-STR-4, between blank lines."""
    return f"\n\n... [truncated: {removed} chars removed] ...\n\n"


def sendable(arguments: str) -> str:
    """R-MSG-5"""
    try:
        value = json.loads(arguments)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        return "{}"
    return arguments if isinstance(value, dict) else "{}"


def as_shown(messages: Sequence[dict[str, Any]]) -> list[Shown]:
    """The messages of a real request in the same form, without the fixed context."""
    shown: list[Shown] = []
    for message in messages:
        text = message.get("content")
        if isinstance(text, list):
            parts = [re.sub(r", call [^]]*", "", part.get("text", "a picture")) for part in text]
            shown.append((message["role"], tuple(parts)))
        elif message["role"] == "assistant":
            calls = [(c["function"]["name"], c["function"]["arguments"]) for c in message.get("tool_calls", ())]
            shown.append(("assistant", text, calls))
        elif message["role"] != "system":
            shown.append((message["role"], text))
    return shown
