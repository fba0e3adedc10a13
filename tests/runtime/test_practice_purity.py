"""The practice model knows only what stands in a request: recorded conversations, asked again elsewhere."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from smolpaws_jupyter.core.events import ActionEvent, ContextWarningEvent, MessageEvent, ResponseEvent
from smolpaws_jupyter.core.messages import Message, messages_of
from smolpaws_jupyter.core.practice.reply import Reply, reply
from smolpaws_jupyter.core.view import View
from tests.practice_driver import Played, play

pytestmark = pytest.mark.slow

TASK = "In data/, total precipitation over all files and find the largest temp_max; write the report to report.md"
MODELS = {"diligent": "practice", "late": "practice/late", "careless": "practice/careless"}

ELSEWHERE = """
import json, sys
from smolpaws_jupyter.core.practice.reply import reply

cases = json.load(sys.stdin)

def refuse(event, args):
    if event == "open" or event.split(".")[0] in ("os", "socket", "subprocess", "shutil", "ctypes", "urllib", "glob"):
        raise SystemExit(f"it tried {event} {args}")

sys.addaudithook(refuse)
for case in cases:
    sys.stdout.write(reply(**case).model_dump_json() + "\\n")
"""


@pytest.fixture
def weather(tmp_path: Path, root: Path) -> Path:
    """A workspace with the data of the examples."""
    (tmp_path / "data").mkdir()
    for file in (root / "examples" / "data").glob("*.csv"):
        (tmp_path / "data" / file.name).write_bytes(file.read_bytes())
    return tmp_path


def requests_of(played: Played) -> list[list[Message]]:
    """The messages of every request that was answered, made again from the events of the log alone."""
    events = played.events
    places = {event.id: place for place, event in enumerate(events)}
    found: list[list[Message]] = []
    for response in played.of(ResponseEvent):
        snapshot = View.of(events[: places[response.read_through] + 1])
        pending = {aside.id for aside in snapshot.asides}
        advice = [e for e in events if isinstance(e, ContextWarningEvent) and e.id in response.consumed_warning_ids]
        found.append(messages_of(snapshot.with_asides([e for e in advice if e.id not in pending])))
    return found


def answers_of(played: Played) -> list[tuple[str, str | None, Any]]:
    """Text, tool and arguments of every reply in the log."""
    found: list[tuple[str, str | None, Any]] = []
    for response in played.of(ResponseEvent):
        for event in played.of(ActionEvent, MessageEvent):
            if event.response_event_id == response.id:
                if isinstance(event, ActionEvent):
                    found.append((event.thought, event.tool_name, json.loads(event.arguments)))
                else:
                    found.append((event.text, None, {}))
    return found


def told(said: Any) -> tuple[str, str | None, Any]:
    assert isinstance(said, Reply)
    return said.text, said.tool, said.arguments


@pytest.mark.parametrize("habit", MODELS)
async def test_requests_made_again_from_the_log_get_the_same_replies_in_any_order(weather: Path, habit: str) -> None:
    played = await play(weather, TASK, model=MODELS[habit])
    tools = played.requests[0].tools
    again = requests_of(played)
    assert again == [recorded.messages for recorded in played.requests]

    cases = list(enumerate(again))
    random.Random(7).shuffle(cases)
    replies = {place: told(reply(messages, tools, habit, 8_000)) for place, messages in cases}

    assert [replies[place] for place in range(len(again))] == answers_of(played)


def test_a_fresh_process_without_files_or_network_gives_the_same_replies(
    weather: Path, tmp_path_factory: pytest.TempPathFactory, root: Path
) -> None:
    played = asyncio.run(play(weather, TASK))
    cases = [
        {"messages": messages, "tools": played.requests[0].tools, "habit": "diligent", "window": 8_000}
        for messages in requests_of(played)
    ]

    elsewhere = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        cwd=tmp_path_factory.mktemp("empty"),
        env={"PYTHONPATH": str(root), "PATH": ""},
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=False,
    )

    assert elsewhere.returncode == 0, elsewhere.stderr
    replies = [Reply.model_validate_json(line) for line in elsewhere.stdout.splitlines()]
    assert list(map(told, replies)) == answers_of(played)
    assert [said.input_tokens for said in replies] == [r.usage.input for r in played.of(ResponseEvent)]


async def test_ids_of_calls_and_the_order_of_keys_do_not_matter(weather: Path) -> None:
    played = await play(weather, TASK)
    tools = played.requests[0].tools

    for recorded, answer in zip(played.requests, answers_of(played), strict=True):
        text = json.dumps(recorded.messages, sort_keys=True)
        for number, call_id in enumerate(sorted({m["tool_call_id"] for m in recorded.messages if m["role"] == "tool"})):
            text = text.replace(call_id, f"{number:0{len(call_id)}}")
        assert told(reply(json.loads(text), tools, "diligent", 8_000)) == answer


async def test_a_number_that_is_changed_in_a_recorded_result_changes_the_total_by_as_much(weather: Path) -> None:
    """The last request of the run holds facts from notes and rows from pages; both count."""
    played = await play(weather, TASK)
    last = json.dumps(played.requests[-1].messages)
    tools = played.requests[0].tools

    def total(messages: str) -> str:
        said = reply(json.loads(messages), tools, "diligent", 8_000)
        assert isinstance(said, Reply)
        report = said.arguments["content"]
        return report.split("The total of precipitation is ")[1].split(",")[0]

    noted, paged = "total precipitation: 902.7 of 365", "2015-12-31,0.0,"
    assert noted in last
    assert paged in last

    assert total(last.replace(noted, "total precipitation: 903.8 of 365")) == "6367.2"
    assert total(last.replace(paged, "2015-12-31,0.25,")) == "6366.35"
