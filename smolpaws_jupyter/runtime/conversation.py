"""A conversation: the loop over steps, and what a person can do to it. It works in a plain script without a notebook.

Everything here happens on one event loop. `tell` and the other acts append at once; a run is one task.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from ..core.base import ImageBlock, TextBlock
from ..core.budget import Budget, Gauge
from ..core.errors import CommandRefused, ConversationReadOnly, RunError, SmolPawsError, StartError
from ..core.events import (
    ConversationStartEvent,
    Event,
    MessageEvent,
    MessageWithdrawnEvent,
    PauseEvent,
    ProfileBoundEvent,
    ResumeEvent,
    ThresholdsChangedEvent,
    TitleEvent,
)
from ..core.instruments.rehearsal import request_view
from ..core.policies import Policy, policy_for
from ..core.profiles import Binding
from ..core.records import UnknownEvent
from ..core.settings import AgentSettings
from ..core.validation import checked
from ..core.view import View
from ..core.wire import ApprovalRequest, Detail, Grant, Status
from .agent import Agent
from .approvals import Approvals, Mode
from .by_hand import ByHand
from .control import Control
from .forking import fork
from .listening import Announcer, Change, Words
from .llm import Limits, Request
from .log import EventLog, mint, new_id
from .model_in_use import LLMFactory, ModelInUse
from .opening import repair
from .outlook import Outlook
from .run import Run
from .runner import ToolRunner
from .tools.base import Tool
from .tools.toolbox import Toolbox


class Conversation:
    """One conversation over its log. Made by `starting.start` or `opening.load`; ended by `close`."""

    def __init__(
        self,
        log: EventLog,
        *,
        settings: AgentSettings,
        llm_for: LLMFactory,
        tools: Sequence[Tool],
        approvals: Mode = "ask",
        notes: str = "notes",
        start: ConversationStartEvent | None = None,
    ) -> None:
        """`start` is the start event of a conversation that is not stored yet; the first message stores it."""
        self.log = log
        self.settings = settings
        self.policy = policy_for(settings, notes)
        self.approvals = Approvals(approvals)
        self.announcer = Announcer()
        self._start = start
        self._llm_for = llm_for
        self._notes = notes
        self.model = ModelInUse(llm_for)
        self._run: Run | None = None
        self._broke: SmolPawsError | None = None
        self._idle = asyncio.Event()
        self._idle.set()
        self.toolbox = Toolbox(tools, self.policy.tools)
        if start is not None:
            _check_tools(start, self.policy)
        runner = ToolRunner(log, self.toolbox, self.approvals, self.announcer)
        limits = Limits(
            max_http_requests=settings.max_http_requests,
            retry_after_max_seconds=settings.retry_after_max_seconds,
            idle_timeout_seconds=settings.idle_timeout_seconds,
            call_timeout_seconds=settings.call_timeout_seconds,
        )
        self.agent = Agent(log, self.policy, runner, limits, self.announcer, ModelInUse(llm_for))
        self.outlook = Outlook(self.policy, self.agent.tools)
        self.by_hand = ByHand(self.agent, self.model, self.announcer)
        log.subscribe(self._appended)

    # What is

    @property
    def id(self) -> str:
        return self.log.ledger.conversation_id or (self._start.conversation_id if self._start else "")

    @property
    def view(self) -> View:
        """The view; before anything is stored, that of the start event alone."""
        return View().add(self._start) if self._start is not None else self.log.view

    @property
    def read_only(self) -> str | None:
        return self.log.read_only

    @property
    def status(self) -> Status:
        """One of the five words of R-STOP-17."""
        if self._run is not None:
            return "waiting" if self.approvals.waiting else "running"
        view = self.view
        if view.error is not None or self._broke is not None:
            return "error"
        return "paused" if view.paused or view.unfinished else "idle"

    @property
    def detail(self) -> Detail:
        """What the agent is busy with."""
        return self.announcer.detail

    @property
    def last_error(self) -> SmolPawsError | None:
        """Why the latest run ended early, or None. The provider's own words, redacted, stand here and nowhere else."""
        error = self.view.error
        if self._broke is not None or error is None:
            return self._broke
        problem = self.announcer.last_problem
        said = problem.text if problem else ""
        return RunError(error.code, error.detail, detail=f"The provider said: {said}" if said else "")

    @property
    def final_text(self) -> str:
        """The agent's latest message, or an empty text."""
        for entry in reversed(self.view.read):
            if entry.kind == "MessageEvent" and entry.source == "agent":
                return entry.text
        return ""

    @property
    def budget(self) -> Budget:
        """The budget of the next request."""
        return self.agent.gauge(self.view, *self.model.current(self.view.binding)).budget

    async def prepare(self) -> None:
        """Loads the model's client and looks up its window; sends nothing."""
        if self.view.binding is not None:
            await self.model.load(self.view.binding)
            self.announcer.changed("status")

    @property
    def working(self) -> bool:
        """Whether a run or a condensation by hand is under way, also while an approval is waited for."""
        return bool(self._controls())

    def events(self, start: int = 0, stop: int | None = None) -> Iterator[Event | UnknownEvent]:
        return self.log.read(start, stop)

    def next_request(self) -> Request:
        """Exactly what the model will be sent if nothing happens before, with the warning that is due now."""
        return self.outlook.request(self.outlook.shown(self.view, self._gauge()))

    def rehearse(self, message: str | None = None) -> Request:
        """What the model would be sent after a reset now; `message` is what the agent would tell itself.

        Raises `CommandRefused` where nobody can know it.
        """
        return self.outlook.request(request_view(self.outlook.rehearsed(self.view, self._gauge(), message)))

    @property
    def next_step(self) -> str:
        """What the policy does next with the context, in a sentence for people."""
        return self.policy.outlook(self.view, self._gauge())

    def _gauge(self) -> Gauge:
        return self.outlook.gauge(self.view, *self.model.current(self.view.binding))

    @property
    def waiting(self) -> tuple[ApprovalRequest, ...]:
        return self.approvals.waiting

    @property
    def granted(self) -> tuple[Grant, ...]:
        return self.approvals.granted

    # What a person does. Each takes the command's id, or makes one for a call from Python.

    def tell(self, text: str, images: Sequence[ImageBlock] = (), command_id: str | None = None) -> str:
        """Records a message and goes on with the conversation.

        Gives the message's event id. Waits for nothing (R-LOG-7).
        """
        if not text.strip() and not images:
            raise CommandRefused("empty_message", "The message is empty.", detail="Write something first.")
        self._writable()
        command_id = command_id or new_id()
        self._store_start()
        blocks = ((TextBlock(text=text),) if text.strip() else ()) + tuple(images)
        message = MessageEvent(**mint(), source="user", role="user", content=blocks)
        self.log.append(message, command_id=command_id)
        if not self.view.paused:
            self._go()
        return message.id

    async def ask(self, text: str) -> str:
        """Tells, waits for the turn, and gives the final text. Raises `RunError` where the run ended with an error."""
        self.tell(text)
        return await self.answer()

    async def answer(self) -> str:
        """Waits until the conversation rests, and gives the agent's latest words."""
        await self.settled()
        if (error := self.last_error) is not None:
            raise error
        return self.final_text

    async def settled(self) -> None:
        """Waits until nothing runs. Raises what broke the run, if something other than the model or a tool did."""
        await self._idle.wait()
        if self._broke is not None:
            raise self._broke

    def stop(self, command_id: str | None = None) -> bool:
        """Stops the run at once (R-STOP-1). False where nothing ran; then nothing is recorded (R-STOP-6)."""
        controls = self._controls()
        if controls:
            self.announcer.busy("stopping")
        for control in controls:
            control.stop("person", command_id or new_id())
        return bool(controls)

    def pause(self, command_id: str | None = None) -> None:
        """Lets the step finish, then pauses (R-STOP-9)."""
        self._writable()
        command_id = command_id or new_id()
        if self._run is not None:
            self._run.control.pause_command = command_id
        elif not self.view.paused and self._start is None:
            self.log.append(PauseEvent(**mint(), command_id=command_id))

    def resume(self, command_id: str | None = None) -> None:
        """Goes on with what is unfinished; where nothing is, the status is idle (R-STOP-10)."""
        self._writable()
        if self._run is not None or self._start is not None:
            return
        self.log.append(ResumeEvent(**mint(), command_id=command_id or new_id()))
        if self.view.unfinished:
            self._go()

    def approve(
        self,
        action_id: str,
        scope: Literal["once", "run"] = "once",
        digest: str | None = None,
        command_id: str | None = None,
    ) -> None:
        """Approves the call that waits. `digest` binds the approval to what was shown; None means what is shown now."""
        self._writable()
        self.approvals.approve(action_id, scope, digest, command_id or new_id())

    def reject(self, action_id: str, reason: str = "", command_id: str | None = None) -> None:
        self._writable()
        self.approvals.reject(action_id, reason, command_id or new_id())

    def revoke(self, action_id: str, command_id: str | None = None) -> None:
        """Takes back an approval "for this run", named by the call it was given with."""
        self._writable()
        self.log.append(self.approvals.revocation(action_id, command_id or new_id()))

    def withdraw(self, message_id: str, command_id: str | None = None) -> None:
        """Takes back a message that no request has carried (R-VIEW-16)."""
        self._writable()
        if all(m.id != message_id for m in self.view.unread) or message_id in self.agent.in_flight:
            raise CommandRefused(
                "message_already_read",
                "This message is part of a request already, so it cannot be taken back.",
                detail="Send a new message that corrects it.",
            )
        self.log.append(MessageWithdrawnEvent(**mint(), message_id=message_id), command_id=command_id or new_id())

    async def condense(self, command_id: str | None = None) -> str:
        """A summary by hand, and its receipt in words; see `ByHand.condense`."""
        return await self.by_hand.condense(command_id or new_id())

    def set_title(self, title: str, command_id: str | None = None) -> None:
        self._writable()
        self._store_start()
        self.log.append(TitleEvent(**mint(), title=title.strip()), command_id=command_id or new_id())

    def set_thresholds(self, thresholds: Sequence[float], command_id: str | None = None) -> None:
        """Other warning thresholds from the next check on (R-BIND-10)."""
        self._writable()
        if self.policy.kind != "agent_reset":
            raise CommandRefused("no_warnings", "This conversation gives no warnings, so it has no thresholds.")
        condenser = {"condenser_kind": "agent_reset", "warning_thresholds": list(thresholds)}
        checked(AgentSettings, {"condenser": condenser})
        self._store_start()
        event = ThresholdsChangedEvent(**mint(), warning_thresholds=tuple(thresholds))
        self.log.append(event, command_id=command_id or new_id())

    def bind(self, binding: Binding, command_id: str | None = None) -> None:
        """Another main profile, between steps (R-BIND-6)."""
        self._writable()
        if self._run is not None:
            raise CommandRefused("busy", "The agent is working.", detail="Stop or wait, then choose the model.")
        self._store_start()
        self.log.append(ProfileBoundEvent(**mint(), binding=binding), command_id=command_id or new_id())

    async def fork(
        self,
        at: str | None = None,
        *,
        before: str | None = None,
        tools: Sequence[Tool] | None = None,
        command_id: str | None = None,
    ) -> Conversation:
        """Another conversation that goes on from here, or from an earlier event; this one stays as it is (section 22).

        `at` is the last event that comes along, with its whole commit; `before` the first that does not. The fork runs
        the same tools unless others are given. Nothing of it runs before a person acts.
        """
        if self._start is not None:
            raise CommandRefused("nothing_to_fork", "This conversation holds no message yet.", detail="Send one first.")
        # In a thread, since copying and reading a long log takes seconds in which Stop must be heard.
        log = await asyncio.to_thread(fork, self.log, at, before, command_id or new_id())
        forked = Conversation(
            log,
            settings=self.settings,
            llm_for=self._llm_for,
            tools=self.toolbox.tools if tools is None else tools,
            approvals=self.approvals.mode,
            notes=self._notes,
        )
        repair(log, {spec.name for spec in forked.toolbox.specs})
        return forked

    async def close(self) -> None:
        """Stop, then give up the writer role (R-STOP-13)."""
        for control in self._controls():
            control.stop("close", new_id())
        if self._run is not None:
            await asyncio.wait([self._run.task])
        async with self.agent.turn:  # a manual condensation stores that it was cancelled
            pass
        await self.model.aclose()
        await self.agent.condenser.model.aclose()
        self.log.close()

    # The run

    def _controls(self) -> list[Control]:
        """What holds the work in hand: the run, and the condensations by hand."""
        return [*self.by_hand.controls, *([self._run.control] if self._run is not None else [])]

    def _go(self) -> None:
        if self._run is None:
            self._broke = None
            self._idle.clear()
            self._run = Run(self.agent, self.model, self.settings, self._rested)
            self.announcer.changed("status")

    def _rested(self) -> None:
        assert self._run is not None
        self._broke, self._run = self._run.broke, None
        if self._broke is not None:
            self.announcer.notice(self._broke.code, str(self._broke))
        self.announcer.detail = ""
        self._idle.set()
        self.announcer.changed("status")

    # Listening

    def on_words(self, listener: Callable[[Words], None]) -> None:
        """Calls `listener` with words that are not in the log."""
        self.announcer.on_words(listener)

    def on_change(self, listener: Callable[[Change], None]) -> None:
        """Calls `listener` when the status or the waiting approvals changed."""
        self.announcer.on_change(listener)

    # Inside

    def _appended(self, start: int, events: Sequence[Event]) -> None:
        for event in events:
            self.approvals.fold(event)

    def _store_start(self) -> None:
        """Makes the start event durable, before the first event of a person (design: the folder comes with it)."""
        if self._start is not None:
            self.log.append(self._start)
            self._start = None

    def _writable(self) -> None:
        if self.read_only is not None:
            raise ConversationReadOnly(self.read_only)


def _check_tools(start: ConversationStartEvent, policy: Policy) -> None:
    """Raises `StartError` where the start lacks a tool that the policy needs (R-NEW-1)."""
    missing = sorted({spec.name for spec in policy.tools} - {spec.name for spec in start.tools})
    if missing:
        raise StartError(
            "missing_required_tool",
            f"A {policy.kind} conversation needs the tool {missing[0]!r}.",
            detail="Start it from its settings, which add what it needs.",
        )
