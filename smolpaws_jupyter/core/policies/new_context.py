"""The agent starts a new context with a handoff; reminded once, rescued once (contract, section 14)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from .. import wording
from ..base import Mint, TextBlock, ToolSpec
from ..budget import Gauge
from ..events import (
    ActionEvent,
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    ContextWindowReminderEvent,
    Event,
    MessageEvent,
    ObservationEvent,
    VoluntaryDetails,
)
from ..history import CONVERSATION_HISTORY
from ..payloads import NewContextAction, NewContextObservation
from ..summary import SummaryPlan, details
from ..units import Entry, units
from ..view import View
from .base import BEFORE_NEXT, CondenserSettings, Due, HardCondenserSettings, Policy, Trigger, condenser, share_of

REMIND_AT = 0.8
"""The share of the limit from which on the agent is reminded (R-NEW-14)."""
ATTEMPTS = 5
SCALING = 0.8

NEW_CONTEXT = ToolSpec(
    name="new_context",
    description=wording.NEW_CONTEXT_DESCRIPTION,
    parameters={
        "type": "object",
        "properties": {"handoff": {"type": "string", "default": "", "description": wording.HANDOFF_DESCRIPTION}},
        "additionalProperties": False,
    },
)


@condenser
class NewContextSettings(CondenserSettings):
    """The agent starts a new context with the tool `new_context` and a handoff (R-SET-9)."""

    condenser_kind: Literal["new_context"] = "new_context"
    about: ClassVar[str] = "The agent is reminded once, and hands over to a new context in its own words."

    def policy(self, notes: str, fallback: HardCondenserSettings | None) -> NewContext:
        return NewContext()


class NewContext(Policy):
    """Reminds once in a cycle, and answers `new_context` with a fresh context that calls no model (R-NEW-11)."""

    kind = "new_context"
    tools = (NEW_CONTEXT, CONVERSATION_HISTORY)
    habit = wording.NEW_CONTEXT_HABIT

    def advice(self, view: View, gauge: Gauge, mint: Mint) -> ContextWindowReminderEvent | None:
        """The reminder, once in a cycle, by a fresh estimate of the whole request (R-NEW-14, R-NEW-17)."""
        tokens, limit = gauge.estimate(view), gauge.budget.limit
        if view.reminded or tokens is None or limit is None or not REMIND_AT * limit <= tokens < limit:
            return None
        return ContextWindowReminderEvent(**mint(), text=wording.reminder(tokens, limit))

    def due(self, view: View, gauge: Gauge) -> Due | None:
        """A request that is known to be too large is not sent (R-NEW-16)."""
        return None if _fits(view, gauge) else "capacity"

    def plan(self, view: View, trigger: Trigger, gauge: Gauge) -> SummaryPlan | None:
        """A summary of the units that hold no message of the user; None where it could not help (R-NEW-19 to 22)."""
        said = [entry for entry in view.read if isinstance(entry, MessageEvent) and entry.genuine]
        chosen = _without_the_users_messages(view.read)
        if all(entry.kind in ("CondensationNotice", "CondensationSummaryEvent") for entry in chosen):
            return None
        first = view.read.index(chosen[0])

        def refuse(fact: Condensation) -> str | None:
            before, after = gauge.estimate(view), view.add(fact)
            tokens = gauge.estimate(after)
            if before is not None and tokens is not None and tokens >= before:
                return "summary_not_smaller"
            return None if _fits(after, gauge) else "summary_does_not_fit"

        plan = SummaryPlan(
            details=details(trigger, view, protected=(*said, *view.unread)),
            entries=chosen,
            offset=first,
            attempts=ATTEMPTS,
            scaling=SCALING,
            refuse=refuse,
        )
        return plan if _fits(view.without(chosen), gauge) else None

    def settle(self, batch: Sequence[ActionEvent], view: View, gauge: Gauge, mint: Mint) -> list[tuple[Event, ...]]:
        """One commit for all calls of `new_context` in a batch: their results, and the new context (R-NEW-4 to 13)."""
        calls = [call for call in view.open_calls if isinstance(call.action, NewContextAction)]
        response = view.last_response
        if not calls:
            return []
        if view.finished:
            return [_results(calls, wording.NEW_CONTEXT_FINISHED, mint, is_error=True)]
        if response is None or response.id != calls[0].response_event_id:
            return [_results(calls, wording.NEW_CONTEXT_OUTSIDE, mint, is_error=True)]

        done = _results(calls, wording.NEW_CONTEXT_DONE, mint, boundary=response.read_through)
        answered = view
        for result in done:
            answered = answered.add(result)
        kept = _kept(answered, calls[0])
        gone = [entry for entry in answered.read if entry.id not in kept]
        if all(entry.kind == "CondensationNotice" for entry in gone):
            return [_results(calls, wording.NOTHING_TO_FORGET, mint, boundary=response.read_through)]
        request = CondensationRequest(
            **mint(),
            source="agent",
            details=VoluntaryDetails(
                input_event_id=response.read_through, action_id=calls[0].id, observation_id=done[0].id
            ),
        )
        fact = Condensation(
            **mint(),
            request_id=request.id,
            forgotten_event_ids=tuple(entry.id for entry in gone),
            notice=wording.NEW_CONTEXT_NOTICE,
            llm_response_id=response.llm_response_id,
        )
        fresh = answered.add(request).add(fact)
        tokens, limit = gauge.estimate(fresh), gauge.budget.limit
        if tokens is not None and limit is not None and tokens >= limit:
            text = wording.does_not_fit(tokens, limit)
            failure = CondensationFailureEvent(**mint(), action_id=calls[0].id, code="does_not_fit", error=text)
            return [(*_results(calls, text, mint, is_error=True), failure)]
        return [(*done, request, fact)]

    def outlook(self, view: View, gauge: Gauge) -> str:
        tokens, limit = gauge.estimate(view), gauge.budget.limit
        if limit is None or tokens is None:
            unknown = "limit" if limit is None else "size"
            return f"The {unknown} of the context is unknown, so the agent is not reminded; it may start anew any time."
        if self.due(view, gauge) is not None:
            if self.plan(view, "capacity", gauge) is None:
                return "The context is over its limit, and a summary could not make room."
            return f"{BEFORE_NEXT} all but your messages is summarised: the context is over its limit."
        if view.reminded:
            return f"The agent was reminded; at {limit:,} tokens all but your messages is summarised."
        if tokens >= REMIND_AT * limit:
            return "With the next request the agent is reminded, once; it decides when to start anew."
        return f"At {share_of(gauge, REMIND_AT)} the agent is reminded, once; it decides when to start anew."

    def not_possible(self, batch: Sequence[ActionEvent], view: View, mint: Mint) -> tuple[Event, ...]:
        calls = [call for call in view.open_calls if isinstance(call.action, NewContextAction)]
        text = wording.NEW_CONTEXT_NOT_POSSIBLE
        failure = CondensationFailureEvent(**mint(), action_id=calls[0].id, code="invalid_commit", error=text)
        return (*_results(calls, text, mint, is_error=True), failure)


def _fits(view: View, gauge: Gauge) -> bool:
    """Whether a request of this view is below the limit, as far as anybody knows."""
    tokens, limit = gauge.estimate(view), gauge.budget.limit
    return tokens is None or limit is None or tokens < limit


def _without_the_users_messages(read: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries of all units that hold no genuine message of the user (R-NEW-19)."""
    chosen: list[Entry] = []
    for unit in units(read):
        entries = read[unit.start : unit.stop]
        if not any(isinstance(entry, MessageEvent) and entry.genuine for entry in entries):
            chosen += entries
    return tuple(chosen)


def _kept(view: View, call: ActionEvent) -> set[str]:
    """What a new context keeps: the unit of the call; with an unknown boundary the user's messages too (R-NEW-8, 9)."""
    at = view.read.index(call)
    unit = next(unit for unit in units(view.read) if at in unit)
    kept = {entry.id for entry in view.read[unit.start : unit.stop]}
    if not view.boundary_known:
        kept |= {entry.id for entry in view.read if isinstance(entry, MessageEvent) and entry.genuine}
    return kept


def _results(
    calls: Sequence[ActionEvent], text: str, mint: Mint, *, boundary: str | None = None, is_error: bool = False
) -> tuple[ObservationEvent, ...]:
    return tuple(
        ObservationEvent(
            **mint(),
            action_id=call.id,
            tool_name=call.tool_name,
            tool_call_id=call.tool_call_id,
            observation=NewContextObservation(
                content=(TextBlock(text=text),), is_error=is_error, input_event_id=None if is_error else boundary
            ),
        )
        for call in calls
    )
