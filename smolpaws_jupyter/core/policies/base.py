"""What the engine asks of a way to keep a context, and what its settings have. Every answer is pure.

A kind is one file: its settings, marked with `@condenser`, and its `Policy`; `policies/__init__.py` imports it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, TypeVar

from pydantic import Field

from ..base import Mint, ToolSpec
from ..budget import Gauge
from ..events import ActionEvent, Event
from ..summary import SummaryPlan
from ..validation import Name, SettingsModel
from ..view import Aside, View

BEFORE_NEXT = "Before the next request"
NEXT_ANSWER = "It was condensed already; this is judged again when the model has answered."

Attempts = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(gt=0, lt=1)]

Due = Literal["size", "tokens", "proactive", "capacity"]
"""Why a summary is wanted before a request is sent. `capacity` is a rescue, the others are routine (R-EV-8)."""

Trigger = Due | Literal["provider_context_window", "host"]
"""Why a summary is wanted: before sending, after the provider refused a request for its size, or by a person."""


class Policy:
    """One way to keep a context (R-VOC-14). This one does nothing; each kind says where it differs."""

    kind = "no_op"
    tools: tuple[ToolSpec, ...] = ()
    """The tools that this policy adds. The engine never runs them, it asks `settle`."""
    habit = ""
    """What the system prompt says about the context."""
    once = True
    """Whether a rescue bars the next one until the model has answered (R-BOUND-4)."""

    def thresholds(self, view: View) -> tuple[float, ...]:
        """The warning stages in force; empty where this policy does not warn."""
        return ()

    def advice(self, view: View, gauge: Gauge, mint: Mint) -> Aside | None:
        """The remark to add to the next request, or None. Advice changes nothing but the log (R-WARN-17)."""
        return None

    def due(self, view: View, gauge: Gauge) -> Due | None:
        """Why a summary should be bought before the next request is sent; None to send it as it is (R-STEP-2)."""
        return None

    def plan(self, view: View, trigger: Trigger, gauge: Gauge) -> SummaryPlan | None:
        """The summary to buy; None where this policy buys none or where none could help."""
        return None

    def truncation(self, view: View, mint: Mint) -> tuple[Event, ...]:
        """The commit that shortens what is shown, where no summary was to be had after an overflow; () for none."""
        return ()

    def settle(self, batch: Sequence[ActionEvent], view: View, gauge: Gauge, mint: Mint) -> list[tuple[Event, ...]]:
        """The commits that answer this policy's own calls of a batch, when every other call has its result."""
        return []

    def outlook(self, view: View, gauge: Gauge) -> str:
        """What this policy does next with the context, in a sentence for people: by the numbers that it goes by."""
        return "Nothing is condensed: the context only grows, and a request that the provider refuses ends the run."

    def not_possible(self, batch: Sequence[ActionEvent], view: View, mint: Mint) -> tuple[Event, ...]:
        """What to commit instead of a reset whose plan did not pass validation (R-RESET-13)."""
        return ()


def share_of(gauge: Gauge, share: float) -> str:
    """A share of the input limit in words: "80 % (6,400 of 8,000 tokens)", the least whole number that reaches it."""
    limit = gauge.budget.limit
    if limit is None:
        return f"{share * 100:g} % of the limit, which is unknown,"
    least = next(n for n in itertools.count(max(0, math.floor(share * limit) - 1)) if n / limit >= share)
    return f"{share * 100:g} % ({least:,} of {limit:,} tokens)"


class HardCondenserSettings(SettingsModel):
    """The fallback of `agent_reset`: a summary by its own profile, after a real overflow (R-SET-22)."""

    condenser_kind: Literal["llm_summarizing"]
    llm_profile_ref: Name
    hard_context_reset_max_retries: Attempts = 5
    hard_context_reset_context_scaling: Share = 0.8


class CondenserSettings(SettingsModel):
    """What every condenser kind has, beside the `condenser_kind` that names it.

    `enabled: false` builds nothing and behaves as `no_op` (R-SET-21).
    """

    enabled: bool = True

    about: ClassVar[str] = ""
    """What this kind does, in a sentence for people who choose one."""

    def policy(self, notes: str, fallback: HardCondenserSettings | None) -> Policy:
        """The policy of these settings. `notes` is the agent's folder of notes, `fallback` the hard condenser."""
        raise NotImplementedError


class ProfiledSettings(CondenserSettings):
    """Those of a kind that may buy its summaries with a profile of its own."""

    llm_profile_ref: Name | None = None
    """The summary's profile; else the main binding of the moment, where the kind says nothing else (R-SET-29)."""


CONDENSERS: dict[str, type[CondenserSettings]] = {}
"""The settings of each kind, by its name."""

S = TypeVar("S", bound=CondenserSettings)


def condenser(settings: type[S]) -> type[S]:
    """Makes a kind known, so that settings may name it."""
    CONDENSERS[settings.model_fields["condenser_kind"].default] = settings
    return settings
