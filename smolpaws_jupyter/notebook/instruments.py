"""The instruments of one session: folds of its log that are carried on when somebody asks, in a thread.

A long log takes a second to read, in which Stop must be heard. A thread reads it up to what is stored at the time of
asking, and what was read once is not read again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from ..core import questions as q
from ..core.base import JsonObject
from ..core.events import Event
from ..core.instruments.notes import Notebook, NoteDiff, NoteFile, NotesAtReset
from ..core.instruments.timeline import Mark, Point, Timeline
from ..core.instruments.weight import Scales, Weighed, Weight
from ..core.records import UnknownEvent
from ..runtime.note_files import NoteDiffs, names_notes, notes_now

if TYPE_CHECKING:
    from ..runtime.conversation import Conversation
    from ..runtime.workspace import Workspace


class Fold(Protocol):
    """Reads a log event by event."""

    def __len__(self) -> int: ...

    def add(self, event: Event | UnknownEvent) -> None: ...


F = TypeVar("F", bound=Fold)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes folder as it is now, and what the log says of it; `problem` is why files are missing in `files`."""

    folder: str
    files: list[NoteFile]
    problem: str
    resets: list[NotesAtReset]
    since: list[NoteDiff]


class Instruments:
    """Lives in the worker. Each answer is true for the log as it was when it was asked for."""

    def __init__(self, conversation: Callable[[], Conversation], workspace: Workspace, notes: str) -> None:
        """`conversation` gives the one that is shown; `notes` is the folder for notes in the workspace."""
        self._conversation = conversation
        self._workspace = workspace
        self._folder = notes
        self._of: Conversation | None = None
        self._folds: dict[type[Fold], Fold] = {}
        self._diffs: NoteDiffs | None = None
        self._turn = asyncio.Lock()

    async def timeline(self) -> tuple[list[Point], list[Mark]]:
        """Every main request with its size, and what happened between them."""
        talk = self._conversation()
        binding = talk.view.binding
        _, window = talk.model.current(binding)
        digest = binding.digest if binding is not None else ""

        def told(timeline: Timeline) -> tuple[list[Point], list[Mark]]:
            return list(timeline.points_with(window, digest)), list(timeline.marks)

        return await self.ask(talk, Timeline, Timeline, told)

    async def weight(self) -> Scales:
        """What each event costs, in the next request and in all so far."""
        talk = self._conversation()
        view, installed = talk.view, {spec.name for spec in talk.toolbox.specs}
        return await self.ask(talk, Weight, Weight, lambda weight: weight.scales(view, installed))

    async def notes(self) -> Notes:
        """The notes now, and at each reset."""
        talk, folder = self._conversation(), self._folder

        def told(book: Notebook) -> Notes:
            if self._diffs is None:
                self._diffs = NoteDiffs(talk.log.store.get_blob)
            files, problem = notes_now(self._workspace, folder, book.known)
            return Notes(folder, files, problem, *self._diffs.told(book))

        return await self.ask(talk, Notebook, lambda: Notebook(names_notes(folder)), told)

    async def ask(self, talk: Conversation, kind: type[F], make: Callable[[], F], told: Callable[[F], T]) -> T:
        """What a fold of this conversation's log tells, brought up to what is stored now."""
        stop = talk.log.view.length  # what follows a violation has no effect
        async with self._turn:
            if self._of is not talk:
                self._of, self._folds, self._diffs = talk, {}, None
            fold = self._folds.setdefault(kind, make())
            assert isinstance(fold, kind)
            return await asyncio.to_thread(_read, talk, fold, stop, told)


def _read(talk: Conversation, fold: F, stop: int, told: Callable[[F], T]) -> T:
    for event in talk.log.read(len(fold), stop):
        fold.add(event)
    return told(fold)


def timeline_records(points: list[Point], marks: list[Mark]) -> list[JsonObject]:
    """Requests and what happened between them, in the order of the log, all with the same fields."""
    empty = dict.fromkeys((*Point.model_fields, *Mark.model_fields))
    told = [{"what": "request", **empty, **point.model_dump()} for point in points]
    told += [{"what": mark.kind, **empty, **mark.model_dump()} for mark in marks]
    for record in told:
        del record["kind"]
    return sorted(told, key=lambda record: record["position"])


def weight_records(scales: Scales) -> list[JsonObject]:
    """Everything that weighs something, the heaviest first; the last record makes the sums whole."""
    parts = sorted(scales.parts, key=lambda part: part.summed, reverse=True)
    rounding = {"what": "rounding", "now": scales.rounding.now, "summed": scales.rounding.summed, "requests": 0}
    return [*(part.model_dump() for part in parts), {**dict.fromkeys(Weighed.model_fields), **rounding}]


def notes_record(notes: Notes) -> JsonObject:
    """The notes as plain data."""
    return {
        "folder": notes.folder,
        "files": [file.model_dump() for file in notes.files],
        "problem": notes.problem,
        "resets": [reset.model_dump() for reset in notes.resets],
        "since": [change.model_dump() for change in notes.since],
    }


def timeline_answer(id_: str, points: list[Point], marks: list[Mark]) -> q.TimelineIs:
    """The timeline as the page is told it."""
    stretches: list[q.Stretch] = []
    for start, point in enumerate(points):
        fields = {name: getattr(point, name) for name in ("limit", "limit_from", "thresholds", "profile")}
        if not stretches or stretches[-1].model_dump(exclude={"start"}) != fields:
            stretches.append(q.Stretch(start=start, **fields))
    return q.TimelineIs(
        id=id_,
        positions=tuple(point.position for point in points),
        reasons=tuple(point.reason for point in points),
        estimated=tuple(point.estimated for point in points),
        measured=tuple(point.measured for point in points),
        stretches=tuple(stretches),
        marks=tuple(marks),
    )


def weight_answer(asked: q.Weight, scales: Scales) -> q.WeightIs:
    """The heaviest events, and all others as one sum."""
    fixed = [part for part in scales.parts if part.event_id is None]
    events = [part for part in scales.parts if part.event_id is not None]
    events.sort(key=lambda part: getattr(part, asked.by), reverse=True)
    others = events[asked.most :]
    return q.WeightIs(
        id=asked.id,
        fixed=tuple(fixed),
        heaviest=tuple(events[: asked.most]),
        others=q.TokenSums(now=sum(p.now for p in others), summed=sum(p.summed for p in others)),
        count=len(events),
        rounding=q.TokenSums(now=scales.rounding.now, summed=scales.rounding.summed),
        total=q.TokenSums(now=scales.total.now, summed=scales.total.summed),
        requests=scales.requests,
        unknown=scales.unknown,
    )
