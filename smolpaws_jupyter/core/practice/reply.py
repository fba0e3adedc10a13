"""The practice model's next reply: the first move that fits, worked out anew from the request alone."""

from __future__ import annotations

from .. import wording
from ..base import Frozen, JsonObject
from ..messages import Message, canonical, request_size
from . import notes
from .answer import answer, findings, introduction, report
from .known import RESET_TOOLS, Known, know, text_of
from .pages import characters, room_left
from .plan import Plan, make_plan
from .reading import Call, listing
from .summary import summary
from .tasks import Task
from .window import HABITS, tokens

FORGETFUL = ("careless", "stubborn")
"""Those who write no notes look for none."""

LATE = 90
LOST = 3
"""The attempt at which a model that keeps no notes gives up."""


class Reply(Frozen):
    """Words, and at most one tool call. Tokens are counted by the rule of `tokens`."""

    text: str
    tool: str | None = None
    arguments: JsonObject
    input_tokens: int = 0
    output_tokens: int = 0


class Overflow(Frozen):
    """The request does not fit: status and body exactly as a llama.cpp server answers."""

    status: int = 400
    body: JsonObject


class _Turn(Frozen):
    """All that a move may look at."""

    known: Known
    tasks: tuple[Task, ...]
    plan: Plan
    habit: str
    window: int
    used: int
    tools: tuple[str, ...]

    @property
    def reset_tool(self) -> str | None:
        """The tool that starts afresh, where there is one."""
        return next((tool for tool in RESET_TOOLS if tool in self.tools), None)

    @property
    def gained(self) -> bool:
        """Whether more is known than when this context began."""
        before = (self.known.told + self.known.noted).facts
        return any(fact not in before for fact in self.plan.facts.values() if fact.offset or fact.complete)

    @property
    def notes(self) -> str:
        """The notes as they should stand now."""
        rest: list[str] = []
        unread = [fact.file for fact in self.plan.facts.values() if not fact.complete]
        if unread:
            rest.append(f"read {unread[0]}" + (f" and {len(unread) - 1} more files" if len(unread) > 1 else ""))
        rest += [f"write {task.report}" for task in self.tasks if task.report]
        return notes.write([task.words for task in self.tasks], list(self.plan.facts.values()), rest)


def reply(messages: list[Message], tools: list[JsonObject], habit: str, window: int) -> Reply | Overflow:
    """The answer to a request: a pure function of messages, tools, habit and window (in tokens), and of nothing else.

    Raises `ValueError` for a habit that is none of `HABITS`.
    """
    if habit not in HABITS:
        raise ValueError(f"{habit!r} is no habit of the practice model; it has {', '.join(HABITS)}")
    used = tokens(request_size(messages, tools).bytes)
    if used >= window:
        return _refusal(used, window)
    short = summary(messages) if not tools else None
    said = _say(short) if short is not None else _next_move(messages, tools, habit, window, used)
    size = len(canonical(said.model_dump(include={"text", "tool", "arguments"})).encode())
    return said.model_copy(update={"input_tokens": used, "output_tokens": tokens(size)})


def _next_move(messages: list[Message], tools: list[JsonObject], habit: str, window: int, used: int) -> Reply:
    known = know(messages)
    tasks = known.goals
    turn = _Turn(
        known=known,
        tasks=tasks,
        plan=make_plan(known, tasks),
        habit=habit,
        window=window,
        used=used,
        tools=tuple(tool["function"]["name"] for tool in tools),
    )
    return next(made for move in _MOVES if (made := move(turn)))


def _refusal(used: int, window: int) -> Overflow:
    message = f"request ({used} tokens) exceeds the available context size ({window} tokens), try increasing it"
    error = {
        "code": 400,
        "message": message,
        "type": "exceed_context_size_error",
        "n_prompt_tokens": used,
        "n_ctx": window,
    }
    return Overflow(body={"error": error})


# The moves, in their order


def _give_up(turn: _Turn) -> Reply | None:
    if turn.known.attempt < LOST or (turn.known.told + turn.known.noted).facts:
        return None
    goals = " ".join(task.words for task in turn.tasks)
    return _say(
        f"I lost my findings. This is attempt {turn.known.attempt} at the same task. Each time my context was emptied "
        f"and there were no notes, so I knew nothing of what I had read. I stop here. The task was: {goals}"
    )


def _save_and_reset(turn: _Turn) -> Reply | None:
    known, tool = turn.known, turn.reset_tool
    if tool is None or turn.habit == "stubborn" or not turn.tasks:
        return None
    saved = known.last("write_file", _notes_file(turn))
    if saved is not None:
        return _reset(turn, tool, "My notes are saved, so I start afresh.")
    if known.warning is None or (turn.habit == "late" and known.warning < LATE):
        return None
    warned = f"The environment warned at {wording.percent(known.warning / 100)}%."
    if turn.habit == "careless":
        return _reset(turn, tool, f"{warned} I start afresh at once. I will surely remember what I read.")
    if not turn.gained:
        return None  # nothing to lose, so a reset would help nothing
    if tool == "new_context":
        return _reset(turn, tool, f"{warned} I hand over what I have and start afresh.")
    return _ask(turn, "write_file", _notes_file(turn), f"{warned} I save what I have before I start afresh.")


def _read_notes(turn: _Turn) -> Reply | None:
    known = turn.known
    if not known.fresh or turn.habit in FORGETFUL:
        return None
    looked = [
        c for c in known.calls if c.tool == "list_files" and c.arguments == {"path": known.notes_folder} and c.result
    ]
    if not looked:
        return _ask(turn, "list_files", {"path": known.notes_folder}, "My context is fresh. I look for my notes.")
    found = listing(looked[-1].result or "")
    read = text_of(known.calls, known.notes_path, 0)
    if found is None or known.notes_path not in found.files or read.whole:
        return None
    where: JsonObject = {"path": known.notes_path, **({"offset": read.stop} if read.stop else {})}
    return _ask(turn, "read_file", where, "I read my notes.")


def _without_task(turn: _Turn) -> Reply | None:
    if turn.tasks:
        return None
    if turn.known.unclear is not None:
        return _say(introduction(turn.known.hint))
    return _say(introduction("I see no task in this request. Please tell me what to do."))


def _list(turn: _Turn) -> Reply | None:
    place, cut_short = turn.plan.unlisted, turn.plan.cut_short
    if place is not None:
        return _ask(turn, "list_files", place.arguments, f"I list {place} to see which files there are.")
    if cut_short is not None:
        return _say(f"{cut_short} holds more files than a listing shows. Please name a smaller folder or a pattern.")
    return None


def _read_on(turn: _Turn) -> Reply | None:
    step = turn.plan.next
    if step is None:
        return None
    where = f"from character {step.offset:,} on" if step.offset else "from its start"
    careful = turn.habit != "stubborn" and turn.reset_tool is not None
    room = room_left(turn.used, turn.window, "" if turn.habit in FORGETFUL else turn.notes) if careful else None
    if room is not None and room <= 0 and not turn.gained:
        why = f"What I know and a whole line of {step.file} do not fit into my window of {turn.window:,} tokens."
        return _stop(turn, f"I cannot go on. {why} A larger one would help.")
    limit = characters(turn.known, turn.plan, step.file, turn.window, room)
    arguments: JsonObject = {"path": step.file, "offset": step.offset, "limit": limit}
    return _ask(turn, "read_file", arguments, f"I read {step.file} {where} (file {step.number} of {step.of}).")


def _report(turn: _Turn) -> Reply | None:
    for task in turn.tasks:
        facts = turn.plan.of(task)
        if task.report and facts:
            arguments: JsonObject = {"path": task.report, "content": report(task, facts)}
            if turn.known.last("write_file", arguments) is None:
                return _ask(turn, "write_file", arguments, "Everything is read. I write the report.")
    return None


def _answer(turn: _Turn) -> Reply:
    said = [answer(task, turn.plan.of(task)) for task in turn.tasks]
    return _say("\n\n".join([*said, *_misunderstood(turn)]))


_MOVES = (_save_and_reset, _read_notes, _give_up, _without_task, _list, _read_on, _report, _answer)


# What moves are made of


def _ask(turn: _Turn, tool: str, arguments: JsonObject, thought: str) -> Reply:
    """A call; but not one that was rejected, or that failed twice: that is said, and ends the turn."""
    if tool not in turn.tools:
        return _stop(turn, f"I would need the tool {tool}, which this conversation does not offer.")
    hopeless = turn.known.hopeless(tool, arguments)
    if hopeless is not None:
        times = "" if hopeless.rejected else " twice"
        return _stop(turn, f"I stop here, because {_described(hopeless)} failed{times}. {_reason(hopeless)}")
    return Reply(text=thought, tool=tool, arguments=arguments)


def _reset(turn: _Turn, tool: str, thought: str) -> Reply:
    goals = [task.words for task in turn.tasks]
    if turn.habit == "careless":
        message = notes.write(goals, [], [], attempt=max(turn.known.attempt, 1) + 1)
    elif tool == "new_context":
        message = turn.notes
    else:
        message = notes.write(goals, [], [f"read {turn.known.notes_path}, then go on"])
    return _ask(turn, tool, {RESET_TOOLS[tool]: message}, thought)


def _notes_file(turn: _Turn) -> JsonObject:
    return {"path": turn.known.notes_path, "content": turn.notes}


def _say(text: str) -> Reply:
    return Reply(text=text, arguments={})


def _stop(turn: _Turn, why: str) -> Reply:
    """Ends the turn with what is known so far."""
    plan = turn.plan
    if plan.next is None and plan.unlisted is None:
        found = [sentence for task in turn.tasks if (facts := plan.of(task)) for sentence in findings(task, facts)]
    else:
        covered = sum(fact.complete for fact in plan.facts.values())
        found = [f"So far I have covered {covered} of {len(plan.facts)} files."] if plan.facts else []
    return _say(" ".join([why, *found]))


def _described(call: Call) -> str:
    match call.tool:
        case "write_file":
            return f"writing {call.arguments.get('path')}"
        case "read_file":
            return f"reading {call.arguments.get('path')}"
        case "list_files":
            return f"listing {call.arguments.get('path')}"
        case _:
            return f"the call {call.tool}"


def _reason(call: Call) -> str:
    """The first line of what the call answered; for a page that arrived shortened, that."""
    first, _, rest = (call.result or "").partition("\n")
    if call.tool == "read_file" and rest and first.startswith("path: "):
        return "The page did not arrive whole, so figures from it would be wrong."
    return first


def _misunderstood(turn: _Turn) -> list[str]:
    """A word about a message that came in between and was no task."""
    if turn.known.unclear is None:
        return []
    said = " ".join(turn.known.unclear.split())
    short = said if len(said) <= 80 else f"{said[:77]}..."
    return [f'I did not understand "{short}". {turn.known.hint}'.strip()]
