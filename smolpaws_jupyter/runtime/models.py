"""Which client speaks to which model: the one place where they are chosen."""

from __future__ import annotations

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

        return LocalLLM(binding)
    from .litellm_client import LitellmLLM

    return LitellmLLM(binding, keys)
