"""Door 1: a model. One call in, one complete reply or one classified failure out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from ..core.base import JsonObject, Usage
from ..core.failures import FailureClass
from ..core.messages import Message, Size, canonical
from ..core.profiles import Binding


@dataclass(frozen=True, slots=True)
class Request:
    """What one model call sends: chat messages and tool definitions, for one binding. Nothing else adds to it."""

    messages: list[Message]
    tools: list[JsonObject]
    binding: Binding

    def body(self) -> str:
        """Messages and tools as canonical JSON: what the page shows and what a server receives."""
        return canonical({"messages": self.messages, "tools": self.tools})


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model made it. `arguments` is the text as received; `id` may be missing or repeat."""

    id: str | None
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Response:
    """A complete reply. `reasoning` holds fields of its message that are sent back, verbatim, with a kept call."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: JsonObject | None = None
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    id: str | None = None
    http_requests: int = 0
    latency_ms: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call failed (R-FAIL-2), what it cost, and the numbers that the refusal itself named (R-FAIL-7).

    `text` is the provider's own wording, redacted; it is shown to the person and never stored.
    """

    kind: FailureClass
    text: str = ""
    status: int | None = None
    usage: Usage = field(default_factory=Usage)
    http_requests: int = 0
    latency_ms: int = 0
    input_tokens: int | None = None
    window: int | None = None
    output_tokens: int | None = None
    retry_after: float | None = None
    """Seconds that the provider asked to wait before the next request."""


class LLMFailure(Exception):
    """A model call failed. Anything else that a client raises is a bug."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{failure.kind}: {failure.text}" if failure.text else failure.kind)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Delta:
    """Words of a reply that is still coming; `restart` says that the words so far belong to a try that failed."""

    kind: Literal["text", "reasoning", "restart"]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how often one call may try (R-SET-33). Seconds; None means no limit."""

    max_http_requests: int = 3
    retry_after_max_seconds: float | None = 60
    idle_timeout_seconds: float | None = 60
    call_timeout_seconds: float | None = 600


class LLM(Protocol):
    """A model that a conversation can ask."""

    async def window(self) -> int | None:
        """The model's own input window in tokens from its metadata, or None. Slow the first time; sends nothing."""
        ...

    async def output_limit(self) -> int | None:
        """The model's own output limit in tokens from its metadata, or None."""
        ...

    async def check_key(self) -> None:
        """Raises `LLMFailure` (`missing_key`) if the key that this binding refers to cannot be found. Sends nothing."""
        ...

    def estimate(self, size: Size) -> int | None:
        """Tokens of a request of this size by rule of thumb, or None. Fast, and never fails a run (R-BUD-8)."""
        ...

    async def complete(
        self, request: Request, limits: Limits, on_delta: Callable[[Delta], None], on_send: Callable[[], None]
    ) -> Response:
        """One complete reply.

        `on_send` is called each time an HTTP request leaves (or would leave) the process, so that a cancelled call
        can be accounted for (R-ACC-1). Cancelling the task closes the connection. Raises `LLMFailure`.
        """
        ...

    async def aclose(self) -> None:
        """Lets go of connections and of whatever was loaded. Nothing is asked of this client afterwards."""
        ...
