"""What a scripted server sends back: replies in OpenAI's format, refusals, and faults of the line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..runtime.llm import Failure
from .moves import NUMBERED, Gate, Move

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer. A body of several pieces is sent as they are, one after the other."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    pieces: tuple[bytes, ...] = ()
    cut_at: int | None = None
    pause: float = 0.0
    gate: Gate | None = None
    gate_after: int = 0

    def cut(self, at: int) -> Answer:
        """The connection breaks after so many bytes of the body; at 0 there is not even a status line."""
        return replace(self, cut_at=at)

    def slowly(self, pause: float) -> Answer:
        """So many seconds pass before each piece."""
        return replace(self, pause=pause)

    def byte_by_byte(self) -> Answer:
        """Every byte is a piece of its own."""
        return replace(self, pieces=tuple(bytes([byte]) for piece in self.pieces for byte in piece))

    def held(self, gate: Gate, *, after: int = 0) -> Answer:
        """The answer waits at the gate once `after` of its pieces are sent; at 0 before its status line."""
        return replace(self, gate=gate, gate_after=after)


def answer(status: int = 200, body: object = "", **headers: str) -> Answer:
    """Any answer: bytes and text as they are, anything else as JSON. `retry_after="2"` becomes `Retry-After: 2`."""
    is_json = not isinstance(body, (str, bytes))
    raw = body if isinstance(body, bytes) else (json.dumps(body) if is_json else str(body)).encode()
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    kind = {"Content-Type": "application/json" if is_json else "text/plain"}
    return Answer(status, {**kind, **named}, (raw,))


def refuse(status: int, message: str, *, code: object = None, type: str | None = None, **headers: str) -> Answer:  # noqa: A002
    """A refusal in OpenAI's format."""
    return answer(status, {"error": {"message": message, "type": type, "param": None, "code": code}}, **headers)


def events(*data: object, end: bool = True) -> Answer:
    """An event stream of these values: text as it is, anything else as JSON; `end` marks its end as OpenAI does."""
    texts = [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in data]
    pieces = [f"data: {text}\n\n".encode() for text in (*texts, *(["[DONE]"] if end else []))]
    return Answer(200, {"Content-Type": "text/event-stream"}, tuple(pieces))


def chunk(delta: Json, finish_reason: str | None = None, **fields: object) -> Json:
    """One chunk of a streamed chat completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
        **fields,
    }


def rendered(move: Move, request: Mapping[str, Any], first_call: int = 1) -> Answer:
    """A move as the answer to this request: streamed if it asks for that, usage reported if it is known."""
    if move.failure is not None:
        return _refused(move.failure)
    calls = [
        {
            **({} if call.id is None else {"id": f"call_{first_call + number}" if call.id == NUMBERED else call.id}),
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for number, call in enumerate(move.calls)
    ]
    reply = _streamed(move, calls, request) if request.get("stream") else _whole(move, calls)
    return replace(reply, gate=move.gate, gate_after=move.gate_after)


def _refused(failure: Failure) -> Answer:
    if failure.kind != "overflow" or failure.input_tokens is None or failure.window is None:
        return refuse(failure.status or 500, failure.text)
    error = {"code": 400, "message": failure.text, "type": "exceed_context_size_error"}
    body = {"error": {**error, "n_prompt_tokens": failure.input_tokens, "n_ctx": failure.window}}
    return answer(failure.status or 400, json.dumps(body, separators=(",", ":")), content_type="application/json")


def _streamed(move: Move, calls: list[Json], request: Mapping[str, Any]) -> Answer:
    words = move.chunks or ((move.text,) if move.text else ())
    deltas: list[Json] = [{"content": text} for text in words]
    deltas += [{"tool_calls": [{"index": number, **call}]} for number, call in enumerate(calls)]
    deltas = [{"role": "assistant", **(move.reasoning or {})}, *deltas]
    chunks = [*map(chunk, deltas), chunk({}, move.finish_reason)]
    usage = _usage(move)
    if usage and (request.get("stream_options") or {}).get("include_usage"):
        chunks.append({**chunk({}), "choices": [], "usage": usage})
    return events(*chunks)


def _whole(move: Move, calls: list[Json]) -> Answer:
    message = {"role": "assistant", "content": move.text or None, **(move.reasoning or {})}
    if calls:
        message["tool_calls"] = calls
    body: Json = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m"}
    body["choices"] = [{"index": 0, "message": message, "finish_reason": move.finish_reason}]
    if usage := _usage(move):
        body["usage"] = usage
    return answer(200, body)


def _usage(move: Move) -> Json | None:
    usage = move.usage
    if usage.input is None and usage.output is None:
        return None
    report: Json = {"prompt_tokens": usage.input, "completion_tokens": usage.output}
    report["total_tokens"] = (usage.input or 0) + (usage.output or 0)
    if usage.cache_read is not None:
        report["prompt_tokens_details"] = {"cached_tokens": usage.cache_read}
    if usage.reasoning is not None:
        report["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning}
    return report
