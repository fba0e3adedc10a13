"""What the tests of the litellm client share: a client for a scripted server, and what it was heard to say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from smolpaws_jupyter.core.profiles import Binding, LLMProfile, bind
from smolpaws_jupyter.runtime.keys import Keys
from smolpaws_jupyter.runtime.litellm_client import LitellmLLM
from smolpaws_jupyter.runtime.llm import Delta, Failure, Limits, LLMFailure, Request, Response

LITELLM_WARNS = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:litellm.*"),
    pytest.mark.filterwarnings("ignore:.* on TypedDict class:UserWarning"),
]
"""For `pytestmark`: what litellm does at its own expense."""

CANARY = "sk-canary-0123456789abcdef"
READ_FILE = {
    "type": "function",
    "function": {"name": "read_file", "description": "Reads.", "parameters": {"type": "object", "properties": {}}},
}


def binding(base_url: str | None, model: str = "openai/scripted", **fields: Any) -> Binding:
    return bind("main", LLMProfile(model=model, base_url=base_url, **fields))


def request(to: Binding, text: str = "hi", **fields: Any) -> Request:
    return Request([{"role": "user", "content": text}], fields.pop("tools", []), to, **fields)


@dataclass
class Client:
    """A client of one server with short pauses, and a record of its deltas and sends."""

    binding: Binding
    environ: dict[str, str] = field(default_factory=dict)
    deltas: list[Delta] = field(default_factory=list)
    sends: int = 0

    def __post_init__(self) -> None:
        self.keys = Keys(self.environ)
        self.llm = LitellmLLM(self.binding, self.keys, first_pause=0.01)

    def on_send(self) -> None:
        self.sends += 1

    async def ask(self, limits: Limits | None = None, *, to: Request | None = None) -> Response:
        asked = to or request(self.binding)
        return await self.llm.complete(asked, limits or Limits(), self.deltas.append, self.on_send)

    async def fail(self, limits: Limits | None = None, *, to: Request | None = None) -> Failure:
        try:
            response = await self.ask(limits, to=to)
        except LLMFailure as error:
            assert error.__cause__ is None
            assert error.failure.http_requests == self.sends
            return error.failure
        raise AssertionError(f"the call succeeded: {response}")

    @property
    def words(self) -> str:
        """The text that a page would show now."""
        shown = ""
        for delta in self.deltas:
            shown = "" if delta.kind == "restart" else shown + (delta.text if delta.kind == "text" else "")
        return shown
