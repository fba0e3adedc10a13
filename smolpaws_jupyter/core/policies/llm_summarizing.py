"""The harness summarises a range by size or tokens, or all it can after an overflow (contract, section 17)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator
from pydantic import ValidationInfo as Info

from .. import wording
from ..budget import Gauge
from ..summary import SummaryPlan, details
from ..units import Entry, safe_cuts
from ..validation import refusal
from ..view import View
from .base import (
    BEFORE_NEXT,
    NEXT_ANSWER,
    Attempts,
    Due,
    HardCondenserSettings,
    Policy,
    ProfiledSettings,
    Share,
    Trigger,
    condenser,
)


@condenser
class LLMSummarizingSettings(ProfiledSettings):
    """The harness summarises a range by size or tokens, by its own profile or the role `condenser` (R-SET-10)."""

    condenser_kind: Literal["llm_summarizing"] = "llm_summarizing"
    about: ClassVar[str] = "A paid summary replaces older history when it has grown long."
    max_size: int = Field(default=1000, ge=20)
    """Entries of the view above which a summary is made."""
    max_tokens: Annotated[int, Field(gt=0)] | None = None
    """Ask `token_trigger`: absent and null differ (R-SET-16)."""
    keep_first: int = Field(default=2, ge=0)
    minimum_progress: Share = 0.1
    """The least share of all entries that a summary has to replace."""
    hard_context_reset_max_retries: Attempts = 5
    """All attempts at one summary, the first included (R-SET-25)."""
    hard_context_reset_context_scaling: Share = 0.8
    """How much of the longest preview is left at the next attempt."""

    @field_validator("keep_first")
    @classmethod
    def _leaves_room(cls, keep_first: int, info: Info) -> int:
        max_size = info.data.get("max_size")
        if max_size is not None and max_size // 2 - keep_first - 1 <= 0:
            raise refusal("at most max_size // 2 - 2, or no cut could make room")
        return keep_first

    def token_trigger(self, input_limit: int | None) -> int | None:
        """Tokens above which a summary is made, given the main input limit; None for no token trigger (R-SET-16)."""
        return self.max_tokens if "max_tokens" in self.model_fields_set else input_limit

    def policy(self, notes: str, fallback: HardCondenserSettings | None) -> LLMSummarizing:
        return LLMSummarizing(self)


class LLMSummarizing(Policy):
    """Keeps the first entries and the latest, and puts a summary in the place of what lies between."""

    kind = "llm_summarizing"

    def __init__(self, settings: LLMSummarizingSettings) -> None:
        self._settings = settings

    def due(self, view: View, gauge: Gauge) -> Due | None:
        """A summary by size or by tokens, once until the model has answered (R-ORD-1, R-BOUND-5)."""
        if view.routine is not None:
            return None
        if self._too_many_tokens(gauge):
            return "tokens"
        return "size" if _entries(view) > self._settings.max_size else None

    def plan(self, view: View, trigger: Trigger, gauge: Gauge) -> SummaryPlan | None:
        """A lawful range; after an overflow or for a person, without one, all of `read` (R-ORD-2 to 4, R-ORD-9)."""
        start, stop = self._range(view, trigger)
        if not self._lawful(view, start, stop):
            start, stop = 0, len(view.read)
            if trigger in ("size", "tokens") or not _worth(view.read[start:stop]):
                return None
        return SummaryPlan(
            details=details(trigger, view, protected=view.unread),
            entries=tuple(view.read[start:stop]),
            offset=start,
            attempts=self._settings.hard_context_reset_max_retries,
            scaling=self._settings.hard_context_reset_context_scaling,
            heading=wording.SUMMARY_HEADING,
        )

    def outlook(self, view: View, gauge: Gauge) -> str:
        if view.routine is not None:
            return NEXT_ANSWER
        if (trigger := self.due(view, gauge)) is not None:
            plan = self.plan(view, trigger, gauge)
            if plan is None:
                return "The history is long enough for a summary, but no part of it can be replaced now."
            return f"{BEFORE_NEXT} {len(plan.entries):,} of {_entries(view):,} entries are summarised."
        bounds = f"{self._settings.max_size:,} entries (now {_entries(view):,})"
        if (most := self._settings.token_trigger(gauge.budget.limit)) is not None:
            tokens = gauge.budget.tokens
            bounds += f" or {most:,} tokens (now {'unknown' if tokens is None else f'{tokens:,}'})"
        first = self._settings.keep_first
        return f"Above {bounds}, what stands between the first {first:,} entries and the latest is summarised."

    def _range(self, view: View, trigger: Trigger) -> tuple[int, int]:
        """From the first safe cut at or after `keep_first` to the first one that leaves the tail (R-ORD-3)."""
        targets = [self._settings.max_size // 2] if _entries(view) > self._settings.max_size else []
        if trigger != "size":
            targets.append(_entries(view) // 2)
        target = min(targets, default=0)
        tail = max(0, target - self._settings.keep_first - 1)
        last = _entries(view) - tail
        cuts = safe_cuts(view.read)
        start = next((cut for cut in cuts if cut >= self._settings.keep_first), len(view.read))
        return start, next((cut for cut in cuts if cut >= last), len(view.read))

    def _lawful(self, view: View, start: int, stop: int) -> bool:
        """R-ORD-4."""
        enough = stop - start >= self._settings.minimum_progress * _entries(view)
        return enough and _worth(view.read[start:stop])

    def _too_many_tokens(self, gauge: Gauge) -> bool:
        most = self._settings.token_trigger(gauge.budget.limit)
        return most is not None and gauge.budget.tokens is not None and gauge.budget.tokens > most


def _entries(view: View) -> int:
    return len(view.read) + len(view.unread)


def _worth(entries: list[Entry]) -> bool:
    """Whether there is anything but an earlier summary."""
    return any(entry.kind != "CondensationSummaryEvent" for entry in entries)
