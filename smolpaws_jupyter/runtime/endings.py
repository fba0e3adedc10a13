"""What a person is told when an overflow ends a run: which part is too large, and how large (R-EMERG-5 to 7)."""

from __future__ import annotations

from collections.abc import Sequence

from ..core import wording
from ..core.base import JsonObject
from ..core.messages import Renderer, request_size, system_message
from ..core.view import View
from .llm import LLM, Failure

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

    async def ending(self, otherwise: Ending) -> Ending:
        """The error that ends the run."""
        return await self.output_allowance() or self.no_summary_helps() or otherwise
