"""One model call and its tries: what was sent and shown, when to try again, when time is up (R-FAIL-8, R-SET-33)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from ..core.failures import REPEATABLE
from .llm import Delta, Failure, Limits, LLMFailure, Response
from .provider_errors import Refusal
from .redaction import Redactor, StreamRedactor

_LONGEST_PAUSE = 30.0


class Refused(Exception):
    """One try failed. Raised by a try, caught by `Tries`; it never leaves a client."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.failure.kind)
        self.refusal = refusal


class Tries:
    """Counts and times the HTTP requests of one call, and forwards its words."""

    def __init__(
        self,
        limits: Limits,
        on_delta: Callable[[Delta], None],
        on_send: Callable[[], None],
        redactor: Redactor,
        first_pause: float = 1.0,
    ) -> None:
        """`first_pause`, in seconds, doubles from try to try, with jitter; a provider's `Retry-After` replaces it."""
        self._limits = limits
        self._on_delta = on_delta
        self._on_send = on_send
        self._redactor = redactor
        self._first_pause = first_pause
        self._shown: dict[str, StreamRedactor] = {}
        self._sent = 0
        self._now = asyncio.get_running_loop().time
        self._started = self._now()
        self._first_sent: float | None = None

    @asynccontextmanager
    async def deadline(self) -> AsyncGenerator[None]:
        """The limit on the whole call: waiting, repeating and reading. Past it the call fails with `timeout`."""
        limit = self._limits.call_timeout_seconds
        try:
            async with asyncio.timeout(limit):
                yield
                return
        except TimeoutError:
            self._take_back()
        raise self.failed(Failure("timeout", f"There was no complete reply within {limit:g} seconds."))

    async def run(self, attempt: Callable[[], Awaitable[Response]]) -> Response:
        """The reply of the first try that succeeds. Raises `LLMFailure` once no other may follow."""
        while True:
            self._sent += 1
            self._first_sent = self._first_sent or self._now()
            self._on_send()
            try:
                response = await attempt()
            except Refused as refused:
                refusal = refused.refusal
            else:
                self._release_words()
                return replace(response, http_requests=self._sent, latency_ms=self._elapsed_ms())
            self._take_back()
            if not refusal.was_sent:
                self._sent -= 1
            pause = self._pause_before_another(refusal)
            if pause is None:
                raise self.failed(refusal.failure)
            await asyncio.sleep(pause)

    def show(self, delta: Delta) -> None:
        """Forward words; a key that comes in pieces does not get through (R-SEC-2)."""
        stream = self._shown.setdefault(delta.kind, StreamRedactor(self._redactor))
        if words := stream.feed(delta.text):
            self._on_delta(replace(delta, text=words))

    def failed(self, failure: Failure) -> LLMFailure:
        """The end of this call, with what it cost."""
        return LLMFailure(replace(failure, http_requests=self._sent, latency_ms=self._elapsed_ms()))

    def _release_words(self) -> None:
        for kind, stream in self._shown.items():
            if words := stream.flush():
                self._on_delta(Delta("reasoning" if kind == "reasoning" else "text", words))
        self._shown.clear()

    def _take_back(self) -> None:
        if self._shown:
            self._shown.clear()
            self._on_delta(Delta("restart"))

    def _pause_before_another(self, refusal: Refusal) -> float | None:
        """Seconds until the next try, or None if there must be none."""
        if self._sent >= self._limits.max_http_requests:
            return None
        if refusal.at_once:
            return 0.0
        if refusal.failure.kind not in REPEATABLE:
            return None
        pause = refusal.failure.retry_after
        if pause is None:
            pause = min(_LONGEST_PAUSE, self._first_pause * 2 ** (self._sent - 1)) * random.uniform(0.5, 1.0)  # noqa: S311
        elif self._limits.retry_after_max_seconds is not None and pause > self._limits.retry_after_max_seconds:
            return None
        left = self._seconds_left()
        return None if left is not None and pause >= left else pause

    def _seconds_left(self) -> float | None:
        limit = self._limits.call_timeout_seconds
        return None if limit is None else self._started + limit - self._now()

    def _elapsed_ms(self) -> int:
        """Since the first request left: loading the library is no latency of the model's."""
        return 0 if self._first_sent is None else round((self._now() - self._first_sent) * 1_000)
