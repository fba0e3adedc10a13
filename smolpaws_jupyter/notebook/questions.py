"""Answers what a page asks to know; each case is one call into the module that knows. Nothing here changes anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.errors import CommandRefused
from ..core.questions import (
    Answer,
    Chunk,
    Compare,
    Conversations,
    Examine,
    Export,
    Fetch,
    NextRequest,
    Notes,
    NotesAre,
    Question,
    Show,
    State,
    Timeline,
    Weight,
)
from . import state
from .instruments import timeline_answer, weight_answer

if TYPE_CHECKING:
    from .session import Session


async def answer(session: Session, question: Question) -> Answer:
    """The answer, as things are now. Raises `SmolPawsError` where there is none.

    What takes longer than a moment belongs into a thread: the agent works on the same loop.
    """
    match question:
        case NextRequest():
            return await session.requests.next_request(question, session.traits().budget)
        case Compare():
            return await session.requests.compare(question)
        case Show():
            return await session.requests.show(question)
        case Fetch():
            return _piece(session, question)
        case Timeline():
            return timeline_answer(question.id, *await session.instruments.timeline())
        case Weight():
            return weight_answer(question, await session.instruments.weight())
        case Notes():
            return await _notes(session, question)
        case State():
            return await state.state(session, question)
        case Conversations():
            return await state.stored(session, question)
        case Export():
            return await state.exported(session, question)
        case Examine():
            return await state.examined(session, question)


def _piece(session: Session, question: Fetch) -> Chunk:
    text = session.requests.text(question.sha256)
    if text is None:
        data = session.conversation.log.store.get_blob(question.sha256)
        if data is None:
            raise CommandRefused("not_found", "This text is not stored any more.", status=404)
        text = data.decode("utf-8", "replace")
    piece = text[question.offset : question.offset + question.length]
    return Chunk(id=question.id, sha256=question.sha256, offset=question.offset, text=piece, total=len(text))


async def _notes(session: Session, question: Notes) -> NotesAre:
    told = await session.instruments.notes()
    return NotesAre(
        id=question.id,
        folder=told.folder,
        files=tuple(told.files),
        problem=told.problem,
        resets=tuple(told.resets),
        since=tuple(told.since),
    )
