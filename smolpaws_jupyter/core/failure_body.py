"""Reads the body of a refusal, whatever its shape: code, type and message, and what stands in fields of its own.

Only fields in which providers speak are read. What a refusal repeats of the request (`input`, `body`) is not: a
person's own words must not be taken for the provider's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from .base import JsonObject

_CODE = ("code", "error_code", "errorCode", "status_code", "__type", "reason")
_TYPE = ("type", "error_type", "status")
_MESSAGE = (
    *("message", "Message", "msg", "error_msg", "error_message", "errorMessage", "status_msg", "error_description"),
    *("detail", "title", "description", "faultstring", "raw"),
)
_INNER = (
    "error",
    "errors",
    "innererror",
    "inner_error",
    "metadata",
    "base_resp",
    "details",
    "detail",
    "response",
    "fault",
)
_MOST_CHARS = 1_000_000
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """What a refusal says. `fields` are its `n_prompt_tokens` and `n_ctx`, `usage` its usage object, if any."""

    code: str | None = None
    type: str | None = None
    text: str = ""
    fields: JsonObject | None = None
    usage: JsonObject | None = None


def read_body(raw: str) -> ErrorBody:
    """The parts of an error body: JSON of any shape, also inside a JSON text, an event stream, HTML or plain words."""
    value = _parsed(raw[:_MOST_CHARS])
    if value is None:
        words = " ".join(re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", " ", raw[:_MOST_CHARS], flags=re.DOTALL).split())
        return ErrorBody(text=words)
    found = list(_walk(value, 0))
    texts = dict.fromkeys(text for key, text in found if key == "message")
    fields = {name: number for name, number in found if name in ("n_prompt_tokens", "n_ctx")}
    usage = next((cast("JsonObject", u) for key, u in found if key == "usage"), None)
    return ErrorBody(_telling(found, "code"), _telling(found, "type"), "\n".join(texts), fields or None, usage)


def _telling(found: list[tuple[str, Any]], kind: str) -> str | None:
    """A name says more than a number, which mostly repeats the status."""
    names = [str(value) for key, value in found if key == kind]
    return next((name for name in names if not name.isdigit()), names[0] if names else None)


def _parsed(raw: str) -> Any:
    """The JSON value of a body or of the last data line of an event stream; None if there is none."""
    text = raw.strip()
    lines = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    for candidate in (text, *reversed(lines)):
        if candidate[:1] in ("{", "["):
            try:
                return json.loads(candidate)
            except (ValueError, RecursionError):
                continue
    return None


def _walk(value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Pairs of kind and value, inner objects first: a wrapped error tells more than its wrapper."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for item in cast("list[Any]", value)[:20]:
            yield from _walk(item, depth + 1)
    elif isinstance(value, str):
        inner = _parsed(value)
        if inner is None:
            yield "message", value
        else:
            yield from _walk(inner, depth + 1)
    elif isinstance(value, dict):
        yield from _of_object(cast("JsonObject", value), depth)


def _of_object(value: JsonObject, depth: int) -> Iterator[tuple[str, Any]]:
    for key in _INNER:
        if value.get(key):
            yield from _walk(value[key], depth + 1)
    for kind, keys in (("code", _CODE), ("type", _TYPE)):
        name = next((value[k] for k in keys if isinstance(value.get(k), (str, int)) and value[k] != ""), None)
        if name is not None and not isinstance(name, bool):
            yield kind, name
    for key in _MESSAGE:
        if isinstance(value.get(key), str):
            yield from _walk(value[key], depth + 1)
    for key in ("n_prompt_tokens", "n_ctx"):
        if isinstance(value.get(key), int):
            yield key, value[key]
    if isinstance(value.get("usage"), dict):
        yield "usage", value["usage"]
