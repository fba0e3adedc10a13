"""What a scripted model does in answer to one request, and the builders that say it in a word.

`reply("Done.").using(input=750)`, `call("read_file", path="data.csv").saying("Let me look.")`,
`calls(call("read_file", path="a"), call("read_file", path="b"))`, `reply("slow").held(gate)`, `overflow()`.
"""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from ..core.base import JsonObject, Usage
from ..core.failures import FailureClass
from ..runtime.llm import Failure, ToolCall

NUMBERED = "(numbered by the scripted model)"
"""The id of a call that the model numbers itself."""


class Gate:
    """Holds a reply until the test opens it. Test and model may live in different threads or loops."""

    def __init__(self) -> None:
        self._reached = _Signal()
        self._opened = _Signal()

    def open(self) -> None:
        """Let the reply pass, now or when it comes."""
        self._opened.set()

    async def reached(self) -> None:
        """Return once a reply stands at the gate."""
        await asyncio.wrap_future(self._reached.waiter())

    def wait_until_reached(self, timeout: float = 10) -> None:
        """As `reached`, for a test without a loop; `TimeoutError` after `timeout` seconds."""
        self._reached.waiter().result(timeout)

    async def passed(self) -> None:
        """Stand at the gate until it is open; what the model does."""
        self._reached.set()
        await asyncio.wrap_future(self._opened.waiter())

    def arrive(self) -> bool:
        """Stand at the gate without waiting; whether it is open."""
        self._reached.set()
        return self._opened.is_set


class _Signal:
    """Set once, and waited for by any number of threads and loops."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.is_set = False
        self._waiters: list[Future[None]] = []

    def set(self) -> None:
        with self._lock:
            self.is_set = True
            waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if waiter.set_running_or_notify_cancel():
                waiter.set_result(None)

    def waiter(self) -> Future[None]:
        """A future of the waiter's own, so that a cancelled waiter disturbs no other."""
        future: Future[None] = Future()
        with self._lock:
            if not self.is_set:
                self._waiters.append(future)
                return future
        future.set_result(None)
        return future


@dataclass(frozen=True, slots=True)
class Move:
    """One answer of a scripted model: a reply, or a failure. Make it with the builders, refine it with the methods."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: JsonObject | None = None
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    failure: Failure | None = None
    http_requests: int = 1
    latency_ms: int = 0
    chunks: tuple[str, ...] = ()
    gate: Gate | None = None
    gate_after: int = 0

    def using(
        self,
        input: int | None = None,  # noqa: A002 - the names of `Usage`
        output: int | None = None,
        *,
        cache_read: int | None = None,
        cache_write: int | None = None,
        reasoning: int | None = None,
        cost: float | None = None,
    ) -> Move:
        """The same move, reporting this usage in tokens and US dollars; what is not named stays unknown."""
        usage = Usage(
            input=input, output=output, cache_read=cache_read, cache_write=cache_write, reasoning=reasoning, cost=cost
        )
        return replace(self, usage=usage)

    def saying(self, text: str) -> Move:
        """The same move with text beside its calls."""
        return replace(self, text=text)

    def thinking(self, **fields: Any) -> Move:
        """The same move with opaque reasoning, as the fields of the message that must be sent back."""
        return replace(self, reasoning=fields)

    def finishing(self, reason: str | None) -> Move:
        """The same move with another finish reason, such as `length`."""
        return replace(self, finish_reason=reason)

    def requesting(self, times: int) -> Move:
        """The same move after so many HTTP requests (retries included); 0: nothing left the process."""
        return replace(self, http_requests=times)

    def streamed(self, *chunks: str) -> Move:
        """The same move, its words arriving in these pieces. For a failure: the words that came before it."""
        return replace(self, chunks=chunks, text="".join(chunks) if self.failure is None else self.text)

    def held(self, gate: Gate, *, after: int = 0) -> Move:
        """The same move, waiting at `gate` once `after` of its chunks were delivered."""
        return replace(self, gate=gate, gate_after=after)


def reply(text: str = "") -> Move:
    """Words without calls: the end of a turn. Without text it is an empty reply (R-STEP-9)."""
    return Move(text=text, finish_reason="stop", chunks=(text,) if text else ())


def call(name: str, /, **arguments: Any) -> Move:
    """One tool call with these arguments."""
    return raw_call(name, json.dumps(arguments, ensure_ascii=False))


def raw_call(name: str, arguments: str, *, id: str | None = NUMBERED) -> Move:  # noqa: A002 - the field of a call
    """One tool call whose argument text, and id if given, are exactly these: cut JSON, a repeated id, an empty one.

    Without `id` the model numbers its calls; None means that the provider sent none.
    """
    return Move(calls=(ToolCall(id, name, arguments),), finish_reason="tool_calls")


def calls(*moves: Move) -> Move:
    """Several calls in one reply, in this order."""
    together = tuple(c for move in moves for c in move.calls)
    text = "\n".join(move.text for move in moves if move.text)
    return Move(text=text, calls=together, finish_reason="tool_calls")


def failure(
    kind: FailureClass,
    text: str = "",
    *,
    status: int | None = None,
    input_tokens: int | None = None,
    window: int | None = None,
    output_tokens: int | None = None,
) -> Move:
    """A failed call; the numbers are those that the refusal itself named, in tokens."""
    text = text or f"scripted {kind}"
    return Move(
        failure=Failure(kind, text, status, input_tokens=input_tokens, window=window, output_tokens=output_tokens)
    )


def overflow(input_tokens: int | None = None, window: int | None = None, output_tokens: int | None = None) -> Move:
    """A refusal because of the context size, in the words of a llama.cpp server: with numbers if both are given."""
    text = "the request exceeds the available context size, try increasing it"
    if input_tokens is not None and window is not None:
        text = (
            f"request ({input_tokens} tokens) exceeds the available context size ({window} tokens), try increasing it"
        )
    return failure("overflow", text, status=400, input_tokens=input_tokens, window=window, output_tokens=output_tokens)
