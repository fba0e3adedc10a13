"""A figure, its target, and how the two are shown."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Figure:
    """One line of the bench. `target` is at most; None where a figure is only told."""

    name: str
    value: float
    unit: str
    target: float | None = None

    @property
    def met(self) -> bool:
        return self.target is None or self.value <= self.target

    def __str__(self) -> str:
        goal = "" if self.target is None else f"  (at most {self.target:g}{'' if self.met else ', MISSED'})"
        return f"{self.name:<66} {self.value:>10.3f} {self.unit}{goal}"


def middle(values: list[float]) -> float:
    """The median, which one slow round does not move."""
    return median(values)
