"""A log as Markdown, for readers who have no kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..core.base import TextBlock
from ..core.events import (
    ActionEvent,
    AgentErrorEvent,
    Condensation,
    ContextWarningEvent,
    ConversationErrorEvent,
    Event,
    InterruptEvent,
    MessageEvent,
    MessageWithdrawnEvent,
    ObservationEvent,
    TitleEvent,
    UserRejectObservation,
)
from ..core.records import UnknownEvent
from ..runtime.text import bound, reveal

RESULT_CHARS = 1_500


def transcript(events: Iterable[Event | UnknownEvent]) -> str:
    """The conversation in the order in which it happened; results are shortened, everything else stands whole."""
    return "\n\n".join(_parts(events)) + "\n"


def _parts(events: Iterable[Event | UnknownEvent]) -> Iterator[str]:
    for event in events:
        match event:
            case TitleEvent(title=title):
                yield f"# {title}"
            case MessageEvent(source="user", text=text):
                yield f"**You**\n\n{text}"
            case MessageEvent(source="agent", text=text):
                yield f"**Agent**\n\n{text}"
            case MessageEvent(text=text) | ContextWarningEvent(text=text):
                yield f"> {_quoted(text)}"
            case ActionEvent():
                if event.thought.strip():
                    yield f"**Agent**\n\n{event.thought}"
                yield f"Tool call `{event.tool_name}`\n\n{_fenced(event.arguments)}"
            case ObservationEvent(observation=observation):
                text = "\n".join(b.text for b in observation.content if isinstance(b, TextBlock))
                heading = "Result (error)" if observation.is_error else "Result"
                yield f"{heading}\n\n{_fenced(bound(text, RESULT_CHARS).shown)}"
            case AgentErrorEvent(error=text):
                yield f"Result (error)\n\n{_fenced(text)}"
            case UserRejectObservation(rejection_reason=text):
                yield f"Rejected\n\n{_fenced(text)}"
            case Condensation():
                yield "---\n\n*The agent started with a fresh context here. What stands above is not sent any more.*"
            case ConversationErrorEvent(detail=text):
                yield f"> **The run ended.** {_quoted(text)}"
            case InterruptEvent():
                yield "*Stopped by you.*"
            case MessageWithdrawnEvent():
                yield "*A message was taken back before the model read it.*"
            case _:
                continue


def _quoted(text: str) -> str:
    return text.replace("\n", "\n> ")


def _fenced(text: str) -> str:
    """A code block whose fence is longer than any run of backticks inside it."""
    longest = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{reveal(text)}\n{fence}"
