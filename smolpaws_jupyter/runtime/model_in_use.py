"""The client of the binding of the moment."""

from __future__ import annotations

from collections.abc import Callable

from ..core.profiles import Binding
from .llm import LLM

LLMFactory = Callable[[Binding], LLM]


class ModelInUse:
    """The client of the binding of the moment, and its window; made anew when the binding changes."""

    def __init__(self, llm_for: LLMFactory) -> None:
        self._llm_for = llm_for
        self._binding: Binding | None = None
        self.llm: LLM | None = None
        self.window: int | None = None

    async def load(self, binding: Binding) -> LLM:
        """The client, with its window looked up. Sends nothing."""
        if self.llm is None or self._binding != binding:
            await self.aclose()
            llm = self._llm_for(binding)
            self.window = await llm.window()
            self.llm, self._binding = llm, binding
        return self.llm

    async def aclose(self) -> None:
        """Lets go of the client."""
        if self.llm is not None:
            llm, self.llm = self.llm, None
            await llm.aclose()

    def current(self, binding: Binding | None) -> tuple[LLM | None, int | None]:
        """Client and window, if those of this binding are loaded."""
        return (self.llm, self.window) if self._binding == binding else (None, None)
