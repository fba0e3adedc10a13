"""Any model through litellm over real HTTP on loopback: what is sent, what comes back, what it cost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from smolpaws_jupyter.core.base import Usage
from smolpaws_jupyter.core.messages import Size, request_size
from smolpaws_jupyter.runtime.llm import Delta, Limits, LLMFailure, Request, ToolCall
from smolpaws_jupyter.runtime.model_facts import ModelFacts
from smolpaws_jupyter.testing import ScriptedServer, call, calls, chunk, events, raw_call, refuse, reply
from tests.runtime.llm_client import CANARY, LITELLM_WARNS, READ_FILE, binding, request

pytestmark = LITELLM_WARNS

STREAMED = pytest.mark.parametrize("params", [None, {"stream": False}], ids=["streamed", "whole"])


@STREAMED
async def test_a_reply_comes_with_its_words_and_its_usage(client, params):
    move = reply("Hello, world").using(750, 12, cache_read=600, reasoning=5)
    with ScriptedServer([move]) as server:
        one = client(server.base_url, params=params)
        response = await one.ask()

    assert (response.text, response.calls, response.finish_reason) == ("Hello, world", (), "stop")
    assert response.usage == Usage(input=750, output=12, cache_read=600, reasoning=5)
    assert (response.http_requests, one.sends, server.hits) == (1, 1, 1)
    assert one.words == "Hello, world"


async def test_words_arrive_one_by_one(client):
    with ScriptedServer([reply().streamed("Hel", "lo")]) as server:
        one = client(server.base_url)
        await one.ask()
    assert one.deltas == [Delta("text", "Hel"), Delta("text", "lo")]


@STREAMED
async def test_calls_keep_their_ids_and_argument_texts_as_received(client, params):
    """R-MSG-4, R-STEP-7, F-43: a missing id stays missing; a repeated one stays repeated."""
    arguments = '{ "path":"é\\n🐾" }'
    script = [calls(raw_call("a", arguments, id="x"), raw_call("b", "{cut", id="x"), raw_call("c", "{}", id=None))]
    with ScriptedServer(script) as server:
        response = await client(server.base_url, params=params).ask()
    assert response.calls[:2] == (ToolCall("x", "a", arguments), ToolCall("x", "b", "{cut"))
    assert (response.calls[2].name, response.calls[2].arguments) == ("c", "{}")
    if params is None:
        assert response.calls[2].id is None
    assert response.finish_reason == "tool_calls"


async def test_calls_that_all_have_index_0_are_told_apart_by_their_ids(client):
    pieces = [
        chunk({"tool_calls": [{"index": 0, "id": i, "type": "function", "function": {"name": "f", "arguments": "{}"}}]})
        for i in ("a", "b")
    ]
    with ScriptedServer([events(*pieces, chunk({}, "tool_calls"))]) as server:
        response = await client(server.base_url).ask()
    assert [c.id for c in response.calls] == ["a", "b"]


async def test_what_is_sent_is_the_request_and_nothing_else(client):
    """R-MSG-8, R-PROF-3: no budget, no text of ours."""
    with ScriptedServer([reply("ok")]) as server:
        one = client(server.base_url, max_input_tokens=1_000, params={"temperature": 0.5}, max_output_tokens=99)
        messages = [{"role": "system", "content": "S" * 5_000}, {"role": "user", "content": "hi"}]
        await one.ask(to=Request(messages, [READ_FILE], one.binding))
    assert server.requests == [
        {
            "model": "scripted",
            "messages": messages,
            "tools": [READ_FILE],
            "temperature": 0.5,
            "max_tokens": 99,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    ]


async def test_a_request_without_tools_carries_no_choice_among_them(client):
    with ScriptedServer([reply("ok")]) as server:
        await client(server.base_url, params={"tool_choice": "auto", "parallel_tool_calls": False}).ask()
    assert {"tools", "tool_choice", "parallel_tool_calls"}.isdisjoint(server.requests[0])


@pytest.mark.parametrize(
    ("model", "option", "limit"),
    [("openai/gpt-4o", "max_tokens", 16_384), ("openai/o3-mini", "max_completion_tokens", 100_000)],
)
async def test_r_emerg_7_the_output_limit_is_always_sent_under_the_providers_name(client, model, option, limit):
    with ScriptedServer([reply("ok"), reply("ok")]) as server:
        await client(server.base_url, model=model).ask()
        await client(server.base_url, model=model, max_output_tokens=77).ask()
    assert [sent[option] for sent in server.requests] == [limit, 77]


@pytest.mark.parametrize(
    ("model", "window", "output"),
    [
        ("openai/gpt-4o", 128_000, 16_384),
        ("anthropic/claude-sonnet-4-5", 200_000, 64_000),
        ("openai/some-local-model", None, None),
        ("ollama_chat/llama3", None, None),
        ("nonsense", None, None),
    ],
)
async def test_t_bud_01_the_window_is_the_metadatas_or_unknown(client, model, window, output):
    """R-BUD-1, R-BUD-2. No request is made for it; the test suite would notice."""
    one = client(None, model=model)
    assert (await one.llm.window(), await one.llm.output_limit()) == (window, output)


class Lists:
    """litellm's bundled lists, with one entry."""

    def __init__(self, **info: object) -> None:
        self._info = info

    def get_model_info(self, model: str) -> dict[str, object]:
        return self._info


def facts_from(lists: Any, model: str = "openai/odd", base_url: str | None = None) -> ModelFacts:
    async def load() -> Any:
        return lists

    return ModelFacts(binding(base_url, model), load)


@pytest.mark.parametrize("value", [0, -1, 1.5, "many", True, None, float("inf"), float("nan")])
async def test_t_bud_01_a_bad_window_is_unknown(value):
    facts = facts_from(Lists(max_input_tokens=value, max_output_tokens=value))
    assert (await facts.window(), await facts.output_limit()) == (None, None)


async def test_an_output_limit_as_large_as_the_window_is_none_to_reserve():
    facts = facts_from(Lists(max_input_tokens=4_096, max_output_tokens=4_096.0))
    assert (await facts.window(), await facts.output_limit()) == (4_096, None)


USAGES = {
    "nothing reported": (None, Usage()),
    "all zero": ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, Usage()),
    "prompt 0 beside output": (
        {"prompt_tokens": 0, "completion_tokens": 12, "total_tokens": 12},
        Usage(input=0, output=12),
    ),
    "negative": ({"prompt_tokens": -5, "completion_tokens": 2, "total_tokens": 2}, Usage(output=2)),
    "huge": ({"prompt_tokens": 9**15, "completion_tokens": 2, "total_tokens": 2}, Usage(input=9**15, output=2)),
    "cached apart": (
        {
            "prompt_tokens": 750,
            "completion_tokens": 2,
            "total_tokens": 752,
            "prompt_tokens_details": {"cached_tokens": 600},
        },
        Usage(input=750, output=2, cache_read=600),
    ),
}


@pytest.mark.parametrize("name", USAGES)
async def test_t_bud_03_what_a_stream_did_not_report_is_unknown_and_not_zero(client, name):
    """R-BUD-6, T-BUD-02, F-45, O06: litellm fills a gap with a count of its own; that is not taken."""
    reported, expected = USAGES[name]
    tail = [] if reported is None else [{**chunk({}), "choices": [], "usage": reported}]
    with ScriptedServer([events(chunk({"content": "Hello"}), chunk({}, "stop"), *tail)]) as server:
        assert (await client(server.base_url).ask()).usage == expected


async def test_t_bud_03_a_whole_reply_without_usage_is_unknown(client):
    with ScriptedServer([reply("Hello")]) as server:
        assert (await client(server.base_url, params={"stream": False}).ask()).usage == Usage()


async def test_a_server_that_refuses_stream_options_is_asked_without_them_from_then_on(client):
    script = [refuse(400, "Unrecognized request argument: stream_options"), reply("one"), reply("two")]
    with ScriptedServer(script) as server:
        one = client(server.base_url)
        first, second = await one.ask(), await one.ask()
    assert (first.text, first.http_requests, second.text, second.http_requests) == ("one", 2, "two", 1)
    assert ["stream_options" in sent for sent in server.requests] == [True, False, False]


async def test_no_key_of_the_environment_goes_to_a_server_that_needs_none(client, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    with ScriptedServer([reply("ok")]) as server:
        await client(server.base_url).ask()
    assert CANARY not in json.dumps(server.headers)


async def test_the_key_of_the_reference_is_sent_and_a_missing_one_sends_nothing(client):
    """R-BIND-8, T-BIND-04."""
    with ScriptedServer([reply("ok")]) as server:
        fields = {"api_key_ref": "env:VENDOR_KEY"}
        await client(server.base_url, environ={"VENDOR_KEY": CANARY}, **fields).ask()
        assert server.headers[0]["authorization"] == f"Bearer {CANARY}"

        keyless = client(server.base_url, **fields)
        failure = await keyless.fail()
    assert (failure.kind, failure.http_requests, server.hits) == ("missing_key", 0, 1)
    assert "VENDOR_KEY" in failure.text


async def test_an_option_that_the_model_does_not_take_is_refused_before_anything_is_sent(client):
    with ScriptedServer() as server:
        one = client(server.base_url, model="openai/gpt-5", params={"temperature": 0.3})
        with pytest.raises(LLMFailure) as caught:
            await one.ask()
    assert (caught.value.failure.kind, caught.value.failure.http_requests, server.hits) == ("bad_request", 0, 0)


async def test_the_estimate_follows_what_the_last_success_was_counted_as(client):
    """R-BUD-8."""
    size = Size(bytes=3_600)
    with ScriptedServer([reply("ok").using(400, 1)]) as server:
        one = client(server.base_url)
        assert one.llm.estimate(size) == 1_000
        assert one.llm.estimate(Size(bytes=103_600, images=2, image_bytes=100_000)) == 3_000

        asked = request(one.binding, "x" * 720)
        await one.ask(to=asked)

        rule = request_size(asked.messages, asked.tools).bytes / 3.6
        assert one.llm.estimate(size) == round(1_000 * 400 / rule)


async def test_costs_are_known_where_a_price_is_and_hidden_where_a_server_of_ones_own_answers(litellm):
    """W-11."""
    usage = Usage(input=1_000_000, output=0)
    assert await facts_from(litellm, "openai/gpt-4o").cost(usage) == pytest.approx(2.5)
    assert await facts_from(litellm, "openai/gpt-4o", "http://127.0.0.1:1/v1").cost(usage) is None
    assert await facts_from(litellm, "openai/nobody-knows").cost(usage) is None
    assert await facts_from(litellm, "openai/gpt-4o").cost(Usage(output=5)) is None


async def test_words_that_spell_a_key_do_not_reach_the_page_even_in_pieces(client):
    """R-SEC-2, T-SEC-01."""
    with ScriptedServer([reply().streamed("use sk-can", "ary-012345", "6789abcdef now")]) as server:
        one = client(server.base_url, environ={"VENDOR_KEY": CANARY}, api_key_ref="env:VENDOR_KEY")
        response = await one.ask()
    assert one.words == "use [hidden] now"
    assert response.text == f"use {CANARY} now"


async def test_one_client_serves_several_calls_in_a_row(client):
    with ScriptedServer([call("f"), reply("done")]) as server:
        one = client(server.base_url)
        assert [(await one.ask(Limits())).finish_reason for _ in range(2)] == ["tool_calls", "stop"]
