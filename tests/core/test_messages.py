"""From a view to the messages of a request."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core import events as ev
from smolpaws_jupyter.core.base import JsonObject, Skill, TextBlock
from smolpaws_jupyter.core.messages import (
    NO_RESULT,
    Renderer,
    Size,
    canonical,
    messages_of,
    request_size,
    sendable_arguments,
    system_message,
    tool_definitions,
)
from smolpaws_jupyter.core.records import decode, encode
from smolpaws_jupyter.core.view import View
from tests.builders import PICTURE, READ_FILE, Call, History, call
from tests.core.every_event import every_event
from tests.histories import foreign_logs, histories
from tests.wire_rules import assert_lawful

READ = call("read_file", path="a")
TOOLS = tool_definitions([READ_FILE])


def talk(history: History) -> list[JsonObject]:
    """The conversation messages of the next request."""
    return messages_of(history.view)[1:]


def restored(history: History) -> View:
    """The view after the log went to disk and came back."""
    return View.of(decode(json.loads(json.dumps(encode(event))))[0] for event in history.events)  # type: ignore[arg-type]


# The fixed context


def test_t_msg_03_every_request_carries_the_system_message_of_the_start():
    """R-MSG-1, R-MSG-2, R-RESET-10: prompt, memory, runtime and skills as they were then; a reset refreshes nothing."""
    skill = Skill(name="plots", description="How to draw.", path="skills/plots.md")
    history = History(memory_snapshot="Likes short answers.", runtime_info="Python 3.13", skills=(skill,))
    before = messages_of(history.user("go").view)[0]
    assert before == messages_of(history.condense().view)[0] == system_message(history["start"])
    assert before == {
        "role": "system",
        "content": "You help.\n\n# Memory\n\nLikes short answers.\n\n# Runtime\n\nPython 3.13\n\n"
        "# Skills\n\nRead the file of a skill before you use it.\n\n- plots (skills/plots.md): How to draw.",
    }


def test_a_bare_start_has_only_its_prompt():
    assert messages_of(History().view) == [{"role": "system", "content": "You help."}]


def test_inv3_a_log_with_blank_instructions_and_warnings_can_be_sent():
    """No log of ours is like that; one that somebody changed may be."""
    history = History(system_prompt=" ").user("go").warn(text="\n")
    assert_lawful(messages_of(history.view))


def test_tools_are_sent_as_they_are_stored():
    function = {"name": "read_file", "description": "Reads a file.", "parameters": {"type": "object"}}
    assert [{"type": "function", "function": function}] == TOOLS


# Calls and results

WIRES = {
    "openai": {},
    "anthropic": {
        "thinking_blocks": [
            {"type": "thinking", "thinking": " step\none ", "signature": "c2lnLTE="},
            {"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"},
        ]
    },
    "gemini": {"provider_specific_fields": {"thought_signatures": ["AbC=="]}},
}


@pytest.mark.parametrize("wire", WIRES)
def test_t_msg_01_a_kept_call_is_sent_exactly_as_it_was_recorded(wire: str):
    """R-MSG-4, R-MSG-7, O26: id, argument text and reasoning, with late input, two resets and restores between."""
    odd = Call("condense", '{ "message_to_future_self" :"\\u00e4 \\ud83d\\udc3e " }', call_id="toolu_01|fc_2")
    history = History().user("old task").call("read_file", path="b").ask().user("late")
    history.calls(odd, thought=" I reset ", reasoning=WIRES[wire]).reset().reply("read").ask().user("later")
    odd = Call("condense", odd.arguments, call_id="toolu_02")
    history.calls(odd, thought=" Again ", reasoning=WIRES[wire]).reset()
    notice, assistant, tool, late = messages_of(restored(history))[1:]
    assert notice == {"role": "user", "content": "The agent triggered context condensation."}
    assert assistant == {
        "role": "assistant",
        "content": " Again ",
        **WIRES[wire],
        "tool_calls": [
            {"id": "toolu_02", "type": "function", "function": {"name": "condense", "arguments": odd.arguments}}
        ],
    }
    assert (tool["role"], tool["tool_call_id"]) == ("tool", "toolu_02")
    assert tool["content"].endswith(":\nä 🐾 ")
    assert late == {"role": "user", "content": "later"}
    assert talk(history) == messages_of(restored(history))[1:]


def test_t_msg_02_results_stand_in_call_order_whatever_order_they_finished_in():
    """R-MSG-3"""
    history = (
        History().user("go").calls(READ, READ, READ).result("3", of="a3").error("e", "2", of="a2").reject("1", of="a1")
    )
    assert [m["content"] for m in talk(history)] == ["go", None, "1", "2", "3"]
    assert [m.get("tool_call_id") for m in talk(history)[2:]] == ["call-a1", "call-a2", "call-a3"]


def test_o15_refusals_and_errors_are_results():
    history = (
        History().user("Clean up").calls(READ).reject("Not that file.").calls(READ).error(text="ZeroDivisionError")
    )
    assert_lawful(messages_of(history.user("Go on").view))
    assert [m["content"] for m in talk(history)] == [
        "Clean up",
        None,
        "Not that file.",
        None,
        "ZeroDivisionError",
        "Go on",
    ]


def test_a_call_that_is_still_open_is_shown_with_a_placeholder():
    history = History().user("go").calls(READ, READ).result("done", of="a2")
    assert [m["content"] for m in talk(history)] == ["go", None, NO_RESULT, "done"]
    assert [m["content"] for m in talk(history.result("too"))] == ["go", None, "too", "done"]


@pytest.mark.parametrize(
    "arguments",
    ['{"path": ', "[1, 2]", '"text"', "", "null", '{"a": "\\ud83d"}', '{"a": NaN}', '{"a": 1e999}', "[" * 9_000],
    ids=lambda text: text[:12],
)
def test_t_msg_04_argument_text_that_providers_refuse_is_shown_as_an_empty_object(arguments: str):
    """R-MSG-5, R-STEP-6: the log keeps the original."""
    history = History().user("go").calls(Call("read_file", arguments)).error("invalid_arguments", "No.")
    assert talk(history)[1]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert history["a1"].arguments == arguments


@pytest.mark.parametrize("arguments", ["{}", ' { "a" : [1,{"b":null}] } ', '{"a": "\\ud83d\\udc3e"}', '{"a":1,"a":2}'])
def test_r_msg_4_usable_argument_text_is_sent_as_it_is(arguments: str):
    assert sendable_arguments(arguments) == arguments


def test_images_of_results_follow_the_whole_batch():
    history = History().user("go").calls(READ, READ).result("", PICTURE, of="a1").result("plain", of="a2")
    assistant, first, second, pictures = talk(history)[1:]
    assert (assistant["role"], first["content"], second["content"]) == ("assistant", "(no output)", "plain")
    assert pictures["role"] == "user"
    assert [part["type"] for part in pictures["content"]] == ["text", "image_url"]
    assert "read_file, call call-a1" in pictures["content"][0]["text"]


# Words


def test_r_msg_7_text_and_images_of_a_message_appear_in_order():
    blocks = (TextBlock(text="one"), PICTURE, TextBlock(text=" two\r\n"))
    message = ev.MessageEvent(id="u", timestamp="t", source="user", role="user", content=blocks)
    (shown,) = messages_of(View.of([message]))
    url = {"url": f"data:image/png;base64,{PICTURE.data}"}
    assert shown["content"] == [
        {"type": "text", "text": "one"},
        {"type": "image_url", "image_url": url},
        {"type": "text", "text": " two\r\n"},
    ]


def test_t_msg_05_notice_summary_and_pending_input_are_separate_messages_in_order():
    """R-MSG-6, R-MSG-8: shown as stored, nothing added; a provider may merge them block by block."""
    history = History().user("go").reply().user("big", PICTURE).emergency("So far.").user("late").warn(text="Careful.")
    notice = history["c1"].notice
    contents = [m["content"] for m in talk(history)]
    assert contents[:2] == [notice, "So far."]
    assert contents[2][0] == {"type": "text", "text": "big"}
    assert contents[3:] == ["late", "Careful."]
    assert {m["role"] for m in talk(history)} == {"user"}


def test_t_warn_14_a_pending_warning_is_the_last_block_of_the_request():
    """R-WARN-9, R-VIEW-12: it disappears without touching the prefix before it."""
    history = History().user("go").reply().user("more").warn(text="Careful.").reply()
    with_warning, after = messages_of(history.shown[-1]), messages_of(history.view)
    assert with_warning[-1] == {"role": "user", "content": "Careful."}
    assert after[: len(with_warning) - 1] == with_warning[:-1]


def test_inv3_nothing_blank_is_sent():
    """O27: providers refuse blank text; an image beside it stays."""
    history = History().user(" \n").user("\t", PICTURE).calls(READ, READ, READ, thought=" \n")
    history.result(" ").error(text="").reject(" \t").remark(" ").reply("\n")
    assert_lawful(messages_of(history.view))
    assert talk(history)[0] == {"role": "user", "content": "(empty message)"}
    assert [part["type"] for part in talk(history)[1]["content"]] == ["image_url"]
    assert talk(history)[2]["content"] is None


def test_r_win_16_a_cut_shows_head_mark_and_tail():
    """R-STR-4, R-VIEW-14: characters are code points, and the stored text stays whole."""
    text = "0123456789🐾abcdefghi"
    history = History("summarizing_window").user(text).call("run_python", text, code="1").reply(text).user(text)
    for entry_id in ("u1", "o1", "m1", "u2"):
        history.truncate(entry_id, text, keep=3)
    shown = "012\n\n... [truncated: 14 chars removed] ...\n\nghi"
    assert [m["content"] for m in talk(history)] == [shown, None, shown, shown, shown]
    assert history["u2"].text == text


def test_a_cut_may_keep_no_tail():
    history = History("summarizing_window").user("0123456789").truncate("u1", "0123456789", keep=0)
    assert talk(history)[0]["content"] == "\n\n... [truncated: 10 chars removed] ...\n\n"


# The renderer


@given(histories(), st.booleans())
def test_a_renderer_that_remembers_gives_what_a_fresh_one_gives(history: History, skipping: bool):
    """At every length, in messages and in size; also when it did not see every view, or sees an older one again."""
    renderer, view = Renderer(), View()
    for number, event in enumerate(history.events):
        view = view.add(event)
        if not skipping or number % 3 == 0:
            messages = messages_of(view)
            assert renderer.size(view, TOOLS) == request_size(messages, TOOLS)
            assert renderer.messages(view) == messages
    for shown in history.shown:
        assert renderer.messages(shown) == messages_of(shown)
        assert renderer.size(shown, []) == request_size(messages_of(shown), [])


@given(foreign_logs())
def test_a_renderer_is_not_fooled_by_a_foreign_order(log: list[Any]):
    """I-40: results that come late, requests in the middle of a batch, anything."""
    renderer, view = Renderer(), View()
    for event in log:
        view = view.add(event)
        messages = messages_of(view)
        assert renderer.messages(view) == messages
        assert renderer.size(view, TOOLS) == request_size(messages, TOOLS)


def test_a_renderer_notices_a_cut_in_what_it_rendered_before():
    renderer, history = Renderer(), History("summarizing_window").user("0123456789").reply("words")
    renderer.messages(history.view)
    assert renderer.messages(history.truncate("u1", "0123456789", keep=1).view) == messages_of(history.view)


def test_a_renderer_renders_each_settled_entry_once():
    """The message objects of one request are those of the next."""
    renderer, history = Renderer(), History().user("go").call("x").reply().user("more").calls(READ, READ)
    before = renderer.messages(history.view)
    after = renderer.messages(history.results().reply().view)
    assert all(old is new for old, new in zip(before[:5], after, strict=False))


def test_a_size_is_that_of_the_canonical_body():
    history = History().user("tägliche 🐾", PICTURE).calls(READ).result("out", PICTURE).user("more")
    messages = messages_of(history.view)
    size = request_size(messages, TOOLS)
    body = canonical({"messages": messages, "tools": TOOLS}).encode()
    url = f"data:image/png;base64,{PICTURE.data}"
    assert size == Size(bytes=len(body), images=2, image_bytes=2 * len(url))
    assert request_size([], []).bytes == len('{"messages":[],"tools":[]}')


def test_two_requests_are_equal_if_their_canonical_text_is():
    assert canonical({"b": "ä", "a": [1, None]}) == '{"a":[1,null],"b":"ä"}'


def test_every_kind_of_event_can_be_rendered():
    view, events = View(), every_event()
    for event in events:
        view = view.add(event)
        messages: list[Any] = messages_of(view)
        assert_lawful(messages)
