"""P3: what a request through litellm costs beside litellm itself."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.profiles import LLMProfile, bind
from smolpaws_jupyter.runtime import litellm_client
from smolpaws_jupyter.runtime.keys import Keys
from smolpaws_jupyter.runtime.llm import Limits, Request
from tests.bench.figures import Figure, middle

MESSAGES = 1_000
ROUNDS = 15
KEY = "sk-none-0000"
SERVER = """
import sys
from smolpaws_jupyter.testing import ScriptedServer, reply
with ScriptedServer(reply("ok")) as server:
    print(server.base_url, flush=True)
    sys.stdin.read()
"""


@contextmanager
def server() -> Iterator[str]:
    """A provider on loopback in a process of its own, whose time is not ours; its address."""
    child = subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with child:
        assert child.stdout is not None
        yield child.stdout.readline().strip()
        child.communicate()


def messages() -> list[JsonObject]:
    """A conversation of calls and results, about 700 characters each."""
    said: list[JsonObject] = [{"role": "user", "content": "Go"}]
    for number in range(MESSAGES // 2):
        function = {"name": "echo", "arguments": '{"text": "' + "x" * 430 + '"}'}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        said.append({"role": "assistant", "content": None, "tool_calls": [call]})
        said.append({"role": "tool", "tool_call_id": call["id"], "content": "x" * 700})
    return said


async def costs(base_url: str) -> tuple[float, float]:
    """CPU milliseconds of a streamed request through our client and through bare litellm, in turn: medians."""
    said = messages()
    binding = bind("main", LLMProfile(model="openai/scripted", base_url=base_url))
    ours = litellm_client.LitellmLLM(binding, Keys({"OPENAI_API_KEY": KEY}))
    litellm: Any = litellm_client._import()
    spent: dict[str, list[float]] = {"ours": [], "bare": []}

    async def through_ours() -> None:
        await ours.complete(Request(said, [], binding), Limits(), lambda _: None, lambda: None)

    async def bare() -> None:
        options = {"base_url": base_url, "api_key": KEY, "stream_options": {"include_usage": True}}
        stream = await litellm.acompletion(
            model="openai/scripted", messages=said, stream=True, max_retries=0, **options
        )
        async for _ in stream:
            pass

    for _ in range(ROUNDS):
        for name, ask in (("ours", through_ours), ("bare", bare)):
            began = time.process_time()
            await ask()
            spent[name].append((time.process_time() - began) * 1e3)
    await ours.aclose()
    return middle(spent["ours"]), middle(spent["bare"])


def figures() -> list[Figure]:
    """On loopback. What a step costs beside its request is P2's figure."""
    with warnings.catch_warnings(), server() as base_url:
        warnings.simplefilter("ignore")  # litellm's own
        ours, bare = asyncio.run(costs(base_url))
    return [
        Figure(
            "P3 our client's own part of a request of 1,000 messages / bare litellm", (ours - bare) / bare, "x", 0.10
        ),
        Figure("P3 a request of 1,000 messages through our client, CPU", ours, "ms"),
    ]
