"""The scripted provider answers over real HTTP as its script says, faults included, and counts what it was asked."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from smolpaws_jupyter.testing import (
    Gate,
    ScriptedServer,
    ScriptExhausted,
    answer,
    call,
    calls,
    chunk,
    events,
    overflow,
    raw_call,
    refuse,
    reply,
)


def post(server: ScriptedServer, **body: Any) -> bytes:
    url = f"{server.base_url}/chat/completions"
    asked = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", "X-Test": "1"})
    with urllib.request.urlopen(asked, timeout=10) as got:
        return got.read()


def streamed(raw: bytes) -> list[Any]:
    lines = [line[6:] for line in raw.decode().splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


def test_a_whole_reply_has_the_shape_of_a_chat_completion():
    with ScriptedServer([reply("Hello").using(7, 2, cache_read=3, reasoning=1)]) as server:
        body = json.loads(post(server, messages=[]))
    assert body["choices"] == [
        {"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}
    ]
    assert body["usage"] == {
        "prompt_tokens": 7,
        "completion_tokens": 2,
        "total_tokens": 9,
        "prompt_tokens_details": {"cached_tokens": 3},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }


@pytest.mark.parametrize("include", [True, False])
def test_a_streamed_reply_reports_usage_only_if_asked(include: bool):
    with ScriptedServer([reply().streamed("Hel", "lo").using(7, 2)]) as server:
        chunks = streamed(post(server, stream=True, stream_options={"include_usage": include}))
    words = [c["choices"][0]["delta"].get("content") for c in chunks if c["choices"]]
    assert words == [None, "Hel", "lo", None]
    assert ("usage" in chunks[-1]) is include


def test_calls_get_numbers_or_the_ids_they_were_given():
    move = calls(call("a", x="é"), raw_call("b", "{cut", id="mine"), raw_call("c", "{}", id=None))
    with ScriptedServer([move]) as server:
        made = json.loads(post(server))["choices"][0]["message"]["tool_calls"]
    assert [c.get("id") for c in made] == ["call_1", "mine", None]
    assert [c["function"]["arguments"] for c in made] == ['{"x": "é"}', "{cut", "{}"]


def test_requests_and_headers_are_kept_and_counted():
    with ScriptedServer(reply("always")) as server:
        post(server, n=1)
        post(server, n=2)
    assert (server.hits, server.requests) == (2, [{"n": 1}, {"n": 2}])
    assert server.headers[0]["x-test"] == "1"


def test_a_step_can_be_made_from_the_request():
    with ScriptedServer([lambda request: reply(f"you said {request['n']}")]) as server:
        assert b"you said 5" in post(server, n=5)


def test_one_request_more_than_foreseen_fails_the_test():
    def ask_once() -> None:
        with ScriptedServer() as server, pytest.raises(urllib.error.HTTPError):
            post(server)

    with pytest.raises(ScriptExhausted, match="asked 1 times"):
        ask_once()


@pytest.mark.parametrize(
    ("step", "status", "words"),
    [
        (refuse(429, "slow", code="rate_limit_exceeded", retry_after="2"), 429, "rate_limit_exceeded"),
        (answer(502, "<html>bad</html>"), 502, "<html>"),
        (overflow(5_000, 4_096), 400, "request (5000 tokens) exceeds the available context size (4096 tokens)"),
    ],
)
def test_refusals_are_sent_as_they_are(step: Any, status: int, words: str):
    with ScriptedServer([step]) as server, pytest.raises(urllib.error.HTTPError) as caught:
        post(server)
    with caught.value as error:
        assert error.status == status
        assert words in error.read().decode()
        assert status != 429 or error.headers["Retry-After"] == "2"


def test_a_scripted_overflow_is_what_a_real_server_was_recorded_to_say(root: Path):
    recorded = (root / "tests/fixtures/providers/llama_cpp_overflow.json").read_bytes().strip()
    with ScriptedServer([overflow(2_579, 2_048)]) as server, pytest.raises(urllib.error.HTTPError) as caught:
        post(server)
    with caught.value as error:
        assert (error.status, error.read()) == (400, recorded)


@pytest.mark.parametrize("at", [0, 1, 40])
def test_a_cut_answer_breaks_the_connection(at: int):
    whole = events(chunk({"content": "Hello"}), chunk({}, "stop"))
    with ScriptedServer([whole.cut(at)]) as server, pytest.raises((ConnectionError, http.client.HTTPException)):
        post(server, stream=True)


def test_an_answer_can_be_held_and_arrive_byte_by_byte():
    gate = Gate()
    gate.open()
    slow = events(chunk({}, "stop")).byte_by_byte().slowly(0.0001).held(gate, after=5)
    with ScriptedServer([slow]) as server:
        assert streamed(post(server, stream=True))[0]["choices"][0]["finish_reason"] == "stop"


def test_a_client_that_hangs_up_is_noticed_while_the_answer_is_held():
    gate = Gate()
    with ScriptedServer([reply("never").held(gate)]) as server:
        connection = http.client.HTTPConnection(*server.address, timeout=10)
        connection.request("POST", "/v1/chat/completions", b"{}")
        gate.wait_until_reached()
        connection.close()
        assert server.disconnected.wait(5)


def test_the_list_of_models_declares_the_window():
    with (
        ScriptedServer(model="m", n_ctx=8_192) as server,
        urllib.request.urlopen(f"{server.base_url}/models", timeout=10) as got,
    ):
        listed = json.load(got)
    assert listed["data"][0] == {"id": "m", "object": "model", "meta": {"n_ctx": 8_192}}


def test_a_held_answer_does_not_keep_the_server_from_closing():
    with ScriptedServer([reply("never").held(Gate())]) as server:
        connection = http.client.HTTPConnection(*server.address, timeout=10)
        connection.request("POST", "/v1/chat/completions", b"{}")
    connection.close()
