"""A session of strands-agents on its file store: a scripted model that calls one trivial tool again and again."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from typing import Any

from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager
from strands.models.model import Model
from strands.session.file_session_manager import FileSessionManager

STEPS = int(sys.argv[1])
ARGUMENT, RESULT = "a" * 430, "r" * 436


@tool
def echo(text: str) -> str:
    """Gives a text."""
    return RESULT


class Scripted(Model):
    def __init__(self) -> None:
        self.marks: list[float] = []

    def update_config(self, **config: Any) -> None:
        pass

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[dict[str, Any]]:
        self.marks.append(time.process_time() * 1e3)
        number = len(self.marks)
        yield {"messageStart": {"role": "assistant"}}
        if number <= STEPS:
            use = {"toolUse": {"toolUseId": f"call_{number}", "name": "echo"}}
            yield {"contentBlockStart": {"start": use}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps({"text": ARGUMENT})}}}}
        else:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "Done."}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if number <= STEPS else "end_turn"}}


model = Scripted()
with tempfile.TemporaryDirectory() as folder:
    agent = Agent(
        model=model,
        tools=[echo],
        callback_handler=None,
        conversation_manager=NullConversationManager(),
        session_manager=FileSessionManager("bench", storage_dir=folder),
    )
    agent("Go")
print(json.dumps(model.marks))
