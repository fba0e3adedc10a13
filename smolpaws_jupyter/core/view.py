"""The view: what the model may be shown, as a fold of the log (contract, section 5).

Two parts and a margin. `read` is what the model has seen or done; `unread` is what the user said since; `asides` are the
environment's remarks that wait to be shown. A condensation empties `read` and has no way to touch `unread`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from .base import Frozen, TextBlock
from .entries import Entries
from .events import (
    ActionEvent,
    AgentErrorEvent,
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    ContextWarningEvent,
    ContextWindowReminderEvent,
    ConversationErrorEvent,
    ConversationStartEvent,
    Cut,
    Event,
    InterruptEvent,
    MessageEvent,
    MessageWithdrawnEvent,
    ObservationEvent,
    PauseEvent,
    PinEvent,
    ProfileBoundEvent,
    RescueDetails,
    ResponseEvent,
    Result,
    ResumeEvent,
    ThresholdsChangedEvent,
    ToolStartEvent,
    TruncationEvent,
    UsageEvent,
    UserRejectObservation,
)
from .payloads import ToolObservation
from .profiles import Binding
from .records import UnknownEvent


class CondensationNotice(Frozen):
    """The environment's notice that opens a fresh context. Made from a `Condensation`, never stored (R-EV-7)."""

    kind: Literal["CondensationNotice"] = "CondensationNotice"
    id: str
    text: str


class CondensationSummaryEvent(Frozen):
    """A summary in the place of what it replaced. Made from a `Condensation`, never stored (R-EV-7)."""

    kind: Literal["CondensationSummaryEvent"] = "CondensationSummaryEvent"
    id: str
    text: str


Aside = ContextWarningEvent | ContextWindowReminderEvent | MessageEvent
Entry = MessageEvent | ActionEvent | Result | ContextWindowReminderEvent | CondensationNotice | CondensationSummaryEvent


@dataclass(frozen=True, slots=True)
class Count:
    """The input count of the latest success: `tokens` is None where the provider reported nothing usable (R-BUD-4)."""

    tokens: int | None
    binding_digest: str


_NO_CUTS: Mapping[tuple[str, int], Cut] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class View:
    """What the model may be shown, and the few facts that decide what happens next.

    `View.of(events)` folds a log; `view.add(event)` gives the next view. Neither changes anything (R-VIEW-1).
    """

    read: Entries[Entry] = field(default_factory=Entries[Entry])
    unread: tuple[MessageEvent, ...] = ()
    asides: tuple[Aside, ...] = ()

    start: ConversationStartEvent | None = None
    binding: Binding | None = None
    thresholds: tuple[float, ...] | None = None
    """Set by a person during the conversation; None while the settings' own hold (R-BIND-10)."""

    cycle: str | None = None
    stage: float = 0.0
    """The highest warning threshold recorded in this cycle (R-WARN-4)."""
    reminded: bool = False
    count: Count | None = None
    """None until a success of this cycle, or after a truncation (R-BUD-4)."""

    open_calls: tuple[ActionEvent, ...] = ()
    started: frozenset[str] = frozenset()
    outstanding: tuple[CondensationRequest, ...] = ()
    rescue: str | None = None
    """The latest rescue's intent, until a main success carried it: while set, no second rescue (R-BOUND-1)."""
    pins: frozenset[str] = frozenset()
    cuts: Mapping[tuple[str, int], Cut] = field(default_factory=lambda: _NO_CUTS)
    """By entry id and block index."""

    last_response: ResponseEvent | None = None
    calls_in_last_response: int = 0
    empty_replies: int = 0
    """How many successes in a row brought neither text nor a call (R-STEP-9)."""
    refusals: int = 0
    """How many requests in a row were refused for content (R-STEP-10)."""
    paused: bool = False
    error: ConversationErrorEvent | None = None
    """Set while the latest run ended with an error and nobody has acted since."""

    recent: Entries[str] = field(default_factory=Entries[str])
    """The ids since the latest success, in log order: enough to place every boundary that a request can have."""
    length: int = 0
    """How many events were folded: the position of the next one (R-VOC-3)."""

    @classmethod
    def of(cls, events: Iterable[Event | UnknownEvent]) -> View:
        """The view of a whole log."""
        view = cls()
        for event in events:
            view = view.add(event)
        return view

    @property
    def boundary(self) -> str:
        """The id of the latest event: the `read_through` of a request built from this view."""
        return self.recent[-1] if self.recent else ""

    @property
    def unfinished(self) -> bool:
        """Whether a turn waits to be carried on (R-REST-7)."""
        return bool(self.unread) or self.calls_in_last_response > 0 or self.empty_replies > 0

    def add(self, event: Event | UnknownEvent) -> View:
        """The view after one more event (R-VIEW-3)."""
        view = _apply(self, event)
        return replace(view, recent=view.recent.append(event.id), length=self.length + 1)

    def with_asides(self, asides: Iterable[Aside]) -> View:
        """The same view with more remarks at its end: what a request shows beside its snapshot (R-WARN-8)."""
        return replace(self, asides=(*self.asides, *asides))


def _apply(view: View, event: Event | UnknownEvent) -> View:
    match event:
        case ResponseEvent():
            return _succeeded(view, event)
        case ActionEvent():
            return replace(
                view,
                read=view.read.append(event),
                open_calls=(*view.open_calls, event),
                calls_in_last_response=view.calls_in_last_response + 1,
                empty_replies=0,
            )
        case ObservationEvent() | AgentErrorEvent() | UserRejectObservation():
            return _answered(view, event)
        case MessageEvent():
            return _heard(view, event)
        case ContextWarningEvent():
            stage = max(view.stage, event.threshold) if event.cycle == view.cycle else view.stage
            return replace(view, asides=(*view.asides, event), stage=stage)
        case ContextWindowReminderEvent():
            return replace(view, asides=(*view.asides, event), reminded=True)
        case Condensation():
            return _condensed(view, event)
        case CondensationRequest():
            rescue = event.id if isinstance(event.details, RescueDetails) else view.rescue
            return replace(view, outstanding=(*view.outstanding, event), rescue=rescue)
        case CondensationFailureEvent():
            return replace(view, outstanding=tuple(r for r in view.outstanding if r.id != event.request_id))
        case TruncationEvent():
            return _truncated(view, event)
        case PinEvent():
            return replace(view, pins=view.pins | set(event.entry_ids))
        case MessageWithdrawnEvent():
            return replace(view, unread=tuple(m for m in view.unread if m.id != event.message_id))
        case ToolStartEvent():
            return replace(view, started=view.started | {event.action_id})
        case ConversationStartEvent():
            return replace(view, start=event, binding=event.bindings.main)
        case ProfileBoundEvent():
            return replace(view, binding=event.binding)
        case ThresholdsChangedEvent():
            return replace(view, thresholds=event.warning_thresholds)
        case UsageEvent(purpose="main_failed", outcome="content_policy"):
            return replace(view, refusals=view.refusals + 1)
        case ConversationErrorEvent():
            return replace(view, error=event)
        case InterruptEvent():
            return replace(view, error=None)
        case PauseEvent():
            return replace(view, paused=True)
        case ResumeEvent():
            return replace(view, paused=False, error=None, empty_replies=0, refusals=0)
        case _:
            return view


def _heard(view: View, message: MessageEvent) -> View:
    if message.genuine:
        return replace(view, unread=(*view.unread, message), error=None, empty_replies=0, refusals=0)
    if message.source == "agent":
        return replace(view, read=view.read.append(message), empty_replies=0)
    return replace(view, asides=(*view.asides, message)) if message.source == "environment" else view


def _succeeded(view: View, response: ResponseEvent) -> View:
    """R-VIEW-4: what the request carried is read now. A boundary that this log does not know moves nothing (R-REPL-11)."""
    ids = view.recent[:]
    if response.read_through not in ids:
        return replace(view, last_response=response, calls_in_last_response=0)
    later = set(ids[ids.index(response.read_through) + 1 :])
    consumed = set(response.consumed_warning_ids)
    warnings = tuple(a for a in view.asides if isinstance(a, ContextWarningEvent) and a.id not in consumed)
    remarks = [a for a in view.asides if not isinstance(a, ContextWarningEvent)]
    return replace(
        view,
        read=view.read.extend(m for m in view.unread if m.id not in later).extend(remarks),
        unread=tuple(m for m in view.unread if m.id in later),
        asides=warnings,
        count=Count(response.usage.input, response.binding_digest),
        rescue=view.rescue if view.rescue in later else None,
        last_response=response,
        calls_in_last_response=0,
        empty_replies=view.empty_replies + 1,
        refusals=0,
        error=None,
        recent=Entries(),
    )


def _answered(view: View, result: Result) -> View:
    """The first result of an open call counts; any other does nothing (R-VIEW-8)."""
    if all(call.id != result.action_id for call in view.open_calls):
        return view
    return replace(
        view,
        read=view.read.append(result),
        open_calls=tuple(call for call in view.open_calls if call.id != result.action_id),
        started=view.started - {result.action_id},
    )


def _condensed(view: View, fact: Condensation) -> View:
    """R-VIEW-6, R-VIEW-7."""
    outstanding = tuple(r for r in view.outstanding if r.id != fact.request_id)
    if not fact.forgotten_event_ids and fact.notice is None and fact.summary is None:
        return replace(view, outstanding=outstanding)
    forgotten = set(fact.forgotten_event_ids)
    kept: list[Entry] = [entry for entry in view.read if entry.id not in forgotten]
    if fact.summary is not None:
        kept.insert(fact.summary_offset or 0, CondensationSummaryEvent(id=f"{fact.id}-summary", text=fact.summary))
    if fact.notice is not None:
        kept.insert(0, CondensationNotice(id=f"{fact.id}-notice", text=fact.notice))
    return replace(
        view,
        read=Entries(kept),
        asides=tuple(a for a in view.asides if isinstance(a, MessageEvent)),
        cycle=fact.id,
        stage=0.0,
        reminded=False,
        count=None,
        outstanding=outstanding,
        pins=view.pins - forgotten,
        cuts=MappingProxyType({at: cut for at, cut in view.cuts.items() if at[0] not in forgotten}),
    )


def _truncated(view: View, event: TruncationEvent) -> View:
    """R-WIN-19: a cut that names nothing, does not add up, or repeats does nothing."""
    entries = {entry.id: entry for entry in (*view.read, *view.unread)}
    cuts = dict(view.cuts)
    for cut in event.cuts:
        at = (cut.entry_id, cut.block_index)
        text = text_block(entries.get(cut.entry_id), cut.block_index)
        if at not in cuts and text is not None and cut.head_chars + cut.removed_chars + cut.tail_chars == len(text):
            cuts[at] = cut
    return replace(view, cuts=MappingProxyType(cuts), count=None)


def text_block(entry: Entry | None, index: int) -> str | None:
    """The text of one block of an entry that a cut may shorten; None where there is none (R-WIN-15)."""
    match entry:
        case MessageEvent(content=content) | ObservationEvent(observation=ToolObservation(content=content)):
            block = content[index] if index < len(content) else None
            return block.text if isinstance(block, TextBlock) else None
        case ActionEvent(thought=text) | CondensationSummaryEvent(text=text):
            return text if index == 0 else None
        case _:
            return None
