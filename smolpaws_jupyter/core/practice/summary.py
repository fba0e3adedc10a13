"""A summary in notes format, from the previews of a history: the goal, the facts that are whole, what to do next."""

from __future__ import annotations

import re

from .. import wording
from ..messages import Message
from . import notes
from .notes import Notes
from .reading import texts_of
from .tasks import Task, understand

_ENTRY = re.compile(r"<entry number=\d+>\n(.*?)\n</entry>", re.DOTALL)
_CALL = re.compile(r"^call of \w+: ", re.MULTILINE)


def summary(messages: list[Message]) -> str | None:
    """The answer to a request for a summary; None for any other request.

    Previews are clipped, so pages in them give no figures: only notes that were written, read or handed over count.
    """
    if not messages or texts_of(messages[0]) != [wording.SUMMARY_TASK]:
        return None
    found = Notes()
    tasks: list[str] = []
    for entry in _ENTRY.findall("\n".join(text for message in messages[1:] for text in texts_of(message))):
        speaker, _, text = entry.partition(": ")
        if speaker == "user" and isinstance(task := understand(text), Task):
            tasks.append(task.words)
        elif speaker == "assistant" and not _CALL.search(entry):
            tasks, found = [], Notes()  # answered
        else:
            found += notes.read(_unescaped(entry) if _CALL.search(entry) else entry)
    goals = list(dict.fromkeys([*found.goals, *tasks]))
    if not goals:
        return "No open task was found in the history."
    attempt = 0 if found.facts else max(found.attempt, 1) + 1
    rest = ["read notes, then the files that no DONE covers; then answer"]
    return notes.write(goals, list(found.facts), rest, attempt=attempt)


def _unescaped(arguments: str) -> str:
    """The text in a call's arguments, which may be cut off anywhere and so be no JSON any more."""
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], arguments)
