"""The timeline: how large each main request of a log was, against which limit, and what happened between them.

Every request has an estimate, from what it held, and a count if its provider reported one; what nobody knows is None,
never zero (R-VOC-19).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import ValidationError

from ..base import Frozen, Many
from ..budget import LimitFrom
from ..events import Condensation, ConversationStartEvent, Event
from ..ledger import Cause, cause_of
from ..messages import Renderer
from ..policies import Policy, policy_for
from ..records import UnknownEvent
from ..settings import AgentSettings
from .asked import Asked, Outcome, Requests
from .parts import estimate


class Point(Frozen):
    """One main request; sizes in input tokens.

    `estimated` is a quarter of its bytes, `measured` the provider's count; each None where it is unknown. `limit` and
    `thresholds` are those in force then. `number` counts from 1; `position` and `event_id` are those of the record that
    tells of it; `reason` is the class of a failure.
    """

    number: int
    position: int
    event_id: str
    time: str
    outcome: Outcome
    reason: str
    estimated: int | None
    measured: int | None
    limit: int | None
    limit_from: LimitFrom
    thresholds: Many[float]
    profile: str


MarkKind = Literal[
    "warning",
    "reminder",
    "voluntary",
    "rescue",
    "routine",
    "manual",
    "foreign",
    "cut",
    "failure",
    "error",
    "profile",
    "thresholds",
    "fork",
]
"""`voluntary` to `foreign` are condensations by their cause; `foreign` ones stand in a log without their request."""


class Mark(Frozen):
    """What happened between two requests: `after` is the number of the one before, 0 before the first.

    `detail` is a trigger, a code or a name. `value` is the threshold of a warning, and how many entries a condensation
    took away or a truncation cut.
    """

    after: int
    position: int
    event_id: str
    time: str
    kind: MarkKind
    detail: str = ""
    value: float | None = None


class Timeline:
    """Reads a log event by event. What it has once told of a request does not change."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self.marks: list[Mark] = []
        self._requests = Requests()
        self._renderer = Renderer()
        self._policy = Policy()
        self._digests: list[str] = []
        self._intents: dict[str, tuple[Cause, str]] = {}
        """Outstanding requests for a condensation: cause and trigger."""
        self._failed_at = -1

    def __len__(self) -> int:
        return self._requests.length

    def add(self, event: Event | UnknownEvent) -> None:
        """The next event of the log."""
        position = self._requests.length
        asked = self._requests.add(event)
        if asked is not None:
            self._point(asked)
            self._failed_at = position
        if type(event) is not UnknownEvent:
            self._mark(position, event)

    def points_with(self, window: int | None, digest: str, start: int = 0) -> Sequence[Point]:
        """The points from `start` on; where a profile said nothing, the limit is the window of its model.

        A window is in no log: this one is that of the binding with this digest, today.
        """
        if window is None or window <= 0:
            return self.points[start:]
        limit = {"limit": window, "limit_from": "model"}
        return [
            point.model_copy(update=limit) if point.limit is None and own == digest else point
            for point, own in zip(self.points[start:], self._digests[start:], strict=True)
        ]

    def _point(self, asked: Asked) -> None:
        view = asked.shown
        binding = view.binding if view is not None else None
        limit = binding.max_input_tokens if binding is not None else None
        self._digests.append(binding.digest if binding is not None else "")
        self.points.append(
            Point(
                number=len(self.points) + 1,
                position=asked.position,
                event_id=asked.event.id,
                time=asked.event.timestamp,
                outcome=asked.outcome,
                reason=asked.reason,
                estimated=None if view is None else estimate(self._renderer, view),
                measured=asked.measured,
                limit=limit,
                limit_from="unknown" if limit is None else "profile",
                thresholds=() if view is None else self._policy.thresholds(view),
                profile="" if binding is None else binding.profile,
            )
        )

    def _mark(self, position: int, event: Event) -> None:
        match event.kind:
            case "ConversationStartEvent":
                self._policy = _policy_of(event)
            case "ContextWarningEvent":
                self._put(position, event, "warning", event.counted, event.threshold)
            case "ContextWindowReminderEvent":
                self._put(position, event, "reminder")
            case "CondensationRequest":
                self._intents[event.id] = cause_of(event.details), event.details.trigger
            case "Condensation":
                self._condensed(position, event)
            case "CondensationFailureEvent":
                _, trigger = self._intents.pop(event.request_id or "", ("", ""))
                self._put(position, event, "failure", f"{event.code} {trigger}".strip())
            case "TruncationEvent":
                self._put(position, event, "cut", value=len(event.cuts))
            case "ConversationErrorEvent" if self._failed_at != position - 1:  # else the request itself tells of it
                self._put(position, event, "error", event.code)
            case "ProfileBoundEvent":
                self._put(position, event, "profile", event.binding.profile)
            case "ThresholdsChangedEvent":
                self._put(position, event, "thresholds", ", ".join(f"{one:.2%}" for one in event.warning_thresholds))
            case "ForkEvent":
                self._put(position, event, "fork", event.source_conversation_id)
            case _:
                pass

    def _condensed(self, position: int, fact: Condensation) -> None:
        cause, trigger = self._intents.pop(fact.request_id, ("foreign", ""))
        if fact.effective:
            self._put(position, fact, cause, trigger, len(fact.forgotten_event_ids))

    def _put(self, position: int, event: Event, kind: MarkKind, detail: str = "", value: float | None = None) -> None:
        self.marks.append(
            Mark(
                after=len(self.points),
                position=position,
                event_id=event.id,
                time=event.timestamp,
                kind=kind,
                detail=detail,
                value=value,
            )
        )


def _policy_of(start: ConversationStartEvent) -> Policy:
    try:
        return policy_for(AgentSettings.model_validate(start.settings))
    except ValidationError:  # of another version: which stages were in force is not known
        return Policy()
