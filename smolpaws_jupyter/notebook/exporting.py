"""A conversation as a file for others: to read, to load, or to report a fault without telling what it was about."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Literal, assert_never

from ..core.bare import Bare
from ..core.events import Event
from ..core.records import UnknownEvent, encode
from .transcript import page, transcript

Format = Literal["markdown", "html", "jsonl", "bare"]
SUFFIXES: dict[Format, str] = {"markdown": "md", "html": "html", "jsonl": "jsonl", "bare": "bare.jsonl"}


def export(events: Iterable[Event | UnknownEvent], format: Format) -> str:  # noqa: A002 - what people call it
    """The events as text: Markdown, one HTML page, JSON lines, or JSON lines without contents (`bare`).

    What was redacted in the log stays so.
    """
    match format:
        case "markdown":
            return transcript(events)
        case "html":
            return page(events)
        case "jsonl":
            return _lines(event.raw if isinstance(event, UnknownEvent) else encode(event) for event in events)
        case "bare":
            return _lines(map(Bare().add, events))
        case _:
            assert_never(format)


def _lines(objects: Iterable[object]) -> str:
    return "".join(f"{json.dumps(one, ensure_ascii=False, allow_nan=False)}\n" for one in objects)
