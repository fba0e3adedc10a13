"""No condenser: the view only grows, and an overflow stops the run (contract, section 18)."""

from __future__ import annotations

from typing import ClassVar, Literal

from .base import CondenserSettings, HardCondenserSettings, Policy, condenser


@condenser
class NoOpSettings(CondenserSettings):
    """Nothing is condensed; the context only grows (R-SET-12)."""

    condenser_kind: Literal["no_op"] = "no_op"
    about: ClassVar[str] = "The context only grows; when it is full, the run ends."

    def policy(self, notes: str, fallback: HardCondenserSettings | None) -> NoOp:
        return NoOp()


class NoOp(Policy):
    """Adds no tool, gives no advice, condenses nothing (R-NOOP-1)."""
