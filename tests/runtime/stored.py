"""Builders for what lies in a store: events with short ids, commits of them, and raw log lines."""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from smolpaws_jupyter.core.base import ImageBlock, TextBlock
from smolpaws_jupyter.core.events import Event, EventBase, MessageEvent
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.store import Store

NOON = "2026-01-01T12:00:00.000Z"

_ids = itertools.count()

Commit = tuple[Event | UnknownEvent, ...]


def message(text: str, *more: ImageBlock, timestamp: str = NOON) -> MessageEvent:
    """A person's message with an id of its own."""
    return MessageEvent(
        id=f"event-{next(_ids)}", timestamp=timestamp, source="user", role="user", content=(TextBlock(text=text), *more)
    )


def picture(data: str = "iVBORw0KGgo=") -> ImageBlock:
    return ImageBlock(media_type="image/png", data=data)


def commits_of(store: Store) -> list[Commit]:
    return list(store.commits())


def texts_of(store: Store) -> list[str]:
    """The text of every message, in order."""
    return [event.text for event in store.read() if isinstance(event, MessageEvent)]


def line_of(record: Any) -> bytes:
    """The line of a record that any program could have written: the format as docs/invariants.md says it."""
    return framed(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode())


def framed(body: bytes) -> bytes:
    return b'{"crc":"%08x","rec":' % zlib.crc32(body) + body + b"}\n"


def record(seq: int, *events: Any, writer: str = "k0-o0", **other: Any) -> dict[str, Any]:
    raw = [event.model_dump(mode="json") if isinstance(event, EventBase) else event for event in events]
    return {"v": 1, "seq": seq, "w": writer, "t": NOON, "events": raw, **other}


def put_log(folder: Path, content: bytes | Sequence[bytes]) -> Path:
    """A conversation's folder with this log; gives the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "log.jsonl").write_bytes(content if isinstance(content, bytes) else b"".join(content))
    return folder


WORDS = ["one", "two", "three", "four"]
LINES = [line_of(record(n, message(word))) for n, word in enumerate(WORDS)]
CONTENT = b"".join(LINES)
"""A sound log of four commits."""


def opened(folder: Path, content: bytes | list[bytes]) -> JsonlStore:
    return JsonlStore.open(put_log(folder, content))


def reopened(store: JsonlStore, folder: Path) -> JsonlStore:
    store.close()
    return JsonlStore.open(folder)
