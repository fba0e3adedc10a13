"""What a paid summary is made from: previews of entries, clipped a little more with each attempt (section 12.2).

Lengths here are code points (R-SUM-3).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import wording
from .base import ImageBlock, TextBlock
from .events import (
    ActionEvent,
    AgentErrorEvent,
    ContextWindowReminderEvent,
    ManualDetails,
    MessageEvent,
    ObservationEvent,
    RescueDetails,
    RoutineDetails,
    UserRejectObservation,
)
from .messages import Message
from .units import CondensationNotice, CondensationSummaryEvent, Entry

PART = 500
"""How much of one part of an entry a preview shows at most."""
FLOOR = 160
"""No preview is ever clipped below this (R-SUM-5)."""
NOTE = 40
"""Room for the note in a clipped preview; enough for any number."""


@dataclass(frozen=True, slots=True)
class SummaryPlan:
    """A summary that a policy wants bought: why, of what, and what then stands in its place.

    The entries are summarised and forgotten; the summary is inserted at `offset` among those that stay.
    """

    details: RescueDetails | RoutineDetails | ManualDetails
    entries: tuple[Entry, ...]
    offset: int
    notice: str | None
    attempts: int
    scaling: float


def previews(entries: Sequence[Entry]) -> list[str]:
    """What the summariser sees of each entry (R-SUM-2). Never opaque reasoning."""
    return [preview(entry) for entry in entries]


def preview(entry: Entry) -> str:
    """One entry as a few lines of text."""
    match entry:
        case MessageEvent():
            images = sum(isinstance(block, ImageBlock) for block in entry.content)
            said = entry.text[:PART] if entry.text.strip() else "(no text)"
            return f"{entry.role}: {said}" + (f"\n({images} image(s))" if images else "")
        case ActionEvent():
            thought = f"assistant: {entry.thought[:PART]}\n" if entry.thought.strip() else ""
            return f"{thought}call of {entry.tool_name}: {entry.arguments[:PART]}"
        case ObservationEvent(observation=observation):
            text = "\n".join(block.text for block in observation.content if isinstance(block, TextBlock))
            return _result(entry.tool_name, text, is_error=observation.is_error)
        case AgentErrorEvent():
            return _result(entry.tool_name, entry.error, is_error=True)
        case UserRejectObservation():
            return f"rejected call of {entry.tool_name}: {entry.rejection_reason[:PART]}"
        case CondensationSummaryEvent():
            return entry.text
        case CondensationNotice() | ContextWindowReminderEvent():
            return entry.text[:PART]


def _result(tool_name: str, text: str, *, is_error: bool) -> str:
    return f"{'error' if is_error else 'result'} of {tool_name}: {text[:PART]}"


def clip(text: str, limit: int) -> str:
    """`text` in at most `limit` characters: head and tail around a short note; the odd character goes to the head."""
    if len(text) <= limit:
        return text
    room = limit - NOTE
    tail = room // 2
    note = f"[... {len(text) - room} characters left out ...]"
    return f"{text[: room - tail]}{note}{text[len(text) - tail :]}"


def attempts(whole: Sequence[str], scaling: float, most: int) -> Iterator[list[str]]:
    """The previews of attempt 1, 2, ...: whole, then clipped to a limit that shrinks by `scaling` (R-SUM-4).

    Ends after `most` attempts, or earlier where the next one would be the same as the one before.
    """
    yield list(whole)
    longest = max(map(len, whole), default=0)
    before = list(whole)
    limit: int | None = None
    for _ in range(most - 1):
        limit = max(FLOOR, math.floor((longest if limit is None else limit) * scaling))
        now = [clip(text, limit) for text in whole]
        if now == before:
            return
        yield now
        before = now


def summary_request(shown: Sequence[str]) -> list[Message]:
    """The messages of one attempt: what to do, and the previews as data between marks (R-SUM-9)."""
    items = "\n\n".join(f"<entry number={n}>\n{_without_marks(text)}\n</entry>" for n, text in enumerate(shown, 1))
    return [
        {"role": "system", "content": wording.SUMMARY_TASK},
        {"role": "user", "content": f"<history>\n{items}\n</history>\n\n{wording.SUMMARY_ASK}"},
    ]


def _without_marks(text: str) -> str:
    """The text with our marks spelled so that it can neither end the history nor begin another entry."""
    return re.sub(r"<(?=\s*/?\s*(?:history|entry)\b)", "&lt;", text, flags=re.IGNORECASE)
