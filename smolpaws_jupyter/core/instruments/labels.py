"""What each event of a log is called in a list: its place, what it is, and its first words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..events import ActionEvent, Event
from ..records import UnknownEvent

What = Literal["user", "agent", "remark", "advice", "call", "result", "notice", "summary"]

LENGTH = 80


@dataclass(frozen=True, slots=True)
class Label:
    """`name` is that of the tool; `about` the first words of a text, or what a call is about."""

    position: int
    event_id: str
    what: What
    name: str = ""
    about: str = ""


class Labels:
    """By the ids of entries: those of events, and those that a condensation gives to its notice and its summary."""

    def __init__(self) -> None:
        self._labels: dict[str, Label] = {}
        self._length = 0

    def __getitem__(self, entry_id: str) -> Label:
        return self._labels[entry_id]

    def add(self, event: Event | UnknownEvent) -> None:
        """The next event of the log."""
        if type(event) is not UnknownEvent:
            for entry_id, label in self._of(event):
                self._labels[entry_id] = label
        self._length += 1

    def _of(self, event: Event) -> list[tuple[str, Label]]:
        at = self._length
        match event.kind:
            case "MessageEvent":
                what: What = "remark" if event.source == "environment" else event.source
                return [(event.id, Label(at, event.id, what, about=_short(event.text)))]
            case "ActionEvent":
                return [(event.id, Label(at, event.id, "call", event.tool_name, _about(event)))]
            case "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation":
                call = self._labels.get(event.action_id)
                about = call.about if call is not None else ""
                return [(event.id, Label(at, event.id, "result", event.tool_name, about))]
            case "ContextWarningEvent" | "ContextWindowReminderEvent":
                return [(event.id, Label(at, event.id, "advice", about=_short(event.text)))]
            case "Condensation":
                texts: list[tuple[What, str | None]] = [("notice", event.notice), ("summary", event.summary)]
                return [
                    (f"{event.id}-{what}", Label(at, event.id, what, about=_short(text)))
                    for what, text in texts
                    if text is not None
                ]
            case _:
                return []


def _about(call: ActionEvent) -> str:
    """The path, the query or the code of a call; else its arguments."""
    fields = call.action.model_dump() if call.action is not None else {}
    chosen = next(
        (fields[name] for name in ("path", "query", "code", "command") if isinstance(fields.get(name), str)), ""
    )
    return _short(chosen or call.arguments)


def _short(text: str) -> str:
    line = " ".join(text[: 4 * LENGTH].split())
    return line if len(line) <= LENGTH else f"{line[: LENGTH - 1]}…"
