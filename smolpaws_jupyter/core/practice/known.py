"""What a request tells: the open tasks, what the notes say, and which results are there to work with.

A final answer closes the tasks before it; what was read for them is looked at no more.
"""

from __future__ import annotations

from .. import wording
from ..base import Frozen, JsonObject
from ..messages import Message
from . import notes
from .notes import NOTHING_OPEN, Notes
from .reading import Call, Said, entries, page
from .tasks import Task, goes_on, understand

NOTES_FILE = "practice.md"

RESET_TOOLS = {"condense": "message_to_future_self", "new_context": "handoff"}
"""The tools that start afresh, and the argument in which each carries a message over."""


class Known(Frozen):
    """Everything that the next reply rests on."""

    notes_folder: str = "notes"
    tasks: tuple[Task, ...] = ()
    unclear: str | None = None
    """The latest words of the user that are no task, and what a task in them lacks."""
    hint: str = ""
    warning: float | None = None
    """The highest stage, in percent, of the warnings that are visible."""
    fresh: bool = False
    """Whether a notice says that the context was emptied, and no answer was given since."""
    calls: tuple[Call, ...] = ()
    asked_at: int = 0
    """How many of the calls precede the latest words of the user."""
    told: Notes = Notes()
    """What a message to the future self, a handoff or a summary says."""

    @property
    def notes_path(self) -> str:
        return f"{self.notes_folder}/{NOTES_FILE}"

    @property
    def noted(self) -> Notes:
        """What the notes file says, as far as it was read since the reset and belongs to the task at hand."""
        found = text_of(self.calls, self.notes_path, 0)
        written = notes.read(found.text) if self.fresh and found.whole else Notes()
        return written if not self.told.goals or set(self.told.goals) == set(written.goals) else Notes()

    @property
    def goals(self) -> tuple[Task, ...]:
        """The tasks that were carried over a reset, then those heard since."""
        carried = [understand(goal) for goal in self.told.goals or self.noted.goals]
        return tuple(dict.fromkeys([*(task for task in carried if isinstance(task, Task)), *self.tasks]))

    @property
    def attempt(self) -> int:
        return self.told.attempt

    def last(self, tool: str, arguments: JsonObject) -> Call | None:
        """The latest call of a tool with exactly these arguments that did what was asked."""
        same = [call for call in self.calls if call.tool == tool and call.arguments == arguments and call.done]
        return same[-1] if same else None

    def hopeless(self, tool: str, arguments: JsonObject) -> Call | None:
        """The same call, if since the user last spoke it was rejected once or failed twice."""
        recent = self.calls[self.asked_at :]
        failed = [call for call in recent if call.failed and call.tool == tool and _same(call.arguments, arguments)]
        rejected = [call for call in failed if call.rejected]
        return rejected[-1] if rejected else failed[-1] if len(failed) > 1 else None


def know(messages: list[Message]) -> Known:
    """Everything that the messages of a request tell."""
    known = closed = Known()
    summary_follows = False
    for entry in entries(messages):
        if isinstance(entry, Call):
            known = _called(known, entry)
        elif summary_follows and entry.by == "user":
            known = _with(known, told=known.told + notes.read(entry.text))
        elif entry.by == "user" and goes_on(entry.text) and not known.goals:
            known = _with(closed, notes_folder=known.notes_folder, asked_at=len(closed.calls), unclear=None, hint="")
        elif entry.by == "user":
            known = _heard(known, entry.text)
        elif entry.by == "agent":
            closed, known = known, Known(notes_folder=known.notes_folder)
        elif entry.by == "environment":
            known = _with(known, fresh=known.fresh or entry.is_notice, warning=_higher(known.warning, entry.warned))
        elif entry.by == "system":
            known = _with(known, notes_folder=entry.notes_folder or known.notes_folder)
        summary_follows = isinstance(entry, Said) and entry.text.startswith(wording.EMERGENCY_FIRST)
    return known


def _heard(known: Known, text: str) -> Known:
    said = notes.read(text)
    if said.goals or said.attempt:
        return _with(known, told=known.told + said, asked_at=len(known.calls))
    if text.endswith(NOTHING_OPEN):
        return known
    known = _with(known, asked_at=len(known.calls))
    task = understand(text)
    if isinstance(task, Task):
        return _with(known, tasks=(*known.tasks, task), unclear=None, hint="")
    return _with(known, unclear=text, hint=task)


def _called(known: Known, call: Call) -> Known:
    known = _with(known, calls=(*known.calls, call))
    field = RESET_TOOLS.get(call.tool)
    if field is None or not call.done:
        return known
    return _with(known, told=known.told + notes.read(str(call.arguments.get(field, ""))))


def _same(one: JsonObject, other: JsonObject) -> bool:
    """How much of a file is asked for depends on the room there is, so it makes no other call of it."""
    return {**one, "limit": 0} == {**other, "limit": 0}


def _higher(one: float | None, other: float | None) -> float | None:
    return max(one or 0, other or 0) or None


def _with(known: Known, **fields: object) -> Known:
    return known.model_copy(update=fields)


class Text(Frozen):
    """The text of a file up to `stop`, both in characters, and its size where that is known."""

    text: str
    stop: int
    size: int | None

    @property
    def whole(self) -> bool:
        """Whether it reaches the end of the file."""
        return self.stop == self.size


def text_of(calls: tuple[Call, ...], path: str, offset: int) -> Text:
    """The text of a file from `offset` on, as far as there are pages without a gap.

    Pages of a file that was changed in between are passed over: only what was read since is still true.
    """
    pages = [page(call.result or "") for call in calls if call.tool == "read_file"]
    read = [found for found in pages if found is not None and found.path == path]
    size = read[-1].total if read else None
    text, stop = "", offset
    for part in sorted((found for found in read if found.total == size), key=lambda found: found.start):
        if part.start <= stop < part.stop:
            text += part.text[stop - part.start :]
            stop = part.stop
    return Text(text=text, stop=stop, size=size)
