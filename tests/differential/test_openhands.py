"""Our `llm_summarizing` beside the condenser of openhands-sdk 1.58.2, from which its rules come: the same provider, the same words."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.profiles import LLMProfile, bind
from smolpaws_jupyter.runtime.keys import Keys
from smolpaws_jupyter.runtime.litellm_client import LitellmLLM
from smolpaws_jupyter.testing import Move, ScriptedServer, reply
from tests.environments import NoEnvironment, environment
from tests.runtime.llm_client import LITELLM_WARNS
from tests.runtime.talks import talk

pytestmark = [pytest.mark.exhaustive, pytest.mark.timeout(1_800), *LITELLM_WARNS]

SETTINGS = {"max_size": 20, "keep_first": 2}
SAYS = [f"u{number}" for number in range(14)]


@dataclass
class Provider:
    """A server's rule: it answers with its count. `calls` holds the words of every request behind the instructions."""

    calls: list[tuple[str, list[str]]] = field(default_factory=list[tuple[str, list[str]]])

    def __call__(self, request: JsonObject) -> Move:
        said = [words(message["content"]) for message in request["messages"]]
        kind = "summary" if "summar" in said[0][:600].lower() else "main"
        self.calls.append((kind, said[1:]))
        return reply(f"{kind}-{len(self.calls)}")

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.calls]

    @property
    def first_after_the_summary(self) -> list[str]:
        return self.calls[self.kinds.index("summary") + 1][1]


def words(content: str | list[JsonObject]) -> str:
    """The text of a message, which comes in parts there."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def theirs(python: Path) -> Provider:
    provider = Provider()
    with ScriptedServer(provider) as server:
        asked = json.dumps({"base_url": server.base_url, "settings": SETTINGS, "says": SAYS})
        program = Path(__file__).with_name("openhands_talk.py")
        done = subprocess.run([python, program], input=asked, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"ends": [""] * len(SAYS)}
    return provider


async def ours() -> Provider:
    provider = Provider()
    condenser = {"condenser_kind": "llm_summarizing", "llm_profile_ref": "summary", "max_tokens": None, **SETTINGS}
    with ScriptedServer(provider) as server:
        bound = bind("main", LLMProfile(model="openai/scripted", base_url=server.base_url))
        client = LitellmLLM(bound, Keys({}), first_pause=0.01)
        t = talk(settings={"condenser": condenser}, client_for=lambda _: client)
        for text in SAYS:
            await t.ask(text)
        await client.aclose()
    return provider


async def test_a_summary_is_bought_at_the_same_size_and_leaves_the_same_tail(count: Callable[[str, int], None]) -> None:
    """R-ORD-1, R-ORD-3, R-ORD-6; on purpose otherwise: R-MSG-1 and R-ORD-6.

    The instructions are no entry of ours (R-MSG-1), so that `keep_first: 2` keeps two messages, and one there. Our summary
    is a message by itself, under a heading (R-ORD-6); there it runs together with its neighbours, as one user message.
    """
    try:
        python = environment("openhands-sdk==1.58.2", at_least=(3, 12))
    except NoEnvironment as error:
        pytest.skip(f"no comparison with openhands-sdk: {error}")
    there, here = theirs(python), await ours()
    count("conversations beside openhands-sdk", 1)

    assert here.kinds == there.kinds
    assert here.kinds.count("summary") == 1
    assert here.first_after_the_summary[-6:] == there.first_after_the_summary[-6:]
    summary = "summary-11"
    assert there.first_after_the_summary[:-6] == [f"u0{summary}u7"]
    assert here.first_after_the_summary[:-6] == ["u0", "main-1", f"{wording.SUMMARY_HEADING}\n\n{summary}", "u7"]
