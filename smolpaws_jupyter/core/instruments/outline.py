"""A request message by message: each with the entries that it was made from, and its weight.

The messages are those of `messages.py`, in order and unchanged; the system message is told apart into its sections.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from ..base import ImageBlock, JsonObject
from ..entries import Entries
from ..events import ConversationStartEvent, Result
from ..messages import Message, aside_message, canonical, closed, history_messages, message_size, tool_definitions
from ..units import Aside, Entry, groups, in_batch
from ..view import View
from .parts import MEMORY, RUNTIME, SKILLS, SYSTEM, TOOL, fixed_parts, quarters

What = Literal[
    "system",
    "memory",
    "runtime",
    "skills",
    "tool",
    "user",
    "agent",
    "calls",
    "result",
    "images",
    "remark",
    "warning",
    "reminder",
    "notice",
    "summary",
]
"""What a message is, beside its role: `calls` is a reply with tool calls, `images` the pictures of results before it,
`remark`, `warning` and `reminder` what the environment said; the first five are parts of the fixed context."""


@dataclass(frozen=True, slots=True)
class Item:
    """One message, or one part of the fixed context. `key` names it in every request of its conversation."""

    key: str
    what: What
    message: Message
    entry_ids: tuple[str, ...]
    quarters: int

    @property
    def event_ids(self) -> tuple[str, ...]:
        """The events of the log that it comes from; a notice and a summary come from their condensation (R-EV-7)."""
        if self.what in ("notice", "summary"):
            return tuple(id_.removesuffix(f"-{self.what}") for id_ in self.entry_ids)
        return self.entry_ids


class Outline:
    """Takes requests of one conversation apart, and keeps what it found of `read` for the next one."""

    def __init__(self) -> None:
        self._read: Entries[Entry] = Entries()
        self._cuts: object = None
        self._done = 0
        self._settled: list[Item] = []

    def of(self, view: View) -> list[Item]:
        """All messages that the view shows, behind the system message."""
        if not view.read.grew_from(self._read) or view.cuts is not self._cuts:
            self._done, self._settled = 0, []
        self._read, self._cuts = view.read, view.cuts
        fresh = view.read[self._done :]
        settles = closed(fresh, view)
        self._settled += history_items(fresh[:settles], view)
        self._done += settles
        loose = [*history_items(view.read[self._done :], view), *history_items(view.unread, view)]
        return [*self._settled, *loose, *map(_aside_item, view.asides)]


def outline(view: View) -> list[Item]:
    """All messages that a view shows, behind the system message."""
    return Outline().of(view)


def fixed_outline(start: ConversationStartEvent) -> list[Item]:
    """The sections of the system message, and the tools."""
    told: dict[str, tuple[What, str]] = {
        SYSTEM: ("system", start.system_prompt),
        MEMORY: ("memory", start.memory_snapshot or ""),
        RUNTIME: ("runtime", start.runtime_info or ""),
        SKILLS: ("skills", "\n".join(f"- {s.name} ({s.path}): {s.description}" for s in start.skills)),
    }
    for tool, sent in zip(start.tools, tool_definitions(start.tools), strict=True):
        told[f"{TOOL} {tool.name}"] = ("tool", f"{tool.name}: {tool.description}\n{canonical(sent)}")
    return [
        Item(name, told[name][0], {"role": "system", "content": told[name][1]}, (start.id,), size)
        for name, size in fixed_parts(start)
    ]


def tool_of(item: Item) -> str | None:
    """The name of the tool that a part of the fixed context defines."""
    return item.key.removeprefix(f"{TOOL} ") if item.key.startswith(f"{TOOL} ") else None


def history_items(entries: Sequence[Entry], view: View) -> Iterator[Item]:
    """What entries become, as `history_messages` has it."""
    for group in groups(entries):
        members = entries[group.start : group.stop]
        messages = list(history_messages(members, view))
        if in_batch(members[0]):
            yield from _batch_items(members, messages)
        else:
            yield _item(members[0].id, _what(members[0]), messages[0], (members[0].id,))


def _batch_items(members: Sequence[Entry], messages: Sequence[Message]) -> Iterator[Item]:
    calls = [entry for entry in members if entry.kind == "ActionEvent"]
    results = {entry.action_id: entry for entry in members if isinstance(entry, Result)}
    yield _item(calls[0].id, "calls", messages[0], tuple(call.id for call in calls))
    for call, message in zip(calls, messages[1:], strict=False):
        result = results.get(call.id)
        # An open call and its result stand in the same place, so they are the same message with another text.
        yield _item(f"{call.id} result", "result", message, (call.id if result is None else result.id,))
    for message in messages[1 + len(calls) :]:
        shown = tuple(result.id for call in calls if (result := results.get(call.id)) is not None and _pictures(result))
        yield _item(f"{calls[0].id} images", "images", message, shown)


def _pictures(result: Result) -> bool:
    return result.kind == "ObservationEvent" and any(
        isinstance(block, ImageBlock) for block in result.observation.content
    )


def _what(entry: Entry) -> What:
    match entry.kind:
        case "MessageEvent":
            return "remark" if entry.source == "environment" else entry.source
        case "ContextWindowReminderEvent":
            return "reminder"
        case "CondensationNotice":
            return "notice"
        case "CondensationSummaryEvent":
            return "summary"
        case _:
            raise TypeError(f"{entry.kind} is part of a batch")


def _aside_item(aside: Aside) -> Item:
    what: What = "warning" if aside.kind == "ContextWarningEvent" else _what(aside)
    return _item(aside.id, what, aside_message(aside), (aside.id,))


def _item(key: str, what: What, message: Message, entry_ids: tuple[str, ...]) -> Item:
    return Item(key, what, message, entry_ids, quarters(message_size(message)))


def text_of(message: Message) -> str:
    """The words of a message as a person reads them: its text, then its calls, one after the other."""
    content = message.get("content")
    said = content if isinstance(content, str) else "\n".join(p["text"] for p in _parts(message) if p["type"] == "text")
    calls: list[JsonObject] = message.get("tool_calls") or []
    return "\n\n".join([*([said] if said else []), *(_call(call["function"]) for call in calls)])


def images_of(message: Message) -> int:
    """How many images a message holds."""
    return sum(part["type"] == "image_url" for part in _parts(message))


def _parts(message: Message) -> list[JsonObject]:
    content = message.get("content")
    return cast("list[JsonObject]", content) if isinstance(content, list) else []


def _call(function: JsonObject) -> str:
    """A call with each argument on lines of its own, so that code reads as code."""
    fields: JsonObject = json.loads(function["arguments"])
    lines = (f"{name}: {value if isinstance(value, str) else canonical(value)}" for name, value in fields.items())
    return "\n".join([function["name"], *lines])
