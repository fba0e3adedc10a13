"""What the engine asks of a way to keep a context. Every answer is a pure function of the view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..base import Mint, ToolSpec
from ..budget import Budget
from ..events import ActionEvent, Event
from ..summary import SummaryPlan
from ..view import Aside, View


class Policy(Protocol):
    """One way to keep a context (R-VOC-14)."""

    @property
    def kind(self) -> str: ...

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that this policy adds; the engine never runs them, it asks `settle`."""
        ...

    def thresholds(self, view: View) -> tuple[float, ...]:
        """The warning stages in force; empty where this policy does not warn."""
        ...

    def advice(self, view: View, budget: Budget, mint: Mint) -> Aside | None:
        """The remark to add to the next request, or None. Advice changes nothing but the log (R-WARN-17)."""
        ...

    def settle(self, batch: Sequence[ActionEvent], view: View, mint: Mint) -> list[tuple[Event, ...]]:
        """The commits that answer this policy's own calls of a batch, when every other call has its result."""
        ...

    def rescue(self, view: View, boundary: str) -> SummaryPlan | None:
        """The summary to buy after an overflow of a request built from `view`; None where this policy buys none."""
        ...

    def not_possible(self, batch: Sequence[ActionEvent], mint: Mint) -> tuple[Event, ...]:
        """What to commit instead of a reset whose plan did not pass validation (R-RESET-13)."""
        ...
