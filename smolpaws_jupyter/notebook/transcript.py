"""A log for readers who have no kernel: what was said and done, in order, as Markdown or as one static HTML page."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ..core.base import ImageBlock, TextBlock
from ..core.events import (
    ActionEvent,
    AgentErrorEvent,
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    ContextWarningEvent,
    ContextWindowReminderEvent,
    ConversationErrorEvent,
    Event,
    ForkEvent,
    InterruptEvent,
    MessageEvent,
    MessageWithdrawnEvent,
    ObservationEvent,
    ProfileBoundEvent,
    TitleEvent,
    TruncationEvent,
    UserRejectObservation,
)
from ..core.instruments.marks import condensed_words, failed_words
from ..core.records import UnknownEvent
from ..runtime.text import bound, reveal

RESULT_CHARS = 1_500

Form = Literal["title", "prose", "quote", "code", "line", "reset"]


@dataclass(frozen=True, slots=True)
class Part:
    """One paragraph: `said` is who or what, `text` the words. `prose` of the agent is Markdown, `code` is verbatim."""

    form: Form
    text: str
    said: str = ""


def transcript(events: Iterable[Event | UnknownEvent]) -> str:
    """The conversation as Markdown; results are shortened, everything else stands whole."""
    return "\n\n".join(_markdown(part) for part in parts(events)) + "\n"


def page(events: Iterable[Event | UnknownEvent]) -> str:
    """The same as one HTML file without a script, which loads nothing: all text of the log is shown as text only."""
    told = list(parts(events))
    title = next((part.text for part in reversed(told) if part.form == "title"), "Conversation")
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    return _PAGE.format(
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        title=_escaped(title),
        style=_STYLE,
        body="\n".join(_html(part) for part in told if part.form != "title"),
    )


def parts(events: Iterable[Event | UnknownEvent]) -> Iterator[Part]:
    """What a reader is told of each event, in the order in which it happened."""
    requests: dict[str, CondensationRequest] = {}
    for event in events:
        match event:
            case TitleEvent(title=title):
                yield Part("title", title)
            case MessageEvent(source="user"):
                yield Part("prose", _words(event.content), "You")
            case MessageEvent(source="agent"):
                yield Part("prose", _words(event.content), "Agent")
            case MessageEvent(text=text) | ContextWarningEvent(text=text) | ContextWindowReminderEvent(text=text):
                yield Part("quote", text)
            case ActionEvent():
                if event.thought.strip():
                    yield Part("prose", event.thought, "Agent")
                yield Part("code", event.arguments, f"Tool call {event.tool_name}")
            case ObservationEvent(observation=observation):
                text = bound(_words(observation.content), RESULT_CHARS).shown
                yield Part("code", text, "Result (error)" if observation.is_error else "Result")
            case AgentErrorEvent(error=text):
                yield Part("code", text, "Result (error)")
            case UserRejectObservation(rejection_reason=text):
                yield Part("code", text, "Rejected")
            case CondensationRequest():
                requests[event.id] = event
            case Condensation() if event.effective:
                request = requests.get(event.request_id)
                what = condensed_words(request.details if request else None)
                yield Part("reset", f"{what} What left the context stands above, and is not sent any more.")
                if event.summary:
                    yield Part("quote", event.summary, "Summary")
            case CondensationFailureEvent():
                request = requests.get(event.request_id or "")
                yield Part("line", failed_words(request.details if request else None))
            case TruncationEvent(cuts=cuts):
                yield Part("line", f"Long texts were cut to fit: {len(cuts)}.")
            case ConversationErrorEvent(detail=text):
                yield Part("quote", text, "The run ended.")
            case InterruptEvent():
                yield Part("line", "Stopped by you.")
            case MessageWithdrawnEvent():
                yield Part("line", "A message was taken back before the model read it.")
            case ProfileBoundEvent(binding=binding):
                yield Part("line", f"Model profile: {binding.profile}.")
            case ForkEvent(source_conversation_id=source):
                yield Part("line", f"Forked from conversation {source}.")
            case _:
                continue


def _words(content: Iterable[TextBlock | ImageBlock]) -> str:
    return "\n".join(block.text if isinstance(block, TextBlock) else "[image]" for block in content)


# Markdown


def _markdown(part: Part) -> str:
    match part.form:
        case "title":
            return f"# {_one_line(part.text)}"
        case "prose":
            return f"**{part.said}**\n\n{part.text}"
        case "quote":
            said = f"**{part.said}** " if part.said else ""
            return f"> {said}{_quoted(part.text)}"
        case "code":
            name = part.said.removeprefix("Tool call ")
            said = f"Tool call `{_one_line(name).replace('`', '')}`" if name != part.said else part.said
            return f"{said}\n\n{_fenced(part.text)}"
        case "line":
            return f"*{_one_line(part.text)}*"
        case "reset":
            return f"---\n\n*{part.text}*"


def _one_line(text: str) -> str:
    return " ".join(text.split())


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


# HTML

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-inline-size: 46rem; margin: 2rem auto; padding-inline: 1rem; }
h2 { font-size: 1rem; margin-block: 1.5rem 0.25rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font: inherit; }
pre.code { font: 0.875rem/1.4 ui-monospace, monospace; padding: 0.5rem 0.75rem; border: 1px solid; border-radius: 4px; }
blockquote { margin: 1rem 0; padding-inline-start: 1rem; border-inline-start: 3px solid; }
hr { margin-block-start: 2rem; }
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def _html(part: Part) -> str:
    said = f"<h2>{_escaped(part.said)}</h2>\n" if part.said else ""
    text = _escaped(part.text)
    match part.form:
        case "prose" | "title":
            return f'{said}<pre dir="auto">{text}</pre>'
        case "quote":
            return f'<blockquote>{said}<pre dir="auto">{text}</pre></blockquote>'
        case "code":
            return f'{said}<pre class="code" dir="ltr">{text}</pre>'
        case "line":
            return f"<p><em>{text}</em></p>"
        case "reset":
            return f"<hr>\n<p><em>{text}</em></p>"


def _escaped(text: str) -> str:
    """Text of the log, in which nothing is markup and no character is invisible (R-SEC-3)."""
    return html.escape(reveal(text))
