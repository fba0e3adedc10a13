"""Messages of a request as lines of a list: their first words, where they come from, and how many tokens, about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from ..base import Frozen, Many
from .outline import Item, What, images_of, text_of

HEAD = 300
"""So many characters of its words stand in a line."""

State = Literal["read", "unread", "due"]


class Line(Frozen):
    """One message, or one part of the fixed context. `key` names it in every request of its conversation.

    `chars` is the length of all its words, of which `text` is the beginning. `tokens` is an estimate. `state`: `unread`
    if the model has not seen it, `due` for advice that would be given with this request. `gone`: a reset now would take
    it out.
    """

    key: str
    what: What
    role: str
    event_ids: Many[str]
    text: str
    chars: int
    images: int
    tokens: int
    state: State
    gone: bool


class Lines(Frozen):
    """Those from position `start` on, of `total` lines whose estimates add up to about `tokens`."""

    start: int
    total: int
    tokens: int
    lines: Many[Line]


def line(item: Item, per_quarter: float, state: State = "read", *, gone: bool = False) -> Line:
    """`per_quarter`: the tokens that a quarter of a token by bytes is estimated as."""
    text = text_of(item.message)
    return Line(
        key=item.key,
        what=item.what,
        role=item.message["role"],
        event_ids=item.event_ids,
        text=text[:HEAD],
        chars=len(text),
        images=images_of(item.message),
        tokens=weight((item,), per_quarter),
        state=state,
        gone=gone,
    )


def weight(items: Sequence[Item], per_quarter: float) -> int:
    """About how many tokens items are."""
    return round(sum(item.quarters for item in items) * per_quarter)


def lines(
    items: Sequence[Item], per_quarter: float, start: int | None, count: int, line_of: Callable[[Item], Line]
) -> Lines:
    """`count` items from `start` on as lines; without `start` the last ones."""
    start = max(0, len(items) - count) if start is None else min(start, len(items))
    return Lines(
        start=start,
        total=len(items),
        tokens=weight(items, per_quarter),
        lines=tuple(map(line_of, items[start : start + count])),
    )
