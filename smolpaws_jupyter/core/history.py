"""What `conversation_history` answers: searching and reading a conversation's own record (contract, section 15).

The record is asked for from its end backwards and no further than an answer needs; nothing of it is kept.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from . import wording
from .base import JsonObject, ToolSpec, text_of
from .events import (
    ActionEvent,
    AgentErrorEvent,
    Event,
    MessageEvent,
    MessageWithdrawnEvent,
    ObservationEvent,
    UserRejectObservation,
)
from .payloads import ConversationHistoryAction, Observation, ToolObservation
from .records import UnknownEvent
from .view import View

CONVERSATION_HISTORY = ToolSpec(
    name="conversation_history",
    description=wording.HISTORY_DESCRIPTION,
    parameters={
        "type": "object",
        "properties": {
            "command": {"type": "string", "enum": ["search", "read"]},
            "query": {"type": "string", "description": "search: the text to find."},
            "before_event_id": {"type": "string", "description": "search: find only what is older than this event."},
            "event_id": {"type": "string", "description": "read: the event."},
            "offset": {"type": "integer", "minimum": 0, "description": "read: the first character."},
        },
        "required": ["command"],
        "additionalProperties": False,
    },
)

MATCHES = 5
SNIPPET = 400
BEFORE = 120
"""Characters of a snippet, and how many of them stand before the match at most (R-HIST-6)."""
PAGE = 4_000

Retrievable = MessageEvent | ActionEvent | ObservationEvent | AgentErrorEvent | UserRejectObservation
MayHold = Callable[[str], bool]


class ReadBack(Protocol):
    """Reads a log from its end."""

    def __call__(self, stop: int, may_hold: MayHold) -> Iterator[tuple[int, Event | UnknownEvent]]:
        """The events before position `stop`, the newest first, each with its position.

        Those of whose JSON text `may_hold` says no may be left out.
        """
        ...


class Misuse(ValueError):
    """A call that makes no sense; the message tells the model what does (R-HIST-9)."""


@dataclass(frozen=True)
class ConversationHistory:
    """The record of a conversation as it was when it had `length` events and this view."""

    read_back: ReadBack
    length: int
    view: View

    def answer(self, ask: ConversationHistoryAction) -> str:
        """The result of a call, as JSON text. Raises `Misuse`."""
        if ask.command == "search":
            if ask.query is None or not ask.query.strip():
                raise Misuse(wording.HISTORY_NO_QUERY)
            if ask.event_id is not None or ask.offset:
                raise Misuse(wording.HISTORY_SEARCH_TAKES)
            return _recorded(self.search(ask.query, ask.before_event_id))
        if ask.event_id is None:
            raise Misuse(wording.HISTORY_NO_EVENT)
        if ask.query is not None or ask.before_event_id is not None:
            raise Misuse(wording.HISTORY_READ_TAKES)
        return _recorded(self.read(ask.event_id, ask.offset))

    def search(self, query: str, before_event_id: str | None = None) -> JsonObject:
        """The newest events that hold `query`, in any case, one match each (R-HIST-5 to 7)."""
        stop = self.length
        if before_event_id is not None:
            cursor = self._find(before_event_id)
            if cursor is None:
                raise Misuse(wording.HISTORY_UNKNOWN_CURSOR)
            stop = cursor[0]
        matches: list[JsonObject] = []
        following: str | None = None
        for position, event in self._retrievable(stop, holding(query)):
            at = find(original_text(event), query)
            if at < 0:
                continue
            matches.append(self._match(event, at))
            if len(matches) == MATCHES:
                if any(self._retrievable(position)):
                    following = event.id
                break
        return {
            "matches": matches,
            "next_before_event_id": following,
            "has_earlier_history": following is not None,
        }

    def read(self, event_id: str, offset: int = 0) -> JsonObject:
        """One page of an event's original text (R-HIST-8)."""
        found = self._find(event_id)
        if found is None:
            raise Misuse(wording.HISTORY_UNKNOWN_EVENT)
        text = original_text(found[1])
        stop = offset + PAGE
        return {
            "event_id": event_id,
            "text": text[offset:stop],
            "offset": offset,
            "total_chars": len(text),
            "next_offset": stop if stop < len(text) else None,
            "in_active_view": event_id in self._active,
        }

    def _match(self, event: Retrievable, at: int) -> JsonObject:
        start = max(0, at - BEFORE)
        match: JsonObject = {
            "event_id": event.id,
            "event_type": event.kind,
            "source": event.source,
            "in_active_view": event.id in self._active,
            "snippet": original_text(event)[start : start + SNIPPET],
        }
        return match if isinstance(event, MessageEvent) else {**match, "tool_name": event.tool_name}

    def _find(self, event_id: str) -> tuple[int, Retrievable] | None:
        found = self._retrievable(self.length, naming("id", event_id))
        return next(((position, event) for position, event in found if event.id == event_id), None)

    def _retrievable(self, stop: int, may_hold: MayHold = lambda _: True) -> Iterator[tuple[int, Retrievable]]:
        """What the agent may find again, newest first (R-HIST-3). A message that was taken back, it never had."""
        for position, event in self.read_back(stop, may_hold):
            match event:
                case MessageEvent():
                    said = event.source == "agent" or (event.genuine and event.id not in self._withdrawn)
                    if said:
                        yield position, event
                case ActionEvent() | ObservationEvent() | AgentErrorEvent() | UserRejectObservation():
                    if event.tool_name != CONVERSATION_HISTORY.name:
                        yield position, event
                case _:
                    pass

    @cached_property
    def _active(self) -> frozenset[str]:
        return frozenset(entry.id for entry in (*self.view.read, *self.view.unread))

    @cached_property
    def _withdrawn(self) -> frozenset[str]:
        found = self.read_back(self.length, lambda text: "MessageWithdrawnEvent" in text)
        return frozenset(event.message_id for _, event in found if isinstance(event, MessageWithdrawnEvent))


def original_text(event: Retrievable) -> str:
    """What an event says, whole: no cut of the view, and all of an output that the model was shown a part of."""
    match event:
        case MessageEvent():
            return event.text
        case ActionEvent():
            return "\n".join(part for part in (event.thought, event.tool_name, event.arguments) if part)
        case ObservationEvent():
            return output_text(event.observation)
        case AgentErrorEvent():
            return event.error
        case UserRejectObservation():
            return event.rejection_reason


def output_text(observation: Observation) -> str:
    """The whole stored text of a result."""
    if isinstance(observation, ToolObservation) and observation.output is not None:
        return observation.output
    return text_of(observation.content)


def find(text: str, query: str) -> int:
    """Where `query` begins in `text`, upper and lower case alike, or -1. The offset is that of the original text.

    Unicode's case folding makes some characters longer (`ß`, `İ`), so places in the folded text are not yet the answer.
    """
    folded = text.casefold()
    at = folded.find(query.casefold())
    if at <= 0 or len(folded) == len(text):
        return at
    return bisect_right(range(at), at, key=lambda index: len(text[: index + 1].casefold()))


_TEXTS = re.compile(
    r'"(?:text|thought|tool_name|arguments|output|error|rejection_reason)":"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL
)


def holding(query: str) -> MayHold:
    """Tells of the JSON text of commits whether an event in it may hold `query`; when it says no, none does.

    Thousands of commits have to be passed over in the time in which a few can be decoded. An event's text is put
    together from fields with line breaks between them, so a query of several lines may begin in one field and end in
    another. Where letters are escaped, which our stores do not do, nothing is passed over.
    """
    lines = [_json(line)[1:-1].casefold() for line in query.split("\n")]
    first, last = lines[0], lines[-1]

    def may_hold(text: str) -> bool:
        if "\\u" in text and "\\u" in text.replace("\\\\", ""):
            return True
        folded = text.casefold()
        if not all(line in folded for line in lines):
            return False
        fields: list[str] = _TEXTS.findall(folded)
        if len(lines) == 1:
            return any(first in field for field in fields)
        begins = any(f"{first}\\n" in field or field.endswith(first) for field in fields)
        return begins and any(f"\\n{last}" in field or field.startswith(last) for field in fields)

    return may_hold


def naming(field: str, event_id: str) -> MayHold:
    """Tells of the JSON text of commits whether an event in it may have this id in this field."""
    named = f'"{field}":{_json(event_id)}'
    return lambda text: named in text


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _recorded(answer: JsonObject) -> str:
    return _json({"note": wording.HISTORY_IS_DATA, **answer})
