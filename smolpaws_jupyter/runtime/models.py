"""Which client speaks to which model: the one place where they are chosen."""

from __future__ import annotations

from ..core.events import ConversationStartEvent
from ..core.messages import request_size, system_message, tool_definitions
from ..core.profiles import Binding, is_local, is_practice
from .keys import Keys
from .llm import LLM


def llm_for(binding: Binding, keys: Keys) -> LLM:
    """The client of this binding's model. Nothing heavy is loaded before its first use."""
    if is_practice(binding.model):
        from .practice_llm import PracticeLLM

        return PracticeLLM(binding)
    if is_local(binding.model):
        from .local_llm import LocalLLM

        return LocalLLM(binding, keys)
    from .litellm_client import LitellmLLM

    return LitellmLLM(binding, keys)


def check_model(start: ConversationStartEvent) -> None:
    """Refuses a start that could never work, where that is known without asking: a practice window too small."""
    main = start.bindings.main
    if is_practice(main.model):
        from .practice_llm import check_window

        check_window(main, request_size([system_message(start)], tool_definitions(start.tools)))
