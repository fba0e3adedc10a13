"""Runs the calls of one batch: consent first, intent on disk, then the tool, then its result."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Protocol

from ..core import wording
from ..core.base import TextBlock
from ..core.events import (
    ActionEvent,
    AgentErrorEvent,
    ApprovalEvent,
    Event,
    ObservationEvent,
    Result,
    ToolStartEvent,
    UserRejectObservation,
)
from ..core.history import ConversationHistory, naming, output_text
from ..core.payloads import Action, ToolObservation
from ..core.view import View
from .approvals import Approvals, Rejected, request_for
from .control import Control, Stopped
from .log import EventLog, mint
from .tools.base import Consent, Interrupted, NotStarted, Shown, Tool
from .tools.toolbox import RESETS, Toolbox, Unusable


class RunListener(Protocol):
    """Hears what a batch is doing."""

    def waiting_changed(self) -> None:
        """The calls that wait for a person changed."""
        ...

    def tool(self, action_id: str) -> None:
        """This call runs now."""
        ...

    def output(self, action_id: str, text: str) -> None:
        """The live tail of a running call."""
        ...


class ToolRunner:
    """Answers every call of a batch, one after the other, in the order in which the model made them."""

    def __init__(self, log: EventLog, toolbox: Toolbox, approvals: Approvals, listener: RunListener) -> None:
        self.log = log
        self.toolbox = toolbox
        self.approvals = approvals
        self.listener = listener

    def close_open_calls(self, command_id: str | None = None) -> None:
        """Closes what an earlier step left open (R-STEP-3)."""
        if self.log.view.open_calls:
            self.log.append(*closures(self.log.view), command_id=command_id)

    async def run(
        self, batch: Sequence[ActionEvent], arguments: dict[str, str], finish_reason: str | None, control: Control
    ) -> None:
        """Runs all but the policy's own calls. Raises `Stopped` when the person stopped the run."""
        history = ConversationHistory(self.log.read_back, len(self.log), self.log.view)
        for action in batch:
            control.check()
            if finish_reason == "length":
                text = wording.CUT_OFF + (wording.NOTHING_CLEARED if action.tool_name in RESETS else "")
                self.log.append(failed(action, "reply_cut_off", text))
                continue
            read = self.toolbox.read(action.tool_name, arguments[action.id])
            if isinstance(read, Unusable):
                self.log.append(failed(action, read.code, read.text))
            elif (tool := self.toolbox.get(action.tool_name)) is not None:
                await self._call(action, read, tool, history, control)
        control.check()

    async def _call(
        self, action: ActionEvent, read: Action, tool: Tool, history: ConversationHistory, control: Control
    ) -> None:
        consent = tool.consent(read)
        consented = await self._ask(action, consent, tool, control)
        if isinstance(consented, str):
            self.log.append(failed(action, "not_allowed", wording.refused(consented)))
            return
        if isinstance(consented, Rejected):
            self.log.append(_rejection(action, consented), command_id=consented.command_id)
            return
        if tool.effects or consented:
            self.log.append(*consented, ToolStartEvent(**mint(), action_id=action.id))
        self.listener.tool(action.id)
        try:
            context = _Context(self, action.id, history, consent.plan, bool(consented))
            observation = await control.guard(tool.run(read, context))
        except Interrupted as interrupt:
            self.log.append(_observed(action, interrupt.observation))
            control.stop("interrupt")
            return
        except NotStarted:
            self.log.append(failed(action, "not_run", wording.NOT_RUN))
            return
        except Stopped as stopped:
            stopped.records = (failed(action, "interrupted", wording.INTERRUPTED),)
            raise
        except Exception as error:
            logging.getLogger(__name__).debug("tool %s failed", action.tool_name, exc_info=error)
            observation = _failure(action.tool_name, error)
        self.log.append(_observed(action, observation))

    async def _ask(
        self, action: ActionEvent, consent: Consent, tool: Tool, control: Control
    ) -> tuple[ApprovalEvent, ...] | Rejected | str:
        """The approval to record with the call, if any; a rejection; or the reason why the rules forbid it."""
        verdict = self.approvals.judge(consent, tool.effects)
        if verdict == "refuse":
            return consent.reason or "this conversation is read-only: it changes no files and runs no code."
        if verdict == "allow":
            return ()
        shown = consent.shown or Shown(f"Call {action.tool_name}", "text", action.arguments)
        request = request_for(action.id, action.tool_name, consent, shown)
        covered = self.approvals.covered(action.id, consent, request.digest)
        if covered is not None:
            return (covered,)
        answer = self.approvals.ask(request)
        self.listener.waiting_changed()
        try:
            decided = await control.guard(_wait(answer))
        finally:
            self.approvals.forget(action.id)
            self.listener.waiting_changed()
        if isinstance(decided, Rejected):
            return decided
        self.approvals.fold(decided, consent.covers)
        return (decided,)


class _Context:
    """What one running call may use."""

    def __init__(
        self, runner: ToolRunner, action_id: str, history: ConversationHistory, plan: object, approved: bool
    ) -> None:
        self._runner = runner
        self.action_id = action_id
        self.history = history
        self.plan = plan
        self.approved = approved

    def keep(self, data: bytes) -> str:
        return self._runner.log.store.put_blob(data)

    def output_of(self, action_id: str) -> str | None:
        return stored_output(self._runner.log, action_id)

    def progress(self, text: str) -> None:
        self._runner.listener.output(self.action_id, text)


async def _wait(answer: object) -> ApprovalEvent | Rejected:
    return await answer  # type: ignore[misc]


def stored_output(log: EventLog, action_id: str) -> str | None:
    """The whole stored output of a call, or None (R-MSG-9)."""
    found: str | None = None
    for _, event in log.read_back(len(log), naming("action_id", action_id)):
        if isinstance(event, ObservationEvent) and event.action_id == action_id:
            found = output_text(event.observation)  # the first result of a call is the one that counts (R-VIEW-8)
    return found


def closures(view: View, *, answered: frozenset[str] = frozenset(), stopped: bool = False) -> list[Event]:
    """Results for all open calls but the answered: a started one's outcome is unknown, another did not run (R-REST-3).

    Where a person stopped the run, a reset that was asked for says so (R-STOP-4).
    """
    results: list[Event] = []
    for call in view.open_calls:
        if call.id in answered:
            continue
        if call.id in view.started:
            results.append(failed(call, "outcome_unknown", wording.OUTCOME_UNKNOWN))
        elif call.tool_name in RESETS:
            said = ("interrupted", wording.INTERRUPTED_RESET) if stopped else ("not_run", wording.NOT_RUN)
            results.append(failed(call, said[0], said[1] + wording.NOTHING_CLEARED))
        else:
            results.append(failed(call, "not_run", wording.NOT_RUN))
    return results


def failed(action: ActionEvent, code: str, text: str) -> AgentErrorEvent:
    """The error result of a call that did not run, or was not heard of again (R-CODE-5)."""
    return AgentErrorEvent(
        **mint(),
        action_id=action.id,
        tool_name=action.tool_name,
        tool_call_id=action.tool_call_id,
        code=code,
        error=text,
    )


def _observed(action: ActionEvent, observation: ToolObservation) -> Result:
    return ObservationEvent(
        **mint(),
        action_id=action.id,
        tool_name=action.tool_name,
        tool_call_id=action.tool_call_id,
        observation=observation,
    )


def _rejection(action: ActionEvent, rejected: Rejected) -> UserRejectObservation:
    return UserRejectObservation(
        **mint(),
        action_id=action.id,
        tool_name=action.tool_name,
        tool_call_id=action.tool_call_id,
        rejection_reason=wording.rejected(rejected.reason),
    )


def _failure(name: str, error: Exception) -> ToolObservation:
    text = f"{name} failed: {type(error).__name__}: {error}"
    return ToolObservation(content=(TextBlock(text=text),), is_error=True)
