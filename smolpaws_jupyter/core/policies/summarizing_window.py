"""The harness summarises the oldest messages, and cuts long texts where that cannot help (contract, section 16)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import AfterValidator, Discriminator, Field, Tag, field_validator

from ..base import Mint
from ..budget import Gauge
from ..events import Cut, Event, TruncationEvent
from ..messages import cut_mark
from ..summary import SummaryPlan, details, in_full
from ..units import Entry, groups, in_batch, message_count, text_blocks, units
from ..validation import SettingsModel, refusal
from ..view import View
from .base import (
    BEFORE_NEXT,
    NEXT_ANSWER,
    Due,
    HardCondenserSettings,
    Policy,
    ProfiledSettings,
    Share,
    Trigger,
    condenser,
    share_of,
)


class ProactiveSettings(SettingsModel):
    """At which share of the input limit a window is summarised before it overflows."""

    compression_threshold: float = Field(gt=0, le=1)


def _switch_or_object(value: Any) -> str:
    return "switch" if isinstance(value, bool) else "object"


Proactive = Annotated[
    Annotated[bool, Tag("switch")] | Annotated[ProactiveSettings, Tag("object")], Discriminator(_switch_or_object)
]


@condenser
class SummarizingWindowSettings(ProfiledSettings):
    """The harness summarises the oldest messages, then cuts long texts (R-SET-11)."""

    condenser_kind: Literal["summarizing_window"] = "summarizing_window"
    about: ClassVar[str] = "The oldest messages are summarised; where that cannot help, long texts are cut."
    summary_ratio: Annotated[Share, AfterValidator(lambda ratio: min(max(ratio, 0.1), 0.8))] = 0.3
    """The share of messages that one reduction replaces, held within 0.1 and 0.8 (R-SET-18)."""
    preserve_recent_messages: int = Field(default=10, ge=0)
    pin_first: int = Field(default=0, ge=0)
    proactive_compression: Proactive | None = None
    """Ask `proactive_threshold` (R-SET-19)."""
    truncate_preserve_chars: int = 2000
    """Characters kept at each end of a cut text; 0 or less: nothing is cut (R-WIN-17)."""

    @field_validator("proactive_compression", mode="before")
    @classmethod
    def _is_switch_or_object(cls, value: Any) -> Any:
        if value is not None and not isinstance(value, bool | dict | ProactiveSettings):
            raise refusal('true, false, null or {"compression_threshold": a number above 0, at most 1}')
        return cast("Any", value)

    @property
    def proactive_threshold(self) -> float | None:
        """The share of the input limit at which to summarise ahead; None when that is off."""
        match self.proactive_compression:
            case ProactiveSettings(compression_threshold=threshold):
                return threshold
            case True:
                return 0.7
            case _:
                return None

    def policy(self, notes: str, fallback: HardCondenserSettings | None) -> SummarizingWindow:
        return SummarizingWindow(self)


class SummarizingWindow(Policy):
    """Bounded by progress and not by a count: each answer to an overflow forgets, cuts, or stops (R-WIN-10)."""

    kind = "summarizing_window"
    once = False

    def __init__(self, settings: SummarizingWindowSettings) -> None:
        self._settings = settings

    def due(self, view: View, gauge: Gauge) -> Due | None:
        """One reduction ahead of an overflow, where a share for it is set (R-WIN-11, R-WIN-12)."""
        threshold, fraction = self._settings.proactive_threshold, gauge.budget.fraction
        if threshold is None or fraction is None or view.routine is not None:
            return None
        return "proactive" if fraction >= threshold else None

    def plan(self, view: View, trigger: Trigger, gauge: Gauge) -> SummaryPlan | None:
        """A summary of the oldest messages but the pinned ones; None where that cannot help (R-WIN-1 to 7)."""
        pins = self._pins(view)
        pinned = _whole(pins | view.pins, units(view.read), view.read)
        before = view.read[: self._split(view)]
        chosen = tuple(entry for entry in before if entry.id not in pinned)
        if all(entry.kind == "CondensationSummaryEvent" for entry in chosen):
            return None
        return SummaryPlan(
            details=details(trigger, view, protected=view.unread),
            entries=chosen,
            texts=tuple(in_full(entry, view) for entry in chosen),
            offset=len(before) - len(chosen),
            attempts=1,
            pins=tuple(entry.id for entry in _shown(view) if entry.id in pins),
        )

    def truncation(self, view: View, mint: Mint) -> tuple[Event, ...]:
        """Cuts every text that qualifies at once, in one event (R-WIN-14 to 18)."""
        pinned = _whole(self._pins(view) | view.pins, groups(view.read), view.read)
        cuts = tuple(
            cut
            for entry in _shown(view)
            if entry.id not in pinned
            for cut in self._cuts(entry)
            if (cut.entry_id, cut.block_index) not in view.cuts
        )
        if not cuts:
            return ()
        return (TruncationEvent(**mint(), cuts=cuts),)

    def outlook(self, view: View, gauge: Gauge) -> str:
        threshold, latest = self._settings.proactive_threshold, self._settings.preserve_recent_messages
        share = f"{self._settings.summary_ratio * 100:g} %"
        then = f"the oldest {share} of the messages are summarised; the latest {latest:,} stay"
        if threshold is None:
            return f"Only when the provider refuses a request for its size, {then}."
        if view.routine is not None:
            return NEXT_ANSWER
        if self.due(view, gauge) is None:
            return f"At {share_of(gauge, threshold)} {then}."
        plan = self.plan(view, "proactive", gauge)
        if plan is None:
            return "A summary is due, but there is too little that it could replace."
        return f"{BEFORE_NEXT} the oldest {len(plan.entries):,} entries are summarised."

    def _split(self, view: View) -> int:
        """The entries of `read` before the split; 0 where there are too few messages (R-WIN-1, R-WIN-2)."""
        sizes = [message_count(view.read[unit.start : unit.stop]) for unit in units(view.read)]
        in_all = sum(sizes) + len(view.unread)
        wanted = max(1, math.floor(in_all * self._settings.summary_ratio))
        wanted = min(wanted, in_all - self._settings.preserve_recent_messages, sum(sizes))
        if wanted <= 0:
            return 0
        return next(
            unit.stop for unit, messages in zip(units(view.read), accumulate(sizes), strict=True) if messages >= wanted
        )

    def _pins(self, view: View) -> frozenset[str]:
        """The entries of the first messages, where they are to be pinned and are not yet (R-WIN-3)."""
        if view.pins:
            return frozenset()
        first = (ids for _, ids in zip(range(self._settings.pin_first), _messages(_shown(view)), strict=False))
        return frozenset(id_ for ids in first for id_ in ids)

    def _cuts(self, entry: Entry) -> Iterator[Cut]:
        """The cuts of an entry's texts that are long enough (R-WIN-16, R-WIN-17)."""
        keep = self._settings.truncate_preserve_chars
        for index, text in text_blocks(entry):
            removed = len(text) - 2 * keep
            if keep > 0 and removed - len(cut_mark(removed)) > keep:
                yield Cut(entry_id=entry.id, block_index=index, head_chars=keep, tail_chars=keep, removed_chars=removed)


def _shown(view: View) -> list[Entry]:
    return [*view.read, *view.unread]


def _messages(entries: Sequence[Entry]) -> Iterator[list[str]]:
    """The ids behind each message: a batch counts as two, its calls and all its results (R-VIEW-11)."""
    for group in groups(entries):
        members = entries[group.start : group.stop]
        if in_batch(members[0]):
            yield [entry.id for entry in members if entry.kind == "ActionEvent"]
            yield [entry.id for entry in members if entry.kind != "ActionEvent"]
        else:
            yield [members[0].id]


def _whole(ids: frozenset[str], spans: Sequence[range], read: Sequence[Entry]) -> set[str]:
    """These ids, and the rest of each span that holds one of them.

    A pin holds its whole batch (R-WIN-3). A summary can take only whole units, so for one it holds the whole unit.
    """
    whole = set(ids)
    for span in spans:
        members = {entry.id for entry in read[span.start : span.stop]}
        if not members.isdisjoint(ids):
            whole |= members
    return whole
