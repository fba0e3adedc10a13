"""Tells the page: small facts as traits, events as numbered messages, at most some 25 messages a second.

Everything is sent from the worker's thread and in the context of the page's latest message; on some kernels Stop would
otherwise wait for the user's cell. What is sent is read when it is sent: a busy agent makes larger messages, not more.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from ..core.base import JsonObject
from ..core.errors import StoreError
from ..core.events import ConversationErrorEvent, Event, InterruptEvent, ResponseEvent, Result, UsageEvent
from ..core.wire import UPDATE, Approvals, Grant, Traits, Update
from ..runtime.conversation import Conversation
from .events_out import batch

MESSAGE_SECONDS = 0.04
"""The distance that messages keep on average."""
WORDS_SECONDS = 0.1
WORDS_CHARS = 10_000
"""Words still coming are sent at most this often and this much at a time; the finished message brings them all."""


class Door(Protocol):
    """A widget's way out."""

    def send(self, content: JsonObject) -> None: ...

    def set_traits(self, traits: JsonObject) -> None: ...


class Publisher:
    """Knows what the page has been sent, and sends the rest."""

    def __init__(self, conversation: Callable[[], Conversation], traits: Callable[[], Traits]) -> None:
        """`conversation` and `traits` give what there is at the moment of sending."""
        self._conversation = conversation
        self._now = traits
        self._door: tuple[Door, contextvars.Context] | None = None
        self._sent_to = 0
        """The position up to which events were sent. A page that lacks earlier ones sets it back."""
        self._words: dict[str, str] = {}
        self._tails: dict[str, str] = {}
        self._updates: list[Update] = []
        self._approvals_changed = False
        self._granted: tuple[Grant, ...] = ()
        """As the page knows them: Stop, a reset and a restart void them without anyone saying so (R-STOP-15)."""
        self._traits: JsonObject = {}
        self._timer: asyncio.TimerHandle | None = None
        self._next = self._next_words = 0.0
        self._flushing = False

    # The door

    def attach(self, door: Door, context: contextvars.Context) -> None:
        """Tells this door. `context` is that of the page's message, or of the cell that made the widget."""
        if self._door is None or self._door[0] is not door:
            self._traits = {}
        self._door = (door, context)
        self._later()

    def forget(self) -> None:
        """Another conversation is shown: nothing that waits belongs to it. The page asks for its events."""
        self._words, self._tails, self._updates, self._approvals_changed = {}, {}, [], True
        self._sent_to = len(self._conversation().log)
        self._later()

    # What happened

    def changed(self) -> None:
        """Traits or events may differ from what the page knows."""
        self._later()

    def appended(self, events: Sequence[Event]) -> None:
        """These events are in the log now. What they bring whole needs no words any more."""
        for event in events:
            if isinstance(event, ResponseEvent | UsageEvent | InterruptEvent | ConversationErrorEvent):
                self._words = {}
            elif isinstance(event, Result):
                self._tails.pop(event.action_id, None)
        self._later()

    def approvals_changed(self) -> None:
        self._approvals_changed = True
        self._later()

    def words(self, what: str, text: str) -> None:
        """Words of a reply that is coming; they add up. `restart` takes back those of a try that failed."""
        self._words = {"restart": ""} if what == "restart" else {**self._words, what: self._words.get(what, "") + text}
        self._later()

    def tail(self, action_id: str, text: str) -> None:
        """The latest output of a running tool."""
        self._tails[action_id] = text
        self._later()

    def update(self, update: Update) -> None:
        """Anything else, in order."""
        self._updates.append(update)
        self._later()

    # What the page asks

    def replay(self, since: int) -> None:
        """Sends the events from position `since` on again, as fast as all others."""
        self._sent_to = min(self._sent_to, since)
        self._approvals_changed = True
        self._later()

    def answer(self, *updates: Update) -> None:
        """Sends updates at once, after what happened before them."""
        self.flush()
        for update in updates:
            self._send(UPDATE.dump_python(update, mode="json"))

    # Sending

    def _later(self, not_before: float = 0.0) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(self._next, not_before, loop.time()), self.flush)

    def flush(self) -> None:
        """Sends what waits, and goes on later with what does not fit into one message."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        # An observer of a trait may act, and end up here again.
        if self._flushing or self._door is None:
            return
        self._flushing = True
        try:
            self._send_events()
            self._send_words()
            self._send_updates()
            self._send_traits()
        finally:
            self._flushing = False
        if self._behind:
            self._later()
        elif self._words or self._tails:
            self._later(self._next_words)

    @property
    def _behind(self) -> bool:
        return self._sent_to < len(self._conversation().log)

    def _send_events(self) -> None:
        if not self._behind:
            return
        conversation, start = self._conversation(), self._sent_to
        try:
            update = batch(conversation.id, start, conversation.log.read(start))
        except StoreError as error:
            logging.getLogger(__name__).debug("events cannot be read", exc_info=error)
            self._sent_to = len(conversation.log)
            return
        self._sent_to = start + len(update["events"])
        self._send(update)

    def _send_words(self) -> None:
        now = asyncio.get_running_loop().time()
        if now < self._next_words or self._behind:
            return
        waiting, self._words = self._words, {}
        tails, self._tails = self._tails, {}
        if waiting or tails:
            self._next_words = now + WORDS_SECONDS
        for what, text in waiting.items():
            self._send({"kind": "delta", "what": what, "text": text[:WORDS_CHARS]})
            if len(text) > WORDS_CHARS:
                self._words[what] = text[WORDS_CHARS:]
        for action_id, text in tails.items():
            self._send({"kind": "output", "action_id": action_id, "text": text})

    def _send_updates(self) -> None:
        updates, self._updates = self._updates, []
        talk = self._conversation()
        if self._approvals_changed or self._granted != talk.granted:
            self._approvals_changed = False
            self._granted = talk.granted
            updates.append(Approvals(waiting=talk.waiting, granted=talk.granted))
        for update in updates:
            self._send(UPDATE.dump_python(update, mode="json"))

    def _send_traits(self) -> None:
        now = self._now().model_dump(mode="json")
        changed = {name: value for name, value in now.items() if self._traits.get(name, _NOTHING) != value}
        self._traits = now
        if changed:
            self._tell(lambda door: door.set_traits(changed))

    def _send(self, content: JsonObject) -> None:
        self._tell(lambda door: door.send(content))

    def _tell(self, act: Callable[[Door], None]) -> None:
        if self._door is None:
            return
        door, context = self._door
        self._next = max(self._next, asyncio.get_running_loop().time()) + MESSAGE_SECONDS
        try:
            context.run(act, door)
        except Exception as error:  # a page that cannot be told must not stop the agent; it asks again
            logging.getLogger(__name__).debug("a message was not sent", exc_info=error)


_NOTHING = object()
