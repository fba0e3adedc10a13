"""Door 3: where a log lies. A store keeps commits and blobs; it knows nothing of what they mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from ..core.events import Event
from ..core.records import UnknownEvent


class Store(Protocol):
    """An append-only list of commits, and blobs beside it. One writer (R-LOG-4)."""

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
        """The writer of the last commit found on opening."""
        ...

    def append(self, events: Sequence[Event]) -> None:
        """One commit, durable on return; raises `StoreError` and then holds nothing of it (R-LOG-2)."""
        ...

    def read(self, start: int = 0, stop: int | None = None) -> Iterator[Event | UnknownEvent]:
        """The events at positions start..stop, decoded as they are asked for."""
        ...

    def __len__(self) -> int:
        """How many events there are."""
        ...

    def put_blob(self, data: bytes) -> str:
        """Keeps bytes, durably, and gives their SHA-256 in hex."""
        ...

    def get_blob(self, sha256: str) -> bytes | None: ...

    def close(self) -> None: ...
