"""What differs between providers: signed thoughts, inclusive counts, names of limits, servers that truncate."""

from __future__ import annotations

import json
from typing import Any

import pytest

from smolpaws_jupyter.core.base import Usage
from smolpaws_jupyter.runtime.llm import Request, ToolCall
from smolpaws_jupyter.runtime.provider_reply import ReplyBuilder, without_foreign_reasoning
from smolpaws_jupyter.testing import Answer, ScriptedServer, answer, chunk, events, reply
from tests.runtime.llm_client import LITELLM_WARNS, READ_FILE

pytestmark = LITELLM_WARNS

CLAUDE = "anthropic/claude-sonnet-4-5"
THINKING = {"type": "thinking", "thinking": "let me see", "signature": "c2lnbmVk=="}
REDACTED = {"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"}
CACHED = {"input_tokens": 99, "cache_read_input_tokens": 150_000, "cache_creation_input_tokens": 2_000}


def claude(*blocks: tuple[dict[str, Any], list[dict[str, Any]]], stop_reason: str = "end_turn") -> Answer:
    """Anthropic's event stream: each block is its start and its deltas."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "c"}
    parts: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "usage": {**CACHED, "output_tokens": 1}}}
    ]
    for index, (start, deltas) in enumerate(blocks):
        parts.append({"type": "content_block_start", "index": index, "content_block": start})
        parts += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        parts.append({"type": "content_block_stop", "index": index})
    parts.append({"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": {"output_tokens": 140}})
    parts.append({"type": "message_stop"})
    return events(*parts, end=False)


TEXT = ({"type": "text", "text": ""}, [{"type": "text_delta", "text": "Hello"}])
THOUGHT = (
    {"type": "thinking", "thinking": ""},
    [
        {"type": "thinking_delta", "thinking": "let me "},
        {"type": "thinking_delta", "thinking": "see"},
        {"type": "signature_delta", "signature": "c2lnbmVk=="},
    ],
)
CALL = (
    {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {}},
    [{"type": "input_json_delta", "partial_json": piece} for piece in ('{"path": "é', '.csv"}')],
)


@pytest.mark.parametrize("model", [CLAUDE, "claude-sonnet-4-5"])
async def test_o26_signed_thoughts_come_back_as_they_were(client, model):
    """R-MSG-4: through a stream, into the message, and onto the wire again."""
    first = claude(THOUGHT, (REDACTED, []), TEXT, CALL, stop_reason="tool_use")
    with ScriptedServer([first, claude(TEXT)]) as server:
        one = client(server.base_url, model=model)
        asked = Request([{"role": "user", "content": "go"}], [READ_FILE], one.binding)
        response = await one.ask(to=asked)

        assert response.reasoning == {"thinking_blocks": [THINKING, REDACTED]}
        assert response.calls == (ToolCall("toolu_1", "read_file", '{"path": "é.csv"}'),)
        function = {"name": "read_file", "arguments": '{"path": "é.csv"}'}
        calls = [{"id": "toolu_1", "type": "function", "function": function}]
        kept = {"role": "assistant", "content": "Hello", **response.reasoning, "tool_calls": calls}
        result = {"role": "tool", "tool_call_id": "toolu_1", "content": "1,2"}
        await one.ask(to=Request([*asked.messages, kept, result], [READ_FILE], one.binding))

    sent = server.requests[1]["messages"][1]["content"]
    assert sent[:2] == [THINKING, REDACTED]
    assert sent[-1] == {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "é.csv"}}


async def test_o05_cached_input_is_part_of_the_count(client):
    """R-BUD-5, T-BUD-02."""
    with ScriptedServer([claude(TEXT)]) as server:
        usage = (await client(server.base_url, model=CLAUDE).ask()).usage
    assert (usage.input, usage.output) == (152_099, 140)
    assert (usage.cache_read, usage.cache_write) == (150_000, 2_000)


async def test_a_reply_that_filled_the_window_is_a_success_cut_by_length(client):
    """R-FAIL-5."""
    with ScriptedServer([claude(TEXT, stop_reason="model_context_window_exceeded")]) as server:
        assert (await client(server.base_url, model=CLAUDE).ask()).finish_reason == "length"


async def test_an_error_event_of_anthropic_is_classified(client):
    start = claude(TEXT).pieces[0]
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    with ScriptedServer(
        Answer(200, {"Content-Type": "text/event-stream"}, (start, *events(error, end=False).pieces))
    ) as server:
        failure = await client(server.base_url, model=CLAUDE).fail()
    assert (failure.kind, server.hits) == ("server", 3)


async def test_the_profiles_output_limit_is_sent_to_claude_and_no_larger_one(client):
    """O04: without one, litellm reserves 64,000."""
    with ScriptedServer([claude(TEXT)]) as server:
        await client(server.base_url, model=CLAUDE, max_output_tokens=2_000).ask()
    assert server.requests[0]["max_tokens"] == 2_000


async def test_the_thought_signatures_of_gemini_come_back(client):
    parts = [
        {"text": "Hello"},
        {"functionCall": {"name": "read_file", "args": {"path": "a"}}, "thoughtSignature": "VFNJRw=="},
    ]
    usage = {
        "promptTokenCount": 3_210,
        "candidatesTokenCount": 12,
        "thoughtsTokenCount": 30,
        "cachedContentTokenCount": 3_000,
    }
    said = {"candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}]}
    with ScriptedServer([events({**said, "usageMetadata": usage}, end=False)] * 2) as server:
        one = client(
            server.base_url,
            model="gemini/gemini-2.5-pro",
            environ={"GEMINI_API_KEY": "k" * 20},
            api_key_ref="env:GEMINI_API_KEY",
        )
        asked = Request([{"role": "user", "content": "go"}], [READ_FILE], one.binding)
        response = await one.ask(to=asked)
        (made,) = response.calls
        function = {"name": made.name, "arguments": made.arguments}
        kept = {"role": "assistant", "content": "Hello", **(response.reasoning or {})}
        kept["tool_calls"] = [{"id": made.id, "type": "function", "function": function}]
        result = {"role": "tool", "tool_call_id": made.id, "content": "1,2"}
        await one.ask(to=Request([*asked.messages, kept, result], [READ_FILE], one.binding))

    assert response.usage == Usage(input=3_210, output=42, cache_read=3_000, reasoning=30, cost=response.usage.cost)
    sent = server.requests[1]["contents"][1]["parts"]
    assert next(part for part in sent if "function_call" in part)["thoughtSignature"] == "VFNJRw=="


def ollama(*, counted: bool) -> Answer:
    end = {"done": True, "done_reason": "stop", "eval_count": 2, **({"prompt_eval_count": 77} if counted else {})}
    lines = [{"done": False}, end]
    said = [
        {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": "Hi"}}
        for _ in lines
    ]
    body = "".join(json.dumps({**words, **line}) + "\n" for words, line in zip(said, lines, strict=True))
    return answer(200, body, content_type="application/x-ndjson")


async def test_an_ollama_server_is_told_the_window_and_asked_nothing_else(client):
    with ScriptedServer([ollama(counted=True)]) as server:
        one = client(server.base_url, model="ollama_chat/m", max_input_tokens=9_000, max_output_tokens=50)
        assert await one.llm.window() is None
        response = await one.ask()
    assert response.text == "HiHi"
    assert response.usage.input == 77
    assert server.requests[0]["options"] == {"num_ctx": 9_000, "num_predict": 50}
    assert server.hits == 1


async def test_an_ollama_server_that_reports_no_count_leaves_it_unknown(client):
    with ScriptedServer([ollama(counted=False)]) as server:
        assert (await client(server.base_url, model="ollama_chat/m").ask()).usage.input is None


async def test_deepseek_gets_its_reasoning_back_and_others_do_not(client):
    said = [chunk({"reasoning_content": "hm"}), chunk({"content": "Hi"}), chunk({}, "stop")]
    with ScriptedServer([events(*said), events(*said)]) as server:
        reasoned = [await client(server.base_url, model=f"{p}/m").ask() for p in ("deepseek", "openai")]
    assert [r.reasoning for r in reasoned] == [{"reasoning_content": "hm"}, None]


async def test_after_a_change_of_model_the_old_ones_opaque_thoughts_are_left_out(client):
    """Byte-equal or absent as a whole (O26)."""
    kept = {"role": "assistant", "content": "Hi", "thinking_blocks": [THINKING], "reasoning_content": "hm"}
    with ScriptedServer([reply("ok")]) as server:
        one = client(server.base_url)
        await one.ask(to=Request([kept, {"role": "user", "content": "go"}], [], one.binding))
    assert server.requests[0]["messages"][0] == {"role": "assistant", "content": "Hi"}
    assert "thinking_blocks" in kept


def test_messages_without_opaque_thoughts_are_sent_as_they_are():
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "tool_calls": []}]
    assert all(a is b for a, b in zip(without_foreign_reasoning(messages, "openai"), messages, strict=True))


class Piece:
    """A delta as a client library hands it over."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a", "a"),
        ([{"type": "text", "text": "a"}, {"type": "thinking"}, {"type": "text", "text": "b"}], "ab"),
        (None, ""),
    ],
)
def test_content_in_parts_is_joined(content, text):
    builder = ReplyBuilder("mistral")
    list(builder.add(Piece(content=content)))
    assert builder.text == text


def test_arguments_that_a_server_sent_as_an_object_become_text():
    builder = ReplyBuilder("openai")
    function = Piece(name="f", arguments={"a": "é"})
    list(builder.add(Piece(tool_calls=[Piece(id="x", function=function)])))
    assert builder.calls == (ToolCall("x", "f", '{"a": "é"}'),)
