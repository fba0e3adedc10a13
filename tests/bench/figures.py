"""A figure, its bar, and how the two are shown."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Figure:
    """One line of the bench. `bar` is at most; None where a figure is only told."""

    name: str
    value: float
    unit: str
    bar: float | None = None

    @property
    def met(self) -> bool:
        return self.bar is None or self.value <= self.bar

    def __str__(self) -> str:
        goal = "" if self.bar is None else f"  at most {self.bar:g}: {'met' if self.met else 'MISSED'}"
        return f"{self.name:<72} {self.value:>10.3f} {self.unit:<3}{goal}"


def middle(values: list[float]) -> float:
    """The median, which one slow round does not move."""
    return median(values)


def peak() -> float:
    """The most memory that this process has had, in megabytes. Linux would count a parent's in what getrusage says."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
