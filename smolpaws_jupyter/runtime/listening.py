"""What can be heard of a run beside its log: the words still coming, and what the agent is busy with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from ..core.wire import Detail
from .llm import Delta, Failure

Change = Literal["status", "approvals"]


@dataclass(frozen=True, slots=True)
class Words:
    """Something to show that is not in the log: words still coming, a tool's live tail, or what a provider said."""

    kind: Literal["delta", "output", "problem"]
    text: str
    about: str = ""


class Listener(Protocol):
    """Hears what is not in the log: the words of a reply that is still coming, and what the agent is busy with."""

    def busy(self, detail: Detail) -> None: ...

    def delta(self, delta: Delta) -> None: ...

    def problem(self, failure: Failure) -> None: ...

    def notice(self, code: str, text: str) -> None: ...


class Announcer:
    """The listener of one conversation: passes on what it hears, and keeps the latest of what is kept nowhere else."""

    def __init__(self) -> None:
        self.detail: Detail = ""
        """What the agent is busy with."""
        self.last_problem: Failure | None = None
        self._on_words: list[Callable[[Words], None]] = []
        self._on_change: list[Callable[[Change], None]] = []

    def on_words(self, listener: Callable[[Words], None]) -> None:
        self._on_words.append(listener)

    def on_change(self, listener: Callable[[Change], None]) -> None:
        self._on_change.append(listener)

    def changed(self, what: Change) -> None:
        for listener in tuple(self._on_change):
            listener(what)

    # From the agent

    def busy(self, detail: Detail) -> None:
        self.detail = detail
        self.changed("status")

    def delta(self, delta: Delta) -> None:
        self._say(Words("delta", delta.text, delta.kind))

    def problem(self, failure: Failure) -> None:
        self.last_problem = failure
        self._say(Words("problem", failure.text, failure.kind))

    def notice(self, code: str, text: str) -> None:
        self._say(Words("problem", text, code))

    # From the tools

    def waiting_changed(self) -> None:
        self.changed("approvals")
        self.changed("status")

    def tool(self, action_id: str) -> None:
        self.busy("tool")

    def output(self, action_id: str, text: str) -> None:
        self._say(Words("output", text, action_id))

    def _say(self, words: Words) -> None:
        for listener in tuple(self._on_words):
            listener(words)
