"""Models for tests of the harness's own summaries: one that tells them from main requests, and one of a given size."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.messages import canonical
from smolpaws_jupyter.runtime.llm import Request
from smolpaws_jupyter.testing import Move, overflow, reply


def window(**settings: object) -> JsonObject:
    """Settings of a `summarizing_window`."""
    return {"condenser": {"condenser_kind": "summarizing_window", **settings}}


def llm_summarizing(**settings: object) -> JsonObject:
    """Settings of an `llm_summarizing` with a profile of its own."""
    return {"condenser": {"condenser_kind": "llm_summarizing", "llm_profile_ref": "summary", **settings}}


def is_summary(request: Request) -> bool:
    """Whether this asks for a summary."""
    return request.messages[0]["content"] == wording.SUMMARY_TASK


def characters(request: Request) -> int:
    return sum(len(canonical(message["content"])) for message in request.messages)


def apart(main: Iterable[Move], summaries: Iterable[Move]) -> Callable[[Request], Move]:
    """A model with one script for main requests and another for summaries."""
    of = {False: iter(list(main)), True: iter(list(summaries))}
    return lambda request: next(of[is_summary(request)])


class Sized:
    """A model that refuses every request of more than `most` characters, and answers the others with `text`."""

    def __init__(self, text: str = "ok", most: int = 10**9) -> None:
        self.text = text
        self.most = most

    def __call__(self, request: Request) -> Move:
        if characters(request) > self.most:
            return overflow()
        return reply("A short summary." if is_summary(request) else self.text)
