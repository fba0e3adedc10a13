"""From a view to the messages of a request: the one bridge to the provider's shape (contract, section 5.1).

Messages are chat-completion objects, exactly as they are sent; nothing behind this file rewrites them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from .base import ImageBlock, JsonObject, TextBlock, ToolSpec
from .entries import Entries
from .events import (
    ActionEvent,
    AgentErrorEvent,
    ContextWarningEvent,
    ContextWindowReminderEvent,
    ConversationStartEvent,
    MessageEvent,
    ObservationEvent,
    UserRejectObservation,
)
from .view import Aside, CondensationNotice, CondensationSummaryEvent, Entry, View

Message = JsonObject
"""One chat message: `role`, `content`, and for calls `tool_calls` or `tool_call_id`."""

RESULTS = (ObservationEvent, AgentErrorEvent, UserRejectObservation)


def canonical(value: Any) -> str:
    """JSON with sorted keys, no spaces, and letters as they are: two requests are equal if this text is."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def system_message(start: ConversationStartEvent) -> Message:
    """The fixed context as one system message (R-MSG-1, R-MSG-2)."""
    parts = [start.system_prompt]
    if start.memory_snapshot:
        parts.append(f"# Memory\n\n{start.memory_snapshot}")
    if start.runtime_info:
        parts.append(f"# Runtime\n\n{start.runtime_info}")
    if start.skills:
        lines = "\n".join(f"- {s.name} ({s.path}): {s.description}" for s in start.skills)
        parts.append(f"# Skills\n\nRead the file of a skill before you use it.\n\n{lines}")
    return {"role": "system", "content": "\n\n".join(parts)}


def tool_definitions(tools: Iterable[ToolSpec]) -> list[JsonObject]:
    """The tools as they are sent, in their stored order."""
    return [
        {
            "type": "function",
            "function": {"name": t.name, "description": t.description, "parameters": t.parameters},
        }
        for t in tools
    ]


class Size(NamedTuple):
    """How large messages are: UTF-8 bytes of their canonical JSON, and what of it is image data."""

    bytes: int = 0
    images: int = 0
    image_bytes: int = 0

    def __add__(self, other: object) -> Size:  # type: ignore[override]
        return Size(*map(sum, zip(self, cast("Size", other), strict=True)))


def request_size(messages: Sequence[Message], tools: Sequence[JsonObject]) -> Size:
    """The size of `{"messages": ..., "tools": ...}` as canonical JSON."""
    return _total(list(map(_size, messages)), tools)


def _total(sizes: Sequence[Size], tools: Sequence[JsonObject]) -> Size:
    frame = len(canonical({"messages": [], "tools": tools}).encode("utf-8", "surrogatepass"))
    commas = max(0, len(sizes) - 1)
    return sum(sizes, Size(frame + commas))


class Renderer:
    """Renders views of one conversation, and keeps what it made of `read` for the next one.

    A fresh renderer gives the same messages; this one only gives them sooner.
    """

    def __init__(self) -> None:
        self._read: Entries[Entry] = Entries()
        self._cuts: object = None
        self._done = 0
        self._settled: list[Message] = []
        self._size = Size()

    def messages(self, view: View) -> list[Message]:
        """The system message, then what the view shows: read, unread, asides (R-VIEW-2)."""
        return self._render(view)[0]

    def size(self, view: View, tools: Sequence[JsonObject]) -> Size:
        """`request_size` of a request with these tools, found by adding to what is known."""
        messages, settled, count = self._render(view)
        head = 1 if view.start else 0
        loose = [*messages[:head], *messages[head + count :]]
        total = _total(list(map(_size, loose)), tools)
        return total + settled + Size(max(0, len(messages) - 1) - max(0, len(loose) - 1))

    def _render(self, view: View) -> tuple[list[Message], Size, int]:
        if not view.read.grew_from(self._read) or view.cuts is not self._cuts:
            self._done, self._settled, self._size = 0, [], Size()
        self._read, self._cuts = view.read, view.cuts
        fresh = view.read[self._done :]
        whole = _closed_prefix(fresh)
        for message in _history(fresh[:whole], view):
            self._settled.append(message)
            self._size += _size(message)
        self._done += whole
        head = [system_message(view.start)] if view.start else []
        tail = [*_history(fresh[whole:], view), *(_one(m, view) for m in view.unread), *map(_aside, view.asides)]
        return [*head, *self._settled, *tail], self._size, len(self._settled)


def messages_of(view: View) -> list[Message]:
    """The messages of a request that is built from this view now."""
    return Renderer().messages(view)


def _size(message: Message) -> Size:
    size = Size(len(canonical(message).encode("utf-8", "surrogatepass")))
    content = message["content"]
    if isinstance(content, list):
        for part in cast("list[JsonObject]", content):
            if part["type"] == "image_url":
                size += Size(0, 1, len(part["image_url"]["url"]))
    return size


def _closed_prefix(entries: Sequence[Entry]) -> int:
    """How many entries precede the batch at the end, which may still grow."""
    end = len(entries)
    while end and isinstance(entries[end - 1], (ActionEvent, *RESULTS)):
        end -= 1
    last = entries[-1] if end < len(entries) else None
    if last is None:
        return end
    first = len(entries)
    newest = _response_id(entries, len(entries) - 1)
    while first > end and _response_id(entries, first - 1) == newest:
        first -= 1
    return first


def _response_id(entries: Sequence[Entry], index: int) -> str:
    """The response whose batch the entry at `index` belongs to: its own, or that of the nearest action before it."""
    while index >= 0:
        entry = entries[index]
        if isinstance(entry, ActionEvent):
            return entry.response_event_id
        index -= 1
    return ""


def _history(entries: Sequence[Entry], view: View) -> Iterator[Message]:
    """Whole batches become an assistant message and its results in call order (R-MSG-3); the rest one message each."""
    index = 0
    while index < len(entries):
        entry = entries[index]
        if not isinstance(entry, (ActionEvent, *RESULTS)):
            yield _one(entry, view)
            index += 1
            continue
        end = index + 1
        while end < len(entries) and _same_batch(entries[index], entries[end]):
            end += 1
        yield from _batch(entries[index:end], view)
        index = end


def _same_batch(first: Entry, entry: Entry) -> bool:
    if isinstance(entry, ActionEvent):
        return isinstance(first, ActionEvent) and entry.response_event_id == first.response_event_id
    return isinstance(entry, RESULTS)


def _batch(entries: Sequence[Entry], view: View) -> Iterator[Message]:
    calls = [e for e in entries if isinstance(e, ActionEvent)]
    results = {e.action_id: e for e in entries if isinstance(e, RESULTS)}
    if not calls:
        return
    first = calls[0]
    yield {
        "role": "assistant",
        "content": _shown(first.id, 0, first.thought, view) or None,
        **(first.reasoning or {}),
        "tool_calls": [
            {
                "id": c.tool_call_id,
                "type": "function",
                "function": {"name": c.tool_name, "arguments": sendable_arguments(c.arguments)},
            }
            for c in calls
        ],
    }
    images: list[JsonObject] = []
    for call in calls:
        result = results.get(call.id)
        if result is None:
            continue
        yield {"role": "tool", "tool_call_id": call.tool_call_id, "content": _result_text(result, view)}
        if isinstance(result, ObservationEvent) and result.observation.kind == "ToolObservation":
            pictures = [b for b in result.observation.content if isinstance(b, ImageBlock)]
            if pictures:
                images.append({"type": "text", "text": f"[{len(pictures)} image(s) from {call.tool_name}, call {call.tool_call_id}]"})
                images += map(_image, pictures)
    if images:
        # Most providers refuse an image inside a tool message, so a batch's images follow its results.
        yield {"role": "user", "content": images}


def _result_text(result: Entry, view: View) -> str:
    match result:
        case ObservationEvent(observation=observation):
            blocks = enumerate(observation.content)
            texts = [_shown(result.id, i, b.text, view) for i, b in blocks if isinstance(b, TextBlock)]
            return "\n".join(texts) or "(no output)"
        case AgentErrorEvent(error=text) | UserRejectObservation(rejection_reason=text):
            return text or "(no reason given)"
        case _:
            return ""


def sendable_arguments(arguments: str) -> str:
    """The text of a call's arguments, or an empty object where several providers would refuse it (R-MSG-5)."""
    try:
        value = json.loads(arguments)
        if not isinstance(value, dict):
            return "{}"
        json.dumps(cast("JsonObject", value), ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return "{}"
    return arguments


def _one(entry: Entry | MessageEvent, view: View) -> Message:
    match entry:
        case MessageEvent():
            return {"role": entry.role, "content": _content(entry, view)}
        case CondensationNotice():
            return {"role": "user", "content": entry.text}
        case CondensationSummaryEvent():
            return {"role": "user", "content": _shown(entry.id, 0, entry.text, view)}
        case ContextWindowReminderEvent():
            return {"role": "user", "content": entry.text}
        case _:
            raise TypeError(f"{type(entry).__name__} is part of a batch")


def _aside(aside: Aside) -> Message:
    if isinstance(aside, ContextWarningEvent):
        return {"role": "user", "content": aside.text}
    return _one(aside, View())


def _content(message: MessageEvent, view: View) -> str | list[JsonObject]:
    parts: list[JsonObject] = []
    for index, block in enumerate(message.content):
        if isinstance(block, ImageBlock):
            parts.append(_image(block))
        elif block.text.strip():
            # Providers refuse blank text, and it says nothing.
            parts.append({"type": "text", "text": _shown(message.id, index, block.text, view)})
    if len(parts) == 1 and parts[0]["type"] == "text":
        return cast("str", parts[0]["text"])
    return parts or "(empty message)"


def _image(block: ImageBlock) -> JsonObject:
    return {"type": "image_url", "image_url": {"url": f"data:{block.media_type};base64,{block.data}"}}


def _shown(entry_id: str, index: int, text: str, view: View) -> str:
    """The text as a cut leaves it: first characters, mark, last characters (R-WIN-16)."""
    cut = view.cuts.get((entry_id, index))
    if cut is None:
        return text
    mark = f"... [truncated: {cut.removed_chars} chars removed] ..."
    return f"{text[: cut.head_chars]}\n\n{mark}\n\n{text[len(text) - cut.tail_chars :]}"
