"""Counts what the tests of recovery went through, and says it at the end of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

_counted: Counter[str] = Counter()


@pytest.fixture
def count() -> Callable[[str, int], None]:
    """Adds to a figure of the summary: `count("crash points", 12)`."""

    def add(what: str, number: int) -> None:
        _counted[what] += number

    return add


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line with all figures, for the log of a lane."""
    if _counted:
        figures = ", ".join(f"{number:,} {what}" for what, number in sorted(_counted.items()))
        terminalreporter.write_line(f"recovery: {figures}")
