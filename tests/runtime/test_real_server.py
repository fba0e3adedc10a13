"""The client against a real llama.cpp server: genuine tokens, counts and refusals, and no network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from smolpaws_jupyter.runtime.llm import Request
from smolpaws_jupyter.testing import call, calls, reply
from tests.real_server import LlamaServer, RealServer
from tests.runtime.llm_client import LITELLM_WARNS, READ_FILE, Client
from tests.tiny_model import write_tiny_model

pytest.importorskip("xllamacpp", reason="no wheel for this platform: pip install smolpaws-jupyter[local]")

pytestmark = LITELLM_WARNS
BOTH = pytest.mark.parametrize("params", [None, {"stream": False}], ids=["streamed", "whole"])
RECORDED = Path(__file__).parent.parent / "fixtures/providers/llama_cpp_overflow.json"


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture(scope="module")
def small(tiny_model: Path) -> Iterator[LlamaServer]:
    """A server whose window is 2,048 tokens."""
    server = LlamaServer(tiny_model, 2_048)
    yield server
    server.close()


def tokens(server: LlamaServer, messages: list[dict[str, Any]]) -> int:
    """What the server itself counts for these messages."""
    _, prompt = server.post("/apply-template", {"messages": messages})
    _, counted = server.post("/tokenize", {"content": json.loads(prompt)["prompt"], "parse_special": True})
    return len(json.loads(counted)["tokens"])


@BOTH
async def test_calls_and_counts_are_genuine(client, tiny_model, params):
    arguments = {"path": "notes.md", "content": 'tests pass; é 🐾 "quoted"\nnext: review'}
    script = [call("write_file", **arguments), calls(call("a"), call("b", n=1)).saying("Two calls."), reply("Done.")]
    with RealServer(tiny_model, script) as server:
        one: Client = client(server.base_url, params=params)
        asked = Request([{"role": "user", "content": "go"}], [READ_FILE], one.binding)
        first, second, third = [await one.ask(to=asked) for _ in script]

    assert json.loads(first.calls[0].arguments) == arguments
    assert (second.text, [c.name for c in second.calls], third.text) == ("Two calls.", ["a", "b"], "Done.")
    assert first.usage.input == second.usage.input == third.usage.input
    assert first.usage.input is not None
    assert first.usage.input > len(json.dumps(READ_FILE))
    assert first.usage.output is not None
    assert first.usage.output >= len(first.calls[0].arguments)
    assert second.usage.cache_read == first.usage.input - 1


async def test_the_reported_count_is_the_number_of_tokens_of_the_prompt(client, tiny_model):
    """R-BUD-5."""
    with RealServer(tiny_model, [reply("ok")]) as server:
        one: Client = client(server.base_url)
        asked = Request([{"role": "user", "content": "zwölf Boxkämpfer"}], [], one.binding)
        usage = (await one.ask(to=asked)).usage
        assert usage.input == tokens(server.llama, asked.messages)


@BOTH
async def test_a_prompt_that_does_not_fit_is_an_overflow_with_its_numbers(client, tiny_model, params):
    """O01, F-38, R-FAIL-7."""
    with RealServer(tiny_model, [reply("never")], n_ctx=1_024) as server:
        one: Client = client(server.base_url, params=params)
        asked = Request([{"role": "user", "content": "x" * 2_000}], [], one.binding)
        failure = await one.fail(to=asked)
        counted = tokens(server.llama, asked.messages)
    assert (failure.kind, failure.status, server.hits) == ("overflow", 400, 1)
    assert (failure.input_tokens, failure.window) == (counted, 1_024)


@pytest.mark.parametrize("stream", [True, False])
def test_the_real_server_still_refuses_in_exactly_the_recorded_words(small: LlamaServer, stream: bool):
    """Stand-ins answer with this file; here the original is asked."""
    recorded = RECORDED.read_bytes().strip()
    named = json.loads(recorded)["error"]
    messages = [{"role": "user", "content": ""}]
    messages[0]["content"] = "x" * (named["n_prompt_tokens"] - tokens(small, messages))

    status, raw = small.post("/v1/chat/completions", {"messages": messages, "stream": stream})

    assert (status, raw) == (400, recorded)


def test_a_prompt_of_exactly_the_window_is_refused_and_one_token_less_is_not(small: LlamaServer):
    messages = [{"role": "user", "content": ""}]
    room = 2_048 - tokens(small, messages)
    statuses = []
    for length in (room - 1, room):
        messages[0]["content"] = "x" * length
        statuses.append(small.post("/v1/chat/completions", {"messages": messages, "max_tokens": 1})[0])
    assert statuses == [200, 400]


async def test_a_window_that_fills_while_the_model_speaks_is_a_success_cut_by_length(client, tiny_model):
    """R-FAIL-5: not an overflow."""
    with RealServer(tiny_model, [reply("y" * 3_000)], n_ctx=1_024) as server:
        response = await client(server.base_url, max_output_tokens=5_000).ask()
    assert (response.finish_reason, response.text, response.calls) == ("length", "", ())
    assert response.usage.input is not None
    assert response.usage.output is not None
    assert response.usage.input + response.usage.output == 1_024
