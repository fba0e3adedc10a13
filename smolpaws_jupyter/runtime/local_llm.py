"""A GGUF file as a model, in this process and without a key (extra `[local]`).

llama.cpp's own server runs on loopback behind a random key, and the ordinary client talks to it: so tokens, streaming,
cancelling and overflow are those of a real server.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from ..core.errors import SettingsError, StartError
from ..core.messages import Size
from ..core.profiles import Binding
from .keys import Keys
from .litellm_client import LitellmLLM
from .llm import Delta, Limits, Request, Response

WINDOW = 8_192
"""Tokens of context, unless `params.n_ctx` says otherwise."""


class LocalLLM:
    """An `LLM` over one model file. Params: `n_ctx` (tokens), `n_threads`.

    The model calls tools only if its chat template knows them. The server lives as long as this object.
    """

    def __init__(self, binding: Binding, keys: Keys) -> None:
        """Raises `SettingsError` where there is no such file; nothing is loaded yet."""
        self.binding = binding
        self._keys = keys
        self._path = Path(binding.model.removeprefix("local:")).expanduser()
        if not self._path.is_file():
            raise SettingsError("model", "the path of a GGUF file after 'local:'", detail="There is no such file.")
        self._window = _whole_number(binding, "n_ctx", WINDOW)
        self._threads = _whole_number(binding, "n_threads", 0)
        self._server: Any = None
        self._client: LitellmLLM | None = None
        self._loading = asyncio.Lock()

    async def window(self) -> int | None:
        """The context that the model is loaded with."""
        return self._window

    async def output_limit(self) -> int | None:
        """None: output and input share the window."""
        return None

    async def check_key(self) -> None:
        """Nothing to find: the key is this object's own."""

    def estimate(self, size: Size) -> int | None:
        """That of the client, once there is one; before, 3.6 bytes a token."""
        return round(size.bytes / 3.6) if self._client is None else self._client.estimate(size)

    async def complete(
        self, request: Request, limits: Limits, on_delta: Callable[[Delta], None], on_send: Callable[[], None]
    ) -> Response:
        """One reply of the model; loads it first."""
        client = await self._loaded()
        return await client.complete(request, limits, on_delta, on_send)

    async def aclose(self) -> None:
        """Unloads the model."""
        if self._client is not None:
            await self._client.aclose()
        self._client = self._server = None

    async def _loaded(self) -> LitellmLLM:
        async with self._loading:
            if self._client is None:
                key = secrets.token_urlsafe(24)
                self._server = await asyncio.to_thread(_serve, str(self._path), self._window, self._threads, key)
                profile = f"local server {id(self)}"
                self._keys.enter(profile, key)
                params = {k: v for k, v in (self.binding.params or {}).items() if k not in ("n_ctx", "n_threads")}
                served = self.binding.model_copy(
                    update={
                        "profile": profile,
                        "model": "openai/local",
                        "base_url": f"{self._server.listening_address}/v1",
                        "params": params or None,
                    }
                )
                self._client = LitellmLLM(served, self._keys)
            return self._client


def _serve(path: str, window: int, threads: int, key: str) -> Any:
    """llama.cpp's server on a loopback port of its own choice. Takes as long as loading the model does."""
    try:
        import xllamacpp as module  # pyright: ignore[reportMissingTypeStubs]
    except ImportError:
        raise StartError(
            "local_model_not_installed",
            "A model file needs the package xllamacpp.",
            detail="Install it with: pip install smolpaws-jupyter[local]",
        ) from None
    xllamacpp: Any = module  # it has no type hints
    p = xllamacpp.CommonParams()
    p.model.path, p.n_ctx, p.verbosity = path, window, 0
    p.n_parallel = 1  # else the context is split
    p.ctx_shift = p.fit_params = False  # else an overflow is hidden, or the window is not what was asked for
    p.cache_ram_mib, p.ui, p.offline, p.endpoint_slots = 0, False, True, False
    p.hostnames, p.port, p.api_keys = ["127.0.0.1"], 0, [key]
    if threads:
        p.cpuparams.n_threads = p.cpuparams_batch.n_threads = threads
    try:
        return xllamacpp.Server(p)
    except RuntimeError:
        raise SettingsError(
            "model", "a GGUF file that llama.cpp can load", detail="This file could not be loaded."
        ) from None


def _whole_number(binding: Binding, name: str, default: int) -> int:
    value: JsonValue = (binding.params or {}).get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise SettingsError(f"params.{name}", "a whole number")
    return value
