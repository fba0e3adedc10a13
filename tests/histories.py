"""Hypothesis strategies for lawful logs of every condenser kind.

A log grows by moves; which moves are lawful next is read off its view. So every log that comes out could have been
written by a conversation of ours, and shrinks to the shortest one that still shows what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

from smolpaws_jupyter.core.base import Usage
from smolpaws_jupyter.core.budget import Budget, due_stage
from smolpaws_jupyter.core.units import text_blocks, units
from tests.builders import PICTURE, Call, History, call

KINDS = ("agent_reset", "new_context", "llm_summarizing", "summarizing_window", "no_op")
LIMIT = 1000
THRESHOLDS = (0.75, 0.80, 0.85, 0.90)

Draw = Callable[[Any], Any]
Move = Callable[[Draw, History], object]

TEXTS = st.sampled_from(
    ["", " \n", "hi", "täglich 🐾", "a longer text of several words", "... [truncated: 5 chars removed] ..."]
)
USAGES = st.builds(Usage, input=st.none() | st.integers(0, 1200), output=st.none() | st.integers(0, 50))
ARGUMENTS = st.sampled_from(['{"path": "a"}', "{}", '{"path": ', "[1]", "", '{"x": "\\ud83d"}', '{"x": NaN}'])
REASONINGS = st.none() | st.just({"thinking_blocks": [{"type": "thinking", "thinking": "so", "signature": "c2ln"}]})


@st.composite
def histories(draw: Draw, kinds: tuple[str, ...] = KINDS, moves: int = 25) -> History:
    """A lawful log of up to this many moves."""
    history = History(draw(st.sampled_from(kinds)))
    for _ in range(draw(st.integers(0, moves))):
        step(draw, history)
    return history


@st.composite
def foreign_logs(draw: Draw) -> list[Any]:
    """The events of a lawful log in an order that nobody can have written: shuffled, or moved, doubled and dropped."""
    events: list[Any] = list(draw(histories()).events)
    if draw(st.booleans()):
        return draw(st.permutations(events))
    places = st.integers(0, len(events) - 1)
    for _ in range(draw(st.integers(1, 5))):
        events.insert(draw(places), events.pop(draw(places)))
    if draw(st.booleans()):
        events.insert(draw(places), events[draw(places)])
    if draw(st.booleans()):
        events.pop(draw(places))
    return events


def step(draw: Draw, history: History) -> None:
    """One more move, of those that are lawful now."""
    draw(st.sampled_from(list(lawful_moves(history))))(draw, history)


def kind_of(history: History) -> str:
    """The condenser kind that a history was started with."""
    return history["start"].settings["condenser"]["condenser_kind"]


def lawful_moves(history: History) -> Iterator[Move]:
    """What may happen next."""
    view, kind = history.view, kind_of(history)
    yield _user
    if view.open_calls:
        yield from (_start, _answer, _answer)
        return
    yield from (_remark, _act)
    if not view.unread and not view.read:
        return  # nobody asks a model about nothing
    yield from (_reply, _calls, _calls, _empty, _fail)
    if history.free:
        yield _withdraw
    if kind == "agent_reset":
        yield from (_advise, _condense, _crowded_condense)
        if view.read and view.rescue is None:
            yield _emergency
    if kind == "new_context":
        yield from (_remind, _new_context)
        if view.rescue is None and any(e.kind != "MessageEvent" or not e.genuine for e in view.read):
            yield _rescue_of_work
    if kind in ("llm_summarizing", "summarizing_window") and view.read:
        yield _summary
    if kind == "summarizing_window" and view.read:
        yield from (_pin, _truncate)


def _user(draw: Draw, history: History) -> None:
    history.user(f"message {len(history.commits)}{draw(TEXTS)}", *draw(st.lists(st.just(PICTURE), max_size=1)))


def _withdraw(draw: Draw, history: History) -> None:
    history.withdraw(draw(st.sampled_from(history.free)).id)


def _late(draw: Draw, history: History) -> None:
    """Messages that arrive while a request is out."""
    if draw(st.booleans()):
        history.ask()
        for _ in range(draw(st.integers(0, 2))):
            history.user(f"late {len(history.commits)}")


def _reply(draw: Draw, history: History) -> None:
    _late(draw, history)
    history.reply(f"reply {len(history.commits)}", usage=draw(USAGES))


def _empty(draw: Draw, history: History) -> None:
    _late(draw, history)
    history.empty(usage=draw(USAGES))


def _calls(draw: Draw, history: History) -> None:
    _late(draw, history)
    made = [
        Call(draw(st.sampled_from(["read_file", "run_python", "host_tool"])), draw(ARGUMENTS))
        for _ in range(draw(st.integers(1, 3)))
    ]
    history.calls(*made, thought=draw(TEXTS), reasoning=draw(REASONINGS), usage=draw(USAGES))


def _open(draw: Draw, history: History) -> str:
    return draw(st.sampled_from(history.view.open_calls)).id


def _start(draw: Draw, history: History) -> None:
    history.start(_open(draw, history))


def _answer(draw: Draw, history: History) -> None:
    of, text = _open(draw, history), draw(TEXTS)
    match draw(st.sampled_from(["result", "picture", "error", "reject"])):
        case "result":
            history.result(text, of=of)
        case "picture":
            history.result(text, PICTURE, of=of)
        case "error":
            history.error(text=text, of=of)
        case _:
            history.reject(text, of=of)


def _fail(draw: Draw, history: History) -> None:
    _late(draw, history)
    history.fails(
        draw(st.sampled_from(["server", "overflow", "content_policy", "cancelled"])), stops=draw(st.booleans())
    )


def _remark(draw: Draw, history: History) -> None:
    history.remark(f"remark {len(history.commits)}")


def _act(draw: Draw, history: History) -> None:
    """What a person does beside talking, and records that change no view."""
    acts: list[Callable[[], object]] = [
        history.pause,
        history.resume,
        history.interrupt,
        history.unknown,
        history.fork,
        lambda: history.title("A title"),
        lambda: history.bind("other", "openai/other", max_input_tokens=LIMIT),
        lambda: history.bind("main"),
        lambda: history.thresholds(0.5, 0.9),
        lambda: history.unknown("ContextWarningEvent", "unreadable"),
    ]
    draw(st.sampled_from(acts))()


def _advise(draw: Draw, history: History) -> None:
    """A warning, if one is due by the count that is drawn here."""
    view, tokens = history.view, draw(st.integers(0, 1200))
    budget = Budget(tokens=tokens, limit=LIMIT, counted="measured", limit_from="profile")
    stage = due_stage(view, budget, view.thresholds or THRESHOLDS)
    if stage is not None:
        history.warn(stage, tokens, LIMIT)


def _remind(draw: Draw, history: History) -> None:
    if not history.view.reminded:
        history.remind()


def _condense(draw: Draw, history: History) -> None:
    _late(draw, history)
    history.calls(_condense_call(draw), thought=draw(TEXTS), reasoning=draw(REASONINGS))
    if draw(st.booleans()):
        history.user(f"during the reset {len(history.commits)}")
    if draw(st.booleans()):
        history.reset()
    else:
        history.error("not_run")


def _condense_call(draw: Draw) -> Call:
    message = draw(st.none() | TEXTS)
    return call("condense") if message is None else call("condense", message_to_future_self=message)


def _crowded_condense(draw: Draw, history: History) -> None:
    _late(draw, history)
    history.calls(*draw(st.permutations([_condense_call(draw), call("read_file", path="a")])))


def _overflow_summary(draw: Draw, history: History, finish: Callable[[], object]) -> None:
    """An overflow, its intent, messages that arrive meanwhile, and the fact or a failure."""
    _late(draw, history)
    history.fails("overflow").intend("provider_context_window")
    if draw(st.booleans()):
        history.user(f"during the summary {len(history.commits)}")
    history.attempt(draw(st.sampled_from(["ok", "server"])))
    match draw(st.sampled_from(["fact", "failure", "nothing"])):
        case "fact":
            finish()
        case "failure":
            history.failure()
        case _:
            pass


def _emergency(draw: Draw, history: History) -> None:
    forget = [entry.id for entry in history.view.read]
    _overflow_summary(draw, history, lambda: history.summarized("What happened.", forget, notice="An emergency."))


def _new_context(draw: Draw, history: History) -> None:
    _late(draw, history)
    others = [call("read_file", path="a")] if draw(st.booleans()) else []
    history.new_context(*others, handoff=draw(TEXTS), reasoning=draw(REASONINGS))


def _rescue_of_work(draw: Draw, history: History) -> None:
    """`new_context` summarises what is not the user's, in the place where it began."""
    read = list(history.view.read)
    work = [unit for unit in units(read) if (first := read[unit.start]).kind != "MessageEvent" or not first.genuine]
    forget = [read[at].id for unit in work for at in unit]
    _overflow_summary(draw, history, lambda: history.summarized("The work so far.", forget, work[0].start))


def _summary(draw: Draw, history: History) -> None:
    """A range between safe cuts, without what is pinned."""
    read, pins = list(history.view.read), history.view.pins
    whole = units(read)
    first = draw(st.integers(0, len(whole) - 1))
    last = draw(st.integers(first, len(whole) - 1))
    chosen = [unit for unit in whole[first : last + 1] if not any(read[at].id in pins for at in unit)]
    if not chosen:
        return
    forget = [read[at].id for unit in chosen for at in unit]
    if draw(st.booleans()):
        _overflow_summary(draw, history, lambda: history.summarized("In short.", forget, chosen[0].start))
    else:
        history.intend(draw(st.sampled_from(["size", "tokens", "proactive", "host"]))).attempt()
        history.summarized("In short.", forget, chosen[0].start)


def _pin(draw: Draw, history: History) -> None:
    unit = draw(st.sampled_from(units(list(history.view.read))))
    history.pin(*(history.view.read[at].id for at in unit))


def _truncate(draw: Draw, history: History) -> None:
    entries = [entry for entry in (*history.view.read, *history.view.unread) if entry.id not in history.view.pins]
    texts = {entry.id: text for entry in entries if (text := dict(text_blocks(entry)).get(0, "")) and len(text) > 12}
    if texts:
        chosen = draw(st.sampled_from(sorted(texts)))
        history.truncate(chosen, texts[chosen])
