"""A conversation of strands-agents over HTTP, run in an environment of its own: JSON in, JSON out."""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from typing import Any

from strands import Agent
from strands.agent.conversation_manager import SummarizingConversationManager
from strands.models.openai import OpenAIModel
from strands.session.file_session_manager import FileSessionManager

logging.disable(logging.CRITICAL)
asked = json.loads(sys.stdin.read())


def agent(folder: str) -> Agent:
    """The agent of one session, as a new process would make it."""
    client = {"base_url": asked["base_url"], "api_key": "no key", "max_retries": 0}
    return Agent(
        model=OpenAIModel(client_args=client, model_id="scripted"),
        callback_handler=None,
        retry_strategy=None,
        conversation_manager=SummarizingConversationManager(**asked["settings"]),
        session_manager=FileSessionManager("talk", storage_dir=folder),
    )


def shown(strands: Agent) -> list[list[Any]]:
    return [[m["role"], "".join(block.get("text", "") for block in m["content"])] for m in strands.messages]


with tempfile.TemporaryDirectory() as folder:
    strands = agent(folder)
    ends: list[str] = []
    for text in asked["says"]:
        try:
            strands(text)
        except Exception as error:  # noqa: BLE001 - how a turn ends is what is asked
            ends.append(type(error).__name__)
        else:
            ends.append("")
    removed = strands.conversation_manager.removed_message_count
    live = shown(strands)
    print(json.dumps({"ends": ends, "shown": live, "restored": shown(agent(folder)), "removed": removed}))
