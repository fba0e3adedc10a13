"""The view: what the model may be shown, as a fold of the log (contract, section 5).

Two parts and a margin. `read` is what the model has seen or done; `unread` is what the user said since; `asides` are
the environment's remarks that wait to be shown. A condensation empties `read` and has no way to touch `unread`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Self

from .entries import Entries, changed
from .events import (
    ActionEvent,
    Condensation,
    CondensationRequest,
    ConversationErrorEvent,
    ConversationStartEvent,
    Cut,
    Event,
    MessageEvent,
    RescueDetails,
    ResponseEvent,
    Result,
    RoutineDetails,
    TruncationEvent,
)
from .profiles import Binding
from .records import UnknownEvent
from .units import RESULT_KINDS, Aside, CondensationNotice, CondensationSummaryEvent, Entry, groups, text_blocks

__all__ = ["Aside", "CondensationNotice", "CondensationSummaryEvent", "Count", "Entry", "View"]


@dataclass(frozen=True, slots=True)
class Count:
    """The input count of the latest success: `tokens` is None where the provider reported nothing usable (R-BUD-4)."""

    tokens: int | None
    binding_digest: str


FINISH = "finish"
"""The tool by which a host may let an agent end its run (R-NEW-6, R-STOP-12)."""

_NO_CUTS: Mapping[tuple[str, int], Cut] = MappingProxyType({})


@dataclass(frozen=True)
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
    """None until a success of this cycle and binding, or after a truncation (R-BUD-4)."""

    open_calls: tuple[ActionEvent, ...] = ()
    started: frozenset[str] = frozenset()
    outstanding: tuple[CondensationRequest, ...] = ()
    rescue: str | None = None
    """The latest rescue's intent, until a main success carried it: while set, no second rescue (R-BOUND-1)."""
    routine: str | None = None
    """The latest routine summary's intent, until a main success carried it: while set, no second one (R-BOUND-5)."""
    pins: frozenset[str] = frozenset()
    cuts: Mapping[tuple[str, int], Cut] = field(default_factory=lambda: _NO_CUTS)
    """By entry id and block index."""

    last_response: ResponseEvent | None = None
    calls_in_last_response: int = 0
    finished: bool = False
    """Whether the latest success called the host's `finish` tool, and it worked (R-STOP-12)."""
    answered: bool = True
    """False while the latest success brought neither text nor a call: its nudge waits for an answer (R-STEP-9)."""
    empty_replies: int = 0
    """How many successes in a row brought neither text nor a call (R-STEP-9), since a person acted."""
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
    def of(cls, events: Iterable[Event | UnknownEvent]) -> Self:
        """The view of a whole log."""
        view = cls()
        for event in events:
            vars(view).update(_changes(view, event))  # nobody has seen this view yet
        return view

    @property
    def boundary(self) -> str:
        """The id of the latest event: the `read_through` of a request built from this view."""
        return self.recent[-1] if self.recent else ""

    @property
    def boundary_known(self) -> bool:
        """Whether the latest success named a boundary of the log that lies before it (R-REPL-11)."""
        return self.last_response is not None and self.recent[:1] == [self.last_response.id]

    @property
    def unfinished(self) -> bool:
        """Whether a turn waits to be carried on (R-REST-7)."""
        working = self.calls_in_last_response > 0 and not self.finished
        return bool(self.unread) or working or not self.answered

    def add(self, event: Event | UnknownEvent) -> Self:
        """The view after one more event (R-VIEW-3)."""
        return changed(self, _changes(self, event))

    def without(self, entries: Iterable[Entry]) -> Self:
        """The same view without these entries of `read`: what would stay beside a summary of them."""
        gone = {entry.id for entry in entries}
        return changed(self, {"read": Entries(entry for entry in self.read if entry.id not in gone)})

    def with_asides(self, asides: Iterable[Aside]) -> Self:
        """The same view with more remarks at its end: what a request shows beside its snapshot (R-WARN-8)."""
        return changed(self, {"asides": (*self.asides, *asides)})


Changes = dict[str, Any]
"""Fields of a view and their new values."""


def _changes(view: View, event: Event | UnknownEvent) -> Changes:
    changes = {} if type(event) is UnknownEvent else _effect(view, event)
    if event.id:  # a record whose id cannot be read has its place in the log, but bounds nothing
        changes["recent"] = changes.get("recent", view.recent).append(event.id)
    changes["length"] = view.length + 1
    return changes


def _effect(view: View, event: Event) -> Changes:
    """R-VIEW-3, the most frequent first."""
    match event.kind:
        case "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation":
            return _answered(view, event)
        case "ActionEvent":
            return {
                "read": view.read.append(event),
                "open_calls": (*view.open_calls, event),
                "calls_in_last_response": view.calls_in_last_response + 1,
                "answered": True,
                "empty_replies": 0,
            }
        case "ResponseEvent":
            return _succeeded(view, event)
        case "ToolStartEvent":
            return {"started": view.started | {event.action_id}}
        case "MessageEvent":
            return _heard(view, event)
        case "ContextWarningEvent":
            stage = max(view.stage, event.threshold) if event.cycle == view.cycle else view.stage
            return {"asides": (*view.asides, event), "stage": stage}
        case "ContextWindowReminderEvent":
            return {"asides": (*view.asides, event), "reminded": True}
        case "Condensation":
            return _condensed(view, event)
        case "CondensationRequest":
            asked = {"outstanding": (*view.outstanding, event)}
            match event.details:
                case RescueDetails():
                    return {**asked, "rescue": event.id}
                case RoutineDetails():
                    return {**asked, "routine": event.id}
                case _:
                    return asked
        case "CondensationFailureEvent":
            return {"outstanding": tuple(r for r in view.outstanding if r.id != event.request_id)}
        case "TruncationEvent":
            return _truncated(view, event)
        case "PinEvent":
            return {"pins": view.pins | set(event.entry_ids)}
        case "MessageWithdrawnEvent":
            return {"unread": tuple(m for m in view.unread if m.id != event.message_id)}
        case "ConversationStartEvent":
            return {"start": event, "binding": event.bindings.main}
        case "ProfileBoundEvent":
            same = view.binding is not None and view.binding.digest == event.binding.digest
            return {"binding": event.binding, "count": view.count if same else None}
        case "ThresholdsChangedEvent":
            return {"thresholds": event.warning_thresholds}
        case "UsageEvent" if event.purpose == "main_failed" and event.outcome == "content_policy":
            return {"refusals": view.refusals + 1}
        case "ConversationErrorEvent":
            return {"error": event}
        case "InterruptEvent":
            return {"error": None}
        case "PauseEvent":
            return {"paused": True}
        case "ResumeEvent":
            return {"paused": False, "error": None, "empty_replies": 0, "refusals": 0}
        case "UsageEvent" | "ApprovalEvent" | "TitleEvent" | "ForkEvent" | "RecoveryEvent":
            return {}


def _heard(view: View, message: MessageEvent) -> Changes:
    if message.genuine:
        return {"unread": (*view.unread, message), "error": None, "empty_replies": 0, "refusals": 0}
    if message.source == "agent":
        return {"read": view.read.append(message), "answered": True, "empty_replies": 0}
    return {"asides": (*view.asides, message)} if message.source == "environment" else {}


def _succeeded(view: View, response: ResponseEvent) -> Changes:
    """R-VIEW-4: what the request carried is read now."""
    reply = {
        "count": Count(response.usage.input, response.binding_digest),
        "last_response": response,
        "calls_in_last_response": 0,
        "finished": False,
        "answered": False,
        "empty_replies": view.empty_replies + 1,
        "refusals": 0,
        "error": None,
    }
    later = ids_after(response.read_through, view.recent)
    if later is None:
        # A boundary that is unknown or not before its response moves nothing and opens no bound (R-REPL-11).
        return reply
    consumed = set(response.consumed_warning_ids)
    warnings = [a for a in view.asides if a.kind == "ContextWarningEvent"]
    remarks = [a for a in view.asides if a.kind != "ContextWarningEvent"]
    return dict(
        reply,
        read=view.read.extend(m for m in view.unread if m.id not in later).extend(remarks),
        unread=tuple(m for m in view.unread if m.id in later),
        asides=tuple(w for w in warnings if w.id not in consumed),
        rescue=view.rescue if view.rescue in later else None,
        routine=view.routine if view.routine in later else None,
        recent=Entries(),
    )


def ids_after(boundary: str | None, recent: Entries[str]) -> set[str] | None:
    """The ids behind a boundary; None where `recent` does not hold it."""
    if recent and recent[-1] == boundary:
        return set()
    ids = recent[:]
    return set(ids[ids.index(boundary) + 1 :]) if boundary in ids else None


def _answered(view: View, result: Result) -> Changes:
    """The first result of an open call counts; any other does nothing (R-VIEW-8)."""
    call = next((call for call in view.open_calls if call.id == result.action_id), None)
    if call is None:
        return {}
    finishes = result.kind == "ObservationEvent" and result.tool_name == FINISH and not result.observation.is_error
    return {
        "read": _beside_its_batch(view.read, call, result),
        "finished": view.finished or finishes,
        "open_calls": tuple(other for other in view.open_calls if other is not call),
        "started": view.started - {call.id},
    }


def _beside_its_batch(read: Entries[Entry], call: ActionEvent, result: Result) -> Entries[Entry]:
    """`read` with a result behind the batch of its call: in a log of ours, at the end (R-VIEW-9)."""
    at = len(read) - 1
    while read[at].kind in RESULT_KINDS:
        at -= 1
    while at >= 0 and _same_response(read[at], call):
        if read[at] is call:
            return read.append(result)
        at -= 1
    call_at = read.index(call)
    end = next(group.stop for group in groups(read) if call_at in group)
    return Entries([*read[:end], result, *read[end:]])


def _same_response(entry: Entry, call: ActionEvent) -> bool:
    return entry.kind == "ActionEvent" and entry.response_event_id == call.response_event_id


def _condensed(view: View, fact: Condensation) -> Changes:
    """R-VIEW-6, R-VIEW-7."""
    outstanding = tuple(r for r in view.outstanding if r.id != fact.request_id)
    if not fact.effective:
        return {"outstanding": outstanding}
    forgotten = _whole_batches(view.read, set(fact.forgotten_event_ids))
    kept: list[Entry] = [entry for entry in view.read if entry.id not in forgotten]
    if fact.summary is not None:
        ends = (0, *(group.stop for group in groups(kept)))
        place = next((end for end in ends if end >= (fact.summary_offset or 0)), len(kept))
        kept.insert(place, CondensationSummaryEvent(id=f"{fact.id}-summary", text=fact.summary))
    if fact.notice is not None:
        kept.insert(0, CondensationNotice(id=f"{fact.id}-notice", text=fact.notice))
    return {
        "read": Entries(kept),
        "asides": tuple(a for a in view.asides if a.kind == "MessageEvent"),
        "cycle": fact.id,
        "stage": 0.0,
        "reminded": False,
        "count": None,
        "open_calls": tuple(call for call in view.open_calls if call.id not in forgotten),
        "outstanding": outstanding,
        "pins": view.pins - forgotten,
        "cuts": MappingProxyType({at: cut for at, cut in view.cuts.items() if at[0] not in forgotten}),
    }


def _whole_batches(read: Entries[Entry], forgotten: set[str]) -> set[str]:
    """`forgotten` and the rest of each batch that it tears: half a batch cannot be sent to anybody (O14)."""
    torn: set[str] = set()
    for group in groups(read):
        batch = {entry.id for entry in read[group.start : group.stop]}
        if len(batch) > 1 and not forgotten.isdisjoint(batch):
            torn |= batch
    return forgotten | torn


def _truncated(view: View, event: TruncationEvent) -> Changes:
    """R-WIN-19: a cut that names nothing, does not add up, or repeats does nothing."""
    entries = {entry.id: entry for entry in (*view.read, *view.unread)}
    cuts = dict(view.cuts)
    for cut in event.cuts:
        at = (cut.entry_id, cut.block_index)
        entry = entries.get(cut.entry_id)
        text = dict(text_blocks(entry)).get(cut.block_index) if entry is not None else None
        if at not in cuts and text is not None and cut.head_chars + cut.removed_chars + cut.tail_chars == len(text):
            cuts[at] = cut
    return {"cuts": MappingProxyType(cuts), "count": None}
