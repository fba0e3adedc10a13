"""Replay validation: a fold that refuses what no conversation of ours can have written (contract, section 20).

The same check is made of a log that is opened and of a commit of our own before it is appended. Only what can still be
referred to is remembered, so a long log needs no more memory than its view.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .condensation_rules import Broken, Intent, broken_by
from .entries import Index, changed
from .events import CondensationFailureEvent, Event
from .records import ADVICE, UnknownEvent
from .view import View, ids_after


@dataclass(frozen=True, slots=True)
class Violation:
    """What is wrong, for people: the first event that breaks a rule, and the rule's id."""

    event_id: str
    rule: str
    text: str


@dataclass(frozen=True)
class Replay:
    """A log that was found lawful so far. `after` gives the next one and changes nothing, so a plan can be tried."""

    view: View = field(default_factory=View)

    intents: tuple[Intent, ...] = ()
    """The outstanding requests, with what was true when they were made."""
    failed: Index[None] = field(default_factory=Index[None])
    """The requests that failed."""
    boundary_known: bool = False
    """Whether the latest response's boundary lies before it (R-REPL-11)."""
    withdrawn: tuple[tuple[str, str], ...] = ()
    """Message and withdrawal, by id, since the latest success."""
    missing: frozenset[str] = frozenset()
    """Ids that were referred to and not found: none of them may turn up later (R-LOG-3)."""

    @classmethod
    def of(cls, commits: Iterable[Sequence[Event | UnknownEvent]]) -> Replay | Violation:
        """The replay of a whole log, up to its first violation."""
        replay = cls()
        for commit in commits:
            after = replay.after(commit)
            if isinstance(after, Violation):
                return after
            replay = after
        return replay

    def after(self, commit: Sequence[Event | UnknownEvent]) -> Replay | Violation:
        """The replay with one more commit, or the first thing that is wrong with it."""
        replay = changed(self, {})
        for event in commit:
            broken = _broken(replay, event)
            if broken is not None:
                return Violation(event.id, *broken)
            vars(replay).update(_changes(replay, event))  # nobody has seen this replay yet
        return replay


def _broken(replay: Replay, event: Event | UnknownEvent) -> Broken | None:
    """The first rule that `event` breaks."""
    if (event.kind == "ConversationStartEvent") != (replay.view.length == 0):
        return "R-REPL-1", "A conversation has one ConversationStartEvent, as its first event."
    if event.id in replay.missing:
        return "R-LOG-3", "An earlier event refers to this one, and references point backwards."
    if type(event) is UnknownEvent:
        if event.reason == "unreadable" and event.kind not in ADVICE:
            return _UNREADABLE.get(event.kind, "R-REPL-13"), "This record has fields that are missing or impossible."
    elif event.kind == "Condensation":
        intent = next((i for i in replay.intents if i.request.id == event.request_id), None)
        return next(broken_by(event, intent, replay.view, boundary_known=replay.boundary_known), None)
    elif event.kind == "CondensationFailureEvent" and not _names_what_failed(replay, event):
        return "R-REPL-3", "A failure names a request that was made and not carried out, or else the call that asked."
    return None


_UNREADABLE = {
    "ConversationStartEvent": "R-REPL-1",
    "Condensation": "R-REPL-2",
    "CondensationRequest": "R-REPL-2",
    "CondensationFailureEvent": "R-REPL-3",
}


def _names_what_failed(replay: Replay, failure: CondensationFailureEvent) -> bool:
    if failure.request_id is not None:
        return failure.request_id in replay.failed or any(i.request.id == failure.request_id for i in replay.intents)
    return any(e.id == failure.action_id and e.kind == "ActionEvent" for e in reversed(replay.view.read))


def _changes(replay: Replay, event: Event | UnknownEvent) -> dict[str, Any]:
    view = replay.view
    changes: dict[str, Any] = {"view": view.add(event)}
    if type(event) is UnknownEvent:
        return changes
    match event.kind:
        case "ResponseEvent":
            changes["boundary_known"] = known = event.read_through in view.recent
            changes["withdrawn"] = () if known else replay.withdrawn
        case "CondensationRequest":
            intent = Intent(event, bool(view.open_calls), _unread_at(event.details.input_event_id, replay))
            changes["intents"] = (*replay.intents, intent)
        case "Condensation":
            changes["intents"] = _others(replay.intents, event.request_id)
        case "CondensationFailureEvent" if event.request_id is not None:
            changes["intents"] = _others(replay.intents, event.request_id)
            changes["failed"] = replay.failed.put(event.request_id, None)
        case "MessageWithdrawnEvent":
            changes["withdrawn"] = (*replay.withdrawn, (event.message_id, event.id))
        case _:
            pass
    missing = _missing(event, view)
    if missing:
        changes["missing"] = replay.missing.union(missing)
    return changes


def _others(intents: tuple[Intent, ...], request_id: str) -> tuple[Intent, ...]:
    return tuple(intent for intent in intents if intent.request.id != request_id)


def _unread_at(boundary: str | None, replay: Replay) -> frozenset[str] | None:
    """The messages that were unread at a boundary since the latest success; None for any other boundary."""
    later = ids_after(boundary, replay.view.recent)
    if later is None:
        return None
    taken_back = {message for message, withdrawal in replay.withdrawn if withdrawal in later}
    return frozenset(({message.id for message in replay.view.unread} | taken_back) - later)


def _missing(event: Event, view: View) -> set[str]:
    """The ids that `event` refers to and that stand for nothing now.

    Boundaries and requests are not looked at: impossible ones are effects that did not happen (R-REPL-11, R-REPL-12).
    """
    match event.kind:
        case "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation" | "ToolStartEvent" | "ApprovalEvent":
            return {event.action_id} - {call.id for call in view.open_calls}
        case "ActionEvent" | "MessageEvent" if event.response_event_id is not None:
            return {event.response_event_id} - {view.last_response.id if view.last_response else ""}
        case "MessageWithdrawnEvent":
            return {event.message_id} - {message.id for message in view.unread}
        case "UsageEvent" if event.request_id is not None:
            return {event.request_id} - {request.id for request in view.outstanding}
        case "PinEvent":
            return set(event.entry_ids) - {entry.id for entry in (*view.read, *view.unread)}
        case "TruncationEvent":
            return {cut.entry_id for cut in event.cuts} - {entry.id for entry in (*view.read, *view.unread)}
        case _:
            return set()
