"""Logs that nobody can have written: a lawful one with one thing changed, and the rule that it breaks."""

from __future__ import annotations

from typing import Any

from smolpaws_jupyter.core.replay import Replay, Violation
from tests.builders import History


def broken(history: History) -> Violation | None:
    """What is wrong with a log, if anything."""
    replay = Replay.of(history.commits)
    return replay if isinstance(replay, Violation) else None


def rule(history: History) -> str | None:
    """The id of the first rule that a log breaks."""
    violation = broken(history)
    return violation.rule if violation else None


def forged(history: History, event_id: str, **changes: Any) -> History:
    """The same log, in which one event has other fields."""
    assert history[event_id]
    for number, commit in enumerate(history.commits):
        history.commits[number] = tuple(
            type(event)(**{**dict(event), **changes}) if event.id == event_id else event for event in commit
        )
    return history


def details(history: History, request_id: str, **changes: Any) -> History:
    """The same log, in which one request has other details."""
    old = history[request_id].details
    return forged(history, request_id, details=type(old)(**{**dict(old), **changes}))


def reordered(history: History, *order: str) -> History:
    """The same log, in which these events stand in another order, each in a commit of its own."""
    moved = {event_id: history[event_id] for event_id in order}
    waiting = iter(moved.values())
    history.commits = [(next(waiting) if event.id in moved else event,) for event in history.events]
    return history
