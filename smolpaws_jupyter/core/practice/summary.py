"""A summary in notes format, from what is shown of a history: the goal, the facts that are whole, what to do next."""

from __future__ import annotations

import json
import re

from .. import wording
from ..messages import Message
from . import notes
from .facts import Facts
from .known import Known
from .notes import NOTHING_OPEN, Notes
from .plan import facts_of
from .reading import Call, page, texts_of
from .tasks import Needs, Task, understand

_ENTRY = re.compile(r"<entry number=\d+>\n(.*?)\n</entry>", re.DOTALL)
_CALL = re.compile(r"^call of (\w+): (.*)", re.MULTILINE | re.DOTALL)
_RESULT = re.compile(r"result of (\w+): (.*)", re.DOTALL)


def summary(messages: list[Message]) -> str | None:
    """The answer to a request for a summary; None for any other request.

    Of notes, what was written, read or handed over counts; of files, the pages that are shown whole.
    """
    if not messages or texts_of(messages[0]) != [wording.SUMMARY_TASK]:
        return None
    found = Notes()
    tasks: list[Task] = []
    calls: list[Call] = []
    for entry in _ENTRY.findall("\n".join(text for message in messages[1:] for text in texts_of(message))):
        speaker, _, text = entry.partition(": ")
        call, result = _CALL.search(entry), _RESULT.fullmatch(entry)
        if speaker == "user" and isinstance(task := understand(text), Task):
            tasks.append(task)
        elif call is not None:
            calls.append(_call(call[1], call[2]))
            found += notes.read(_unescaped(entry))
        elif speaker == "assistant":
            tasks, calls, found = [], [], Notes()  # answered
        else:
            calls = _answered(calls, result[1], result[2]) if result is not None else calls
            found += notes.read(entry)
    open_tasks = [understand(goal) for goal in found.goals]
    tasks = [*(task for task in open_tasks if isinstance(task, Task)), *tasks]
    goals = list(dict.fromkeys([*found.goals, *(task.words for task in tasks)]))
    if not goals and not calls and not found.attempt:
        return NOTHING_OPEN
    facts = _facts(tasks, calls, found) if goals else []  # of work for a task that stays beside the summary
    attempt = 0 if facts else max(found.attempt, 1) + 1
    rest = ["read notes, then the files that no DONE covers; then answer"]
    return notes.write(goals, facts, rest, attempt=attempt)


def _facts(tasks: list[Task], calls: list[Call], found: Notes) -> list[Facts]:
    """What is known of each file that notes or whole pages tell of."""
    known = Known(calls=tuple(calls))
    noted = {fact.file: fact for fact in found.facts}
    need = sum((task.needs for task in tasks), Needs())
    pages = [shown for call in calls if call.tool == "read_file" and (shown := page(call.result or "")) is not None]
    files = dict.fromkeys([*noted, *(shown.path for shown in pages)])
    facts = [facts_of(known, file, need, noted.get(file))[0] for file in files]
    return [fact for fact in facts if fact.offset or fact.complete]


def _answered(calls: list[Call], tool: str, result: str) -> list[Call]:
    """The calls, the first open one of this tool with its result; a page counts only where all of it is shown."""
    shown = page(result) if tool == "read_file" else None
    if shown is not None and len(shown.text) != shown.stop - shown.start:
        result = "clipped"
    at = next((at for at, call in enumerate(calls) if call.tool == tool and call.result is None), None)
    if at is None:
        return calls
    return [*calls[:at], calls[at].model_copy(update={"result": result}), *calls[at + 1 :]]


def _call(tool: str, arguments: str) -> Call:
    """A call with its arguments where they are shown whole, else with none."""
    try:
        return Call(tool=tool, arguments=json.loads(arguments))
    except ValueError:
        return Call(tool=tool, arguments={})


def _unescaped(arguments: str) -> str:
    """The text in a call's arguments, which may be cut off anywhere and so be no JSON any more."""
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], arguments)
