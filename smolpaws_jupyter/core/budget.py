"""How full the context is: what counts, against which limit, and which warning that makes due (sections 6 and 7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .base import Frozen
from .view import View

Counted = Literal["measured", "estimated", "unknown"]
LimitFrom = Literal["profile", "model", "unknown"]


class Budget(Frozen):
    """Input tokens of the next request against the input limit, and where both numbers come from (R-BUD-11)."""

    tokens: int | None = None
    limit: int | None = None
    counted: Counted = "unknown"
    limit_from: LimitFrom = "unknown"

    @property
    def fraction(self) -> float | None:
        """Tokens divided by limit; None where either is unknown. Nobody invents a percentage."""
        return None if self.tokens is None or self.limit is None else self.tokens / self.limit


class BudgetState(Frozen):
    """The budget as the page shows it (R-BUD-11). `fraction` is tokens / limit; null where either is unknown."""

    tokens: int | None = None
    limit: int | None = None
    fraction: float | None = None
    counted: Counted = "unknown"
    limit_from: LimitFrom = "unknown"


@dataclass(frozen=True, slots=True)
class Gauge:
    """What is known of the size of the next request."""

    budget: Budget
    estimate: Callable[[View], int | None]
    """Counts the whole request that a view would make, in tokens; None where nobody can."""


def budget_of(view: View, window: int | None, estimate: Callable[[View], int | None]) -> Budget:
    """The budget of the next request built from `view`.

    `window` is the model's own input window from metadata, or None. `estimate` counts the whole prospective request; it
    is asked only while no success of this cycle has reported a count (R-BUD-4, R-BUD-8).
    """
    limit, limit_from = input_limit(view, window)
    current = view.count
    if current is not None and view.binding is not None and current.binding_digest == view.binding.digest:
        counted: Counted = "unknown" if current.tokens is None else "measured"
        return Budget(tokens=current.tokens, limit=limit, counted=counted, limit_from=limit_from)
    guess = estimate(view)
    if guess is None or guess < 0:
        return Budget(limit=limit, limit_from=limit_from)
    return Budget(tokens=guess, limit=limit, counted="estimated", limit_from=limit_from)


def prompt_was_cut(view: View, reported: int | None) -> bool:
    """Whether a count fell by more than a tenth, though the request held all of the one before.

    Some servers cut a prompt that does not fit, answer as if nothing was, and count what they left (Ollama does).
    """
    before = budget_of(view, None, lambda _: None)
    if before.counted != "measured" or before.tokens is None or reported is None:
        return False
    return reported < 0.9 * before.tokens


def input_limit(view: View, window: int | None) -> tuple[int | None, LimitFrom]:
    """The yardstick: the profile's `maxInputTokens`, else the model's window, else unknown (R-BUD-1, R-BUD-2)."""
    if view.binding is not None and view.binding.max_input_tokens is not None:
        return view.binding.max_input_tokens, "profile"
    if window is not None and window > 0:
        return window, "model"
    return None, "unknown"


def due_stage(view: View, budget: Budget, thresholds: tuple[float, ...]) -> float | None:
    """The stage to warn of now: the highest one crossed, if none of this cycle was as high (R-WARN-2, R-WARN-3)."""
    if budget.fraction is None:
        return None
    crossed = [t for t in thresholds if budget.fraction >= t]
    highest = max(crossed, default=0.0)
    return highest if highest > view.stage else None
