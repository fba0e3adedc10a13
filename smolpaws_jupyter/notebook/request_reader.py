"""Takes requests apart for a page: the next one, what a reset would leave of it, and what lies between two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..core import questions as q
from ..core.budget import BudgetState, Gauge
from ..core.errors import CommandRefused
from ..core.instruments.lines import Line, Lines, State, line, lines, weight
from ..core.instruments.outline import Item, Outline, fixed_outline, outline, text_of, tool_of
from ..core.instruments.parts import tokens
from ..core.instruments.rehearsal import Rehearsal, request_view
from ..core.instruments.requests import Difference, difference
from ..core.view import View
from ..runtime.conversation import Conversation
from ..runtime.llm import LLM
from ..runtime.outlook import Outlook, request_of


@dataclass(frozen=True, slots=True)
class Moment:
    """What is true when a question is asked."""

    view: View
    llm: LLM | None
    window: int | None

    @classmethod
    def of(cls, talk: Conversation) -> Moment:
        """The present."""
        return cls(talk.view, *talk.model.current(talk.view.binding))


@dataclass(frozen=True, slots=True)
class Next:
    """The next request, taken apart; `per_quarter`: the tokens that a quarter of a token by bytes is estimated as."""

    shown: View
    gauge: Gauge
    fixed: list[Item]
    items: list[Item]
    tokens: int
    per_quarter: float


class RequestReader:
    """Of one conversation. Any thread may ask, one question at a time; what makes the next answer sooner is kept."""

    def __init__(self, talk: Conversation) -> None:
        self._tools = talk.agent.tools
        self._outlook = Outlook(talk.policy, talk.agent.tools)
        self._outline = Outline()
        self._compared: tuple[object, Difference] | None = None

    def next_request(self, asked: q.NextRequest, budget: BudgetState, moment: Moment) -> q.NextRequestIs:
        """The next request in lines, and what a reset now would do."""
        now = self._next(moment)
        then = self._outlook.rehearsed(moment.view, now.gauge)
        unread = _unread(now.shown)

        def line_of(item: Item) -> Line:
            gone = not then.gone.isdisjoint(item.entry_ids)
            return line(item, now.per_quarter, _state(item, unread, moment.view), gone=gone)

        return q.NextRequestIs(
            id=asked.id,
            fixed=tuple(line(item, now.per_quarter) for item in now.fixed),
            messages=lines(now.items, now.per_quarter, asked.start, asked.count, line_of),
            tokens=now.tokens,
            budget=budget,
            reset=self._reset(then, now, asked.count),
        )

    def compare(self, asked: q.Compare, older: View | None, newer: View | None, moment: Moment) -> q.ComparisonIs:
        """What changed from one view to another; None stands for the next request."""
        now = self._next(moment)
        before, after = older or now.shown, newer or now.shown
        change = self._difference((asked.older, asked.newer, moment.view.length), before, after)
        items = {"left": change.left, "stayed": change.stayed, "came": change.came}[asked.part]
        is_next = (asked.older if asked.part == "left" else asked.newer) is None
        unread = _unread(now.shown) if is_next else set[str]()

        def line_of(item: Item) -> Line:
            return line(item, now.per_quarter, _state(item, unread, moment.view))

        return q.ComparisonIs(
            id=asked.id,
            left=len(change.left),
            stayed=len(change.stayed),
            came=len(change.came),
            lines=lines(items, now.per_quarter, asked.start, asked.count, line_of),
            changed=tuple(sorted(change.changed)),
            fixed=_fixed_differences(self._fixed(older, now), self._fixed(newer, now)),
            models=tuple(view.binding.model if view.binding else "" for view in (before, after)),
        )

    def text(self, key: str | None, view: View | None, moment: Moment, *, rehearsed: bool = False) -> str:
        """All words of a line, or a whole request as canonical JSON. Without a view, of the next or a rehearsed one."""
        now = self._next(moment)
        if rehearsed:
            view, imagined = request_view(self._outlook.rehearsed(moment.view, now.gauge)), True
        else:
            view, imagined = (now.shown, True) if view is None else (view, False)
        if key is None:
            return (self._outlook.request(view) if imagined else request_of(view)).body()
        for item in (*self._fixed(None if imagined else view, now), *outline(view)):
            if item.key == key:
                return text_of(item.message)
        raise CommandRefused("not_found", "This message is not part of the request any more.", status=404)

    def _next(self, moment: Moment) -> Next:
        view = moment.view
        gauge = self._outlook.gauge(view, moment.llm, moment.window)
        shown = self._outlook.shown(view, gauge)
        items = self._outline.of(shown)
        installed = {tool["function"]["name"] for tool in self._tools(view)}
        fixed = [item for item in _fixed_of(view) if tool_of(item) in (None, *installed)]
        quarters = sum(item.quarters for item in (*fixed, *items)) + len(items)
        estimate = gauge.estimate(shown)
        whole = tokens(quarters) if estimate is None else estimate
        return Next(shown, gauge, fixed, items, whole, whole / max(1, quarters))

    def _reset(self, then: Rehearsal, now: Next, count: int) -> q.ResetIs:
        gone = [item for item in now.items if not then.gone.isdisjoint(item.entry_ids)]
        after: Lines | None = None
        left: int | None = None
        if then.after is not None:
            items, unread = outline(then.after), _unread(then.after)
            after = lines(items, now.per_quarter, 0, count, lambda i: line(i, now.per_quarter, _state(i, unread, None)))
            left = weight(now.fixed, now.per_quarter) + after.tokens
        return q.ResetIs(
            how=then.how,
            due=then.due,
            refused=then.refused,
            gone=len(gone),
            gone_tokens=weight(gone, now.per_quarter),
            after=after,
            tokens=left,
        )

    def _difference(self, key: object, before: View, after: View) -> Difference:
        """The pages of one comparison are asked for one by one."""
        if self._compared is None or self._compared[0] != key:
            self._compared = (key, difference(outline(before), outline(after)))
        return self._compared[1]

    def _fixed(self, view: View | None, now: Next) -> list[Item]:
        return now.fixed if view is None else _fixed_of(view)


def _fixed_of(view: View) -> list[Item]:
    return fixed_outline(view.start) if view.start else []


def _fixed_differences(older: Sequence[Item], newer: Sequence[Item]) -> tuple[str, ...]:
    before, after = ({item.key: text_of(item.message) for item in items} for items in (older, newer))
    return tuple(key for key in {**before, **after} if before.get(key) != after.get(key))


def _unread(view: View) -> set[str]:
    """The ids of what the model has not seen."""
    return {entry.id for entry in (*view.unread, *view.asides)}


def _state(item: Item, unread: set[str], view: View | None) -> State:
    """`view` is the one that what is due now was added to."""
    if unread.isdisjoint(item.entry_ids):
        return "read"
    known = view is None or any(aside.id in item.entry_ids for aside in view.asides)
    return "unread" if item.what == "user" or known else "due"
