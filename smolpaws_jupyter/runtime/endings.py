"""What a person is told when an overflow ends a run: which part is too large, and how large (R-EMERG-5 to 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

from ..core import wording
from ..core.base import JsonObject
from ..core.events import ConversationErrorEvent, Event
from ..core.messages import Renderer, request_size, system_message
from ..core.view import View
from .control import RunEnded
from .llm import LLM, Failure
from .log import EventLog, mint

Ending = tuple[str, str]
"""A code of R-CODE-2, and a text for people."""


class Overflow:
    """One overflow, with the numbers that are known: those of the refusal first, then metadata, then estimates."""

    def __init__(
        self,
        failure: Failure,
        view: View,
        renderer: Renderer,
        tools: Sequence[JsonObject],
        llm: LLM,
        window: int | None,
    ) -> None:
        """`window` is the model's own input window from metadata, in tokens; None if unknown."""
        self.failure = failure
        self.view = view
        self.llm = llm
        self.metadata_window = window
        self.window = failure.window or window
        head = [system_message(view.start)] if view.start else []
        self.fixed = llm.estimate(request_size(head, tools)) or 0
        self.known = llm.estimate(renderer.size(replace(view, unread=(), asides=()), tools)) or 0
        """The fixed context and all that was read."""
        self.whole = llm.estimate(renderer.size(view, tools)) or 0

    async def output_allowance(self) -> Ending | None:
        """Where the input fits and the output allowance beside it does not (R-EMERG-7)."""
        profile = self.view.binding.max_output_tokens if self.view.binding else None
        output = self.failure.output_tokens or profile or await self.llm.output_limit()
        tokens = self.failure.input_tokens or (self.view.count.tokens if self.view.count else None)
        if self.window and output and tokens and tokens < self.window <= tokens + output:
            return "output_allowance_too_large", wording.output_allowance_too_large(tokens, output, self.window)
        return None

    def no_summary_helps(self) -> Ending | None:
        """Where what is too large is no history: the fixed context, or a message not read yet (R-EMERG-5, 6)."""
        if self.metadata_window is not None and self.fixed >= self.metadata_window:
            return "fixed_context_too_large", wording.fixed_context_too_large(self.fixed, self.metadata_window)
        if self.view.read:
            return None
        pending = max(0, self.whole - self.fixed)
        if self.window is None and self.fixed > pending:
            return "fixed_context_too_large", wording.fixed_context_too_large(self.fixed, None)
        return "input_too_large", wording.input_too_large(pending, self.window)

    def largest_part(self) -> str:
        """A sentence that names the largest part of the request, by estimate; empty where there is none (R-WORD-14)."""
        parts = {
            "its fixed context (instructions, memory, tools)": self.fixed,
            "the history": self.known - self.fixed,
            "what the model has not read yet": self.whole - self.known,
        }
        part, tokens = max(parts.items(), key=lambda item: item[1])
        return wording.largest_part(part, tokens) if tokens > 0 else ""

    def named(self, text: str) -> str:
        """`text` with the largest part of the request."""
        return f"{text} {self.largest_part()}".strip()

    def too_large(self, otherwise: Ending) -> Ending:
        """The part that is over the limit by itself, where nothing can be summarised (R-NEW-22)."""
        pending = self.whole - self.known
        if self.view.unread and self.window is not None and self.fixed + pending >= self.window:
            return "input_too_large", wording.input_too_large(pending, self.window)
        return self.no_summary_helps() or otherwise

    async def ending(self, otherwise: Ending) -> Ending:
        """The error that ends the run."""
        return await self.output_allowance() or self.no_summary_helps() or otherwise


def end(log: EventLog, code: str, detail: str, records: Sequence[Event] = ()) -> NoReturn:
    """Ends the run with a recoverable error, in one commit with these records (R-EMERG-4)."""
    log.append(*records, ConversationErrorEvent(**mint(), code=code, detail=detail, recoverable=True))
    raise RunEnded
