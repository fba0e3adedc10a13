"""What a paid summary is made from: previews of entries, clipped a little more with each attempt (section 12.2).

Lengths here are code points (R-SUM-3).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from . import wording
from .base import ImageBlock
from .events import (
    ActionEvent,
    AgentErrorEvent,
    Condensation,
    ContextWindowReminderEvent,
    ManualDetails,
    MessageEvent,
    ObservationEvent,
    RescueDetails,
    RoutineDetails,
    UserRejectObservation,
)
from .messages import Message, shown_text
from .units import CondensationNotice, CondensationSummaryEvent, Entry, text_blocks
from .view import View

PART = 500
"""How much of one part of an entry a preview shows at most."""
FLOOR = 160
"""No preview is ever clipped below this (R-SUM-5)."""
NOTE = 40
"""Room for the note in a clipped preview; enough for any number."""


Details = RescueDetails | RoutineDetails | ManualDetails


@dataclass(frozen=True, slots=True)
class SummaryPlan:
    """A summary that a policy wants bought: why, of what, and what then stands in its place.

    The entries are summarised and forgotten; the summary is inserted at `offset` among those that stay.
    """

    details: Details
    entries: tuple[Entry, ...]
    offset: int
    attempts: int = 1
    scaling: float = 0.8
    notice: str | None = None
    heading: str = ""
    """Stands before the summary's own text, on a line of its own (R-ORD-6)."""
    texts: tuple[str, ...] | None = None
    """What the summariser is shown of the entries where that is no preview (R-WIN-6)."""
    pins: tuple[str, ...] = ()
    """The entries to pin together with the intent (R-WIN-3)."""
    refuse: Callable[[Condensation], str | None] = lambda _: None
    """Why a summary is not accepted, as a code of R-CODE-3; None where it is (R-NEW-20)."""

    @property
    def shown(self) -> Sequence[str]:
        """What the first attempt shows of each entry, in order."""
        return previews(self.entries) if self.texts is None else self.texts


def details(
    trigger: Literal["provider_context_window", "capacity", "size", "tokens", "proactive", "host"],
    view: View,
    protected: Iterable[MessageEvent] = (),
) -> Details:
    """Why a summary is wanted, with the boundary of the request that gave the reason (R-EV-8)."""
    match trigger:
        case "provider_context_window" | "capacity":
            ids = tuple(message.id for message in protected)
            return RescueDetails(trigger=trigger, input_event_id=view.boundary, protected_user_event_ids=ids)
        case "host":
            return ManualDetails(input_event_id=view.boundary)
        case _:
            return RoutineDetails(trigger=trigger, input_event_id=view.boundary)


def previews(entries: Sequence[Entry]) -> list[str]:
    """What the summariser sees of each entry (R-SUM-2). Never opaque reasoning."""
    return [preview(entry) for entry in entries]


def preview(entry: Entry) -> str:
    """One entry as a few lines of text; an earlier summary whole."""
    return _described(entry, [text for _, text in text_blocks(entry)], PART)


def in_full(entry: Entry, view: View) -> str:
    """One entry as the model is shown it, cuts included (R-WIN-6)."""
    return _described(entry, [shown_text(entry.id, index, text, view) for index, text in text_blocks(entry)], None)


def _described(entry: Entry, texts: Sequence[str], part: int | None) -> str:
    """`texts` are those of its blocks; each part of the description has at most `part` characters."""
    said = "\n".join(texts)
    match entry:
        case MessageEvent():
            images = sum(isinstance(block, ImageBlock) for block in entry.content)
            said = said[:part] if said.strip() else "(no text)"
            return f"{entry.role}: {said}" + (f"\n({images} image(s))" if images else "")
        case ActionEvent():
            thought = f"assistant: {said[:part]}\n" if said.strip() else ""
            return f"{thought}call of {entry.tool_name}: {entry.arguments[:part]}"
        case ObservationEvent(observation=observation):
            return f"{'error' if observation.is_error else 'result'} of {entry.tool_name}: {said[:part]}"
        case AgentErrorEvent():
            return f"error of {entry.tool_name}: {said[:part]}"
        case UserRejectObservation():
            return f"rejected call of {entry.tool_name}: {said[:part]}"
        case CondensationSummaryEvent():
            return said
        case CondensationNotice() | ContextWindowReminderEvent():
            return entry.text[:part]


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
