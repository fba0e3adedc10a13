"""What the engine asks of a way to keep a context. Every answer is a pure function of the view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..base import Mint, ToolSpec
from ..budget import Gauge
from ..events import ActionEvent, Event
from ..summary import SummaryPlan
from ..view import Aside, View

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

    def not_possible(self, batch: Sequence[ActionEvent], view: View, mint: Mint) -> tuple[Event, ...]:
        """What to commit instead of a reset whose plan did not pass validation (R-RESET-13)."""
        return ()
