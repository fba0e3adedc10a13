"""A conversation as the pages of a kernel see it: commands come in, what happened goes out.

Lives in the worker's thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Generator, Sequence
from typing import Any, cast

from pydantic import ValidationError

from ..core.base import JsonObject
from ..core.budget import Budget
from ..core.errors import CommandRefused, SmolPawsError
from ..core.events import Event
from ..core.profiles import Binding
from ..core.wire import (
    COMMAND,
    Ack,
    Approvals,
    Approve,
    Bind,
    BudgetState,
    Chunk,
    Command,
    Condense,
    ConversationInfo,
    Fetch,
    New,
    NextRequest,
    NextRequestIs,
    Open,
    Pause,
    Problem,
    Refused,
    Reject,
    Replay,
    Resume,
    Revoke,
    SetThresholds,
    SetTitle,
    Stop,
    TakeOver,
    Tell,
    Traits,
    Update,
    Withdraw,
)
from ..runtime.conversation import Conversation, Words
from ..runtime.starting import Opener
from .publisher import Door, Publisher, event_batches, shown
from .python_tool import PythonTool
from .waiting import WaitingCell

MOST_RECEIPTS = 1_000


class Session:
    """Hosts one conversation at a time for any number of doors (widgets and their pages)."""

    def __init__(self, conversation: Conversation, opener: Opener, python: PythonTool | None) -> None:
        """`opener` starts and loads conversations of the workspace; `python` runs inline in a waiting cell."""
        self.opener = opener
        self.python = python
        self.publisher = Publisher(lambda: self.conversation.id)
        self.cell: WaitingCell | None = None
        self._loop = asyncio.get_running_loop()
        self.resumable: ConversationInfo | None = None
        self._receipts: dict[str, Update] = {}
        self._host(conversation)

    conversation: Conversation

    def _host(self, conversation: Conversation) -> None:
        self.conversation = conversation
        conversation.log.subscribe(self._appended)
        conversation.on_words(self._said)
        conversation.on_change(self._changed)

    # In

    def receive(self, door: Door, context: contextvars.Context, content: Any) -> None:
        """One message of a page. Answered always, never with an exception (worker, rule 2)."""
        if self.cell is not None:
            self.cell.page_heard = True
        self.publisher.attach(door, context)
        id_ = str(cast("JsonObject", content).get("id", "")) if isinstance(content, dict) else ""
        try:
            command: Command = COMMAND.validate_python(content)
        except ValidationError as error:
            places = ", ".join(
                sorted({".".join(map(str, e["loc"][1:])) or "kind" for e in error.errors(include_input=False)})
            )
            self._answer(
                door, context, Refused(id=id_, code="malformed_command", text=f"Not understood: {places}.", status=400)
            )
            return
        if isinstance(command, Replay | NextRequest | Fetch):
            self._answer(door, context, *self._look_up(command))
            return
        asyncio.get_running_loop().create_task(self._act(door, context, command))

    async def _act(self, door: Door, context: contextvars.Context, command: Command) -> None:
        receipt = self._receipts.get(command.id) or self._earlier(command.id)
        if receipt is None:
            try:
                receipt = Ack(id=command.id, text=await self.do(command) or "")
            except SmolPawsError as error:
                receipt = Refused(id=command.id, code=error.code, text=str(error), status=error.status)
            self._receipts[command.id] = receipt
            if len(self._receipts) > MOST_RECEIPTS:
                del self._receipts[next(iter(self._receipts))]
        self._answer(door, context, receipt)

    def _earlier(self, command_id: str) -> Ack | None:
        """A command of an earlier life of this conversation is known by the events that it caused (R-STOP-14)."""
        return Ack(id=command_id) if command_id in self.conversation.log.ledger.receipts else None

    async def do(self, command: Command) -> str | None:
        """Carries out one act of a person. Raises `SmolPawsError` where it is refused; then nothing changed."""
        talk = self.conversation
        match command:
            case Tell(text=text) if text.strip() == "/condense" and not command.images:
                talk.condense(command.id)
            case Tell():
                talk.tell(command.text, command.images, command.id)
            case Stop():
                return "Stopping." if talk.stop(command.id) else "Nothing runs."
            case Pause():
                talk.pause(command.id)
            case Resume():
                talk.resume(command.id)
            case Approve():
                talk.approve(command.action_id, command.scope, command.digest, command.id)
            case Reject():
                talk.reject(command.action_id, command.reason, command.id)
            case Revoke():
                talk.revoke(command.action_id, command.id)
                self._tell_approvals()
            case Withdraw():
                talk.withdraw(command.message_id, command.id)
            case Condense():
                talk.condense(command.id)
            case SetThresholds():
                talk.set_thresholds(command.warning_thresholds, command.id)
            case SetTitle():
                talk.set_title(command.title, command.id)
            case Bind():
                talk.bind(self.opener.binding(command.profile), command.id)
            case TakeOver():
                await self.show(self.opener.take_over(talk.id))
            case Open():
                await self.show(self.opener.load(command.conversation_id))
            case New():
                await self.show(self.opener.new(command.condenser_kind))
            case _:
                raise CommandRefused("unknown_command", f"There is no command {command.kind!r}.")
        self._tell_traits()
        return None

    async def show(self, conversation: Conversation) -> None:
        """Puts another conversation in this place; the one before is stopped and closed."""
        before = self.conversation
        if before is not conversation:
            self.resumable = None
            await before.close()
            self._host(conversation)
        self._tell_traits()
        self._tell_approvals()

    def _look_up(self, command: Replay | NextRequest | Fetch) -> Sequence[Update | JsonObject]:
        log = self.conversation.log
        match command:
            case Replay(since=since):
                items = ((p, *shown(p, e)) for p, e in enumerate(log.read(since), since))
                return [*event_batches(self.conversation.id, items), self._approvals(), Ack(id=command.id)]
            case NextRequest():
                request = self.conversation.next_request()
                state = budget_state(self.conversation.budget)
                return [
                    NextRequestIs(
                        id=command.id, messages=tuple(request.messages), tools=tuple(request.tools), budget=state
                    )
                ]
            case Fetch(sha256=sha256, offset=offset, length=length):
                data = log.store.get_blob(sha256)
                if data is None:
                    return [
                        Refused(id=command.id, code="not_found", text="This text is not stored any more.", status=404)
                    ]
                text = data.decode("utf-8", "replace")
                piece = text[offset : offset + length]
                return [Chunk(id=command.id, sha256=sha256, offset=offset, text=piece, total=len(text))]

    # Out

    def attach(self, door: Door, context: contextvars.Context) -> None:
        """A new widget shows this conversation."""
        self.publisher.attach(door, context)
        self._tell_traits()

    def bindings(self) -> list[Binding]:
        """The profiles that this conversation may ask: the main one, and that of its summaries."""
        view = self.conversation.view
        summary = view.start.bindings.summary if view.start else None
        return [b for b in (view.binding, summary) if b is not None]

    def traits(self) -> Traits:
        """What is, in small facts."""
        talk = self.conversation
        view = talk.view
        return Traits(
            status=talk.status,
            detail=talk.detail,
            budget=budget_state(talk.budget),
            profile=view.binding.profile if view.binding else "",
            title=talk.log.ledger.title or "",
            read_only=talk.read_only or "",
            event_count=len(talk.log),
            conversation_id=talk.id,
            thresholds=talk.policy.thresholds(view),
            waiting_for=talk.waiting[0].tool_name if talk.waiting else "",
            resumable=self.resumable if len(talk.log) == 0 else None,
        )

    def _tell_traits(self) -> None:
        self.publisher.traits(self.traits())

    def _approvals(self) -> Approvals:
        return Approvals(waiting=self.conversation.waiting, granted=self.conversation.granted)

    def _tell_approvals(self) -> None:
        self.publisher.update(self._approvals())

    def _appended(self, start: int, events: Sequence[Event]) -> None:
        self.publisher.events(start, events)
        self._tell_traits()

    def _said(self, words: Words) -> None:
        match words.kind:
            case "delta" if words.about == "restart":
                self.publisher.forget_words()
                self.publisher.words("delta", "restart", "")
            case "delta" | "output":
                self.publisher.words(words.kind, words.about, words.text)
            case "problem":
                self.publisher.update(Problem(code=words.about, text=words.text))

    def _changed(self, what: str) -> None:
        if what == "approvals":
            self._tell_approvals()
        self._tell_traits()
        if self.cell is not None:
            self.cell.wake()

    @contextlib.contextmanager
    def waiting_cell(self, timeout: float | None = None) -> Generator[WaitingCell]:
        """From any other thread: the caller waits for the agent, and runs its Python meanwhile (R-STOP-8)."""
        cell = WaitingCell(self._loop, lambda: self.conversation, timeout)
        self.cell = cell
        if self.python is not None and threading.current_thread() is threading.main_thread():
            self.python.cell = cell
        try:
            yield cell
        finally:
            self.cell = None
            if self.python is not None:
                self.python.cell = None
            cell.leave()

    def _answer(self, door: Door, context: contextvars.Context, *updates: Update | JsonObject) -> None:
        self.publisher.answer(door, context, updates)


def budget_state(budget: Budget) -> BudgetState:
    """The budget with its fraction, as the page shows it."""
    return BudgetState(
        tokens=budget.tokens,
        limit=budget.limit,
        fraction=budget.fraction,
        counted=budget.counted,
        limit_from=budget.limit_from,
    )
