"""A session of llm on its SQLite log, written after each response: a scripted model that calls one trivial tool."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator

import llm
import sqlite_utils
from llm.migrations import migrate

STEPS = int(sys.argv[1])
ARGUMENT, RESULT = "a" * 430, "r" * 436


def echo(text: str) -> str:
    """Gives a text."""
    return RESULT


class Scripted(llm.Model):
    model_id = "scripted"
    supports_tools = True

    def __init__(self) -> None:
        self.marks: list[float] = []

    def execute(self, prompt: object, stream: bool, response: llm.Response, conversation: object) -> Iterator[str]:
        self.marks.append(time.process_time() * 1e3)
        number = len(self.marks)
        if number <= STEPS:
            response.add_tool_call(
                llm.ToolCall(name="echo", arguments={"text": ARGUMENT}, tool_call_id=f"call_{number}")
            )
            yield ""
        else:
            yield "Done."


model = Scripted()
with tempfile.TemporaryDirectory() as folder:
    log = sqlite_utils.Database(f"{folder}/log.db")
    migrate(log)
    for answer in model.conversation(tools=[echo]).chain("Go", chain_limit=0).responses():
        answer.text()
        answer.log_to_db(log)
print(json.dumps(model.marks))
