"""Door 3: where a log lies. A store keeps commits and blobs; it knows nothing of what they mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from ..core.base import JsonObject
from ..core.events import Event
from ..core.records import UnknownEvent


class Store(Protocol):
    """An append-only list of commits, and blobs beside it. One writer (R-LOG-4).

    Positions and lengths count events (R-VOC-3).
    """

    @property
    def conversation_id(self) -> str: ...

    @property
    def read_only(self) -> str | None:
        """Why nothing can be appended, in a sentence for people; None while it can."""
        ...

    @property
    def writer_id(self) -> str:
        """This opening's own id: one part per kernel process, one per opening (R-REST-9)."""
        ...

    @property
    def last_writer_id(self) -> str | None:
        """The writer of the last commit found on opening, or copied by a fork. `writers.kernel_of` tells its kernel."""
        ...

    @property
    def recovered(self) -> tuple[str, ...]:
        """What opening repaired or noticed, a sentence each: for a `RecoveryEvent` in the opening commit (R-LOG-5)."""
        ...

    @property
    def notices(self) -> tuple[str, ...]:
        """What people should know and the log need not: fields left out on reading (R-LOG-6), no locks on this disk."""
        ...

    def append(self, events: Sequence[Event]) -> None:
        """One commit, durable on return; raises `StoreError` and then holds nothing of it (R-LOG-2)."""
        ...

    def read(self, start: int = 0, stop: int | None = None) -> Iterator[Event | UnknownEvent]:
        """The events at positions start..stop, decoded as they are asked for. Raises `StoreError`."""
        ...

    def commits(self, start: int = 0) -> Iterator[tuple[Event | UnknownEvent, ...]]:
        """Every commit as one tuple, in order, from the one that holds position `start` on: what folds are made of."""
        ...

    def read_back(self, stop: int, may_hold: Callable[[str], bool]) -> Iterator[tuple[int, Event | UnknownEvent]]:
        """The events before position `stop`, the newest first, each with its position. Raises `StoreError`.

        `may_hold` is asked about the JSON text of commits, of many at once or of one. Those that it turns down are
        passed over undecoded, unless they have texts in blobs, which it cannot see.
        """
        ...

    def __len__(self) -> int:
        """How many events there are."""
        ...

    @property
    def kept_folds(self) -> tuple[int, JsonObject] | None:
        """How many events the folds are of that were kept with this log, and those folds; None where none count."""
        ...

    def keep_folds(self, folds: JsonObject) -> None:
        """Keeps the folds of all events, so that opening need not make them again. They may be lost at any time."""
        ...

    def put_blob(self, data: bytes) -> str:
        """Keeps bytes, durably, and gives their SHA-256 in hex."""
        ...

    def get_blob(self, sha256: str) -> bytes | None:
        """The bytes with this SHA-256, checked; None where there are none."""
        ...

    def refresh(self) -> int:
        """For a reader of another's log: how many events have come since; from now on they can be read.

        Raises `StoreError` when the log is no longer the one that was read.
        """
        ...

    def take_over(self) -> None:
        """Become the writer, where nobody else is: as if opened anew. Raises `StoreError` while there is another."""
        ...

    def give_up(self, reason: str) -> None:
        """Give up the writer's role, for a reason in a sentence for people. What is stored can still be read."""
        ...

    def fork(self, position: int, conversation_id: str, events: Sequence[Event]) -> Store:
        """Another conversation: a copy up to the commit that holds `position`, and these events as its next commit.

        It is there wholly or not at all (R-FORK-1). Blobs that the copied lines name come along.
        """
        ...

    def close(self) -> None:
        """Gives up the writer's role. Nothing can be read or appended afterwards."""
        ...
