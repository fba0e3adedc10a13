"""Puts a reply together from what a provider sends: the pieces of a stream, or one message (R-STEP-8, R-MSG-4).

Ids and argument texts of calls stay as received; what must go back verbatim with a call becomes `reasoning`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from ..core.base import JsonObject
from .llm import Delta, ToolCall

Message = Any
"""A message or a delta of a message as a client library hands it over: an object with optional fields."""

_NEED_THEIR_REASONING = ("deepseek", "moonshot")
"""Providers that refuse a call which comes back without its `reasoning_content`; to others it would only be ballast."""

OPAQUE_FIELDS = ("thinking_blocks", "reasoning_content", "provider_specific_fields")


@dataclass(slots=True)
class _Call:
    id: str | None = None
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class ReplyBuilder:
    """Collects a reply; `add` takes a delta of a stream or a whole message and says which new words to show."""

    provider: str
    text: str = ""
    reasoning_text: str = ""
    finish_reason: str | None = None
    id: str | None = None
    _calls: list[_Call] = field(default_factory=list[_Call])
    _at: dict[int, _Call] = field(default_factory=dict[int, _Call])
    _blocks: dict[int, JsonObject] = field(default_factory=dict[int, JsonObject])
    _signatures: list[Any] = field(default_factory=list[Any])

    def add(self, message: Message) -> Iterator[Delta]:
        """Take in one delta or message."""
        if reasoning := _text(getattr(message, "reasoning_content", None)):
            self.reasoning_text += reasoning
            yield Delta("reasoning", reasoning)
        if text := _text(getattr(message, "content", None)):
            self.text += text
            yield Delta("text", text)
        for number, call in enumerate(getattr(message, "tool_calls", None) or ()):
            self._add_call(call, number)
        for number, block in enumerate(getattr(message, "thinking_blocks", None) or ()):
            self._add_block(cast("JsonObject", block), number)
        fields = cast("JsonObject", getattr(message, "provider_specific_fields", None) or {})
        self._signatures += fields.get("thought_signatures") or []

    def _add_call(self, piece: Any, number: int) -> None:
        """A piece continues the call at its index, unless it names another: some servers number all of them 0."""
        index = getattr(piece, "index", None)
        index = index if isinstance(index, int) else number
        call, function = self._at.get(index), piece.function
        id_, name = getattr(piece, "id", None), getattr(function, "name", None)
        if call is None or (id_ and name and call.name and id_ != call.id):
            call = self._at[index] = _Call()
            self._calls.append(call)
        call.id = call.id or id_
        call.name = call.name or name or ""
        call.arguments += _argument_text(getattr(function, "arguments", None))

    def _add_block(self, piece: JsonObject, number: int) -> None:
        """Pieces of one thinking block share an index; its text grows, its signature comes last."""
        block = self._blocks.setdefault(piece.get("index", number), {})
        for name, value in piece.items():
            if name == "thinking":
                block["thinking"] = block.get("thinking", "") + (value or "")
            elif name != "index" and value is not None:
                block[name] = value

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls in the order in which they began."""
        return tuple(ToolCall(call.id, call.name, call.arguments) for call in self._calls)

    @property
    def reasoning(self) -> JsonObject | None:
        """What must be sent back with a kept call, verbatim, as fields of its message; else None.

        Signed thinking blocks (Anthropic), thought signatures (Gemini, beside those inside its call ids), and the plain
        reasoning of providers that insist on it.
        """
        fields: JsonObject = {}
        if blocks := [self._blocks[index] for index in sorted(self._blocks)]:
            fields["thinking_blocks"] = blocks
        if self._signatures:
            fields["provider_specific_fields"] = {"thought_signatures": self._signatures}
        if self.reasoning_text and self.provider in _NEED_THEIR_REASONING:
            fields["reasoning_content"] = self.reasoning_text
        return fields or None

    @property
    def began(self) -> bool:
        """Whether anything of a reply has arrived."""
        return bool(self.text or self.reasoning_text or self._calls or self._blocks)


def without_foreign_reasoning(messages: list[JsonObject], provider: str) -> list[JsonObject]:
    """The messages as this provider takes them: opaque reasoning that another one made is left out as a whole.

    After a change of model the old one's signed blocks mean nothing to the new one, and some refuse them.
    """
    kept = {
        "thinking_blocks": provider
        in ("anthropic", "bedrock", "bedrock_converse", "vertex_ai", "azure_ai", "databricks")
        or provider in ("openrouter", "litellm_proxy", "gemini"),
        "provider_specific_fields": provider in ("gemini", "vertex_ai", "vertex_ai_beta", "litellm_proxy"),
        "reasoning_content": provider in _NEED_THEIR_REASONING,
    }
    dropped = [name for name in OPAQUE_FIELDS if not kept[name]]
    return [
        {name: value for name, value in message.items() if name not in dropped}
        if any(name in message for name in dropped)
        else message
        for message in messages
    ]


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in cast("list[JsonObject]", content))
    return ""


def _argument_text(arguments: object) -> str:
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
