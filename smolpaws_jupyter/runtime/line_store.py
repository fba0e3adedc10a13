"""What the stores have in common: reading events out of lines (R-LOG-6, R-LOG-11)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from ..core.errors import LogDamaged
from ..core.events import Event
from ..core.records import UnknownEvent
from . import record

_MOST_NOTICES = 20


class LineStore(ABC):
    """A list of lines, each a commit. Nothing decoded is kept."""

    conversation_id: str

    def __init__(self) -> None:
        self._notices: dict[str, None] = {}
        self._has_left_out = False
        """Something was left out on reading, which every opening has to tell."""

    @abstractmethod
    def _line(self, number: int) -> bytes:
        """The line of a commit. Raises StoreError."""

    @abstractmethod
    def _lines_up_to(self, number: int) -> Sequence[bytes]:
        """The lines of some consecutive commits, the last of which is this one. Raises StoreError."""

    @property
    @abstractmethod
    def _firsts(self) -> Sequence[int]:
        """The position of each commit's first event. Others may append to it meanwhile."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def get_blob(self, sha256: str) -> bytes | None: ...

    @property
    def notices(self) -> tuple[str, ...]:
        return tuple(self._notices)

    def read(self, start: int = 0, stop: int | None = None) -> Iterator[Event | UnknownEvent]:
        start, stop = max(start, 0), len(self) if stop is None else min(stop, len(self))
        if start < stop:
            for number in range(self._commit_of(start), self._commit_of(stop - 1) + 1):
                first = self._firsts[number]
                yield from self._decode(number)[max(start - first, 0) : stop - first]

    def commits(self, start: int = 0) -> Iterator[tuple[Event | UnknownEvent, ...]]:
        if start < len(self):
            for number in range(self._commit_of(start), self._commit_of(len(self) - 1) + 1):
                yield self._decode(number)

    def read_back(self, stop: int, may_hold: Callable[[str], bool]) -> Iterator[tuple[int, Event | UnknownEvent]]:
        number = self._commit_of(min(stop, len(self)) - 1)
        while number >= 0:
            lines = self._lines_up_to(number)
            if _worth_decoding(b"".join(lines), may_hold):
                for back, line in enumerate(reversed(lines)):
                    if _worth_decoding(line, may_hold):
                        numbered = enumerate(self._decode(number - back), self._firsts[number - back])
                        yield from ((at, event) for at, event in reversed(tuple(numbered)) if at < stop)
            number -= len(lines)

    def _commit_of(self, position: int) -> int:
        """The number of the commit that holds an event; -1 before the first."""
        return bisect_right(self._firsts, position) - 1

    def _decode(self, number: int) -> tuple[Event | UnknownEvent, ...]:
        line = self._line(number)
        try:
            events, left_out = record.parse_again(line).decode(self.get_blob)
        except record.Damage as error:
            raise LogDamaged(
                f"Commit {number} of conversation {self.conversation_id} was sound and is not any more: {error}.",
                detail="Open the conversation again: what is sound before it can still be read.",
            ) from None
        self._notice(*left_out)
        self._has_left_out |= bool(left_out)
        return events

    def _notice(self, *sentences: str) -> None:
        for sentence in sentences:
            if len(self._notices) < _MOST_NOTICES:
                self._notices[sentence] = None


def _worth_decoding(lines: bytes, may_hold: Callable[[str], bool]) -> bool:
    return b'"blobs":' in lines or may_hold(lines.decode(errors="replace"))
