"""T10: whatever a provider does, in whatever order, a call ends as a whole reply or as one classified failure."""

from __future__ import annotations

import random

import pytest

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
