"""One run: steps until the turn is done, a person stops it, or it fails. What happened is in the log."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from ..core import wording
from ..core.errors import SmolPawsError
from ..core.events import ConversationErrorEvent, Event, InterruptEvent, PauseEvent, Result
from ..core.settings import AgentSettings
from .agent import Agent
from .control import Control, RunEnded, Stopped
from .endings import end
from .log import mint, new_id
from .model_in_use import ModelInUse
from .runner import closures


class Run:
    """One run of an agent. `stop` and `pause` hold it; `task` ends when it rests."""

    def __init__(self, agent: Agent, model: ModelInUse, settings: AgentSettings, rested: Callable[[], None]) -> None:
        """`rested` is called at the very end, whatever happened."""
        self.agent = agent
        self.log = agent.log
        self.model = model
        self.settings = settings
        self.control = Control()
        self.broke: SmolPawsError | None = None
        """What broke the run, if it was neither the model nor a tool: the store, most likely."""
        self._rested = rested
        self.task = asyncio.get_running_loop().create_task(self._go())

    async def _go(self) -> None:
        timer = None
        if self.settings.run_timeout_seconds is not None:
            loop = asyncio.get_running_loop()
            timer = loop.call_later(self.settings.run_timeout_seconds, self.control.stop, "limit")
        try:
            with contextlib.suppress(RunEnded):
                await self._steps()
            if self.control.pause_command is not None:
                self.log.append(PauseEvent(**mint(), command_id=self.control.pause_command))
        except Stopped as stopped:
            self._record(stopped)
        except SmolPawsError as error:
            self.broke = error
        except Exception as error:  # noqa: BLE001 - a bug of ours or of a client must be seen, not lost with its task
            self.broke = _bug(error)
        finally:
            if timer is not None:
                timer.cancel()
            self._rested()

    async def _steps(self) -> None:
        binding = self.log.view.binding
        assert binding is not None, "a conversation runs only after its start is stored"
        self.agent.listener.busy("loading")
        llm = await self.control.guard(self.model.load(binding))
        for _ in range(self.settings.max_steps_per_run):
            self.control.check()
            async with self.agent.turn:
                more = await self.agent.step(llm, self.model.window, self.control)
            if self.control.pause_command is not None or not more:
                return
        end(self.log, "run_limit_reached", wording.run_limit(f"{self.settings.max_steps_per_run} steps"))

    def _record(self, stopped: Stopped) -> None:
        """One commit: what may have been paid, a result for each open call, and why the run stopped (R-LOG-8)."""
        answered = frozenset(e.action_id for e in stopped.records if isinstance(e, Result))
        records = [*stopped.records, *closures(self.log.view, answered=answered, stopped=True)]
        ending: Event = InterruptEvent(**mint())
        if stopped.reason == "limit":
            limit = wording.run_limit(f"{self.settings.run_timeout_seconds:g} seconds")
            ending = ConversationErrorEvent(**mint(), code="run_limit_reached", detail=limit, recoverable=True)
        try:
            self.log.append(*records, ending, command_id=self.control.command_id or new_id())
        except SmolPawsError as error:
            self.broke = error


def _bug(error: Exception) -> SmolPawsError:
    """Only the kind of an unforeseen error is told: its text may hold anything."""
    logging.getLogger(__name__).debug("a run broke", exc_info=error)
    return SmolPawsError(
        "internal_error",
        f"The run broke with an unforeseen {type(error).__name__}. What was recorded stays.",
        detail="Send a message or continue to try again.",
    )
