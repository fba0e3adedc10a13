"""A fork: a log of its own that begins as another one did (contract, section 22)."""

from __future__ import annotations

from ..core.errors import CommandRefused
from ..core.events import ForkEvent
from ..core.history import naming
from .log import EventLog, mint, new_id


def fork(log: EventLog, at: str | None, before: str | None, command_id: str) -> EventLog:
    """A new log with what `log` holds up to an event, then a `ForkEvent`. `log` itself stays as it is.

    `at` is an event that comes along, with its whole commit; `before` one that does not. Without either, all comes
    along that is sound (R-FORK-1, R-FORK-6). Raises `CommandRefused` for an event that is not there, and `StoreError`.
    """
    position = _last_position(log, at, before)
    event = ForkEvent(
        **mint(),
        command_id=command_id,
        conversation_id=new_id(),
        source_conversation_id=log.ledger.conversation_id,
        at_event_id=at or _id_at(log, position),
    )
    return EventLog(log.store.fork(position, event.conversation_id, [event]), log.redactor)


def _last_position(log: EventLog, at: str | None, before: str | None) -> int:
    if at is not None and before is not None:
        raise CommandRefused("fork_place", "A fork begins at an event or before one.", detail="Name one of the two.")
    if before is not None:
        return _first_of_commit(log, before) - 1
    return log.view.length - 1 if at is None else _position(log, at)


def _position(log: EventLog, event_id: str) -> int:
    """Where an event stands, among those that break no rule."""
    for position, event in log.read_back(log.view.length, naming("id", event_id)):
        if event.id == event_id:
            return position
    raise CommandRefused(
        "event_not_found",
        f"No fork can begin at an event {event_id!r}.",
        detail=(log.read_only or "") if log.violation else "Name an event of this conversation by its id.",
        status=404,
    )


def _first_of_commit(log: EventLog, event_id: str) -> int:
    """Where the commit of an event begins: a commit is never split."""
    position = _position(log, event_id)
    commit = next(log.store.commits(position))
    first = position - [event.id for event in commit].index(event_id)
    if first == 0:
        raise CommandRefused("event_not_found", "Nothing stands before the start of a conversation.", status=404)
    return first


def _id_at(log: EventLog, position: int) -> str:
    """The id of the event there; a record whose id cannot be read is passed over."""
    return next(event.id for _, event in log.read_back(position + 1, lambda _: True) if event.id)
