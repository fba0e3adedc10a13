"""A conversation of openhands-sdk over HTTP, run in an environment of its own: JSON in, JSON out."""

from __future__ import annotations

import json
import logging
import sys
import tempfile

from openhands.sdk import LLM, Agent, Conversation
from openhands.sdk.context.condenser import LLMSummarizingCondenser
from pydantic import SecretStr

logging.disable(logging.CRITICAL)
asked = json.loads(sys.stdin.read())
line = {"model": "openai/scripted", "base_url": asked["base_url"], "api_key": SecretStr("no key"), "num_retries": 0}
llm, summariser = LLM(usage_id="agent", **line), LLM(usage_id="condenser", **line)
condenser = LLMSummarizingCondenser(llm=summariser, **asked["settings"])
ends: list[str] = []
with tempfile.TemporaryDirectory() as folder:
    agent = Agent(llm=llm, tools=[], include_default_tools=[], condenser=condenser)
    conversation = Conversation(agent, workspace=folder, persistence_dir=f"{folder}/store", visualizer=None)
    for text in asked["says"]:
        conversation.send_message(text)
        try:
            conversation.run()
        except Exception as error:  # noqa: BLE001 - how a turn ends is what is asked
            ends.append(type(error).__name__)
        else:
            ends.append("")
print(json.dumps({"ends": ends}))
