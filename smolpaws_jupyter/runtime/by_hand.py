"""Summaries because a person asks for them (contract, section 19)."""

from __future__ import annotations

from ..core import wording
from ..core.errors import CommandRefused, ConversationReadOnly
from ..core.events import Condensation, CondensationFailureEvent
from .agent import Agent
from .control import Control, Stopped
from .listening import Listener
from .model_in_use import ModelInUse


class ByHand:
    """One at a time, and never beside a step. `controls` stop those that wait or run."""

    def __init__(self, agent: Agent, model: ModelInUse, listener: Listener) -> None:
        self._agent = agent
        self._log = agent.log
        self._model = model
        self._listener = listener
        self.controls: list[Control] = []

    async def condense(self, command_id: str) -> str:
        """One summary, and its receipt in words. The status stays what it is.

        Waits for the running step. Raises `CommandRefused`, and leaves the history as it was, where it is not offered,
        where there is nothing to summarise, and where it failed.
        """
        match self._agent.policy.kind:
            case "agent_reset":
                raise CommandRefused("agent_controlled_condensation", wording.MANUAL_REFUSED, status=409)
            case "no_op":
                raise CommandRefused("condensation_not_available", wording.MANUAL_UNAVAILABLE)
            case _:
                pass
        if self._log.read_only is not None:
            raise ConversationReadOnly(self._log.read_only)
        control = Control()
        self.controls.append(control)  # before its turn comes: a stop means what waits, too
        try:
            async with self._agent.turn:
                if command_id not in self._log.ledger.receipts:
                    await self._buy(command_id, control)
                return self._receipt(command_id)
        finally:
            self.controls.remove(control)

    async def _buy(self, command_id: str, control: Control) -> None:
        binding = self._log.view.binding
        if binding is None:
            raise CommandRefused("nothing_to_condense", wording.MANUAL_NOTHING)
        try:
            llm = await control.guard(self._model.load(binding))
            await self._agent.condense_by_hand(llm, self._model.window, command_id, control)
        except Stopped as stopped:
            if not stopped.records:
                raise _no_summary("cancelled") from None
            self._log.append(*stopped.records, command_id=command_id)
        finally:
            self._listener.busy("")

    def _receipt(self, command_id: str) -> str:
        """What came of it, by the log alone (R-MAN-7). Raises `CommandRefused` where it failed."""
        for _, event in self._log.read_back(len(self._log), lambda _: True):
            if isinstance(event, Condensation | CondensationFailureEvent) and event.command_id == command_id:
                if isinstance(event, Condensation):
                    return wording.MANUAL_DONE
                raise _no_summary(event.code)
        raise _no_summary("accounting_failed")


def _no_summary(code: str) -> CommandRefused:
    """The refusal of a summary that failed; `code` is that of its failure record."""
    return CommandRefused("condensation_failed", wording.condensation_failed(wording.SUMMARY_FAILED[code]))
