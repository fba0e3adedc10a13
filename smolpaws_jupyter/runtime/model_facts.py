"""What is known of a model without asking it: its limits, its price, what it takes, how large a request is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from ..core.base import Usage
from ..core.messages import Size, request_size
from ..core.profiles import Binding, is_loopback, provider_of
from .llm import LLMFailure, Request

_BYTES_PER_TOKEN = 3.6
_TOKENS_PER_IMAGE = 1_000

_ASKS_THE_NETWORK = ("ollama", "ollama_chat", "lemonade", "github_copilot", "chatgpt")
"""Providers whose metadata litellm would fetch by a request of its own; nothing is asked for that way."""


class ModelFacts:
    """The facts about one binding's model, read from litellm's bundled lists and from what was counted before."""

    def __init__(self, binding: Binding, load: Callable[[], Awaitable[Any]]) -> None:
        """`load` gives the litellm module."""
        self._binding = binding
        self._load = load
        self._info: Mapping[str, Any] | None = None
        self._counted: tuple[Request, int] | None = None

    async def window(self) -> int | None:
        """`max_input_tokens`; never `max_tokens`, which means output (R-BUD-1, R-BUD-2)."""
        return _positive((await self._look_up()).get("max_input_tokens"))

    async def output_limit(self) -> int | None:
        """`max_output_tokens`; None where it is as large as the window.

        Such a figure means that input and output share one window: to reserve all of it would get each request refused.
        """
        info = await self._look_up()
        limit, window = _positive(info.get("max_output_tokens")), _positive(info.get("max_input_tokens"))
        return None if limit is None or (window is not None and limit >= window) else limit

    async def provider(self) -> str:
        """The provider that the model's name begins with, or that litellm knows a bare name to be of; else ""."""
        model = self._binding.model
        return provider_of(model) or await asyncio.to_thread(self._provider_of_bare, await self._load())

    async def supports(self, option: str) -> bool:
        """Whether the provider takes this request option; an unknown provider takes none."""
        return option in await asyncio.to_thread(self._options, await self._load())

    async def cost(self, usage: Usage) -> float | None:
        """US dollars by the bundled prices; None where there is no price, or where a server of one's own answers."""
        info, base_url = await self._look_up(), self._binding.base_url
        priced = info.get("input_cost_per_token") or info.get("output_cost_per_token")
        if (
            not priced
            or usage.input is None
            or usage.output is None
            or (base_url is not None and is_loopback(base_url))
        ):
            return None
        return await asyncio.to_thread(self._price, await self._load(), usage)

    def remember(self, request: Request, counted: int) -> None:
        """A provider counted this request, in tokens."""
        self._counted = request, counted

    def estimate(self, size: Size) -> int:
        """3.6 bytes a token and 1,000 tokens an image, corrected by how the last success was counted (R-BUD-8)."""
        guess = _guess(size)
        if self._counted is not None:
            request, counted = self._counted
            guess *= min(4.0, max(0.25, counted / _guess(request_size(request.messages, request.tools))))
        return round(guess)

    async def _look_up(self) -> Mapping[str, Any]:
        if self._info is None:
            try:
                litellm = await self._load()
            except LLMFailure:
                return {}  # the call itself will say so
            self._info = await asyncio.to_thread(self._metadata, litellm)
        return self._info

    def _metadata(self, litellm: Any) -> Mapping[str, Any]:
        if provider_of(self._binding.model) in _ASKS_THE_NETWORK:
            return {}
        try:
            return cast("Mapping[str, Any]", litellm.get_model_info(self._binding.model))
        except Exception:  # noqa: BLE001 - it raises many kinds for a model that it does not know
            return {}

    def _provider_of_bare(self, litellm: Any) -> str:
        try:
            return str(litellm.get_llm_provider(self._binding.model)[1])
        except Exception:  # noqa: BLE001 - as above
            return ""

    def _options(self, litellm: Any) -> list[str]:
        try:
            model, provider, *_ = litellm.get_llm_provider(self._binding.model)
            return litellm.get_supported_openai_params(model=model, custom_llm_provider=provider) or []
        except Exception:  # noqa: BLE001 - an unknown provider is reported by the call itself, in its own words
            return []

    def _price(self, litellm: Any, usage: Usage) -> float | None:
        try:
            prompt, completion = litellm.cost_per_token(
                model=self._binding.model,
                prompt_tokens=usage.input,
                completion_tokens=usage.output,
                cache_read_input_tokens=usage.cache_read or 0,
                cache_creation_input_tokens=usage.cache_write or 0,
            )
        except Exception:  # noqa: BLE001 - a price that cannot be worked out is unknown
            return None
        return float(prompt + completion)


def _guess(size: Size) -> float:
    return max(1.0, (size.bytes - size.image_bytes) / _BYTES_PER_TOKEN) + size.images * _TOKENS_PER_IMAGE


def _positive(value: object) -> int | None:
    """A limit of the metadata; missing, zero, negative and non-numbers are unknown."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e12 or value != int(value):
        return None
    return int(value)
