"""How a person holds a run: Stop cancels what can be cancelled, Pause lets the step finish."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Literal, TypeVar

from ..core.events import Event

T = TypeVar("T")

Reason = Literal["person", "interrupt", "limit", "close"]


class Stopped(Exception):
    """The run was stopped. `records` are the events that say what happened to the work in hand."""

    def __init__(self, reason: Reason, records: tuple[Event, ...] = ()) -> None:
        super().__init__(reason)
        self.reason: Reason = reason
        self.records = records


class RunEnded(Exception):
    """The run ends with an error that is in the log already."""


class Control:
    """Guards the awaits of one run, so that a stop reaches whatever is under way."""

    def __init__(self) -> None:
        self.stopping: Reason | None = None
        self.command_id: str | None = None
        self.pause_command: str | None = None
        self._current: asyncio.Task[Any] | None = None

    def stop(self, reason: Reason, command_id: str | None = None) -> None:
        """Stops the run at once: the guarded await under way is cancelled, later ones do not start."""
        if self.stopping is None:
            self.stopping, self.command_id = reason, command_id
        if self._current is not None:
            self._current.cancel()

    def check(self) -> None:
        """Raises `Stopped` if the run was stopped."""
        if self.stopping is not None:
            raise Stopped(self.stopping)

    async def guard(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, or `Stopped`. Work that finishes although it was cancelled keeps its result."""
        if self.stopping is not None:
            work.close()
            self.check()
        task = self._current = asyncio.ensure_future(work)
        try:
            return await task
        except asyncio.CancelledError:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
            if self.stopping is None:
                raise
            raise Stopped(self.stopping) from None
        finally:
            self._current = None
