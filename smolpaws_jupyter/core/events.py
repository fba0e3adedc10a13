"""Every event of a conversation, written once (contract, section 3).

The log is a list of these. They are frozen, refuse unknown fields, and are told apart by a literal `kind`.
Text that the model was shown lives in the event that introduced it, so that an old log replays its old words (R-EV-3).
"""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field, model_validator

from .base import ContentBlock, Frozen, JsonObject, Many, NonEmpty, Skill, Tokens, ToolSpec, Usage, text_of
from .payloads import Action, Observation
from .profiles import Binding

Thresholds = Many[Annotated[float, Field(gt=0, le=1)]]


class EventBase(Frozen):
    """What every event has. `command_id` names the person's command that caused it (R-EV-1)."""

    id: NonEmpty
    timestamp: str
    command_id: str | None = None


class ByEnvironment(EventBase):
    source: Literal["environment"] = "environment"


class ByAgent(EventBase):
    source: Literal["agent"] = "agent"


class ByUser(EventBase):
    source: Literal["user"] = "user"


# The start, and what a person changes afterwards


class Bindings(Frozen):
    """The profiles a conversation was started with; `summary` belongs to the condenser that buys summaries."""

    main: Binding
    summary: Binding | None = None


class ConversationStartEvent(ByEnvironment):
    """The fixed context and the settings, frozen (R-BIND-1). Always the first event, and the only one of its kind."""

    kind: Literal["ConversationStartEvent"] = "ConversationStartEvent"
    conversation_id: NonEmpty
    settings: JsonObject
    bindings: Bindings
    system_prompt: str
    memory_snapshot: str | None = None
    runtime_info: str | None = None
    skills: Many[Skill] = ()
    tools: Many[ToolSpec] = ()


class ProfileBoundEvent(ByUser):
    """Another main profile from here on (R-BIND-6)."""

    kind: Literal["ProfileBoundEvent"] = "ProfileBoundEvent"
    binding: Binding


class ThresholdsChangedEvent(ByUser):
    """Other warning thresholds from the next check on (R-BIND-10)."""

    kind: Literal["ThresholdsChangedEvent"] = "ThresholdsChangedEvent"
    warning_thresholds: Thresholds


class TitleEvent(ByUser):
    kind: Literal["TitleEvent"] = "TitleEvent"
    title: str


# Messages and replies


class MessageEvent(EventBase):
    """A message. It is genuine user input only if source and role are both `user` (R-VOC-9)."""

    kind: Literal["MessageEvent"] = "MessageEvent"
    source: Literal["user", "agent", "environment"]
    role: Literal["user", "assistant"]
    content: Many[ContentBlock] = Field(min_length=1)
    response_event_id: str | None = None
    sender: str | None = None

    @property
    def genuine(self) -> bool:
        return self.source == "user" and self.role == "user"

    @property
    def text(self) -> str:
        return text_of(self.content)


class MessageWithdrawnEvent(ByUser):
    """The person took back a message that no request had carried (R-VIEW-16)."""

    kind: Literal["MessageWithdrawnEvent"] = "MessageWithdrawnEvent"
    message_id: NonEmpty


class ResponseEvent(ByAgent):
    """A main request succeeded. `read_through` is the last event of the snapshot that it was built from (R-VOC-11)."""

    kind: Literal["ResponseEvent"] = "ResponseEvent"
    read_through: NonEmpty
    consumed_warning_ids: Many[str] = ()
    llm_response_id: str | None = None
    usage_id: NonEmpty
    binding_digest: str
    model: str
    usage: Usage
    http_requests: int = Field(ge=0)
    latency_ms: int = Field(ge=0)
    finish_reason: str | None = None


class ActionEvent(ByAgent):
    """A tool call. `arguments` is the text as received; `action` is null where that text was unusable.

    The first action of a batch carries the text and the opaque reasoning of the whole reply.
    """

    kind: Literal["ActionEvent"] = "ActionEvent"
    response_event_id: NonEmpty
    tool_name: str
    tool_call_id: NonEmpty
    arguments: str
    action: Action | None
    thought: str = ""
    reasoning: JsonObject | None = None


# Tools: intent, consent, result


class ToolStartEvent(ByEnvironment):
    """A call with effects is about to run; on disk before it does (R-STEP-5)."""

    kind: Literal["ToolStartEvent"] = "ToolStartEvent"
    action_id: NonEmpty


class ApprovalEvent(ByUser):
    """What a person decided about exactly the call that was shown (R-STOP-15)."""

    kind: Literal["ApprovalEvent"] = "ApprovalEvent"
    action_id: NonEmpty
    decision: Literal["once", "run", "covered", "revoked"]
    covered_by: str | None = None
    shown_digest: str


class ResultBase(EventBase):
    """A result belongs to one action and answers its call."""

    action_id: NonEmpty
    tool_name: str
    tool_call_id: NonEmpty


class ObservationEvent(ResultBase):
    kind: Literal["ObservationEvent"] = "ObservationEvent"
    source: Literal["environment"] = "environment"
    observation: Observation


class AgentErrorEvent(ResultBase):
    """A call that did not run, or whose outcome nobody knows."""

    kind: Literal["AgentErrorEvent"] = "AgentErrorEvent"
    source: Literal["environment"] = "environment"
    code: NonEmpty
    error: str


class UserRejectObservation(ResultBase):
    kind: Literal["UserRejectObservation"] = "UserRejectObservation"
    source: Literal["user"] = "user"
    rejection_reason: str


# Advice


class ContextWarningEvent(ByEnvironment):
    """One stage was reached (R-WARN-7)."""

    kind: Literal["ContextWarningEvent"] = "ContextWarningEvent"
    cycle: str | None
    threshold: float = Field(gt=0, le=1)
    input_tokens: Tokens
    input_limit: int = Field(gt=0)
    counted: Literal["measured", "estimated"]
    text: NonEmpty


class ContextWindowReminderEvent(ByEnvironment):
    kind: Literal["ContextWindowReminderEvent"] = "ContextWindowReminderEvent"
    text: NonEmpty


# Condensation: a request is an intent, a Condensation is the fact


class DetailsBase(Frozen):
    version: Literal[1] = 1
    input_event_id: NonEmpty | None


class VoluntaryDetails(DetailsBase):
    trigger: Literal["agent"] = "agent"
    action_id: NonEmpty
    observation_id: NonEmpty

    @model_validator(mode="after")
    def _three_different_events(self) -> Self:
        if len({self.input_event_id, self.action_id, self.observation_id}) < 3:
            raise ValueError("input_event_id, action_id and observation_id must differ")
        return self


class RescueDetails(DetailsBase):
    trigger: Literal["provider_context_window", "capacity"]
    protected_user_event_ids: Many[NonEmpty] = ()

    @model_validator(mode="after")
    def _unique(self) -> Self:
        if len(set(self.protected_user_event_ids)) < len(self.protected_user_event_ids):
            raise ValueError("protected_user_event_ids must be unique")
        return self


class RoutineDetails(DetailsBase):
    trigger: Literal["size", "tokens", "proactive"]


class ManualDetails(DetailsBase):
    trigger: Literal["host"] = "host"


Details = Annotated[VoluntaryDetails | RescueDetails | RoutineDetails | ManualDetails, Field(discriminator="trigger")]


class CondensationRequest(EventBase):
    kind: Literal["CondensationRequest"] = "CondensationRequest"
    source: Literal["agent", "environment"]
    details: Details


class Condensation(ByEnvironment):
    """The fact: these entries left the active history (R-EV-9, R-EV-10)."""

    kind: Literal["Condensation"] = "Condensation"
    request_id: NonEmpty
    forgotten_event_ids: Many[NonEmpty]
    notice: str | None = None
    summary: str | None = None
    summary_offset: int | None = Field(default=None, ge=0)
    llm_response_id: str | None = None

    @model_validator(mode="after")
    def _unique(self) -> Self:
        if len(set(self.forgotten_event_ids)) < len(self.forgotten_event_ids):
            raise ValueError("forgotten_event_ids must be unique")
        return self

    @property
    def effective(self) -> bool:
        """Whether it changes anything: only then does it begin a cycle (R-VIEW-7)."""
        return bool(self.forgotten_event_ids) or self.notice is not None or self.summary is not None


class CondensationFailureEvent(ByEnvironment):
    kind: Literal["CondensationFailureEvent"] = "CondensationFailureEvent"
    request_id: str | None = None
    action_id: str | None = None
    code: NonEmpty
    error: str


class Cut(Frozen):
    """How one text block is shown: its first and its last characters around a mark (R-WIN-16)."""

    entry_id: NonEmpty
    block_index: int = Field(ge=0)
    head_chars: int = Field(ge=0)
    tail_chars: int = Field(ge=0)
    removed_chars: int = Field(gt=0)


class TruncationEvent(ByEnvironment):
    kind: Literal["TruncationEvent"] = "TruncationEvent"
    cuts: Many[Cut] = Field(min_length=1)


class PinEvent(ByEnvironment):
    kind: Literal["PinEvent"] = "PinEvent"
    entry_ids: Many[NonEmpty]


# The run


class UsageEvent(ByEnvironment):
    """A main request that failed or was stopped, or one attempt at a summary (R-ACC-1)."""

    kind: Literal["UsageEvent"] = "UsageEvent"
    purpose: Literal["main_failed", "summary"]
    read_through: str | None = None
    request_id: str | None = None
    attempt: int | None = Field(default=None, ge=1)
    outcome: NonEmpty
    llm_response_id: str | None = None
    usage_id: NonEmpty
    binding_digest: str
    model: str
    usage: Usage
    http_requests: int = Field(ge=0)
    latency_ms: int = Field(ge=0)
    finish_reason: str | None = None


class ConversationErrorEvent(ByEnvironment):
    """A run ended here, and why."""

    kind: Literal["ConversationErrorEvent"] = "ConversationErrorEvent"
    code: NonEmpty
    detail: str
    recoverable: bool


class InterruptEvent(ByUser):
    kind: Literal["InterruptEvent"] = "InterruptEvent"


class PauseEvent(ByUser):
    kind: Literal["PauseEvent"] = "PauseEvent"


class ResumeEvent(ByUser):
    kind: Literal["ResumeEvent"] = "ResumeEvent"


class ForkEvent(ByUser):
    kind: Literal["ForkEvent"] = "ForkEvent"
    conversation_id: NonEmpty
    source_conversation_id: NonEmpty
    at_event_id: NonEmpty


class RecoveryEvent(ByEnvironment):
    """What opening repaired or noticed; `detail` is for people."""

    kind: Literal["RecoveryEvent"] = "RecoveryEvent"
    detail: NonEmpty


Result = ObservationEvent | AgentErrorEvent | UserRejectObservation

Event = Annotated[
    ConversationStartEvent
    | ProfileBoundEvent
    | ThresholdsChangedEvent
    | TitleEvent
    | MessageEvent
    | MessageWithdrawnEvent
    | ResponseEvent
    | ActionEvent
    | ToolStartEvent
    | ApprovalEvent
    | ObservationEvent
    | AgentErrorEvent
    | UserRejectObservation
    | ContextWarningEvent
    | ContextWindowReminderEvent
    | CondensationRequest
    | Condensation
    | CondensationFailureEvent
    | TruncationEvent
    | PinEvent
    | UsageEvent
    | ConversationErrorEvent
    | InterruptEvent
    | PauseEvent
    | ResumeEvent
    | ForkEvent
    | RecoveryEvent,
    Field(discriminator="kind"),
]

E = TypeVar("E", bound=EventBase)


def caused_by(command_id: str | None, event: E) -> E:
    """The same event, marked with the command that caused it."""
    return event if command_id is None else event.model_copy(update={"command_id": command_id})
