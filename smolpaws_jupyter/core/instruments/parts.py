"""A request taken apart: how much of it each event is, and each part of its fixed context, without a rest.

Sizes are in quarters of a token, so that they are whole numbers: a byte of a request's canonical JSON is one quarter,
and an image is 1,000 tokens, whatever its bytes. An estimate is a sum of them, rounded up to tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..base import ImageBlock
from ..events import ConversationStartEvent, Result
from ..messages import (
    Message,
    Renderer,
    Size,
    aside_message,
    history_messages,
    json_bytes,
    message_size,
    system_message,
    tool_definitions,
)
from ..units import Aside, Entry, groups, in_batch
from ..view import View

IMAGE = 4_000
"""Quarters of a token."""

COMMA = 1
"""Stands between two messages, and is counted to the later one; before the first one stands the system message."""

Part = tuple[str, int]
"""The id of an entry, or the name of a part of the fixed context, and its quarters."""

FIXED = "fixed "
SYSTEM, MEMORY, RUNTIME, SKILLS, TOOL = (f"{FIXED}{part}" for part in ("system", "memory", "runtime", "skills", "tool"))


def quarters(size: Size) -> int:
    """The quarters of a token that something of this size is."""
    return size.bytes - size.image_bytes + IMAGE * size.images


def tokens(of: int) -> int:
    """So many quarters as whole tokens, rounded up."""
    return -(-of // 4)


def estimate(renderer: Renderer, view: View) -> int:
    """The input tokens of a request that shows this view, with all tools that the conversation was started with."""
    tools = tool_definitions(view.start.tools if view.start else ())
    return tokens(quarters(renderer.size(view, tools)))


def fixed_parts(start: ConversationStartEvent) -> list[Part]:
    """What stands in every request: system prompt, memory, runtime information, skills, and each tool.

    The brackets around all of it count to the system prompt.
    """
    whole = quarters(message_size(system_message(start)))
    bare: dict[str, object] = {MEMORY: None, RUNTIME: None, SKILLS: ()}
    fields = {MEMORY: "memory_snapshot", RUNTIME: "runtime_info", SKILLS: "skills"}
    parts = {
        name: whole - quarters(message_size(system_message(start.model_copy(update={fields[name]: empty}))))
        for name, empty in bare.items()
    }
    brackets = json_bytes({"messages": [], "tools": []})
    tools = [
        (f"{TOOL} {tool.name}", json_bytes(sent) + (COMMA if at else 0))
        for at, (tool, sent) in enumerate(zip(start.tools, tool_definitions(start.tools), strict=True))
    ]
    system = (SYSTEM, whole - sum(parts.values()) + brackets)
    return [system, *((name, size) for name, size in parts.items() if size), *tools]


def entry_parts(entries: Sequence[Entry], view: View) -> Iterator[Part]:
    """What entries of `view` weigh in a request; more than once for an entry that stands in several messages."""
    for group in groups(entries):
        members = entries[group.start : group.stop]
        messages = list(history_messages(members, view))
        if in_batch(members[0]):
            yield from _batch_parts(members, messages)
        else:
            yield members[0].id, _weighed(messages[0])


def aside_parts(asides: Sequence[Aside]) -> Iterator[Part]:
    """What remarks that wait to be shown weigh in a request."""
    for aside in asides:
        yield aside.id, _weighed(aside_message(aside))


def _weighed(message: Message) -> int:
    return quarters(message_size(message)) + COMMA


def _batch_parts(members: Sequence[Entry], messages: Sequence[Message]) -> Iterator[Part]:
    """Each call with its result; what all calls of a reply share (its words, its reasoning) counts to the first."""
    calls = [entry for entry in members if entry.kind == "ActionEvent"]
    results = {entry.action_id: entry for entry in members if isinstance(entry, Result)}
    said, answers, pictures = messages[0], messages[1 : 1 + len(calls)], messages[1 + len(calls) :]
    own = [json_bytes(call) + (COMMA if at else 0) for at, call in enumerate(said["tool_calls"])]
    yield calls[0].id, _weighed(said) - sum(own[1:])
    yield from ((call.id, size) for call, size in zip(calls[1:], own[1:], strict=True))
    answered = [results.get(call.id) for call in calls]
    for call, result, answer in zip(calls, answered, answers, strict=True):
        yield (call if result is None else result).id, _weighed(answer)
    for message in pictures:
        yield from _picture_parts([result for result in answered if result is not None], message)


def _picture_parts(results: Sequence[Result], message: Message) -> Iterator[Part]:
    """The message with all images of a batch: each image counts to its result, the message around them to the first."""
    pieces = iter(message["content"])
    around = _weighed(message)
    own: list[Part] = []
    for result in results:
        content = result.observation.content if result.kind == "ObservationEvent" else ()
        images = sum(isinstance(block, ImageBlock) for block in content)
        if images:
            piece = quarters(message_size({"content": [next(pieces) for _ in range(1 + images)]})) - _EMPTY
            own.append((result.id, piece))
            around -= piece
    yield own[0][0], around
    yield from own


_EMPTY = json_bytes({"content": []})
