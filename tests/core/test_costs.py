"""A step costs the same at any length: what is done per event never walks the history (P1, P6, P7, I-32).

Compared is the best of several stretches at two lengths in one run, so a busy machine changes both alike; walking the
history would show as a factor of twenty.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from smolpaws_jupyter.core.ledger import Ledger
from smolpaws_jupyter.core.messages import Renderer, tool_definitions
from smolpaws_jupyter.core.replay import Replay
from smolpaws_jupyter.core.view import View
from tests.builders import READ_FILE, History

pytestmark = pytest.mark.slow

TOOLS = tool_definitions([READ_FILE])
SHORT, LONG = 100, 2_000
FLAT = 6

Fold = Callable[[Any, Any], Any]


def replayed(replay: Any, commit: Any) -> Any:
    return replay.after(commit)


def viewed(view: Any, commit: Any) -> Any:
    for event in commit:
        view = view.add(event)
    return view


def entered(ledger: Any, commit: Any) -> Any:
    for event in commit:
        ledger = ledger.add(event)
    return ledger


def weighed(state: Any, commit: Any) -> Any:
    view, renderer = state
    view = viewed(view, commit)
    renderer.size(view, TOOLS)
    return view, renderer


FOLDS: dict[str, tuple[Fold, Callable[[], Any]]] = {
    "replay": (replayed, Replay),
    "view": (viewed, View),
    "ledger": (entered, Ledger),
    "size": (weighed, lambda: (View(), Renderer())),
}


def cost(fold: Fold, state: Any, steps: int) -> float:
    """Processor seconds of ten more steps after so many, the least of twenty tries."""
    history = History().user("go")
    taken: list[float] = []
    folded = 0
    for stretch in (steps, *[10] * 20):
        for _ in range(stretch):
            history.call("read_file", "x" * 200, path="a")
        history.shown.clear()
        before = time.process_time()
        for commit in history.commits[folded:]:
            state = fold(state, commit)
        taken.append(time.process_time() - before)
        folded = len(history.commits)
    return min(taken[1:])


@pytest.mark.parametrize("name", FOLDS)
def test_p1_one_more_step_costs_the_same_at_any_length(name: str):
    """P1, P6, P7"""
    fold, begin = FOLDS[name]
    assert cost(fold, begin(), LONG) < FLAT * cost(fold, begin(), SHORT)
