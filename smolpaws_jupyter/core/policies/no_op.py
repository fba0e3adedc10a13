"""No condenser: the view only grows, and an overflow stops the run (contract, section 18)."""

from __future__ import annotations

from .base import Policy


class NoOp(Policy):
    """Adds no tool, gives no advice, condenses nothing (R-NOOP-1)."""
