"""The ground of `tests.builders.History`: commits, stable ids, and calls of tools."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from smolpaws_jupyter.core import events as ev
from smolpaws_jupyter.core import payloads as pay
from smolpaws_jupyter.core.base import ImageBlock, Stamp, TextBlock
from smolpaws_jupyter.core.events import Event
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.core.view import View

ACTIONS: dict[str, Any] = {
    "list_files": pay.ListFilesAction,
    "read_file": pay.ReadFileAction,
    "write_file": pay.WriteFileAction,
    "edit_file": pay.EditFileAction,
    "search_files": pay.SearchFilesAction,
    "run_python": pay.RunPythonAction,
    "condense": pay.CondenseAction,
    "new_context": pay.NewContextAction,
    "conversation_history": pay.ConversationHistoryAction,
}
PREFIXES = {
    "ConversationStartEvent": "start",
    "ResponseEvent": "r",
    "ActionEvent": "a",
    "ToolStartEvent": "t",
    "ApprovalEvent": "y",
    "ObservationEvent": "o",
    "AgentErrorEvent": "o",
    "UserRejectObservation": "o",
    "ContextWarningEvent": "w",
    "ContextWindowReminderEvent": "n",
    "CondensationRequest": "q",
    "Condensation": "c",
    "CondensationFailureEvent": "f",
    "TruncationEvent": "x",
    "PinEvent": "p",
    "UsageEvent": "k",
    "ConversationErrorEvent": "g",
}
MESSAGES = {"user": "u", "agent": "m", "environment": "e"}


@dataclass(frozen=True)
class Call:
    """A tool call of a reply, its arguments as received."""

    tool: str
    arguments: str
    call_id: str | None = None

    @property
    def action(self) -> Any:
        """The typed input, or None where the arguments are unusable."""
        try:
            value = json.loads(self.arguments, parse_constant=int)  # refuses NaN: it is no JSON
            if not isinstance(value, dict):
                return None
            return ACTIONS[self.tool](**value) if self.tool in ACTIONS else pay.HostAction(arguments=value)
        except (ValueError, RecursionError):
            return None


def call(tool: str, **arguments: Any) -> Call:
    """`call("read_file", path="a")`."""
    return Call(tool, json.dumps(arguments, ensure_ascii=False))


def words(text: str, *images: ImageBlock) -> tuple[Any, ...]:
    """Content blocks: the text, unless it is empty, and images."""
    return (*((TextBlock(text=text),) if text else ()), *images)


class Log:
    """Commits of events with stable ids, and their view."""

    def __init__(self) -> None:
        self.commits: list[tuple[Event | UnknownEvent, ...]] = []
        self.view = View()
        self._counts: Counter[str] = Counter()

    @property
    def events(self) -> list[Event | UnknownEvent]:
        """All events so far."""
        return [event for commit in self.commits for event in commit]

    @property
    def last(self) -> Any:
        """The latest event."""
        return self.commits[-1][-1]

    def __getitem__(self, event_id: str) -> Any:
        """The event with this id."""
        return next(event for event in self.events if event.id == event_id)

    def commit(self, *events: Event | UnknownEvent) -> Self:
        """Appends one commit."""
        self.commits.append(events)
        for event in events:
            self.view = self.view.add(event)
        return self

    def make(self, kind: type[ev.EventBase], **fields: Any) -> Any:
        """An event with the next id of its kind, not appended. What a person does has a command id."""
        source = fields.get("source", kind.model_fields["source"].default)
        prefix = MESSAGES[source] if kind is ev.MessageEvent else PREFIXES.get(kind.__name__, "z")
        stamp = self.stamp(prefix)
        command_id = f"command-{stamp['id']}" if source == "user" else None
        return kind(**{**stamp, "command_id": command_id, **fields})

    def stamp(self, prefix: str) -> Stamp:
        """The next id with this prefix, a second after the one before."""
        self._counts.update((prefix, "all"))
        time = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self._counts["all"])
        number = "" if prefix == "start" else self._counts[prefix]
        return {"id": f"{prefix}{number}", "timestamp": time.isoformat().replace("+00:00", "Z")}

    def next_id(self, prefix: str) -> str:
        """The id that the next event with this prefix will have."""
        return f"{prefix}{self._counts[prefix] + 1}"

    def _add(self, kind: type[ev.EventBase], **fields: Any) -> Self:
        return self.commit(self.make(kind, **fields))
