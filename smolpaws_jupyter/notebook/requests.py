"""Answers what is asked about requests: the next one, a rehearsed one, those of the log, and what lies between two.

Everything is worked out in a thread from values of the moment; what a page reads at length waits here to be fetched.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from ..core import questions as q
from ..core.budget import BudgetState
from ..core.errors import CommandRefused
from ..core.instruments.requests import SentRequest, SentRequests
from ..core.view import View
from ..runtime.llm import Request
from ..runtime.outlook import request_of
from .request_reader import Moment, RequestReader

if TYPE_CHECKING:
    from ..runtime.conversation import Conversation
    from .instruments import Instruments

T = TypeVar("T")

MOST_TEXTS = 8
"""So many texts wait to be fetched; then the oldest is forgotten."""


class RequestBook:
    """Lives in the worker."""

    def __init__(self, conversation: Callable[[], Conversation], instruments: Instruments) -> None:
        """`conversation` gives the one that is shown."""
        self._conversation = conversation
        self._instruments = instruments
        self._turn = asyncio.Lock()
        self._reader: tuple[Conversation, RequestReader] | None = None
        self._texts: dict[str, str] = {}

    async def next_request(self, asked: q.NextRequest, budget: BudgetState) -> q.NextRequestIs:
        """The next request in lines, and what a reset now would do."""
        return await self._work(lambda reader, moment: reader.next_request(asked, budget, moment))

    async def compare(self, asked: q.Compare) -> q.ComparisonIs:
        """What changed between two requests. Raises `CommandRefused` where one is not known."""
        older, newer = [None if id_ is None else await self._shown(id_) for id_ in (asked.older, asked.newer)]
        return await self._work(lambda reader, moment: reader.compare(asked, older, newer, moment))

    async def show(self, asked: q.Show) -> q.Shown:
        """Keeps a text for a page to fetch. Raises `CommandRefused` where there is no such request or line."""
        view = None if asked.request in ("next", "rehearsed") else await self._shown(asked.request)
        rehearsed = asked.request == "rehearsed"
        text = await self._work(lambda reader, moment: reader.text(asked.key, view, moment, rehearsed=rehearsed))
        return self.keep(asked.id, text)

    def keep(self, question_id: str, text: str) -> q.Shown:
        """Keeps a text for a page to fetch."""
        sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        self._texts.pop(sha256, None)
        self._texts[sha256] = text
        if len(self._texts) > MOST_TEXTS:
            del self._texts[next(iter(self._texts))]
        return q.Shown(id=question_id, sha256=sha256, chars=len(text))

    def text(self, sha256: str) -> str | None:
        """A text that was shown a while ago."""
        return self._texts.get(sha256)

    async def all(self) -> list[SentRequest]:
        """The main requests of the log, the oldest first."""
        return await self._instruments.ask(self._conversation(), SentRequests, SentRequests, lambda book: book.all)

    async def sent(self, event_id: str) -> Request:
        """A request of the log as it was sent. Raises `CommandRefused` where that is not known."""
        return request_of(await self._shown(event_id))

    async def _shown(self, event_id: str) -> View:
        talk = self._conversation()
        asked = await self._instruments.ask(talk, SentRequests, SentRequests, lambda book: book.get(event_id))
        if asked is None:
            text = f"No request of this conversation is called {event_id!r}."
            raise CommandRefused("not_found", text, detail="`paws.requests()` lists them.", status=404)
        if asked.shown is None:
            raise CommandRefused("not_found", "The log does not hold what this request was made from.", status=404)
        return asked.shown

    async def _work(self, work: Callable[[RequestReader, Moment], T]) -> T:
        talk = self._conversation()
        moment = Moment.of(talk)
        async with self._turn:
            if self._reader is None or self._reader[0] is not talk:
                self._reader = (talk, RequestReader(talk))
            return await asyncio.to_thread(work, self._reader[1], moment)
