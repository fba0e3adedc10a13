"""Every main request of a log as it was sent, failed and stopped ones included, and what changed between two of them.

Nothing is stored for this: a request is what the view at its boundary showed, with the advice that was given for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..base import Frozen
from ..events import Event
from ..records import UnknownEvent
from .asked import Asked, Outcome, Requests
from .outline import Item


class SentRequest(Frozen):
    """One main request of the log. `event_id` is that of the record that tells of it, and the request's name.

    `number` counts from 1. `reason` is the class of a failure, empty for an answer. `input_tokens` is the provider's
    count, None where it reported none. `rebuilt` says whether the log holds what was sent.
    """

    number: int
    event_id: str
    time: str
    outcome: Outcome
    reason: str
    input_tokens: int | None
    rebuilt: bool


class SentRequests:
    """Reads a log event by event, and keeps the view that each of its requests showed. Views share what is equal."""

    def __init__(self) -> None:
        self._requests = Requests()
        self._asked: dict[str, Asked] = {}

    def __len__(self) -> int:
        return self._requests.length

    @classmethod
    def of(cls, events: Iterable[Event | UnknownEvent]) -> SentRequests:
        """The requests of a whole log."""
        requests = cls()
        for event in events:
            requests.add(event)
        return requests

    def add(self, event: Event | UnknownEvent) -> None:
        """The next event of the log."""
        asked = self._requests.add(event)
        if asked is not None:
            self._asked[event.id] = asked

    def get(self, event_id: str) -> Asked | None:
        """The request that this event tells of."""
        return self._asked.get(event_id)

    @property
    def all(self) -> list[SentRequest]:
        """The requests, the oldest first."""
        return [
            SentRequest(
                number=number,
                event_id=asked.event.id,
                time=asked.event.timestamp,
                outcome=asked.outcome,
                reason=asked.reason,
                input_tokens=asked.measured,
                rebuilt=asked.shown is not None,
            )
            for number, asked in enumerate(self._asked.values(), 1)
        ]


@dataclass(frozen=True, slots=True)
class Difference:
    """From one request to another: what is gone, what is still there, what is new, each in the order it was sent in.

    A message whose words changed (a call got its result, a text was cut) is gone in its old form, and has come in its
    new one; `changed` holds the keys of those.
    """

    left: list[Item]
    stayed: list[Item]
    came: list[Item]
    changed: frozenset[str]


def difference(older: Sequence[Item], newer: Sequence[Item]) -> Difference:
    """What changed: a message stays if a message of the same origin says the same (R-VIEW-12)."""
    before, after = _by_key(older), _by_key(newer)
    same = {key for key, message in before.items() if after.get(key) == message}
    return Difference(
        left=[item for item in older if item.key not in same],
        stayed=[item for item in newer if item.key in same],
        came=[item for item in newer if item.key not in same],
        changed=frozenset((before.keys() & after.keys()) - same),
    )


def _by_key(items: Sequence[Item]) -> dict[str, object]:
    return {item.key: item.message for item in items}
