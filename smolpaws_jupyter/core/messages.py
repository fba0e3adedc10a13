"""From a view to the messages of a request: the one bridge to the provider's shape (contract, section 5.1).

Messages are chat-completion objects, exactly as they are sent; nothing behind this file rewrites them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from .base import ImageBlock, JsonObject, TextBlock, ToolSpec
from .entries import Entries
from .events import ActionEvent, ConversationStartEvent, MessageEvent, Result
from .units import Aside, Entry, groups, in_batch
from .view import View

Message = JsonObject
"""One chat message: `role`, `content`, and for calls `tool_calls` or `tool_call_id`."""

NO_RESULT = "(no result yet)"
"""Stands for the result of a call that is still open, so that calls and results are in pairs whenever someone looks."""


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
    return {"role": "system", "content": _said("\n\n".join(parts), "(no instructions)")}


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
        assert isinstance(other, Size)
        return Size(self.bytes + other.bytes, self.images + other.images, self.image_bytes + other.image_bytes)


def request_size(messages: Sequence[Message], tools: Sequence[JsonObject]) -> Size:
    """The size of `{"messages": ..., "tools": ...}` as canonical JSON."""
    return _framed(_sizes(messages), len(messages), _frame(tools))


def _framed(content: Size, messages: int, frame: int) -> Size:
    commas = max(0, messages - 1)
    return content + Size(frame + commas)


def _frame(tools: Sequence[JsonObject]) -> int:
    return json_bytes({"messages": [], "tools": tools})


def _sizes(messages: Iterable[Message]) -> Size:
    return sum(map(message_size, messages), Size())


def message_size(message: Message) -> Size:
    """The size of one message, without what stands between messages."""
    size = Size(json_bytes(message))
    content = message["content"]
    if isinstance(content, list):
        for part in cast("list[JsonObject]", content):
            if part["type"] == "image_url":
                size += Size(0, 1, len(part["image_url"]["url"]))
    return size


def json_bytes(value: Any) -> int:
    """UTF-8 bytes of the canonical JSON of a value."""
    return len(canonical(value).encode("utf-8", "surrogatepass"))


class Renderer:
    """Renders views of one conversation, and keeps what it made of `read` for the next one.

    A fresh renderer gives the same messages; this one only gives them sooner. The messages are shared: change none.
    """

    def __init__(self) -> None:
        self._start: ConversationStartEvent | None = None
        self._head: list[Message] = []
        self._head_size = Size()
        self._tools: list[JsonObject] | None = None
        self._frame = 0
        self._read: Entries[Entry] = Entries()
        self._cuts: object = None
        self._done = 0
        self._settled: list[Message] = []
        self._settled_size = Size()

    def messages(self, view: View) -> list[Message]:
        """The system message, then what the view shows: read, unread, asides (R-VIEW-2)."""
        self._settle(view)
        return [*self._head, *self._settled, *self._loose(view)]

    def size(self, view: View, tools: Sequence[JsonObject]) -> Size:
        """`request_size` of a request with these tools, found by adding to what is known."""
        self._settle(view)
        if self._tools != tools:
            self._tools, self._frame = list(tools), _frame(tools)
        loose = self._loose(view)
        count = len(self._head) + len(self._settled) + len(loose)
        return _framed(self._head_size + self._settled_size + _sizes(loose), count, self._frame)

    def _settle(self, view: View) -> None:
        """Renders what no later event can change: `read` up to the first call that is open."""
        if view.start is not self._start:
            self._start = view.start
            self._head = [system_message(view.start)] if view.start else []
            self._head_size = _sizes(self._head)
        if not view.read.grew_from(self._read) or view.cuts is not self._cuts:
            self._done, self._settled, self._settled_size = 0, [], Size()
        self._read, self._cuts = view.read, view.cuts
        fresh = view.read[self._done :]
        settles = closed(fresh, view)
        messages = list(history_messages(fresh[:settles], view))
        self._settled += messages
        self._settled_size += _sizes(messages)
        self._done += settles

    def _loose(self, view: View) -> list[Message]:
        said = (_one(message, view) for message in view.unread)
        return [*history_messages(view.read[self._done :], view), *said, *map(aside_message, view.asides)]


def messages_of(view: View) -> list[Message]:
    """The messages of a request that is built from this view now."""
    return Renderer().messages(view)


def closed(entries: Sequence[Entry], view: View) -> int:
    """How many entries precede the first batch with an open call."""
    if not view.open_calls:
        return len(entries)
    waiting = {call.id for call in view.open_calls}
    for group in groups(entries):
        if any(entries[at].id in waiting for at in group):
            return group.start
    return len(entries)


def history_messages(entries: Sequence[Entry], view: View) -> Iterator[Message]:
    """What entries become: a batch an assistant message, its results in call order (R-MSG-3), and at last a message
    with its images, if it has any; every other entry one message."""
    for group in groups(entries):
        first = entries[group.start]
        if in_batch(first):
            yield from _batch(entries[group.start : group.stop], view)
        else:
            yield _one(first, view)


def _batch(entries: Sequence[Entry], view: View) -> Iterator[Message]:
    calls: list[ActionEvent] = []
    results: dict[str, Result] = {}
    for entry in entries:
        match entry.kind:
            case "ActionEvent":
                calls.append(entry)
            case "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation":
                results[entry.action_id] = entry
            case _:
                pass
    first = calls[0]
    yield {
        "role": "assistant",
        "content": shown_text(first.id, 0, first.thought, view) if first.thought.strip() else None,
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
        text = NO_RESULT if result is None else _result_text(result, view)
        yield {"role": "tool", "tool_call_id": call.tool_call_id, "content": text}
        if result is not None and result.kind == "ObservationEvent":
            pictures = [b for b in result.observation.content if isinstance(b, ImageBlock)]
            if pictures:
                origin = f"[{len(pictures)} image(s) from {call.tool_name}, call {call.tool_call_id}]"
                images.append({"type": "text", "text": origin})
                images += map(_image, pictures)
    if images:
        # Most providers refuse an image inside a tool message, so a batch's images follow its results.
        yield {"role": "user", "content": images}


def _result_text(result: Result, view: View) -> str:
    match result.kind:
        case "ObservationEvent":
            blocks = enumerate(result.observation.content)
            texts = [shown_text(result.id, i, b.text, view) for i, b in blocks if isinstance(b, TextBlock)]
            return _said("\n".join(texts), "(no output)")
        case "AgentErrorEvent":
            return _said(shown_text(result.id, 0, result.error, view), "(no reason given)")
        case "UserRejectObservation":
            return _said(shown_text(result.id, 0, result.rejection_reason, view), "(no reason given)")


def sendable_arguments(arguments: str) -> str:
    """The text of a call's arguments, or an empty object where several providers would refuse it (R-MSG-5)."""
    try:
        value = json.loads(arguments)
        if not isinstance(value, dict):
            return "{}"
        json.dumps(cast("JsonObject", value), ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return "{}"
    return arguments


def _one(entry: Entry, view: View) -> Message:
    match entry.kind:
        case "MessageEvent":
            return {"role": entry.role, "content": _content(entry, view)}
        case "CondensationNotice" | "ContextWindowReminderEvent" | "CondensationSummaryEvent":
            return {"role": "user", "content": _said(shown_text(entry.id, 0, entry.text, view), "(empty message)")}
        case _:
            raise TypeError(f"{entry.kind} is part of a batch")


_PLAIN = View()


def aside_message(aside: Aside) -> Message:
    """What a remark that waits to be shown becomes."""
    if aside.kind == "ContextWarningEvent":
        return {"role": "user", "content": _said(aside.text, "(empty message)")}
    return _one(aside, _PLAIN)


def _content(message: MessageEvent, view: View) -> str | list[JsonObject]:
    parts: list[JsonObject] = []
    for index, block in enumerate(message.content):
        if isinstance(block, ImageBlock):
            parts.append(_image(block))
        elif block.text.strip():
            parts.append({"type": "text", "text": shown_text(message.id, index, block.text, view)})
    if len(parts) == 1 and parts[0]["type"] == "text":
        return cast("str", parts[0]["text"])
    return parts or "(empty message)"


def _said(text: str, otherwise: str) -> str:
    """Providers refuse blank text, and it says nothing."""
    return text if text.strip() else otherwise


def _image(block: ImageBlock) -> JsonObject:
    return {"type": "image_url", "image_url": {"url": f"data:{block.media_type};base64,{block.data}"}}


def shown_text(entry_id: str, index: int, text: str, view: View) -> str:
    """The text as a cut leaves it: first characters, mark, last characters (R-WIN-16)."""
    cut = view.cuts.get((entry_id, index))
    if cut is None:
        return text
    return f"{text[: cut.head_chars]}{cut_mark(cut.removed_chars)}{text[len(text) - cut.tail_chars :]}"


def cut_mark(removed: int) -> str:
    """What stands in the place of so many characters: the marker of R-STR-4 between blank lines."""
    return f"\n\n... [truncated: {removed} chars removed] ...\n\n"
