"""The log of one conversation: the one place that appends, and the folds that hang on it.

Text is cleaned on its way in, here and nowhere else: unpaired surrogates are replaced and known secrets removed
(R-EV-4, R-SEC-2). What is folded and published is what was stored.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from pydantic_core import PydanticSerializationError

from ..core import folds
from ..core.base import JsonObject, Stamp
from ..core.errors import ConversationReadOnly, StoreError
from ..core.events import Event
from ..core.ledger import Ledger
from ..core.records import EVENT, UnknownEvent, encode
from ..core.replay import Replay, Violation
from ..core.view import View
from .redaction import Redactor
from .store import Store
from .text import clean
from .writers import utc_now

KEEP_EVERY = 1_000
KEEP_PART = 20
"""Folds are kept at a reset after so many events, or a twentieth of a long log: in all, as much as the log is long."""

Subscriber = Callable[[int, Sequence[Event]], None]


def mint() -> Stamp:
    """A fresh random id and the time, UTC. Time never decides order (R-VOC-3)."""
    return {"id": new_id(), "timestamp": utc_now()}


def new_id() -> str:
    """A fresh random id."""
    return secrets.token_hex(16)


class EventLog:
    """Appends commits, folds them, and tells subscribers; in that order (R-LOG-2).

    `view`, `ledger` and `replay` are always the folds of what is stored.
    """

    def __init__(self, store: Store, redactor: Redactor, *, keep_every: int = KEEP_EVERY) -> None:
        """`keep_every`: after how many events, at the least, the store is asked to keep the folds again."""
        self.store = store
        self.redactor = redactor
        self._keep_every = keep_every
        self._subscribers: list[Subscriber] = []
        self._read_all()

    def _read_all(self) -> None:
        self.violation: Violation | None = None
        self._kept, self.replay, self.ledger = self._kept_folds()
        for commit in self.store.commits(self._kept):
            self._fold_stored(commit)
        self._in_doubt = False

    def _kept_folds(self) -> tuple[int, Replay, Ledger]:
        """The folds that the store kept, and of how many events; empty ones of none where there are none."""
        if (kept := self.store.kept_folds) is not None:
            length, data = kept
            with contextlib.suppress(ValueError):
                return length, *folds.load(data)
        return 0, Replay(), Ledger()

    def _fold_stored(self, commit: Sequence[Event | UnknownEvent]) -> None:
        """Folds until the first violation; what follows one stays readable and has no effect (section 20)."""
        if self.violation is not None:
            return
        replay = self.replay.after(commit)
        if isinstance(replay, Violation):
            self.violation = replay
            return
        self._fold(commit, replay)

    def _fold(self, commit: Sequence[Event | UnknownEvent], replay: Replay) -> None:
        self.replay = replay
        for event in commit:
            self.ledger = self.ledger.add(event)

    @property
    def view(self) -> View:
        """What the model may be shown, by all that is stored."""
        return self.replay.view

    def __len__(self) -> int:
        return len(self.store)

    @property
    def read_only(self) -> str | None:
        """Why nothing can be appended, in a sentence for people; None while it can."""
        if self.violation is not None:
            return (
                f"The record breaks {self.violation.rule} at event {self.violation.event_id}: {self.violation.text} "
                "It is left as it is; fork the conversation from an earlier message to go on."
            )
        return self.store.read_only

    def read(self, start: int = 0, stop: int | None = None) -> Iterator[Event | UnknownEvent]:
        """The events at positions start..stop."""
        return self.store.read(start, stop)

    def read_back(self, stop: int, may_hold: Callable[[str], bool]) -> Iterator[tuple[int, Event | UnknownEvent]]:
        """The events before position `stop`, the newest first; see `Store.read_back`."""
        return self.store.read_back(stop, may_hold)

    def check(self, events: Sequence[Event]) -> Violation | None:
        """What rule a commit of these events would break (R-RESET-13)."""
        after = self.replay.after(events)
        return after if isinstance(after, Violation) else None

    def append(self, *events: Event, command_id: str | None = None) -> tuple[Event, ...]:
        """Stores one commit, folds and publishes it, and gives it as it was stored.

        Raises `StoreError`; then nothing of it exists.

        After a failure the log is read again before it is used (R-LOG-2). `command_id` marks every event that does not
        name its command yet.
        """
        if self.read_only is not None:
            raise ConversationReadOnly(self.read_only)
        if self._in_doubt:
            self._read_all()
        commit = tuple(_caused(event, command_id) for event in events)
        if not self._is_clean(commit):
            commit = tuple(map(self._clean, commit))
        replay = self.replay.after(commit)
        if isinstance(replay, Violation):
            raise StoreError(
                f"A commit would break rule {replay.rule} at event {replay.event_id}: {replay.text}",
                code="invalid_commit",
            )
        start = len(self.store)
        self._in_doubt = True
        self.store.append(commit)
        self._in_doubt = False
        self._fold(commit, replay)
        for subscriber in tuple(self._subscribers):
            subscriber(start, commit)
        if commit[-1].kind == "Condensation":
            self._keep_folds(max(self._keep_every, len(self) // KEEP_PART))
        return commit

    def _keep_folds(self, least: int) -> None:
        """Lets the store keep the folds, where that spares the next opening much: so many events, and a short view."""
        if len(self) - self._kept >= least and 4 * len(self.view.read) <= len(self) and self.violation is None:
            self._kept = len(self)
            self.store.keep_folds(folds.dump(self.replay, self.ledger))

    def close(self) -> None:
        """Gives up the writer's role. Nothing can be read or appended afterwards."""
        self._keep_folds(self._keep_every)
        self.store.close()

    def refresh(self) -> int:
        """For a reader of another's log: folds what came since, and gives the number of events. Tells no subscriber.

        Raises `StoreError` when the log is no longer the one that was read.
        """
        start = len(self.store)
        if new := self.store.refresh():
            for commit in self.store.commits(start):
                self._fold_stored(commit)
        return new

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Calls `subscriber(start, events)` after each commit. Gives the way to end it."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def _is_clean(self, commit: Sequence[Event]) -> bool:
        """Whether one look at all of it finds nothing to clean; for nearly all commits it does."""
        try:
            text = "\n".join(event.model_dump_json() for event in commit)
        except PydanticSerializationError:  # half of a surrogate pair
            return False
        return '"type":"image"' not in text and self.redactor.redact(text) == text

    def _clean(self, event: Event) -> Event:
        raw = encode(event)
        cleaned = self._cleaned(raw)
        return event if cleaned == raw else EVENT.validate_python(cleaned)

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.redactor.redact(clean(value))
        if isinstance(value, dict):
            fields = cast("JsonObject", value)
            # Image data is no text; in megabytes of base64 something looks like a key by chance.
            return fields if fields.get("type") == "image" else {k: self._cleaned(v) for k, v in fields.items()}
        return [self._cleaned(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def _caused(event: Event, command_id: str | None) -> Event:
    if command_id is None or event.command_id is not None:
        return event
    return event.model_copy(update={"command_id": command_id})
