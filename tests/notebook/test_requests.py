"""Requests in a real kernel: the tab's words, Python's and the provider's are the same (I-38, R-MSG-1, R-RESET-5)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from smolpaws_jupyter.core.messages import canonical

from .kernels import Kernel
from .pages import Page, page_of

pytestmark = pytest.mark.kernel

SERVER = """
from smolpaws_jupyter import LLMProfile, SmolPaws
from smolpaws_jupyter.testing import ScriptedServer, call, reply
server = ScriptedServer([call("list_files"), reply("One.").using(input=8_000), reply("Two.")]).__enter__()
profile = LLMProfile(model="openai/scripted", base_url=server.base_url, max_input_tokens=10_000)
paws = SmolPaws(profiles={"main": profile}, conversation="new", approvals="allow")
"""


@pytest.fixture(scope="module")
def page(k: Kernel) -> Page:
    """An agent that called a tool and answered twice, then began anew and was told something that it has not read."""
    moves = [
        "scripted.call('list_files')",
        "scripted.reply('One.')",
        "scripted.call('condense', message_to_future_self='Go on.')",
        "scripted.reply('Two.').using(input=320_000)",
    ]
    k.do(f"paws = scripted.play({', '.join(moves)})")
    k.do("await paws.ask('first'); await paws.ask('second'); paws.pause(); paws.tell('third')")
    return page_of(k, "paws")


def text_of(page: Page, request: str, key: str | None = None) -> str:
    """What a page shows of a request at length."""
    shown = page.ask("show", request=request, key=key)
    assert shown["kind"] == "shown", shown
    text = ""
    while len(text) < shown["chars"]:
        text += page.ask("fetch", sha256=shown["sha256"], offset=len(text), length=1_000)["text"]
    return text


def as_received(body: Any) -> str:
    """Messages and tools as canonical JSON. Of all that is sent, litellm leaves out one thing: a content of null."""
    messages = [{n: v for n, v in m.items() if n != "content" or v is not None} for m in body["messages"]]
    return canonical({"messages": messages, "tools": body["tools"]})


def test_i_38_tab_python_and_provider_have_the_same_messages_and_tools(k: Kernel):
    """Over real HTTP through litellm, with a warning that is due: the canonical JSON of all three is equal."""
    k.do(SERVER)
    try:
        k.do("await paws.ask('first'); paws.pause(); paws.tell('second')")
        page = page_of(k, "paws")
        shown = text_of(page, "next")
        python = k.value("paws.next_request().body()")
        k.do("paws.resume(); paws.wait()")
        received = [as_received(body) for body in k.value("server.requests")]
        assert "80%" in json.loads(shown)["messages"][-1]["content"]
        assert shown == python
        assert as_received(json.loads(shown)) == received[-1]
        sent = k.value("[r.event_id for r in paws.requests()]")
        assert [as_received(json.loads(text_of(page, event_id))) for event_id in sent] == received
    finally:
        k.do("server.__exit__()")


def test_the_next_request_comes_in_lines_that_say_what_they_are(page: Page):
    told = page.ask("next_request")
    lines = told["messages"]["lines"]
    assert [(line["what"], line["state"], line["gone"]) for line in lines] == [
        ("notice", "read", True),
        ("calls", "read", True),
        ("result", "read", True),
        ("agent", "read", True),
        ("user", "unread", False),
        ("warning", "due", False),
    ]
    assert lines[4]["text"] == "third"
    assert told["fixed"][0]["what"] == "system"
    assert {line["what"] for line in told["fixed"]} >= {"system", "tool"}
    parts = (*told["fixed"], *lines)
    assert abs(sum(line["tokens"] for line in parts) - told["tokens"]) <= len(parts)


def test_r_reset_5_the_request_after_a_reset_comes_beside_it(k: Kernel, page: Page):
    reset = page.ask("next_request")["reset"]
    assert (reset["how"], reset["due"], reset["refused"], reset["gone"]) == ("condense", None, "", 4)
    assert [(line["what"], line["state"]) for line in reset["after"]["lines"]] == [
        ("notice", "read"),
        ("calls", "read"),
        ("result", "read"),
        ("user", "unread"),
    ]
    assert text_of(page, "rehearsed") == k.value("paws.rehearse().body()")


def test_of_a_long_request_only_a_window_is_told(page: Page):
    told = page.ask("next_request", start=1, count=2)["messages"]
    assert (told["start"], told["total"]) == (1, 6)
    assert [line["what"] for line in told["lines"]] == ["calls", "result"]
    assert page.ask("next_request", count=2)["messages"]["start"] == 4


def test_r_reset_4_around_a_reset_all_that_left_and_all_that_came_is_told(k: Kernel, page: Page):
    ids = k.value("[r.event_id for r in paws.requests()]")

    def part(name: str, **of: Any) -> list[str]:
        told = page.ask("compare", **{"older": ids[2], "newer": ids[3], "part": name, **of})
        assert told["lines"]["total"] == told[name]
        assert told["fixed"] == []
        assert len(set(told["models"])) == 1
        return [line["what"] for line in told["lines"]["lines"]]

    assert part("left") == ["user", "calls", "result", "agent", "user"]
    assert part("stayed") == []
    assert part("came") == ["notice", "calls", "result"]
    assert part("stayed", older=ids[3], newer=None) == ["notice", "calls", "result"]
    assert part("came", older=ids[3], newer=None) == ["agent", "user", "warning"]


def test_all_words_of_a_line_can_be_read(k: Kernel, page: Page):
    lines = page.ask("next_request")["messages"]["lines"]
    assert text_of(page, "next", lines[1]["key"]) == "condense\nmessage_to_future_self: Go on."
    assert text_of(page, "next", "fixed system") == k.value("paws.events[0].system_prompt")


def test_what_was_sent_can_be_asked_for_in_python(k: Kernel, page: Page):
    assert k.value("[(r.number, r.outcome, r.input_tokens) for r in paws.requests()]") == [
        (1, "answered", None),
        (2, "answered", None),
        (3, "answered", None),
        (4, "answered", 320_000),
    ]
    sent = k.value("[paws.request_sent(r.event_id).body() for r in paws.requests()]")
    assert sent == k.value("[r.body() for r in scripted.model_of(paws).requests]")


def test_a_request_that_is_not_there_is_refused_with_what_to_do(page: Page):
    told = page.ask("compare", older="no such", newer=None, part="left")
    assert (told["kind"], told["code"], told["status"]) == ("refused", "not_found", 404)
    assert page.ask("show", request="next", key="no such")["kind"] == "refused"


def test_looking_changes_nothing(k: Kernel, page: Page):
    before = k.value("len(paws.events)")
    page.ask("next_request")
    text_of(page, "rehearsed")
    k.do("paws.next_request(); paws.rehearse('Go on.'); paws.requests()")
    assert k.value("len(paws.events)") == before
