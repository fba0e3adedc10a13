"""A conversation as a widget and its pages see it: which one is shown, what is, what happened. Lives in the worker."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.budget import Budget
from ..core.errors import CommandRefused, ConversationReadOnly, SmolPawsError
from ..core.events import Event
from ..core.profiles import Binding, is_practice
from ..core.wire import ApprovalRequest, BudgetState, ConversationInfo, Fork, Problem, SetTitle, Status, Traits
from ..runtime.conversation import Conversation
from ..runtime.deleting import delete
from ..runtime.listening import Words
from ..runtime.starting import Opener
from .commands import Commands
from .instruments import Instruments
from .publisher import Door, Publisher
from .python_tool import PythonTool
from .requests import RequestBook
from .waiting import WaitingCell

if TYPE_CHECKING:
    from .widget import SmolPaws

FOLLOW_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Now:
    """What a waiting cell looks at, from another thread."""

    status: Status
    waiting: ApprovalRequest | None


class Session:
    """Hosts one conversation at a time."""

    conversation: Conversation
    now: Now

    def __init__(
        self,
        conversation: Conversation,
        opener: Opener,
        python: PythonTool | None,
        is_open_elsewhere: Callable[[str], bool],
    ) -> None:
        """`opener` starts and loads conversations of the workspace; `python` runs inline in a waiting cell."""
        self.opener = opener
        self.python = python
        self.resumable: ConversationInfo | None = None
        self.widget: SmolPaws | None = None
        """The widget that shows this. The main thread sets it."""
        self.publisher = Publisher(lambda: self.conversation, self.traits)
        self.commands = Commands(self)
        self.instruments = Instruments(lambda: self.conversation, opener.workspace, opener.wish.notes)
        self.requests = RequestBook(lambda: self.conversation, self.instruments)
        self.heard_at = float("-inf")
        """When a page was heard last, by the monotonic clock."""
        self._is_open_elsewhere = is_open_elsewhere
        self._loop = asyncio.get_running_loop()
        self._cells: list[WaitingCell] = []
        self._follower: asyncio.Task[None] | None = None
        self._host(conversation)

    # Which conversation

    def _host(self, conversation: Conversation) -> None:
        self.conversation = conversation
        if self.python is not None:
            self.python.timeout_seconds = conversation.settings.python_timeout_seconds
            self.python.changed = self.publisher.changed
        self._look()
        conversation.log.subscribe(lambda _, events: self._appended(conversation, events))
        conversation.on_words(self._said)
        conversation.on_change(lambda what: self._changed(conversation, what))
        if conversation.read_only is not None:
            self._follower = self._loop.create_task(self._follow(conversation))

    async def open(self, conversation_id: str) -> None:
        """Shows another stored conversation of the workspace."""
        if conversation_id == self.conversation.id:
            return
        if self._is_open_elsewhere(conversation_id):
            raise CommandRefused(
                "conversation_open",
                "This conversation is open in this kernel already, in another widget.",
                detail=f'To see it here, run: SmolPaws.load("{conversation_id}")',
                status=409,
            )
        await self.show(self.opener.load(conversation_id))

    async def rename(self, command: SetTitle) -> None:
        """Gives the conversation that is shown a title, or another stored one, which is opened for that."""
        wanted = command.conversation_id
        if wanted is None or wanted == self.conversation.id:
            self.conversation.set_title(command.title, command.id)
            return
        if self._is_open_elsewhere(wanted):
            raise CommandRefused(
                "conversation_open",
                "This conversation is open in this kernel already, in another widget.",
                detail="Rename it there.",
                status=409,
            )
        other = self.opener.load(wanted)
        try:
            other.set_title(command.title, command.id)
        finally:
            await other.close()

    async def delete(self, conversation_id: str) -> None:
        """Removes another stored conversation for good. Raises `CommandRefused` for one that is open."""
        if conversation_id == self.conversation.id or self._is_open_elsewhere(conversation_id):
            raise CommandRefused(
                "conversation_open",
                "This conversation is open.",
                detail="Open another one, then delete it.",
                status=409,
            )
        await asyncio.to_thread(delete, self.opener.folder, conversation_id)
        if self.resumable is not None and self.resumable.id == conversation_id:
            self.resumable = None
            self.publisher.changed()

    async def fork(self, command: Fork) -> None:
        """Shows a fork of this conversation, which must be at rest: showing another one would stop it (R-FORK-2)."""
        if self.conversation.working:
            raise CommandRefused("busy", "The agent is working.", detail="Stop or wait, then fork.")
        forked = await self.conversation.fork(command.at, before=command.before, command_id=command.id)
        await self.show(forked)

    async def become_writer(self) -> None:
        """Opens a conversation again that could only be read. Raises `ConversationReadOnly` where that is still so."""
        if self.conversation.read_only is None:
            return
        opened = self.opener.load(self.conversation.id)
        if opened.read_only is not None:
            reason = opened.read_only
            await opened.close()
            raise ConversationReadOnly(reason)
        await self.show(opened)

    async def show(self, conversation: Conversation) -> None:
        """Puts another conversation in this place; the one before is stopped and closed."""
        before, follower = self.conversation, self._follower
        self._follower = None
        if follower is not None:
            follower.cancel()
        await before.close()
        self.resumable = None
        self._host(conversation)
        self.publisher.forget()
        self._wake()

    async def _follow(self, conversation: Conversation) -> None:
        """Keeps up with another kernel that writes this conversation."""
        while True:
            await asyncio.sleep(FOLLOW_SECONDS)
            try:
                if conversation.log.refresh():
                    self._look()
                    self.publisher.changed()
            except SmolPawsError as error:
                self.publisher.update(Problem(code=error.code, text=str(error)))
                return

    # What is

    def bindings(self) -> list[Binding]:
        """The profiles that this conversation may ask: the main one, and that of its summaries."""
        view = self.conversation.view
        summary = view.start.bindings.summary if view.start else None
        return [b for b in (view.binding, summary) if b is not None]

    def traits(self) -> Traits:
        """What is, in small facts."""
        talk = self.conversation
        view = talk.view
        queued = talk.detail == "tool" and self.python is not None and self.python.queued
        return Traits(
            status=talk.status,
            detail="kernel busy" if queued else talk.detail,
            budget=budget_state(talk.budget),
            profile=shown_name(view.binding) if view.binding else "",
            title=talk.log.ledger.title or "",
            read_only=talk.read_only or "",
            event_count=len(talk.log),
            conversation_id=talk.id,
            thresholds=talk.policy.thresholds(view),
            waiting_for=talk.waiting[0].tool_name if talk.waiting else "",
            notice=" ".join(talk.log.store.notices),
            resumable=self.resumable if len(talk.log) == 0 else None,
        )

    def _look(self) -> None:
        waiting = self.conversation.waiting
        self.now = Now(self.conversation.status, waiting[0] if waiting else None)

    # What happens

    def attach(self, door: Door, context: contextvars.Context) -> None:
        """A new widget shows this conversation."""
        self.publisher.attach(door, context)
        self.publisher.flush()

    def receive(self, door: Door, context: contextvars.Context, content: Any) -> None:
        """One message of the page."""
        self.heard_at = time.monotonic()
        self.publisher.attach(door, context)
        self.commands.receive(content)

    def _appended(self, conversation: Conversation, events: Sequence[Event]) -> None:
        if conversation is self.conversation:
            self._look()
            self.publisher.appended(events)
            self._wake()

    def _said(self, words: Words) -> None:
        match words.kind:
            case "delta":
                self.publisher.words(words.about, words.text)
            case "output":
                self.publisher.tail(words.about, words.text)
            case "problem":
                self.publisher.update(Problem(code=words.about, text=words.text))

    def _changed(self, conversation: Conversation, what: str) -> None:
        if conversation is not self.conversation:
            return
        self._look()
        if what == "approvals":
            self.publisher.approvals_changed()
        self.publisher.changed()
        self._wake()

    # Cells that wait

    @contextlib.contextmanager
    def waiting_cell(self, timeout: float | None = None) -> Generator[WaitingCell]:
        """From another thread: the caller waits for the agent, and runs its Python meanwhile (R-STOP-8)."""
        cell = WaitingCell(lambda: self.now, lambda: self.heard_at, self.python, timeout)
        self._cells.append(cell)
        try:
            with cell:
                yield cell
        finally:
            self._cells.remove(cell)

    def _wake(self) -> None:
        for cell in tuple(self._cells):
            cell.wake()


def budget_state(budget: Budget) -> BudgetState:
    """The budget with its fraction, as the page shows it."""
    return BudgetState(
        tokens=budget.tokens,
        limit=budget.limit,
        fraction=budget.fraction,
        counted=budget.counted,
        limit_from=budget.limit_from,
    )


def shown_name(binding: Binding) -> str:
    """The profile's name; a practice model always shows as one, whatever its profile is called."""
    return binding.model if is_practice(binding.model) else binding.profile
