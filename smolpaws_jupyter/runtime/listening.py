"""What can be heard of a run beside its log."""

from __future__ import annotations

from typing import Protocol

from ..core.wire import Detail
from .llm import Delta, Failure


class Listener(Protocol):
    """Hears what is not in the log: the words of a reply that is still coming, and what the agent is busy with."""

    def busy(self, detail: Detail) -> None: ...

    def delta(self, delta: Delta) -> None: ...

    def problem(self, failure: Failure) -> None: ...

    def notice(self, code: str, text: str) -> None: ...
