"""What every request must be, whoever built it: INV1 to INV6 of the open cases."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from smolpaws_jupyter.core.base import JsonObject, TextBlock
from smolpaws_jupyter.core.events import Cut, MessageEvent


def assert_lawful(messages: Sequence[JsonObject]) -> None:
    """Fails and names what a provider would refuse."""
    broken = list(broken_rules(messages))
    assert not broken, "\n".join(broken)


def broken_rules(messages: Sequence[JsonObject]) -> Iterator[str]:
    """A sentence for each thing that is wrong, its rule first."""
    yield from _pairs(messages)
    yield from _words(messages)
    ids = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    yield from (f"INV4: two calls share the id {call_id}" for call_id in sorted(set(ids)) if ids.count(call_id) > 1)
    try:
        json.dumps(messages, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, UnicodeEncodeError) as error:
        yield f"INV5: the body is no UTF-8 JSON: {error}"


def _pairs(messages: Sequence[JsonObject]) -> Iterator[str]:
    waiting: list[str] = []
    for place, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] in waiting:
                waiting.remove(message["tool_call_id"])
            else:
                yield f"INV2: message {place} answers {message['tool_call_id']}, which no call before it waits for"
            continue
        if waiting:
            yield f"INV1: calls {waiting} have no result before message {place}"
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
    if waiting:
        yield f"INV1: calls {waiting} have no result"


def _words(messages: Sequence[JsonObject]) -> Iterator[str]:
    for place, message in enumerate(messages):
        content = message["content"]
        if content is None and message["role"] == "assistant" and message.get("tool_calls"):
            continue
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        texts = [part["text"] for part in parts if part["type"] == "text"]
        if not parts or any(not isinstance(text, str) or not text.strip() for text in texts):
            yield f"INV3: message {place} ({message['role']}) has empty text"


def assert_shows(messages: Sequence[JsonObject], unread: Sequence[MessageEvent], cuts: Iterable[Cut] = ()) -> None:
    """INV6: the messages that the model has not seen are there, once, in order, behind all that it has; verbatim except
    where one of these cuts applies (R-MSG-7)."""
    by_place = {(cut.entry_id, cut.block_index): cut for cut in cuts}
    wanted = [_said(message, by_place) for message in unread]
    users = [_plain(message["content"]) for message in messages if message["role"] == "user"]
    places = [place for place, said in enumerate(users) if said in wanted]
    found = [users[place] for place in places][len(places) - len(wanted) :] if wanted else []
    assert found == wanted, f"INV6: {wanted} should be in the request, and {found} are"


def _said(message: MessageEvent, cuts: Mapping[tuple[str, int], Cut]) -> list[str]:
    blocks = enumerate(message.content)
    return [
        _left(block.text, cuts.get((message.id, at))) if isinstance(block, TextBlock) else block.data
        for at, block in blocks
    ]


def _left(text: str, cut: Cut | None) -> str:
    if cut is None:
        return text
    mark = f"... [truncated: {cut.removed_chars} chars removed] ..."
    return "\n\n".join((text[: cut.head_chars], mark, text[cut.head_chars + cut.removed_chars :]))


def _plain(content: Any) -> list[str]:
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return [p["text"] if p["type"] == "text" else p["image_url"]["url"].split("base64,")[1] for p in parts]
