"""From what a person asked for to a conversation: settings, bindings, fixed context, tools (sections 2 and 23)."""

from __future__ import annotations

import json
import platform
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..core import wording
from ..core.base import Skill
from ..core.errors import ConversationNotFound, ProfileError, SettingsError, WorkspaceError
from ..core.events import Bindings, ConversationStartEvent
from ..core.policies import Policy, policy_for
from ..core.profile_choice import Catalogue, NamedProfile, main_profile, main_profile_name, profiles_of, summary_profile
from ..core.profiles import Binding, LLMProfile, bind
from ..core.settings import AgentSettings
from ..core.validation import checked
from .approvals import Mode
from .conversation import Conversation
from .jsonl_store import JsonlStore
from .keys import Keys
from .library import conversations
from .llm import LLM
from .log import EventLog, mint
from .memory_store import MemoryStore
from .models import check_model, llm_for
from .opening import repair
from .provider_keys import default_key_ref
from .settings_store import SettingsStore
from .store import Store
from .tools.base import Tool
from .tools.file_tools import file_tools
from .workspace import Workspace

DEFAULT_SETTINGS = {"condenser": {"condenser_kind": "agent_reset"}}
"""What the front door freezes where nobody set anything (R-SET-32)."""

ExtraTools = Callable[[AgentSettings], Sequence[Tool]]


@dataclass(frozen=True)
class Wish:
    """What a person asked for, as the front door takes it. Equal wishes mean the same conversation."""

    model: str | None = None
    max_input_tokens: int | None = None
    settings: AgentSettings | Mapping[str, Any] | None = None
    profiles: Mapping[str, LLMProfile | Mapping[str, Any]] = field(default_factory=dict[str, Any])
    workspace: str = "."
    tools: tuple[Tool, ...] = ()
    notes: str = "notes"
    memory: tuple[str, ...] = ()
    skills: str | None = None
    approvals: Mode = "ask"
    scope: str | None = None
    save: bool = True

    def key(self) -> str:
        """Equal for equal wishes."""
        settings = checked(AgentSettings, self.settings).model_dump(mode="json") if self.settings is not None else None
        profiles = {n: p.model_dump(mode="json") for n, p in profiles_of(dict(self.profiles)).items()}
        plain = replace(self, settings=None, profiles={}, tools=(), workspace=str(Path(self.workspace).resolve()))
        return json.dumps([repr(plain), settings, profiles, [id(t) for t in self.tools]], sort_keys=True)


class Opener:
    """Starts and loads the conversations of one workspace, all with the same wish."""

    def __init__(
        self,
        wish: Wish,
        extra_tools: ExtraTools = lambda _: (),
        client_for: Callable[[Binding, Keys], LLM] = llm_for,
    ) -> None:
        """`extra_tools` are those that the host adds to the file tools, such as `run_python`.

        `client_for` makes the client of a model; a stand-in for tests and lessons comes in here.
        """
        self.wish = wish
        self._client_for = client_for
        self.workspace = Workspace(wish.workspace)
        self.folder = self.workspace.root / ".smolpaws" / "conversations"
        self.keys = kernel_keys()
        self._extra_tools = extra_tools
        saved = SettingsStore().read()
        self.saved_settings = saved.agent_settings
        given = profiles_of(dict(wish.profiles))
        self.catalogue = Catalogue({**saved.catalogue.profiles, **given}, saved.catalogue.models)

    # New conversations

    def new(self, condenser_kind: str | None = None) -> Conversation:
        """A new conversation. Nothing is on disk before its first message."""
        settings = self.settings(condenser_kind)
        bindings = Bindings(main=self.main(settings), summary=self.summary(settings))
        conversation_id = uuid.uuid4().hex
        tools = self.tools(settings)
        policy = policy_for(settings, self.wish.notes)
        start = ConversationStartEvent(
            **mint(),
            conversation_id=conversation_id,
            settings=settings.without_unknown_keys().model_dump(mode="json"),
            bindings=bindings,
            system_prompt=self.system_prompt(policy),
            memory_snapshot=self.memory_snapshot(),
            runtime_info=runtime_info(),
            skills=self.skills(),
            tools=(*(tool.spec for tool in tools), *policy.tools),
        )
        check_model(start)
        store: Store = (
            JsonlStore.create(self.folder / conversation_id) if self.wish.save else MemoryStore(conversation_id)
        )
        return self._conversation(store, settings, tools, start)

    def settings(self, condenser_kind: str | None = None) -> AgentSettings:
        """The settings to freeze: given ones, else those of the settings file, else the front door's (R-SET-32)."""
        if self.wish.settings is not None:
            settings = checked(AgentSettings, self.wish.settings)
        else:
            settings = self.saved_settings or checked(AgentSettings, DEFAULT_SETTINGS)
        if condenser_kind is None:
            return settings
        other = {k: v for k, v in settings.model_dump(mode="json").items() if k != "hard_condenser"}
        return checked(AgentSettings, {**other, "condenser": {"condenser_kind": condenser_kind}})

    def main(self, settings: AgentSettings) -> Binding:
        """The main binding: a named model, else the main profile, else the practice model. A key never chooses."""
        wish = self.wish
        if wish.model is not None:
            if wish.settings is not None and settings.llm_profile_ref is not None:
                raise SettingsError(
                    "llm_profile_ref", "no profile here, because model= names one", detail="Leave one of the two out."
                )
            if wish.model in self.catalogue.profiles and wish.model in wish.profiles:
                return self.bound(NamedProfile(wish.model, self.catalogue.profiles[wish.model]))
            profile = checked(LLMProfile, {"model": wish.model})
            return self.bound(NamedProfile(profile.model, profile))
        if main_profile_name(settings, self.catalogue, wish.scope) is not None:
            return self.bound(main_profile(settings, self.catalogue, wish.scope))
        if "main" in wish.profiles:
            return self.bound(NamedProfile("main", self.catalogue.profiles["main"]))
        return self.bound(NamedProfile("practice", LLMProfile(model="practice")))

    def summary(self, settings: AgentSettings) -> Binding | None:
        """The binding for paid summaries, where the settings name one (R-BIND-2)."""
        named = summary_profile(settings, self.catalogue, self.wish.scope)
        return None if named is None else freeze(named)

    def bound(self, named: NamedProfile) -> Binding:
        profile = named.profile
        if self.wish.max_input_tokens is not None:
            profile = checked(
                LLMProfile,
                {**profile.model_dump(mode="json", by_alias=True), "maxInputTokens": self.wish.max_input_tokens},
            )
        return freeze(NamedProfile(named.name, profile))

    def binding(self, name: str) -> Binding:
        """The binding of a saved profile or a litellm model, by its name (R-BIND-6, R-BIND-7)."""
        saved = self.catalogue.profiles.get(name.strip())
        if saved is not None:
            return freeze(NamedProfile(name.strip(), saved))
        if not name.strip():
            raise ProfileError("profile_not_found", "No profile or model was named.")
        return freeze(NamedProfile(name.strip(), checked(LLMProfile, {"model": name})))

    # Fixed context

    def system_prompt(self, policy: Policy) -> str:
        return f"{wording.SYSTEM_PROMPT}\n\n{policy.habit}".rstrip()

    def memory_snapshot(self) -> str | None:
        """The configured memory files, read once; later changes do not reach this conversation (R-MSG-2)."""
        parts = [f"## {path}\n\n{self._text(path)}" for path in self.wish.memory]
        return "\n\n".join(parts) or None

    def skills(self) -> tuple[Skill, ...]:
        """The Markdown files of the skills folder: named by their file, described by their first line of text."""
        if self.wish.skills is None:
            return ()
        files = self.workspace.files(self.wish.skills).files
        return tuple(
            Skill(name=Path(f.path).stem, description=first_line(self._text(f.path)), path=f.path)
            for f in files
            if f.path.endswith(".md")
        )

    def _text(self, path: str) -> str:
        with self.workspace.open(path) as file:
            try:
                return file.read().decode()
            except UnicodeDecodeError:
                raise WorkspaceError(f"{path} is not a UTF-8 text.", detail="Save it as UTF-8.") from None

    def tools(self, settings: AgentSettings) -> list[Tool]:
        return [*file_tools(self.workspace, self.wish.notes), *self._extra_tools(settings), *self.wish.tools]

    # Stored conversations

    def load(self, conversation_id: str) -> Conversation:
        """Opens a stored conversation: runs nothing, asks no model, reads no catalogue (R-REST-1)."""
        folder = self.folder / conversation_id
        if not conversation_id or Path(conversation_id).name != conversation_id or not folder.is_dir():
            known = [info.id for info in conversations(self.folder)[:5]]
            raise ConversationNotFound(
                f"There is no conversation {conversation_id!r} in {self.folder}.",
                detail=f"The latest are: {', '.join(known)}." if known else "None was made there yet.",
            )
        return self._opened(JsonlStore.open(folder))

    def reopened(self, store: Store) -> Conversation:
        """A conversation over a store that holds one already."""
        return self._opened(store)

    def _opened(self, store: Store) -> Conversation:
        log = EventLog(store, self.keys.redactor)
        start = log.view.start
        if start is None:
            raise ConversationNotFound(
                f"The record {store.conversation_id} holds no conversation.",
                detail="Its first message was never stored.",
            )
        settings = checked(AgentSettings, start.settings)
        tools = self.tools(settings)
        if log.read_only is None:
            repair(log, {spec.name for spec in (*(tool.spec for tool in tools), *policy_for(settings).tools)})
        return self._make(log, settings, tools, None)

    def _conversation(
        self, store: Store, settings: AgentSettings, tools: Sequence[Tool], start: ConversationStartEvent
    ) -> Conversation:
        return self._make(EventLog(store, self.keys.redactor), settings, tools, start)

    def _make(
        self, log: EventLog, settings: AgentSettings, tools: Sequence[Tool], start: ConversationStartEvent | None
    ) -> Conversation:
        return Conversation(
            log,
            settings=settings,
            llm_for=lambda binding: self._client_for(binding, self.keys),
            tools=tools,
            approvals=self.wish.approvals,
            notes=self.wish.notes,
            start=start,
        )


_keys: Keys | None = None


def kernel_keys() -> Keys:
    """The keys of this process: a key that was typed once serves every agent, and every log hides it."""
    global _keys
    _keys = _keys or Keys()
    return _keys


def freeze(named: NamedProfile) -> Binding:
    """The binding of a profile, with the key reference that its provider uses (R-PROF-6). Reads no key."""
    profile = named.profile
    reference = profile.api_key_ref or default_key_ref(profile.model, profile.base_url)
    return bind(named.name, profile, api_key_ref=reference)


def runtime_info() -> str:
    """What the agent is told about where it runs. Names no folder and no user."""
    return f"Python {platform.python_version()} on {platform.system()}."


def first_line(text: str) -> str:
    """The first line that says something, without Markdown's heading marks."""
    for line in text.splitlines():
        if words := line.strip().lstrip("#").strip():
            return words[:200]
    return ""
