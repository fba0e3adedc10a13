"""The entries of `read`: what they are, and which of them belong together (R-VIEW-10).

A batch is the calls of one response with their results. A cut, a summary or a reset takes or leaves a unit whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .base import Frozen, TextBlock
from .events import ActionEvent, ContextWarningEvent, ContextWindowReminderEvent, MessageEvent, Result


class CondensationNotice(Frozen):
    """The environment's notice that opens a fresh context. Made from a `Condensation`, never stored (R-EV-7)."""

    kind: Literal["CondensationNotice"] = "CondensationNotice"
    id: str
    text: str


class CondensationSummaryEvent(Frozen):
    """A summary in the place of what it replaced. Made from a `Condensation`, never stored (R-EV-7)."""

    kind: Literal["CondensationSummaryEvent"] = "CondensationSummaryEvent"
    id: str
    text: str


Aside = ContextWarningEvent | ContextWindowReminderEvent | MessageEvent
Entry = MessageEvent | ActionEvent | Result | ContextWindowReminderEvent | CondensationNotice | CondensationSummaryEvent

RESULT_KINDS = ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation")
BATCH_KINDS = ("ActionEvent", *RESULT_KINDS)
# Kinds are compared instead of classes: a pydantic class takes ten times as long to say that something is not its own.


def in_batch(entry: Entry) -> bool:
    """Whether the entry is a call or a result."""
    return entry.kind in BATCH_KINDS


def groups(entries: Sequence[Entry]) -> list[range]:
    """The positions of each batch, and of each other entry by itself, in order."""
    found: list[range] = []
    before: Entry | None = None
    for at, entry in enumerate(entries):
        if before is not None and _continues(before, entry):
            found[-1] = range(found[-1].start, at + 1)
        else:
            found.append(range(at, at + 1))
        before = entry
    return found


def _continues(before: Entry, entry: Entry) -> bool:
    if entry.kind == "ActionEvent":
        return before.kind == "ActionEvent" and before.response_event_id == entry.response_event_id
    return entry.kind in RESULT_KINDS and in_batch(before)


def units(entries: Sequence[Entry]) -> list[range]:
    """The positions of each unit: a batch, a thinking loop, or any other entry by itself (R-VIEW-10)."""
    found: list[range] = []
    thinking = False
    for group in groups(entries):
        first = entries[group.start]
        if thinking and in_batch(first):
            found[-1] = range(found[-1].start, group.stop)
            continue
        thinking = first.kind == "ActionEvent" and bool(first.reasoning)
        found.append(group)
    return found


def safe_cuts(entries: Sequence[Entry]) -> list[int]:
    """Every position where a cut splits no unit, both ends included, ascending."""
    return [0, *(unit.stop for unit in units(entries))]


def message_count(entries: Sequence[Entry]) -> int:
    """How many messages entries count as: a batch is two, its calls and all its results (R-VIEW-11)."""
    return sum(2 if in_batch(entries[group.start]) else 1 for group in groups(entries))


def text_blocks(entry: Entry) -> list[tuple[int, str]]:
    """The texts of an entry that a cut may shorten, each with the index of its block (R-WIN-15)."""
    match entry.kind:
        case "MessageEvent":
            content = entry.content
        case "ObservationEvent":
            content = entry.observation.content
        case "ActionEvent":
            return [(0, entry.thought)]
        case "AgentErrorEvent":
            return [(0, entry.error)]
        case "UserRejectObservation":
            return [(0, entry.rejection_reason)]
        case "CondensationSummaryEvent":
            return [(0, entry.text)]
        case "ContextWindowReminderEvent" | "CondensationNotice":
            return []
    return [(index, block.text) for index, block in enumerate(content) if isinstance(block, TextBlock)]
