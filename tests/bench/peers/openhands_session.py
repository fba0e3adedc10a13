"""A session of openhands-sdk on its own store: a scripted model that calls one trivial tool again and again."""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import ClassVar, Self

from openhands.sdk import Agent, Conversation, Tool
from openhands.sdk.llm import Message, MessageToolCall, TextContent
from openhands.sdk.testing import TestLLM
from openhands.sdk.tool import register_tool
from openhands.sdk.tool.tool import Action, Observation, ToolDefinition, ToolExecutor

STEPS = int(sys.argv[1])
ARGUMENT, RESULT = "a" * 430, "r" * 436
logging.disable(logging.CRITICAL)


class EchoAction(Action):
    text: str


class EchoObservation(Observation):
    pass


class EchoExecutor(ToolExecutor):
    def __call__(self, action: EchoAction, conversation: object = None) -> EchoObservation:
        return EchoObservation.from_text(text=RESULT)


class EchoTool(ToolDefinition[EchoAction, EchoObservation]):
    name: ClassVar[str] = "echo"

    @classmethod
    def create(cls, conv_state: object = None, **params: object) -> Sequence[Self]:
        return [
            cls(
                description="Gives a text.",
                action_type=EchoAction,
                observation_type=EchoObservation,
                executor=EchoExecutor(),
            )
        ]


class Scripted(TestLLM):
    marks: ClassVar[list[float]] = []

    def completion(self, *args: object, **kwargs: object) -> object:
        self.marks.append(time.process_time() * 1e3)
        return super().completion(*args, **kwargs)


def call(number: int) -> Message:
    # The text differs, since the same call again and again is taken for being stuck.
    arguments = json.dumps({"text": f"{number:06}{ARGUMENT[6:]}"})
    asked = MessageToolCall(id=f"call_{number}", name="echo", arguments=arguments, origin="completion")
    return Message(role="assistant", content=[TextContent(text="")], tool_calls=[asked])


register_tool("echo", EchoTool)
llm = Scripted.from_messages([*map(call, range(STEPS)), Message(role="assistant", content=[TextContent(text="Done.")])])
with tempfile.TemporaryDirectory() as folder:
    conversation = Conversation(
        Agent(llm=llm, tools=[Tool(name="echo")]),
        workspace=folder,
        persistence_dir=f"{folder}/store",
        visualizer=None,
        stuck_detection=False,
        max_iteration_per_run=STEPS + 10,
    )
    conversation.send_message("Go")
    conversation.run()
print(json.dumps(Scripted.marks))
