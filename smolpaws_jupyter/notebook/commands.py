"""What a page asks for: each message is checked, carried out once, and answered, whatever it is (worker, rule 2)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ..core.errors import CommandRefused, SmolPawsError
from ..core.questions import Answer, Question, QuestionBase
from ..core.wire import (
    COMMAND,
    Ack,
    Approve,
    Bind,
    Command,
    Condense,
    Delete,
    Fork,
    New,
    Open,
    Pause,
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
    Withdraw,
)
from ..runtime.text import clean
from .questions import answer

if TYPE_CHECKING:
    from .session import Session

MOST_RECEIPTS = 1_000
LONGEST_ID = 200


class Commands:
    """The commands of one session, one after the other. Questions are answered at once and keep nothing."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._receipts: dict[str, Ack | Refused] = {}
        self._turn = asyncio.Lock()
        self._at_work: set[asyncio.Task[None]] = set()

    def receive(self, content: Any) -> None:
        """One message of a page. Answered always, never with an exception."""
        try:
            command: Command = COMMAND.validate_python(content)
        except ValidationError as error:
            self._answer(Refused(id=id_of(content), code="malformed_command", text=complaint(error), status=400))
            return
        task = asyncio.get_running_loop().create_task(self._answered(command))
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)

    async def _answered(self, command: Command) -> None:
        try:
            match command:
                case Replay(since=since):
                    self._session.publisher.replay(since)
                    self._answer(Ack(id=command.id))
                case QuestionBase():
                    self._answer(await self._told(command))
                case Tell() | Condense() if by_hand(command):
                    async with self._turn:  # after what was asked before
                        talk = self._session.conversation
                    # It waits for the step, and a step may wait for other commands: an approval, Stop.
                    self._answer(await self._outcome(command, talk.condense(command.id)))
                case _:
                    async with self._turn:
                        self._answer(await self._receipt(command))
        except Exception as error:  # the page must learn that its command failed, whatever the reason
            logging.getLogger(__name__).debug("a command failed", exc_info=error)
            text = f"This failed, for no reason of yours: {type(error).__name__}."
            self._answer(Refused(id=command.id, code="failed", text=text, status=500))

    async def _receipt(self, command: Command) -> Ack | Refused:
        """The receipt of a command, which has one effect however often it is sent (R-STOP-14)."""
        receipt = self._receipts.get(command.id)
        if receipt is None and command.id in self._session.conversation.log.ledger.receipts:
            receipt = Ack(id=command.id)  # of an earlier life: the events that it caused name it
        if receipt is None:
            receipt = await self._outcome(command, self.do(command))
            self._receipts[command.id] = receipt
            if len(self._receipts) > MOST_RECEIPTS:
                del self._receipts[next(iter(self._receipts))]
        return receipt

    async def _told(self, question: Question) -> Answer | Refused:
        try:
            return await answer(self._session, question)
        except SmolPawsError as error:
            return _refused(question, error)

    async def _outcome(self, command: Command, act: Coroutine[Any, Any, str | None]) -> Ack | Refused:
        try:
            return Ack(id=command.id, text=await act or "")
        except SmolPawsError as error:
            return _refused(command, error)

    async def do(self, command: Command) -> str | None:
        """Carries out one act of a person. Raises `SmolPawsError` where it is refused; then nothing changed."""
        session = self._session
        talk = session.conversation
        match command:
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
                session.publisher.approvals_changed()
            case Withdraw():
                talk.withdraw(command.message_id, command.id)
            case SetThresholds():
                talk.set_thresholds(command.warning_thresholds, command.id)
            case SetTitle():
                await session.rename(command)
            case Bind():
                talk.bind(session.opener.binding(command.profile), command.id)
            case TakeOver():
                await session.become_writer()
            case Open():
                await session.open(command.conversation_id)
            case New():
                await session.show(session.opener.new(command.condenser_kind))
            case Delete():
                await session.delete(command.conversation_id)
            case Fork():
                await session.fork(command)
            case _:
                raise CommandRefused("unknown_command", f"There is no command {command.kind!r}.")
        return None

    def _answer(self, update: Ack | Refused | Answer) -> None:
        self._session.publisher.answer(update)


def _refused(command: Command, error: SmolPawsError) -> Refused:
    return Refused(id=command.id, code=error.code, text=str(error), status=error.status)


def by_hand(command: Command) -> bool:
    """Whether a person asks for a condensation, by its command or in words (R-MAN-1)."""
    words = isinstance(command, Tell) and command.text.strip() == "/condense" and not command.images
    return words or isinstance(command, Condense)


def id_of(content: Any) -> str:
    """The id of a message that is no command, if it has one that can be sent back."""
    id_ = content.get("id") if isinstance(content, dict) else None
    return clean(id_[:LONGEST_ID]) if isinstance(id_, str) else ""


def complaint(error: ValidationError) -> str:
    """Which fields of a message are wrong; never their values."""
    fields = {".".join(map(str, e["loc"][1:]))[:60] or "kind" for e in error.errors(include_input=False)}
    return f"Not understood: {', '.join(sorted(fields)[:10])}."
