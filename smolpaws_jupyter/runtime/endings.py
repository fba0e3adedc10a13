"""What a person is told when an overflow ends a run: which part is too large, and how large (R-EMERG-5 to 7)."""

from __future__ import annotations

from collections.abc import Sequence

from ..core import wording
from ..core.base import JsonObject
from ..core.messages import Renderer, request_size, system_message
from ..core.view import View
from .llm import LLM, Failure


async def overflow_error(
    failure: Failure,
    view: View,
    renderer: Renderer,
    tools: Sequence[JsonObject],
    llm: LLM,
    window: int | None,
    hard_condenser: bool,
) -> tuple[str, str]:
    """Code and text of the error.

    Numbers that the refusal named come first, then metadata, then estimates (R-FAIL-7).
    """
    real_window = failure.window or window
    output = (
        failure.output_tokens or (view.binding.max_output_tokens if view.binding else None) or await llm.output_limit()
    )
    input_tokens = failure.input_tokens or (view.count.tokens if view.count else None)
    if real_window and output and input_tokens and input_tokens < real_window <= input_tokens + output:
        return "output_allowance_too_large", wording.output_allowance_too_large(input_tokens, output, real_window)

    head = [system_message(view.start)] if view.start else []
    fixed = llm.estimate(request_size(head, tools)) or 0
    if real_window and fixed >= real_window:
        return "fixed_context_too_large", wording.fixed_context_too_large(fixed, real_window)

    if not view.read:
        whole = llm.estimate(renderer.size(view, tools)) or 0
        pending = max(0, whole - fixed)
        if not real_window and fixed > pending:
            return "fixed_context_too_large", wording.fixed_context_too_large(fixed, None)
        return "input_too_large", wording.input_too_large(pending, real_window)

    return "context_window_exceeded", wording.overflow_without_rescue(hard_condenser)
