"""A model that follows a script and records what it was sent: the LLM door without a network."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import replace

from ..core.messages import Size
from ..runtime.llm import Delta, Failure, Limits, LLMFailure, Request, Response, ToolCall
from .moves import NUMBERED, Move

Script = Iterable[Move | Callable[[Request], Move]] | Callable[[Request], Move]
"""Moves in order, each ready-made or made from the request that it answers; or one function for all requests."""


class ScriptExhausted(AssertionError):
    """The model was asked once more than its script foresaw."""


class ScriptedLLM:
    """Answers each request with the next move of its script (an `LLM`).

    `requests` and `limits` hold what every call was given, as it was then. `window` and `output_limit` are the metadata
    that the model declares, in tokens; `estimate` counts a request of a given size.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        window: int | None = None,
        output_limit: int | None = None,
        estimate: Callable[[Size], int | None] = lambda size: size.bytes // 4,
    ) -> None:
        self._rule = script if callable(script) else None
        self._moves = [] if callable(script) else list(script)
        self._window = window
        self._output_limit = output_limit
        self._estimate = estimate
        self._calls_made = 0
        self.missing_key: str | None = None
        """Set it to a key reference to let the key be missing."""
        self.keep_requests = True
        """Set it to False for long runs, which would hold a copy of each request otherwise."""
        self.requests: list[Request] = []
        self.limits: list[Limits] = []

    @property
    def left(self) -> int:
        """How many moves of the script were not asked for."""
        return len(self._moves)

    def extend(self, moves: Iterable[Move | Callable[[Request], Move]]) -> None:
        """Add moves to the end of the script."""
        self._moves.extend(moves)

    async def window(self) -> int | None:
        """The declared input window."""
        return self._window

    async def output_limit(self) -> int | None:
        """The declared output limit."""
        return self._output_limit

    async def check_key(self) -> None:
        """Raises what `missing_key` says, if anything."""
        if self.missing_key is not None:
            raise LLMFailure(Failure("missing_key", self.missing_key))

    def estimate(self, size: Size) -> int | None:
        """What the given counter says."""
        return self._estimate(size)

    async def complete(
        self, request: Request, limits: Limits, on_delta: Callable[[Delta], None], on_send: Callable[[], None]
    ) -> Response:
        """The next move; `ScriptExhausted` when there is none."""
        if self.keep_requests:
            self.requests.append(copy.deepcopy(request))
            self.limits.append(limits)
        move = self._next(request)
        for _ in range(move.http_requests):
            on_send()
        await _stream(move, on_delta)
        if move.failure is not None:
            spent = replace(
                move.failure, usage=move.usage, http_requests=move.http_requests, latency_ms=move.latency_ms
            )
            raise LLMFailure(spent)
        return Response(
            text=move.text,
            calls=tuple(map(self._numbered, move.calls)),
            reasoning=move.reasoning,
            finish_reason=move.finish_reason,
            usage=move.usage,
            id=f"scripted-{len(self.requests)}",
            http_requests=move.http_requests,
            latency_ms=move.latency_ms,
        )

    async def aclose(self) -> None:
        """Nothing to let go of."""

    def _next(self, request: Request) -> Move:
        if self._rule is not None:
            return self._rule(request)
        if not self._moves:
            raise ScriptExhausted(f"the script has no move for request {len(self.requests)}")
        move = self._moves.pop(0)
        return move(request) if callable(move) else move

    def _numbered(self, call: ToolCall) -> ToolCall:
        if call.id != NUMBERED:
            return call
        self._calls_made += 1
        return replace(call, id=f"call_{self._calls_made}")


async def _stream(move: Move, on_delta: Callable[[Delta], None]) -> None:
    chunks = move.chunks or ((move.text,) if move.text else ())
    for chunk in chunks[: move.gate_after]:
        on_delta(Delta("text", chunk))
    if move.gate is not None:
        await move.gate.passed()
    for chunk in chunks[move.gate_after :]:
        on_delta(Delta("text", chunk))
