"""Door 2: tools. Each says what it takes, whether it needs consent, and runs.

A failed tool is an observation that the model sees; only a failed program is an exception.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ...core.base import JsonObject, TextBlock, ToolSpec
from ...core.history import ConversationHistory
from ...core.payloads import ToolObservation


@dataclass(frozen=True, slots=True)
class Shown:
    """What a person is asked to approve, whole. `form` says how to draw `text`: a diff, code, or plain arguments."""

    title: str
    form: Literal["diff", "code", "text"]
    text: str


@dataclass(frozen=True, slots=True)
class Consent:
    """What the policy table says of one call.

    `covers` names what an approval "for this run" would cover (a tool, or a tool on one file); None where each call
    is asked anew. `by_name` marks the last column of the table: asked even where everything else is allowed.
    """

    verdict: Literal["allow", "ask", "refuse"]
    reason: str = ""
    shown: Shown | None = None
    covers: str | None = None
    by_name: bool = False
    plan: object = None
    """What the tool worked out already. The call that runs gets it back, so that what was shown is what happens."""


class ToolContext(Protocol):
    """What a running tool may use of its conversation."""

    action_id: str
    plan: object
    """The plan of the consent that this call runs with."""
    approved: bool
    """Whether a person approved this call; true only with a recorded approval."""

    @property
    def history(self) -> ConversationHistory:
        """The conversation's record as it was before the tools of this batch started (R-HIST-10)."""
        ...

    def keep(self, data: bytes) -> str:
        """Stores bytes beside the log and gives their SHA-256, by which they are found again."""
        ...

    def output_of(self, action_id: str) -> str | None:
        """The whole stored output of an earlier call, or None."""
        ...

    def progress(self, text: str) -> None:
        """Shows text of a call that is still running."""
        ...


class Interrupted(Exception):
    """The kernel interrupted a running tool (R-STOP-7). Carries what the tool can say about it."""

    def __init__(self, observation: ToolObservation) -> None:
        super().__init__("interrupted")
        self.observation = observation


class NotStarted(Exception):
    """A running tool was stopped before it did anything (R-STOP-3)."""


class Tool(Protocol):
    """One tool of the agent."""

    @property
    def spec(self) -> ToolSpec: ...

    @property
    def effects(self) -> bool:
        """Whether a call changes anything outside the log; then its start is recorded first (R-STEP-5)."""
        ...

    def parse(self, arguments: JsonObject) -> Any:
        """The checked input: one of the action models. Raises pydantic's ValidationError."""
        ...

    def consent(self, action: Any) -> Consent:
        """The policy table's word on this call; reads, and never changes anything."""
        ...

    async def run(self, action: Any, context: ToolContext) -> ToolObservation:
        """Runs the call. Cancelling the task asks it to stop.

        It may raise `Interrupted` with what it can still say, or `NotStarted` where nothing was done yet.
        """
        ...


Progress = Callable[[str], None]


def said(text: str, *, is_error: bool = False) -> ToolObservation:
    """An observation of one text."""
    return ToolObservation(content=(TextBlock(text=text),), is_error=is_error)
