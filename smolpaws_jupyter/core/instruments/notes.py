"""Notes across resets: what the agent wrote before each, and what it read again afterwards. A fold of the log.

Only the agent's file tools leave a trace here: what they changed (with the bytes before and after, by SHA-256) and what
they read. A change by other means shows where the bytes before are not those that the agent left.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from ..base import Frozen, Many
from ..events import Condensation, Event, ObservationEvent
from ..ledger import Cause, cause_of
from ..payloads import FileChange, ReadFileAction
from ..records import UnknownEvent

NameOf = Callable[[str], str | None]
"""The one spelling of a path that names a note; None for any other path."""

_PAGE = re.compile(r"^path: .* · characters (\d+)-(\d+) of (\d+) · (?:end|next offset \d+)(?: · encoding .*)?$")
"""The first line of a page (`read_file`)."""


class NoteFile(Frozen):
    """A note as it is now. `text` is None where it is not shown, and `why` says so in a sentence.

    `state` is `left` where it is as the agent's file tools left it, `changed` where it is not, `other` where the log
    does not say what the agent left, `unknown` where it could not be read, and `gone` where the file is not there.
    """

    path: str
    bytes: int
    text: str | None
    why: str = ""
    state: Literal["left", "changed", "other", "unknown", "gone"]


class NoteDiff(Frozen):
    """What the agent's file tools made of one note between two resets, in so many calls.

    `diff` is unified; None where it is too large to be told, or not of texts; then `added` and `removed` may be unknown
    too. `otherwise` says that the file was also changed by other means, so that the difference holds that change.
    """

    path: str
    created: bool
    added: int | None
    removed: int | None
    diff: str | None
    times: int
    otherwise: bool


class NoteReading(Frozen):
    """So many characters of a note were read, of `total`."""

    path: str
    characters: int
    total: int


class NotesAtReset(Frozen):
    """One reset: what the notes had gained since the one before, and what the agent read of them before the next.

    `unread` are the notes that the log told of by then and that `read_file` did not touch. Numbers count from 1.
    """

    number: int
    position: int
    event_id: str
    time: str
    cause: Cause | None
    changes: Many[NoteDiff]
    read: Many[NoteReading]
    unread: Many[str]


@dataclass(slots=True)
class NoteChange:
    """All changes of one note in one stretch. `before` and `after` are bytes by their SHA-256, None for no file."""

    before: str | None
    after: str | None
    times: int = 0
    otherwise: bool = False
    """The file had also been changed by other means than the agent's file tools."""


@dataclass(slots=True)
class NoteRead:
    """What the agent has read of a note in one stretch. `total` is its length in characters, by the last page."""

    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    total: int = 0

    @property
    def characters(self) -> int:
        """How many different characters were read."""
        seen = end = 0
        for start, stop in sorted(self.spans):
            seen += max(0, stop - max(start, end))
            end = max(end, stop)
        return seen


@dataclass(slots=True)
class Reset:
    """The condensation that began a stretch. `cause` is None in a log that lacks its request."""

    position: int
    event_id: str
    time: str
    cause: Cause | None


@dataclass(slots=True)
class Stretch:
    """The log from one reset to the next. `began` is None for the first, which began with the conversation."""

    began: Reset | None
    known: dict[str, str | None]
    """The notes that the log told of when it began, with the bytes that the agent left; None if it only read them."""
    changes: dict[str, NoteChange] = field(default_factory=dict[str, NoteChange])
    reads: dict[str, NoteRead] = field(default_factory=dict[str, NoteRead])


class Notebook:
    """Reads a log event by event. `name_of` tells which paths are notes."""

    def __init__(self, name_of: NameOf) -> None:
        self.stretches = [Stretch(None, {})]
        self.known: dict[str, str | None] = {}
        """As the agent left them: bytes by SHA-256, None where the log does not say what is in a note."""
        self._name_of = name_of
        self._length = 0
        self._reading: dict[str, str] = {}
        self._intents: dict[str, Cause] = {}

    def __len__(self) -> int:
        return self._length

    def add(self, event: Event | UnknownEvent) -> None:
        """The next event of the log."""
        if type(event) is not UnknownEvent:
            self._add(event)
        self._length += 1

    def _add(self, event: Event) -> None:
        match event.kind:
            case "ActionEvent" if isinstance(event.action, ReadFileAction):
                note = self._name_of(event.action.path)
                if note is not None:
                    self._reading[event.id] = note
            case "ObservationEvent":
                self._observed(event)
            case "CondensationRequest":
                self._intents[event.id] = cause_of(event.details)
            case "Condensation":
                self._reset(event)
            case _:
                pass

    def _observed(self, event: ObservationEvent) -> None:
        read = self._reading.pop(event.action_id, None)
        observation = event.observation
        if observation.kind != "ToolObservation" or observation.is_error:
            return
        if observation.change is not None:
            self._changed(observation.change)
        elif read is not None and observation.content and observation.content[0].type == "text":
            self._read(read, observation.content[0].text.partition("\n")[0])

    def _changed(self, change: FileChange) -> None:
        note = self._name_of(change.path)
        if note is None:
            return
        left = self.known.get(note)
        begun = self.stretches[-1].known
        made = self.stretches[-1].changes.setdefault(note, NoteChange(begun.get(note) or change.before, change.after))
        made.otherwise |= note in self.known and left is not None and left != change.before
        made.after = change.after
        made.times += 1
        if change.after is None:
            self.known.pop(note, None)
        else:
            self.known[note] = change.after

    def _read(self, note: str, head: str) -> None:
        page = _PAGE.match(head)
        if page is None:
            return
        start, stop, total = map(int, page.groups())
        self.known.setdefault(note, None)
        read = self.stretches[-1].reads.setdefault(note, NoteRead())
        read.spans.append((start, stop))
        read.total = total

    def _reset(self, fact: Condensation) -> None:
        cause = self._intents.pop(fact.request_id, None)
        if fact.effective:
            reset = Reset(self._length, fact.id, fact.timestamp, cause)
            self.stretches.append(Stretch(reset, dict(self.known)))
