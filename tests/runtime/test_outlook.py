"""What would be sent and what was sent, held against what a model received (R-MSG-1, R-WARN-8, R-VIEW-4, I-38)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.errors import CommandRefused
from smolpaws_jupyter.core.events import Condensation, ContextWarningEvent
from smolpaws_jupyter.core.instruments.requests import SentRequests
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.llm import Request
from smolpaws_jupyter.runtime.outlook import request_of
from smolpaws_jupyter.testing import Gate, Move, call, calls, failure, overflow, reply
from tests.runtime.talks import WITH_FALLBACK, Echo, Talk, binding, said_by, talk, until
from tests.runtime.window_models import is_summary, llm_summarizing, window

SETTINGS: dict[str, Any] = {
    "agent_reset": WITH_FALLBACK,
    "new_context": {"condenser": {"condenser_kind": "new_context"}},
    "llm_summarizing": llm_summarizing(max_size=20, max_tokens=700, keep_first=1),
    "summarizing_window": window(
        proactive_compression={"compression_threshold": 0.8}, preserve_recent_messages=1, truncate_preserve_chars=20
    ),
    "no_op": {"condenser": {"condenser_kind": "no_op"}},
}
LONG = "many words " * 30
MOVES: dict[str, Move] = {
    "reply": reply("Done."),
    "long": reply(LONG),
    "call": call("echo", text="a"),
    "long call": call("echo", text=LONG),
    "calls": calls(call("echo", text="a"), call("echo", text="b"), call("no_such")),
    "condense": call("condense", message_to_future_self="Go on."),
    "new_context": call("new_context", handoff="Go on."),
    "overflow": overflow(),
    "server": failure("server"),
    "content": failure("content_policy"),
    "empty": reply(""),
    "unsent": failure("transport").requesting(0),
}
ACTS = ("tell", "tell", "tell", "stop", "bind", "thresholds", "fork")
TURNS = st.lists(
    st.tuples(
        st.sampled_from(ACTS),
        st.lists(st.tuples(st.sampled_from(sorted(MOVES)), st.sampled_from([None, 100, 760, 960])), max_size=4),
    ),
    max_size=7,
)


def rebuilt(conversation: Conversation) -> list[Request | None]:
    """The requests of a conversation, from its log alone."""
    requests = SentRequests.of(conversation.events())
    asked = [requests.get(sent.event_id) for sent in requests.all]
    return [None if one is None or one.shown is None else request_of(one.shown) for one in asked]


class Play:
    """A conversation that is led through turns, and what its model was sent in the end."""

    def __init__(self, kind: str, limit: int) -> None:
        self.moves: Iterator[Move] = iter(())
        self.sent: list[Request] = []
        self.asked = 0
        self.gate: Gate | None = None
        self.talk = talk(
            self.answer, settings=SETTINGS[kind], tools=[Echo()], limit=limit, summaries=lambda _: reply("So far.")
        )
        self.conversation = self.talk.conversation

    def answer(self, request: Request) -> Move:
        if is_summary(request):
            return reply("So far.")
        self.asked += 1
        move = next(self.moves, reply("Done."))
        if move.http_requests:
            self.sent.append(request)
        return move if self.gate is None else move.held(self.gate)

    async def act(self, act: str, moves: list[Move]) -> None:
        self.moves = iter(moves)
        match act:
            case "bind":
                self.conversation.bind(binding(700, name="other"))
            case "thresholds" if self.conversation.policy.kind == "agent_reset":
                self.conversation.set_thresholds([0.5, 0.9])
            case "fork" if len(self.conversation.log):
                forked = await self.conversation.fork()
                await self.conversation.close()
                self.conversation = forked
            case "stop":
                await self.stopped()
            case _:
                await self.told()

    async def told(self) -> None:
        """A message, and the request that is foreseen for it held against the one that is sent."""
        self.conversation.pause()
        self.conversation.tell("Go on")
        foreseen, before = await self.foreseen(), len(self.sent)
        self.conversation.resume()
        await self.conversation.settled()
        if foreseen is not None and len(self.sent) > before:
            assert self.sent[before].body() == foreseen.body()

    async def foreseen(self) -> Request | None:
        """None where something comes before the next request: a summary, or results for calls that were cut off."""
        await self.conversation.prepare()
        view = self.conversation.view
        gauge = self.conversation.outlook.gauge(view, *self.conversation.model.current(view.binding))
        due = self.conversation.policy.due(view, gauge)
        return None if due or view.open_calls or not view.paused else self.conversation.next_request()

    async def stopped(self) -> None:
        """A message, and a stop while the model answers."""
        self.gate, before = Gate(), self.asked
        self.conversation.tell("And stop")
        await until(lambda: self.asked > before or not self.conversation.working)
        self.conversation.stop()
        self.gate.open()
        self.gate = None
        await self.conversation.settled()


@pytest.mark.parametrize("kind", SETTINGS)
@given(TURNS, st.sampled_from([700, 1_000, 3_000, 400_000]))
def test_i_38_every_request_that_was_sent_is_rebuilt_from_the_log_alone(kind: str, turns: list[Any], limit: int):
    """Also failed and stopped ones, with warnings, resets, rescues, cuts, forks, other thresholds and profiles."""

    async def play() -> None:
        made = Play(kind, limit)
        for act, names in turns:
            await made.act(act, [MOVES[name].using(input=tokens) for name, tokens in names])
        assert rebuilt(made.conversation) == made.sent
        await made.conversation.close()

    asyncio.run(asyncio.wait_for(play(), 30))


async def waiting(t: Talk, text: str = "Go on") -> None:
    """A message that nobody reads yet."""
    t.conversation.pause()
    t.conversation.tell(text)
    await t.conversation.prepare()


async def test_r_warn_8_the_warning_that_is_due_stands_in_the_next_request_and_in_no_log() -> None:
    t = talk([reply("One.").using(input=760), reply("Two.")], limit=1_000)
    await t.ask("first")
    await waiting(t)
    foreseen = t.conversation.next_request()
    assert "75%" in said_by(foreseen.messages)[-1]
    assert not t.of(ContextWarningEvent)
    t.conversation.resume()
    await t.conversation.settled()
    assert t.llm.requests[-1].body() == foreseen.body()
    assert len(t.of(ContextWarningEvent)) == 1


async def test_r_reset_5_a_rehearsal_is_the_request_that_follows_the_reset() -> None:
    t = talk([reply("One."), call("condense", message_to_future_self="Look into notes."), reply("Two.")])
    await t.ask("first")
    before = t.kinds
    rehearsed = t.conversation.rehearse("Look into notes.")
    assert t.kinds == before
    await t.ask("second")
    made_up, real = (r.body().replace("call_rehearsed", "call_1") for r in (rehearsed, t.llm.requests[-1]))
    assert made_up == real
    assert len(t.of(Condensation)) == 1


async def test_where_nobody_knows_what_a_reset_would_leave_a_rehearsal_says_so() -> None:
    t = talk([reply("One.")], settings=SETTINGS["no_op"])
    await t.ask("first")
    with pytest.raises(CommandRefused, match="Nothing would be taken out"):
        t.conversation.rehearse()


async def test_before_anything_is_stored_the_next_request_is_the_fixed_context() -> None:
    t = talk([])
    assert [m["role"] for m in t.conversation.next_request().messages] == ["system"]
    assert [m["role"] for m in t.conversation.rehearse().messages] == ["system", "user", "assistant", "tool"]
