"""No condenser: the view only grows, and an overflow stops the run (contract, section 18)."""

from __future__ import annotations

from collections.abc import Sequence

from ..base import Mint, ToolSpec
from ..budget import Budget
from ..events import ActionEvent, Event
from ..summary import SummaryPlan
from ..view import Aside, View


class NoOp:
    """Adds no tool, gives no advice, condenses nothing (R-NOOP-1)."""

    kind = "no_op"
    tools: tuple[ToolSpec, ...] = ()

    def thresholds(self, view: View) -> tuple[float, ...]:
        return ()

    def advice(self, view: View, budget: Budget, mint: Mint) -> Aside | None:
        return None

    def settle(self, batch: Sequence[ActionEvent], view: View, mint: Mint) -> list[tuple[Event, ...]]:
        return []

    def rescue(self, view: View, boundary: str) -> SummaryPlan | None:
        return None

    def not_possible(self, batch: Sequence[ActionEvent], mint: Mint) -> tuple[Event, ...]:
        return ()
