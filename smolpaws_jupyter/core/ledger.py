"""Folds of the log that are not the view: what was spent, what the conversation is called, which commands had effect.

Figures are recorded usage: a call that died with its process left no record (R-ACC-6).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, Self

from .entries import Index, changed
from .events import Condensation, Details, Event, MessageEvent, ResponseEvent, UsageEvent
from .records import UnknownEvent

Cause = Literal["voluntary", "rescue", "routine", "manual"]
"""Why a condensation happened (R-VOC-15)."""


@dataclass(frozen=True, slots=True)
class Sum:
    """What was reported, added up, and how many records reported nothing; unknown is never added as zero (R-ACC-3)."""

    reported: int | float = 0
    unknown: int = 0

    def plus(self, value: float | None) -> Sum:
        return Sum(self.reported, self.unknown + 1) if value is None else Sum(self.reported + value, self.unknown)

    def __add__(self, other: Sum) -> Sum:
        return Sum(self.reported + other.reported, self.unknown + other.unknown)


@dataclass(frozen=True, slots=True)
class Totals:
    """Usage records added up: tokens, US dollars, and what the process itself counted."""

    records: int = 0
    http_requests: int = 0
    latency_ms: int = 0
    input: Sum = Sum()
    output: Sum = Sum()
    cache_read: Sum = Sum()
    cache_write: Sum = Sum()
    reasoning: Sum = Sum()
    cost: Sum = Sum()

    def plus(self, record: ResponseEvent | UsageEvent) -> Totals:
        usage = record.usage
        return Totals(
            records=self.records + 1,
            http_requests=self.http_requests + record.http_requests,
            latency_ms=self.latency_ms + record.latency_ms,
            input=self.input.plus(usage.input),
            output=self.output.plus(usage.output),
            cache_read=self.cache_read.plus(usage.cache_read),
            cache_write=self.cache_write.plus(usage.cache_write),
            reasoning=self.reasoning.plus(usage.reasoning),
            cost=self.cost.plus(usage.cost),
        )

    def __add__(self, other: Totals) -> Totals:
        return Totals(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


ByUsageId = Mapping[str, Totals]
"""`profile:<name>` for main requests, `condenser` for summaries (R-ACC-2)."""

_NOTHING: ByUsageId = MappingProxyType({})
_NO_REQUESTS: Mapping[str, Cause] = MappingProxyType({})
_NO_CONDENSATIONS: Mapping[Cause, int] = MappingProxyType({"voluntary": 0, "rescue": 0, "routine": 0, "manual": 0})


@dataclass(frozen=True)
class Ledger:
    """`Ledger.of(events)` folds a log; `ledger.add(event)` gives the next ledger. Neither changes anything."""

    conversation_id: str = ""
    """That of the start, or of the latest fork (R-FORK-1)."""
    title: str | None = None
    """The latest title that a person gave (R-EV-12)."""
    first_message: MessageEvent | None = None
    """The user's first, unless it was taken back."""

    totals: ByUsageId = field(default_factory=lambda: _NOTHING)
    """Since the latest fork, or since the start."""
    inherited: ByUsageId = field(default_factory=lambda: _NOTHING)
    """What a fork copied from its source: money that was spent there (R-FORK-5)."""
    condensations: Mapping[Cause, int] = field(default_factory=lambda: _NO_CONDENSATIONS)
    """Facts that changed the view, by what caused them."""

    requested: Mapping[str, Cause] = field(default_factory=lambda: _NO_REQUESTS)
    """The outstanding requests, and why they were made."""
    receipts: Index[str] = field(default_factory=Index[str])
    """By command id, the kind of the last event that it caused; a known id has no second effect (R-STOP-14)."""

    @classmethod
    def of(cls, events: Iterable[Event | UnknownEvent]) -> Self:
        """The ledger of a whole log."""
        ledger = cls()
        for event in events:
            ledger = ledger.add(event)
        return ledger

    @property
    def first_user_text(self) -> str | None:
        """The text of the first message, for a title that nobody gave."""
        return self.first_message.text if self.first_message else None

    def add(self, event: Event | UnknownEvent) -> Self:
        """The ledger after one more event."""
        if type(event) is UnknownEvent:
            return self
        changes = _changes(self, event)
        if event.command_id is not None:
            changes["receipts"] = self.receipts.put(event.command_id, event.kind)
        return changed(self, changes) if changes else self


def _changes(ledger: Ledger, event: Event) -> dict[str, Any]:
    match event.kind:
        case "ResponseEvent" | "UsageEvent":
            spent = ledger.totals.get(event.usage_id, Totals()).plus(event)
            return {"totals": MappingProxyType({**ledger.totals, event.usage_id: spent})}
        case "MessageEvent" if event.genuine and ledger.first_message is None:
            return {"first_message": event}
        case "MessageWithdrawnEvent" if ledger.first_message and event.message_id == ledger.first_message.id:
            return {"first_message": None}
        case "CondensationRequest":
            return {"requested": MappingProxyType({**ledger.requested, event.id: cause_of(event.details)})}
        case "Condensation":
            return _condensed(ledger, event)
        case "CondensationFailureEvent":
            return {"requested": _without(ledger.requested, event.request_id)}
        case "TitleEvent":
            return {"title": event.title}
        case "ConversationStartEvent":
            return {"conversation_id": event.conversation_id}
        case "ForkEvent":
            inherited = dict(ledger.inherited)
            for usage_id, totals in ledger.totals.items():
                inherited[usage_id] = inherited.get(usage_id, Totals()) + totals
            return {
                "conversation_id": event.conversation_id,
                "inherited": MappingProxyType(inherited),
                "totals": _NOTHING,
            }
        case _:
            return {}


def _condensed(ledger: Ledger, fact: Condensation) -> dict[str, Any]:
    cause = ledger.requested.get(fact.request_id)
    requested = _without(ledger.requested, fact.request_id)
    if cause is None or not fact.effective:
        return {"requested": requested}
    count = {**ledger.condensations, cause: ledger.condensations[cause] + 1}
    return {"requested": requested, "condensations": MappingProxyType(count)}


def _without(requested: Mapping[str, Cause], request_id: str | None) -> Mapping[str, Cause]:
    return MappingProxyType({known: cause for known, cause in requested.items() if known != request_id})


def cause_of(details: Details) -> Cause:
    """The class of a request's trigger (R-EV-8)."""
    match details.trigger:
        case "agent":
            return "voluntary"
        case "provider_context_window" | "capacity":
            return "rescue"
        case "size" | "tokens" | "proactive":
            return "routine"
        case "host":
            return "manual"
