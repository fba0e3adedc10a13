"""T10: whatever a provider does, in whatever order, a turn ends as it should, and a call as a reply or a classified failure.

62 scripted sequences over whole turns, and random ones over single calls; requests are counted at the socket.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import Any

import pytest

from smolpaws_jupyter.core.errors import RunError
from smolpaws_jupyter.core.events import ActionEvent, Condensation, MessageEvent, ResponseEvent, UsageEvent
from smolpaws_jupyter.core.profiles import Binding, LLMProfile, bind
from smolpaws_jupyter.runtime.keys import Keys
from smolpaws_jupyter.runtime.litellm_client import LitellmLLM
from smolpaws_jupyter.runtime.llm import Limits, LLMFailure
from smolpaws_jupyter.testing import (
    Answer,
    ScriptedServer,
    answer,
    call,
    chunk,
    events,
    overflow,
    refuse,
    rendered,
    reply,
)
from tests.runtime.llm_client import LITELLM_WARNS
from tests.runtime.provider_sequences import KEY, SEQUENCES, Course
from tests.runtime.talks import WITH_FALLBACK, Echo, Talk, talk
from tests.wire_rules import assert_lawful

pytestmark = LITELLM_WARNS

STREAM = {"stream": True, "stream_options": {"include_usage": True}}
WHOLE = events(chunk({"content": "Hello "}), chunk({"content": "world"}), chunk({}, "stop"))
GOOD = [reply("Hello world").using(10, 2), call("read_file", path="a").using(10, 2), WHOLE.byte_by_byte()]


def bad_answer(chance: random.Random) -> Answer:
    """One of everything that may go wrong, somewhere."""
    size = sum(map(len, WHOLE.pieces))
    return chance.choice(
        [
            WHOLE.cut(chance.randrange(size - 80)),
            rendered(GOOD[1], STREAM).cut(chance.randrange(200)),
            events(
                *chance.sample([chunk({"content": "x"}), "garbage", {"error": {"message": "odd"}}, {}, "[]"], 3),
                end=False,
            ),
            refuse(chance.choice([400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529]), "no"),
            refuse(429, "tokens per minute", retry_after=chance.choice(["0", "0.01", "99", "soon", "-1"])),
            answer(
                200, chance.choice(["", "{", "null", "[]", "<html>", {"choices": []}, {"error": {"message": "bad"}}])
            ),
            answer(chance.choice([500, 400]), bytes(chance.randrange(256) for _ in range(50))),
            rendered(overflow(9, 8), STREAM),
            events({"error": {"message": "prompt is too long", "code": "context_length_exceeded"}}),
        ]
    )


@pytest.fixture(scope="session")
def seeds(lane: str) -> range:
    return range({"check": 10, "test": 100, "all": 500}[lane])


async def test_t10_any_sequence_of_answers_ends_in_a_reply_or_a_failure(client, seeds):
    """I-13, I-14, I-15, I-40."""
    for seed in seeds:
        chance = random.Random(seed)
        script = [bad_answer(chance) for _ in range(chance.randrange(4))] + [chance.choice(GOOD) for _ in range(4)]
        with ScriptedServer(script) as server:
            one = client(server.base_url)
            try:
                response = await one.ask(Limits(call_timeout_seconds=30))
            except LLMFailure as error:
                assert error.failure.kind != "missing_key", seed
                assert error.failure.http_requests == server.hits == one.sends, seed
                assert one.words == "", seed
            else:
                assert (response.text, len(response.calls)) in [("Hello world", 0), ("", 1)], seed
                assert response.http_requests == server.hits == one.sends, seed
                assert one.words == response.text, seed
            assert 1 <= server.hits <= 3, seed


def test_the_scripted_sequences_are_62_and_cover_each_fault() -> None:
    assert len(SEQUENCES) == len({course.id for course in SEQUENCES}) == 62
    assert Counter(course.fault for course in SEQUENCES).keys() == {f"F-{n}" for n in range(36, 48)}


class Line:
    """The two clients of one conversation, at two servers."""

    def __init__(self, main: ScriptedServer, summary: ScriptedServer) -> None:
        self._urls = {"main": main.base_url, "summary": summary.base_url}
        self.clients: list[LitellmLLM] = []

    def client(self, binding: Binding) -> LitellmLLM:
        profile = LLMProfile(model="openai/scripted", base_url=self._urls[binding.profile])
        client = LitellmLLM(bind(binding.profile, profile), Keys({"K": KEY}), first_pause=0.01)
        self.clients.append(client)
        return client

    async def aclose(self) -> None:
        for client in self.clients:
            await client.aclose()


async def outcome(t: Talk, course: Course) -> str:
    """The final text of the turn, the code of its error, or `paused`."""

    def stop(_: int, events: Any) -> None:
        if events[-1].kind == course.stop_at:
            t.conversation.stop()

    t.conversation.log.subscribe(stop)
    t.conversation.tell(course.message)
    try:
        text = await t.conversation.answer()
    except RunError as error:
        return error.code
    return "paused" if t.conversation.status == "paused" else text


@pytest.mark.slow
@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize("course", SEQUENCES, ids=lambda course: course.id)
async def test_t10_f_36_to_f_47_each_scripted_sequence_ends_as_it_should(course: Course) -> None:
    """T10, F-36 to F-47, I-12, I-14, I-15, I-21, I-22, I-24; and whatever it was, the next message is answered."""
    first = [] if course.fault == "F-40" else [reply("Noted.")]
    last = reply("Still here.")
    with ScriptedServer([*first, *course.main, last]) as main, ScriptedServer(course.summary) as summary:
        line, act = Line(main, summary), Echo("act", effects=True)
        t = talk([], settings={**WITH_FALLBACK, **(course.settings or {})}, tools=[act], client_for=line.client)
        if first:
            await t.ask("Begin.")
        assert await asyncio.wait_for(outcome(t, course), 60) == course.ends
        assert (main.hits - len(first), summary.hits, len(act.ran)) == (course.hits, course.bought, course.ran)
        if course.fault == "F-40":
            t.conversation.withdraw(t.conversation.view.unread[0].id)
        assert await t.ask("And now?") == "Still here."
        for request in (*main.requests, *summary.requests):
            assert_lawful([{"content": None, **message} for message in request["messages"]])
        counted = t.of(ResponseEvent) + t.of(UsageEvent)
        assert sum(record.http_requests for record in counted) == main.hits + summary.hits
        await line.aclose()
    assert t.conversation.view.open_calls == ()
    dump = "".join(event.model_dump_json() for event in t.events)
    assert KEY not in dump
    assert (
        not [e for e in t.of(MessageEvent) if e.source == "agent" and e.text in ("Hello ", "Hel")]
        or course.ends == "Hel"
    )
    assert len(t.of(Condensation)) == (1 if course.bought and course.ends != "context_rescue_failed" else 0)
    assert len({e.tool_call_id for e in t.of(ActionEvent)}) == len(t.of(ActionEvent))
