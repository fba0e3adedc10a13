"""What crosses between kernel and page: commands in, updates out.

Traits say what is; messages say what happened. Python owns these shapes; the page's types are generated from them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from .base import Frozen, ImageBlock, Many, NonEmpty, Sha256
from .budget import BudgetState
from .events import Event
from .policies.agent_reset import WarningThresholds
from .questions import Answer, CommandBase, ConversationInfo, Question

Status = Literal["idle", "running", "waiting", "paused", "error"]
Detail = Literal["", "loading", "model", "tool", "summary", "stopping", "kernel busy"]


class Tell(CommandBase):
    kind: Literal["tell"] = "tell"
    text: str
    images: Many[ImageBlock] = ()


class Stop(CommandBase):
    kind: Literal["stop"] = "stop"


class Pause(CommandBase):
    kind: Literal["pause"] = "pause"


class Resume(CommandBase):
    kind: Literal["resume"] = "resume"


class Approve(CommandBase):
    """`digest` is that of the call as it was shown; an approval of anything else is refused."""

    kind: Literal["approve"] = "approve"
    action_id: NonEmpty
    scope: Literal["once", "run"]
    digest: Sha256


class Reject(CommandBase):
    kind: Literal["reject"] = "reject"
    action_id: NonEmpty
    reason: str = ""


class Revoke(CommandBase):
    """Takes back an approval "for this run", named by the action it was given for."""

    kind: Literal["revoke"] = "revoke"
    action_id: NonEmpty


class Withdraw(CommandBase):
    kind: Literal["withdraw"] = "withdraw"
    message_id: NonEmpty


class Condense(CommandBase):
    kind: Literal["condense"] = "condense"


class SetThresholds(CommandBase):
    kind: Literal["set_thresholds"] = "set_thresholds"
    warning_thresholds: WarningThresholds


class SetTitle(CommandBase):
    """Give a stored conversation of this workspace a title: the one that is shown, unless another is named."""

    kind: Literal["set_title"] = "set_title"
    title: str = Field(max_length=200)
    conversation_id: NonEmpty | None = None


class Bind(CommandBase):
    """Another main profile: the name of a saved one, or a litellm model name (R-BIND-7)."""

    kind: Literal["bind"] = "bind"
    profile: NonEmpty


class TakeOver(CommandBase):
    """Become the writer of a conversation that opened read-only."""

    kind: Literal["take_over"] = "take_over"


class Open(CommandBase):
    """Show another conversation of this workspace in this widget."""

    kind: Literal["open"] = "open"
    conversation_id: NonEmpty


class New(CommandBase):
    """Start a new conversation in this widget."""

    kind: Literal["new"] = "new"
    condenser_kind: str | None = None


class Delete(CommandBase):
    """Remove a stored conversation of this workspace for good; never one that is open."""

    kind: Literal["delete"] = "delete"
    conversation_id: NonEmpty


class Fork(CommandBase):
    """Go on from the event `at`, or from just before the event `before`, in a new conversation in this widget.

    Without either, from where the conversation is. It stays as it is, and can be opened again (R-FORK-1).
    """

    kind: Literal["fork"] = "fork"
    at: NonEmpty | None = None
    before: NonEmpty | None = None


class Replay(CommandBase):
    """Ask for the events from position `since` on."""

    kind: Literal["replay"] = "replay"
    since: int = Field(ge=0)


Command = Annotated[
    Tell
    | Stop
    | Pause
    | Resume
    | Approve
    | Reject
    | Revoke
    | Withdraw
    | Condense
    | SetThresholds
    | SetTitle
    | Bind
    | TakeOver
    | Open
    | New
    | Delete
    | Fork
    | Replay
    | Question,
    Field(discriminator="kind"),
]

COMMAND: TypeAdapter[Command] = TypeAdapter(Command, config=ConfigDict(defer_build=True))


class LeftOut(Frozen):
    """A large text of an event that the page gets on demand: in the event stands its beginning."""

    position: int
    path: Many[str | int]
    sha256: Sha256
    chars: int


class UnknownRecord(Frozen):
    """A record that this version cannot read: shown as unknown, without effect."""

    kind: Literal["UnknownRecord"] = "UnknownRecord"
    id: str
    record_kind: str
    reason: Literal["unknown", "unreadable"]


class Events(Frozen):
    """The events at positions start, start + 1, ... of the conversation."""

    kind: Literal["events"] = "events"
    conversation_id: str
    start: int
    events: Many[Event | UnknownRecord]
    left_out: Many[LeftOut] = ()


class Streaming(Frozen):
    """Words of a reply that is still coming. `restart` says that the words so far belong to a try that failed."""

    kind: Literal["delta"] = "delta"
    what: Literal["text", "reasoning", "restart"]
    text: str = ""


class Ack(Frozen):
    kind: Literal["ack"] = "ack"
    id: str
    text: str = ""


class Refused(Frozen):
    """A command that had no effect, and why. `status` is HTTP-like where the contract names one."""

    kind: Literal["refused"] = "refused"
    id: str
    code: str
    text: str
    status: int | None = None


class Output(Frozen):
    """The live tail of a running tool."""

    kind: Literal["output"] = "output"
    action_id: str
    text: str


class ApprovalRequest(Frozen):
    """One call that waits for a person: what it is, shown whole, and the digest of exactly this."""

    action_id: str
    tool_name: str
    title: str
    reason: str
    form: Literal["diff", "code", "text"]
    text: str
    covers: str | None
    """What an approval "for this run" would cover, in words; null where there is none."""
    digest: Sha256


class Grant(Frozen):
    """An approval "for this run" that is in force; revoked by `action_id`."""

    action_id: str
    covers: str


class Approvals(Frozen):
    """All calls that wait now, and what is approved for this run."""

    kind: Literal["approvals"] = "approvals"
    waiting: Many[ApprovalRequest] = ()
    granted: Many[Grant] = ()


class Problem(Frozen):
    """What a provider said, redacted: shown now, stored nowhere (R-FAIL-7)."""

    kind: Literal["problem"] = "problem"
    code: str
    text: str


Update = Annotated[
    Events | Streaming | Ack | Refused | Output | Approvals | Answer | Problem,
    Field(discriminator="kind"),
]

UPDATE: TypeAdapter[Update] = TypeAdapter(Update, config=ConfigDict(defer_build=True))


class Traits(Frozen):
    """The widget's synced traits. The kernel alone writes them."""

    status: Status = "idle"
    detail: Detail = ""
    budget: BudgetState = BudgetState()
    profile: str = ""
    title: str = ""
    read_only: str = ""
    event_count: int = 0
    conversation_id: str = ""
    thresholds: Many[float] = ()
    waiting_for: str = ""
    """While status is `waiting`: the name of the tool that waits for an approval."""
    notice: str = ""
    """What the store noticed on reading this conversation, for people; it hinders nothing."""
    resumable: ConversationInfo | None = None
    """The latest other conversation of this workspace, while this one is still empty."""


class Wire(Frozen):
    """Everything the page's types are generated from."""

    event: Event
    command: Command
    update: Update
    traits: Traits
