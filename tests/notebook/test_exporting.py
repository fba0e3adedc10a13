"""Exports: what others get to read, and what they must not."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest

from smolpaws_jupyter.core.bare import Bare
from smolpaws_jupyter.core.records import UnknownEvent, decode
from smolpaws_jupyter.notebook.exporting import SUFFIXES, export
from tests.builders import History
from tests.core.every_event import every_event

HOSTILE = '</pre><script>alert(1)</script><img src="http://x.test/a" onerror="alert(1)">&amp; "quoted" \u202e'
CANARY = "canary-7f3a"

TOLD = frozenset(
    {"kind", "trigger", "source", "role", "decision", "counted", "purpose", "outcome", "code", "type", "media_type"}
    | {"timestamp", "version", "condenser_kind", "command"}
)
"""Fields that hold a word of ours: the schema or our own code allows no others."""


def with_canary(value: Any, name: str = "") -> Any:
    """The same record with the canary in every text that somebody else may have written."""
    if isinstance(value, dict):
        return {key: with_canary(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [with_canary(item, name) for item in value]
    return f"{value}{CANARY}" if isinstance(value, str) and name not in TOLD and not is_digest(value) else value


def is_digest(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_an_export_without_contents_leaks_nothing():
    """T14: a canary in every text of every kind of event comes out of no line."""
    events = [decode(with_canary(event.model_dump(mode="json")))[0] for event in every_event()]
    readable = [event for event in events if not isinstance(event, UnknownEvent)]
    assert len(readable) > 0.8 * len(events)
    assert {event.kind for event in readable} == {event.kind for event in every_event()}
    assert CANARY in export(events, "jsonl")

    text = export(events, "bare")

    assert CANARY not in text
    assert len(text.splitlines()) == len(events)


def test_an_export_without_contents_tells_kinds_times_sizes_and_what_refers_to_what():
    history = History().user("Hello").reply("Hi")

    lines = [json.loads(line) for line in export(history.events, "bare").splitlines()]

    assert [line["kind"] for line in lines] == [event.kind for event in history.events]
    assert [line["position"] for line in lines] == list(range(len(lines)))
    message = next(line for line in lines if line["kind"] == "MessageEvent")
    response = next(line for line in lines if line["kind"] == "ResponseEvent")
    assert message["chars"] == len("Hello")
    assert response["read_through"] == message["position"]
    assert set(response["usage"]) >= {"input", "output"}


def test_an_unknown_record_is_told_by_its_place_alone():
    unknown = UnknownEvent(kind=CANARY, id=CANARY, reason="unknown", raw={"kind": CANARY})

    assert Bare().add(unknown) == {"position": 0, "kind": "UnknownRecord", "reason": "unknown"}


def test_the_html_page_shows_text_as_text_and_runs_and_loads_nothing():
    """R-SEC-3, T9: hostile text in a title, a message, a thought, a call, a result."""
    events = [decode(with_hostile(event.model_dump(mode="json")))[0] for event in every_event()]

    page = export([event for event in events if not isinstance(event, UnknownEvent)], "html")

    seen = Tags()
    seen.feed(page)
    assert {tag for tag, _ in seen.tags} <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "em", "pre", "blockquote", "hr")
    }
    names = {name for _, attributes in seen.tags for name in attributes}
    assert names <= {"lang", "charset", "http-equiv", "content", "name", "class", "dir"}
    policy = next(a["content"] for t, a in seen.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "<script>alert(1)</script>" in seen.text
    assert "\u202e" not in page


def with_hostile(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: with_hostile(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [with_hostile(item, name) for item in value]
    return HOSTILE if name in ("text", "title", "thought", "arguments", "error", "detail", "summary") else value


def test_a_jsonl_export_reads_as_the_log_does():
    events = every_event()

    lines = export(events, "jsonl").splitlines()

    assert [decode(json.loads(line))[0] for line in lines] == events


@pytest.mark.parametrize(("trigger", "words"), [("size", "it had grown long"), ("host", "as you asked")])
def test_each_kind_of_summary_has_its_words(trigger: str, words: str):
    """R-EV-8."""
    events = [event.model_dump(mode="json") for event in History().user("hi").reply().emergency().events]
    for event in events:
        if event["kind"] == "CondensationRequest":
            event["details"] = {"version": 1, "input_event_id": None, "trigger": trigger}

    assert words in export([decode(event)[0] for event in events], "markdown")


def test_every_format_has_a_suffix_and_takes_an_empty_log():
    for format_ in SUFFIXES:
        assert isinstance(export([], format_), str)
