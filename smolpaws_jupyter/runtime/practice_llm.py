"""The practice model behind the LLM door: its habits, its pace, and refusals that are classified like a provider's."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import JsonValue

from ..core.base import Usage
from ..core.errors import SettingsError, StartError
from ..core.failure_body import read_body
from ..core.failure_numbers import numbers_of
from ..core.failures import classify
from ..core.messages import Size
from ..core.practice.window import HABITS, least_window, tokens
from ..core.profiles import Binding
from .llm import Delta, Failure, Limits, LLMFailure, Request, Response, ToolCall

if TYPE_CHECKING:
    from ..core.practice.reply import Overflow, Reply

WINDOW = 8_000
"""Tokens, unless `params.window` says otherwise."""

PACE = 0.5
"""Seconds for one reply, unless `params.pace` says otherwise: so that a person can watch."""

MODELS = ("practice", *(f"practice/{habit}" for habit in HABITS[1:]))
"""The names under which the habits are chosen; the plain name is the diligent one."""


class PracticeLLM:
    """An `LLM` without a network. Params: `window` (tokens), `pace` (seconds for a reply; 0 does not wait)."""

    def __init__(self, binding: Binding) -> None:
        """Raises `SettingsError` for an unknown habit, and for params of the wrong kind."""
        self._habit = habit_of(binding.model)
        self._window = window_of(binding)
        self._pace = _param(binding, "pace", PACE, "a number of seconds, 0 or more", lambda value: value >= 0)

    async def window(self) -> int | None:
        """The declared window (R-BUD-1)."""
        return self._window

    async def output_limit(self) -> int | None:
        """None: nothing limits a reply but its own brevity."""
        return None

    async def check_key(self) -> None:
        """Nothing to find: there is no key."""

    def estimate(self, size: Size) -> int | None:
        """Exactly what will be reported and checked against the window."""
        return tokens(size.bytes)

    async def complete(
        self, request: Request, limits: Limits, on_delta: Callable[[Delta], None], on_send: Callable[[], None]
    ) -> Response:
        """The reply to this request, word by word. Nothing leaves the process, so `on_send` is never called."""
        from ..core.practice.reply import Overflow, reply  # its patterns take longer to load than an agent to appear

        began = time.monotonic()
        said = reply(request.messages, request.tools, self._habit, self._window)
        if isinstance(said, Overflow):
            await asyncio.sleep(self._pace)
            raise LLMFailure(replace(_failure(said), latency_ms=_since(began)))
        await self._speak(said.text, on_delta)
        return replace(_response(said), latency_ms=_since(began))

    async def aclose(self) -> None:
        """Nothing to let go of."""

    async def _speak(self, text: str, on_delta: Callable[[Delta], None]) -> None:
        words = re.findall(r"\S+\s*|\s+", text)
        for word in words:
            if self._pace:
                await asyncio.sleep(self._pace / len(words))
            on_delta(Delta("text", word))


def habit_of(model: str) -> str:
    """The habit that a model name chooses. Raises `SettingsError`."""
    if model not in MODELS:
        raise SettingsError("model", "a habit of the practice model", allowed=MODELS)
    return model.partition("/")[2] or HABITS[0]


def window_of(binding: Binding) -> int:
    """The window of a practice model, in tokens. Raises `SettingsError`."""
    return int(_param(binding, "window", WINDOW, "a whole number of tokens above 0", lambda v: v > 0 and v == int(v)))


def check_window(binding: Binding, fixed: Size) -> None:
    """Whether a conversation can work in this model's window; to be asked before it starts.

    `fixed` is the size of a request without history: system message and tools. Raises `StartError` (`window_too_small`)
    with the least number where it leaves no room for a page and notes; `SettingsError` for wrong params or names.
    """
    habit_of(binding.model)
    window, least = window_of(binding), least_window(tokens(fixed.bytes))
    if window < least:
        raise StartError(
            "window_too_small",
            f"A window of {window:,} tokens is too small: instructions and tools take {tokens(fixed.bytes):,}, and "
            "beside them a page and notes have to fit.",
            detail=f"Set params.window of the profile to at least {least}.",
        )


def _param(binding: Binding, name: str, default: float, expected: str, lawful: Callable[[float], bool]) -> float:
    value: JsonValue = (binding.params or {}).get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not lawful(value):
        raise SettingsError(f"params.{name}", expected)
    return value


def _failure(refused: Overflow) -> Failure:
    """The refusal, read and classified as if it had come over the network."""
    body = read_body(json.dumps(refused.body))
    numbers = numbers_of(body)
    return Failure(
        classify(refused.status, body.code, body.type, body.text),
        body.text,
        refused.status,
        input_tokens=numbers.input_tokens,
        window=numbers.window,
        output_tokens=numbers.output_tokens,
    )


def _response(said: Reply) -> Response:
    calls = () if said.tool is None else (ToolCall(None, said.tool, json.dumps(said.arguments, ensure_ascii=False)),)
    return Response(
        text=said.text,
        calls=calls,
        finish_reason="tool_calls" if calls else "stop",
        usage=Usage(input=said.input_tokens, output=said.output_tokens, cost=0.0),
    )


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
