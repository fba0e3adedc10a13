"""A session of pydantic-ai whose messages are all dumped after each step, as its documentation has it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits

STEPS = int(sys.argv[1])
ARGUMENT, RESULT = "a" * 430, "r" * 436
marks: list[float] = []


def move(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    marks.append(time.process_time() * 1e3)
    if len(marks) <= STEPS:
        return ModelResponse([ToolCallPart("echo", {"text": ARGUMENT})])
    return ModelResponse([TextPart("Done.")])


agent = Agent(FunctionModel(move))


@agent.tool_plain
def echo(text: str) -> str:
    """Gives a text."""
    return RESULT


async def session(file: Path) -> None:
    async with agent.iter("Go", usage_limits=UsageLimits(request_limit=None)) as run:
        async for _ in run:
            with file.with_suffix(".new").open("wb") as new:
                new.write(ModelMessagesTypeAdapter.dump_json(run.ctx.state.message_history))
                new.flush()
                os.fsync(new.fileno())
            file.with_suffix(".new").replace(file)


with tempfile.TemporaryDirectory() as folder:
    asyncio.run(session(Path(folder, "session.json")))
print(json.dumps(marks))
