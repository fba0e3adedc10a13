"""The agent decides when to start afresh: staged warnings, and `condense` (contract, sections 7, 9 and 10)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, ValidationError

from .. import wording
from ..base import Many, Mint, TextBlock, ToolSpec
from ..budget import Gauge, due_stage
from ..events import (
    ActionEvent,
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    ContextWarningEvent,
    Event,
    ObservationEvent,
    VoluntaryDetails,
)
from ..history import CONVERSATION_HISTORY
from ..payloads import MESSAGE_LIMIT, CondenseAction, CondenseObservation
from ..summary import SummaryPlan, details
from ..validation import refusal
from ..view import View
from .base import CondenserSettings, HardCondenserSettings, Policy, Trigger, condenser, share_of

CONDENSE = ToolSpec(
    name="condense",
    description=wording.CONDENSE_DESCRIPTION,
    parameters={
        "type": "object",
        "properties": {
            "message_to_future_self": {
                "type": "string",
                "maxLength": MESSAGE_LIMIT,
                "description": wording.MESSAGE_DESCRIPTION,
            }
        },
        "additionalProperties": False,
    },
)


def _ascending(thresholds: tuple[float, ...]) -> tuple[float, ...]:
    if not thresholds or any(low >= high for low, high in pairwise(thresholds)):
        raise refusal("at least one number, each larger than the one before")
    return thresholds


WarningThresholds = Annotated[Many[Annotated[float, Field(gt=0, le=1)]], AfterValidator(_ascending)]
"""Shares of the input limit at which the agent is warned: above 0, at most 1, strictly ascending (R-SET-14)."""


@condenser
class AgentResetSettings(CondenserSettings):
    """The agent resets its own context with the tool `condense`; warnings advise it (R-SET-8)."""

    condenser_kind: Literal["agent_reset"] = "agent_reset"
    about: ClassVar[str] = "The agent is warned as its context fills, keeps notes, and decides when to start afresh."
    warning_thresholds: WarningThresholds = (0.75, 0.80, 0.85, 0.90)
    conversation_history: bool = True
    """Offer the tool that searches the stored record."""

    def policy(self, notes: str, fallback: HardCondenserSettings | None) -> AgentReset:
        return AgentReset(self.warning_thresholds, notes, fallback, history=self.conversation_history)


class AgentReset(Policy):
    """Warns in stages, and answers `condense` with a reset that buys no summary and calls no model (R-RESET-8)."""

    kind = "agent_reset"

    def __init__(
        self,
        warning_thresholds: tuple[float, ...],
        notes: str = "notes",
        hard: HardCondenserSettings | None = None,
        *,
        history: bool = True,
    ) -> None:
        """`history`: whether `conversation_history` is offered (R-HIST-1)."""
        self.tools = (CONDENSE, CONVERSATION_HISTORY) if history else (CONDENSE,)
        self._hard = hard
        self._thresholds = warning_thresholds
        self._notes = notes
        self.habit = wording.CONTEXT_HABIT.format(notes=notes)

    def thresholds(self, view: View) -> tuple[float, ...]:
        return self._thresholds if view.thresholds is None else view.thresholds

    def advice(self, view: View, gauge: Gauge, mint: Mint) -> ContextWarningEvent | None:
        """The warning that is due before the next request (R-WARN-1 to 8)."""
        budget = gauge.budget
        stage = due_stage(view, budget, self.thresholds(view))
        if stage is None or budget.tokens is None or budget.limit is None or budget.counted == "unknown":
            return None
        return ContextWarningEvent(
            **mint(),
            cycle=view.cycle,
            threshold=stage,
            input_tokens=budget.tokens,
            input_limit=budget.limit,
            counted=budget.counted,
            text=wording.warning(stage, budget.tokens, budget.limit, budget.counted, self._notes),
        )

    def settle(self, batch: Sequence[ActionEvent], view: View, gauge: Gauge, mint: Mint) -> list[tuple[Event, ...]]:
        """A valid call that stands alone resets; beside another it is an error and clears nothing (R-TOOL-10)."""
        calls = [a for a in batch if isinstance(a.action, CondenseAction)]
        if not calls:
            return []
        if len(batch) > 1:
            return [(_refusal(a, wording.CONDENSE_NOT_ALONE, mint),) for a in calls]
        return [reset(calls[0], view, mint)]

    def plan(self, view: View, trigger: Trigger, gauge: Gauge) -> SummaryPlan | None:
        """With a hard condenser: a summary of all that was read, behind the emergency notice (R-EMERG-9, 11)."""
        if self._hard is None or trigger != "provider_context_window":
            return None
        return SummaryPlan(
            details=details(trigger, view, protected=view.unread),
            entries=tuple(view.read),
            offset=0,
            notice=wording.EMERGENCY_NOTICE,
            attempts=self._hard.hard_context_reset_max_retries,
            scaling=self._hard.hard_context_reset_context_scaling,
        )

    def outlook(self, view: View, gauge: Gauge) -> str:
        stages = self.thresholds(view)
        if gauge.budget.fraction is None or gauge.budget.counted == "unknown":
            unknown = "limit" if gauge.budget.limit is None else "size"
            return f"The {unknown} of the context is unknown, so the agent is not warned; it may start afresh any time."
        if (due := due_stage(view, gauge.budget, stages)) is not None:
            return f"With the next request the agent is warned of {due * 100:g} %; it decides when to start afresh."
        ahead = next((stage for stage in stages if stage > view.stage), None)
        if ahead is None:
            return "All warnings of this context were given; the agent decides when to start afresh."
        return f"At {share_of(gauge, ahead)} the agent is warned; it decides when to start afresh."

    def not_possible(self, batch: Sequence[ActionEvent], view: View, mint: Mint) -> tuple[Event, ...]:
        action = batch[0]
        failure = CondensationFailureEvent(
            **mint(), action_id=action.id, code="invalid_commit", error=wording.NOT_POSSIBLE
        )
        return (_refusal(action, wording.NOT_POSSIBLE, mint), failure)


def reset(call: ActionEvent, view: View, mint: Mint) -> tuple[Event, ...]:
    """The one commit of a voluntary reset: its result, the request, the fact (R-RESET-1 to 4).

    Everything in `read` is forgotten but the call and its result. What is unread is not even looked at.
    """
    response = view.last_response
    if response is None or response.id != call.response_event_id:
        return (_refusal(call, wording.CONDENSE_OUTSIDE, mint),)
    message = call.action.message_to_future_self if isinstance(call.action, CondenseAction) else None
    observed, requested, done = mint(), mint(), mint()
    observation = ObservationEvent(
        **observed,
        action_id=call.id,
        tool_name=call.tool_name,
        tool_call_id=call.tool_call_id,
        observation=CondenseObservation(
            content=(TextBlock(text=wording.recovery(message)),),
            request_id=requested["id"],
            message_to_future_self=message,
        ),
    )
    request = CondensationRequest(
        **requested,
        source="agent",
        details=VoluntaryDetails(
            input_event_id=response.read_through, action_id=call.id, observation_id=observation.id
        ),
    )
    fact = Condensation(
        **done,
        request_id=request.id,
        forgotten_event_ids=tuple(entry.id for entry in view.read if entry.id != call.id),
        notice=wording.RESET_NOTICE,
    )
    return observation, request, fact


def condense_outside(arguments: object) -> CondenseObservation:
    """The answer of `condense` outside an agent_reset step: an error that keeps the message (R-TOOL-16)."""
    try:
        message = CondenseAction.model_validate(arguments).message_to_future_self
    except ValidationError:
        message = None
    return CondenseObservation(
        content=(TextBlock(text=wording.CONDENSE_OUTSIDE),), is_error=True, message_to_future_self=message
    )


def _refusal(call: ActionEvent, text: str, mint: Mint) -> ObservationEvent:
    message = call.action.message_to_future_self if isinstance(call.action, CondenseAction) else None
    return ObservationEvent(
        **mint(),
        action_id=call.id,
        tool_name=call.tool_name,
        tool_call_id=call.tool_call_id,
        observation=CondenseObservation(content=(TextBlock(text=text),), is_error=True, message_to_future_self=message),
    )
