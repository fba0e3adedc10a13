"""The main requests of a log, each with the view that it showed: what timeline and weight are made from.

A request is known by the record of its end: a success, a failure that had reached the network, or the rescue that
followed a refusal. One that left no record, such as one for which the key was missing, is no request here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..events import CondensationRequest, Event, ResponseEvent, UsageEvent
from ..records import ADVICE, UnknownEvent
from ..view import View

Outcome = Literal["answered", "failed", "stopped"]

Ending = ResponseEvent | UsageEvent | CondensationRequest


@dataclass(frozen=True, slots=True)
class Asked:
    """One main request. `shown` is None where its boundary is none of this log's, so that nobody knows what it held."""

    position: int
    """Of the record that tells of it."""
    event: Ending
    shown: View | None

    @property
    def outcome(self) -> Outcome:
        if self.event.kind == "ResponseEvent":
            return "answered"
        return "stopped" if self.reason == "cancelled" else "failed"

    @property
    def reason(self) -> str:
        """The failure class; empty for an answer."""
        event = self.event
        match event.kind:
            case "UsageEvent":
                return event.outcome
            case "CondensationRequest":
                return "overflow"
            case "ResponseEvent":
                return ""

    @property
    def measured(self) -> int | None:
        """The provider's count of its input tokens; None where nobody reported one."""
        return None if self.event.kind == "CondensationRequest" else self.event.usage.input


class Requests:
    """Reads a log event by event and finds its requests. It holds one view: that of the latest request's boundary."""

    def __init__(self) -> None:
        self.length = 0
        self._view = View()
        self._later: list[Event | UnknownEvent] = []
        """What came after the boundary: not folded before it is known on which side of the next one it stands."""
        self._told = ""
        """The boundary of the latest request that has its record."""

    def add(self, event: Event | UnknownEvent) -> Asked | None:
        """The request that this event is the end of, if it is one."""
        boundary = None if type(event) is UnknownEvent else self._boundary(event)
        asked = None
        if boundary is not None:
            assert isinstance(event, Ending)
            asked = Asked(self.length, event, self._shown(boundary))
            self._told = boundary
        self._later.append(event)
        self.length += 1
        return asked

    def _boundary(self, event: Event) -> str | None:
        match event.kind:
            case "ResponseEvent":
                return event.read_through
            case "UsageEvent" if event.purpose == "main_failed":
                return event.read_through or ""
            case "CondensationRequest" if event.details.trigger == "provider_context_window":
                # A model in this process refuses without a record of usage. With one, the request is known already.
                boundary = event.details.input_event_id or ""
                return None if boundary == self._told else boundary
            case _:
                return None

    def _shown(self, boundary: str) -> View | None:
        """The view at the boundary, and the advice that was given for this request after it (R-WARN-8)."""
        if not boundary:
            return None
        if boundary != self._view.boundary:
            stop = next((at for at, event in enumerate(self._later, 1) if event.id == boundary), None)
            if stop is None:
                return None
            for event in self._later[:stop]:
                self._view = self._view.add(event)
            del self._later[:stop]
        if self._view.start is None:
            return None
        advice = [event for event in self._later if event.kind in ADVICE and type(event) is not UnknownEvent]
        return self._view.with_asides(advice)  # type: ignore[arg-type]
