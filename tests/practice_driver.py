"""Real conversations with the practice model over a folder, for tests: no pace, nothing asked, nothing saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.events import (
    ActionEvent,
    Bindings,
    Condensation,
    ContextWarningEvent,
    ConversationStartEvent,
)
from smolpaws_jupyter.core.messages import Message
from smolpaws_jupyter.core.policies import policy_for
from smolpaws_jupyter.core.profiles import LLMProfile, bind
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.runtime.approvals import Mode
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.llm import Delta, Limits, Request, Response
from smolpaws_jupyter.runtime.log import EventLog, mint
from smolpaws_jupyter.runtime.memory_store import MemoryStore
from smolpaws_jupyter.runtime.practice_llm import PracticeLLM
from smolpaws_jupyter.runtime.redaction import Redactor
from smolpaws_jupyter.runtime.tools.file_tools import file_tools
from smolpaws_jupyter.runtime.workspace import Workspace


@dataclass
class Recorded:
    """One request as it was sent, and what came back (None for a refusal)."""

    messages: list[Message]
    tools: list[JsonObject]
    response: Response | None = None


class RecordingLLM(PracticeLLM):
    """The practice model; keeps what it was sent."""

    def __init__(self, binding: Any, kept: list[Recorded]) -> None:
        super().__init__(binding)
        self._kept = kept

    async def complete(
        self, request: Request, limits: Limits, on_delta: Callable[[Delta], None], on_send: Callable[[], None]
    ) -> Response:
        recorded = Recorded(request.messages, request.tools)
        self._kept.append(recorded)
        recorded.response = await super().complete(request, limits, on_delta, on_send)
        return recorded.response


@dataclass
class Played:
    """A conversation that came to rest."""

    conversation: Conversation
    answer: str
    requests: list[Recorded] = field(default_factory=list)

    @property
    def events(self) -> list[Any]:
        return list(self.conversation.events())

    def of(self, *kinds: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kinds)]

    @property
    def resets(self) -> int:
        return len(self.of(Condensation))

    @property
    def warned(self) -> list[float]:
        return [warning.threshold for warning in self.of(ContextWarningEvent)]

    @property
    def calls(self) -> list[str]:
        return [action.tool_name for action in self.of(ActionEvent)]


AGENT_RESET: JsonObject = {"condenser": {"condenser_kind": "agent_reset"}}
WITH_FALLBACK: JsonObject = {
    **AGENT_RESET,
    "hard_condenser": {"condenser_kind": "llm_summarizing", "llm_profile_ref": "summary"},
}


def conversation(
    workspace: Path,
    requests: list[Recorded],
    *,
    model: str = "practice",
    window: int = 8_000,
    settings: JsonObject = AGENT_RESET,
    limit: int | None = None,
    approvals: Mode = "allow",
    notes: str = "notes",
) -> Conversation:
    """A new conversation with the file tools of `workspace`; `requests` gets what its models are sent.

    `limit` is the budget that warnings go by, in tokens; without it that is the model's own window.
    """
    agent_settings = AgentSettings.model_validate(settings)
    policy = policy_for(agent_settings, notes)
    tools = file_tools(Workspace(workspace), notes)
    habit = f"\n\n{wording.CONTEXT_HABIT.format(notes=notes)}" if policy.kind == "agent_reset" else ""
    profile = LLMProfile(model=model, max_input_tokens=limit, params={"window": window, "pace": 0})
    summary = bind("summary", profile) if agent_settings.hard_condenser else None
    store = MemoryStore()
    start = ConversationStartEvent(
        **mint(),
        conversation_id=store.conversation_id,
        settings=agent_settings.model_dump(mode="json"),
        bindings=Bindings(main=bind("main", profile), summary=summary),
        system_prompt=wording.SYSTEM_PROMPT + habit,
        tools=(*(tool.spec for tool in tools), *policy.tools),
    )
    return Conversation(
        EventLog(store, Redactor()),
        settings=agent_settings,
        llm_for=lambda binding: RecordingLLM(binding, requests),
        tools=tools,
        approvals=approvals,
        notes=notes,
        start=start,
    )


async def play(workspace: Path, *sentences: str, **how: Any) -> Played:
    """Says the sentences one after the other, each when the one before is answered."""
    requests: list[Recorded] = []
    talk = conversation(workspace, requests, **how)
    answers = [await talk.ask(sentence) for sentence in sentences]
    return Played(talk, answers[-1], requests)
