"""Builders for conversations over a scripted model: the given of most runtime tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from smolpaws_jupyter.core.base import JsonObject, TextBlock, ToolSpec
from smolpaws_jupyter.core.events import Bindings, ConversationStartEvent, Event, MessageEvent
from smolpaws_jupyter.core.payloads import HostAction, ToolObservation
from smolpaws_jupyter.core.policies import policy_for
from smolpaws_jupyter.core.profiles import Binding, LLMProfile, bind
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.runtime.approvals import Mode
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.llm import LLM
from smolpaws_jupyter.runtime.log import KEEP_EVERY, EventLog, mint
from smolpaws_jupyter.runtime.memory_store import MemoryStore
from smolpaws_jupyter.runtime.model_in_use import LLMFactory
from smolpaws_jupyter.runtime.opening import repair
from smolpaws_jupyter.runtime.redaction import Redactor
from smolpaws_jupyter.runtime.store import Store
from smolpaws_jupyter.runtime.tools.base import Consent, Tool, ToolContext, said
from smolpaws_jupyter.runtime.tools.file_tools import file_tools
from smolpaws_jupyter.runtime.workspace import Workspace
from smolpaws_jupyter.testing import Gate, Script, ScriptedLLM

AGENT_RESET: JsonObject = {"condenser": {"condenser_kind": "agent_reset"}}
WITH_FALLBACK: JsonObject = {
    **AGENT_RESET,
    "hard_condenser": {"condenser_kind": "llm_summarizing", "llm_profile_ref": "summary"},
}


@dataclass
class Echo:
    """A tool that notes its calls; it can be held at a gate, and asked to have effects or to need consent."""

    name: str = "echo"
    effects: bool = False
    verdict: Any = "allow"
    gate: Gate | None = None
    raises: BaseException | None = None
    ran: list[str] = field(default_factory=list[str])

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            name=self.name,
            description="Says a text again.",
            parameters={"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": True},
        )

    def parse(self, arguments: JsonObject) -> HostAction:
        return HostAction(arguments=arguments)

    def consent(self, action: HostAction) -> Consent:
        return Consent(self.verdict, covers=self.name)

    async def run(self, action: HostAction, context: ToolContext) -> ToolObservation:
        text = str(action.arguments.get("text", ""))
        self.ran.append(text)
        if self.gate is not None:
            await self.gate.passed()
        if self.raises is not None:
            raise self.raises
        return said(f"echo: {text}")


def binding(limit: int | None = 400_000, model: str = "vendor/large", name: str = "main") -> Binding:
    return bind(name, LLMProfile(model=model, max_input_tokens=limit))


@dataclass
class Talk:
    """A conversation, its scripted model and its store."""

    conversation: Conversation
    llm: ScriptedLLM
    store: Store
    summariser: ScriptedLLM

    @property
    def events(self) -> list[Event]:
        return list(self.conversation.events())  # type: ignore[arg-type]

    @property
    def kinds(self) -> list[str]:
        return [e.kind for e in self.events]

    def of(self, kind: type[Any]) -> list[Any]:
        return [e for e in self.events if isinstance(e, kind)]

    def sent(self, index: int = -1) -> list[JsonObject]:
        """The messages of a request, without the system message."""
        return self.llm.requests[index].messages[1:]

    def roles(self, index: int = -1) -> list[str]:
        return [m["role"] for m in self.sent(index)]

    async def ask(self, text: str) -> str:
        return await self.conversation.ask(text)


def talk(
    script: Script = (),
    *,
    settings: JsonObject | None = None,
    tools: Sequence[Tool] = (),
    workspace: Path | None = None,
    store: Store | None = None,
    limit: int | None = 400_000,
    window: int | None = None,
    approvals: Mode = "allow",
    summaries: Script = (),
    client_for: LLMFactory | None = None,
    keep_every: int = KEEP_EVERY,
    **llm: Any,
) -> Talk:
    """A new conversation with these moves of its model, or with other clients than the scripted ones."""
    agent_settings = AgentSettings.model_validate(AGENT_RESET if settings is None else settings)
    all_tools = [*(file_tools(Workspace(workspace)) if workspace else ()), *tools]
    policy = policy_for(agent_settings)
    model, summariser = ScriptedLLM(script, window=window, **llm), ScriptedLLM(summaries)
    buyer = agent_settings.hard_condenser or agent_settings.condenser
    summary = binding(None, "vendor/small", "summary") if getattr(buyer, "llm_profile_ref", None) else None
    store = store if store is not None else MemoryStore()
    start = ConversationStartEvent(
        **mint(),
        conversation_id=store.conversation_id,
        settings=agent_settings.model_dump(mode="json"),
        bindings=Bindings(main=binding(limit), summary=summary),
        system_prompt="You are an agent.",
        tools=(*(t.spec for t in all_tools), *policy.tools),
    )
    conversation = Conversation(
        EventLog(store, Redactor(), keep_every=keep_every),
        settings=agent_settings,
        llm_for=client_for or (lambda b: summariser if b.profile == "summary" else model),
        tools=all_tools,
        approvals=approvals,
        start=start,
    )
    return Talk(conversation, model, store, summariser)


def reopened(
    before: Talk,
    script: Script = (),
    *,
    same_kernel: bool = False,
    tools: Sequence[Tool] = (),
    summaries: Script = (),
    client: LLM | None = None,
) -> Talk:
    """The same conversation as another process finds it, with a new script, or with this client for its main model."""
    assert isinstance(before.store, MemoryStore)
    store = before.store.reopen(same_kernel=same_kernel)
    log = EventLog(store, Redactor())
    repair(log)
    model, summariser = ScriptedLLM(script), ScriptedLLM(summaries)
    assert log.view.start is not None
    conversation = Conversation(
        log,
        settings=AgentSettings.model_validate(log.view.start.settings),
        llm_for=lambda b: summariser if b.profile == "summary" else client or model,
        tools=tools,
        approvals=before.conversation.approvals.mode,
    )
    return Talk(conversation, model, store, summariser)


async def until(met: Callable[[], object]) -> None:
    """Lets everything else run until something is so."""
    while not met():  # noqa: ASYNC110 - what tests wait for are facts of the log, and nothing sets an event for those
        await asyncio.sleep(0)


def said_by(messages: Sequence[JsonObject]) -> list[str]:
    """The texts of messages, in order."""
    return [m["content"] if isinstance(m.get("content"), str) else "" for m in messages]


def genuine(talk: Talk) -> list[str]:
    return [e.text for e in talk.of(MessageEvent) if e.genuine]


def text_of(observation: ToolObservation) -> str:
    return "\n".join(b.text for b in observation.content if isinstance(b, TextBlock))
