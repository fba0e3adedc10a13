"""From a wish to a conversation, and back from the disk: what is frozen, what is looked up, what is left alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from smolpaws_jupyter.core.errors import ConversationNotFound, ProfileError, RunError
from smolpaws_jupyter.core.events import ConversationStartEvent, ProfileBoundEvent, RecoveryEvent
from smolpaws_jupyter.core.profiles import Binding
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.keys import Keys
from smolpaws_jupyter.runtime.llm import LLM
from smolpaws_jupyter.runtime.starting import Opener, Wish
from smolpaws_jupyter.testing import Move, ScriptedLLM, call, overflow, reply
from tests.runtime.talks import WITH_FALLBACK, Echo

STATE = {
    "settings": {"agent_settings": {"llm_profile_ref": "main", **WITH_FALLBACK}},
    "llmProfiles": {
        "main": {"model": "vendor/large", "maxInputTokens": 400_000, "apiKeyRef": "env:VENDOR_KEY"},
        "summary": {"model": "vendor/small", "apiKeyRef": "env:VENDOR_KEY"},
    },
}


class World:
    """A workspace, a settings folder, and scripted models by their names; `built` notes every client that was made."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.workspace = folder / "ws"
        self.workspace.mkdir()
        self.models: dict[str, ScriptedLLM] = {}
        self.built: list[Binding] = []

    def write(self, state: Any = None, models: Any = None) -> None:
        for name, content in (("state.json", state), ("models.json", models)):
            if content is not None:
                (self.home / name).write_text(json.dumps(content))

    def plays(self, model: str, *moves: Move) -> None:
        """From now on the model of this name makes these moves."""
        self.models[model] = ScriptedLLM(moves)

    def _client(self, binding: Binding, keys: Keys) -> LLM:
        self.built.append(binding)
        return self.models[binding.model]

    def opener(self, *tools: Any, **wish: Any) -> Opener:
        wish = {"approvals": "allow", **wish}
        return Opener(Wish(workspace=str(self.workspace), tools=tools, **wish), client_for=self._client)

    @property
    def files(self) -> list[str]:
        return sorted(str(p.relative_to(self.workspace)) for p in self.workspace.rglob("*") if p.is_file())


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(tmp_path)
    monkeypatch.setenv("SMOLPAWS_HOME", str(made.home))
    return made


def start_of(conversation: Conversation) -> ConversationStartEvent:
    start = conversation.view.start
    assert start is not None
    return start


async def stored(world: World, *moves: Move, tools: Sequence[Any] = (), **wish: Any) -> str:
    """The id of a closed conversation in which the main model made these moves after `one`."""
    world.plays("vendor/large", *moves)
    conversation = world.opener(*tools, **wish).new()
    await conversation.ask("one")
    await conversation.close()
    return conversation.id


async def test_i_33_nothing_is_written_or_sent_before_a_person_acts(world: World) -> None:
    world.write(STATE)
    conversation = world.opener().new()
    assert conversation.status == "idle"
    assert world.files == []
    assert world.built == []
    conversation_id = await stored(world, reply("ok"))
    before = (world.workspace / ".smolpaws/conversations" / conversation_id / "log.jsonl").read_bytes()
    world.plays("vendor/large")
    opened = world.opener().load(conversation_id)
    assert world.models["vendor/large"].requests == []
    assert (world.workspace / ".smolpaws/conversations" / conversation_id / "log.jsonl").read_bytes() == before
    await opened.close()


async def test_t_bind_01_what_was_frozen_outlives_every_edit_of_the_catalogue(world: World) -> None:
    """R-BIND-1, R-BIND-5"""
    world.write(STATE)
    conversation_id = await stored(world, reply("ok"))
    edited = json.loads(json.dumps(STATE))
    edited["llmProfiles"] = {"summary": {"model": "vendor/forged", "baseUrl": "http://elsewhere.invalid"}}
    world.write(edited)
    world.plays("vendor/large", overflow(), reply("end"))
    world.plays("vendor/small", reply("What happened."))
    opened = world.opener().load(conversation_id)
    assert await opened.ask("two") == "end"
    assert {binding.model for binding in world.built} == {"vendor/large", "vendor/small"}
    bindings = start_of(opened).bindings
    assert bindings.summary is not None
    assert (bindings.main.model, bindings.summary.model) == ("vendor/large", "vendor/small")
    await opened.close()


async def test_t_bind_02_another_main_profile_is_frozen_anew_and_the_summary_stays(world: World) -> None:
    state = json.loads(json.dumps(STATE))
    state["llmProfiles"]["other"] = {"model": "vendor/other", "maxInputTokens": 9_000}
    world.write(state)
    world.plays("vendor/large", reply("ok"))
    opener = world.opener()
    conversation = opener.new()
    await conversation.ask("one")
    conversation.bind(opener.binding("other"))
    world.plays("vendor/other", overflow(), reply("end"))
    world.plays("vendor/small", reply("What happened."))
    assert await conversation.ask("two") == "end"
    (bound,) = [e for e in conversation.events() if isinstance(e, ProfileBoundEvent)]
    assert (bound.binding.profile, bound.binding.max_input_tokens) == ("other", 9_000)
    assert world.built[-1].model == "vendor/small"
    await conversation.close()


def test_r_bind_7_a_name_chooses_a_saved_profile_or_a_model_and_nothing_else(world: World) -> None:
    """R-BIND-4: binding builds no client."""
    world.write(STATE)
    opener = world.opener()
    assert opener.binding(" summary ").model == "vendor/small"
    binding = opener.binding("vendor/unheard-of")
    assert (binding.profile, binding.base_url, binding.params) == ("vendor/unheard-of", None, None)
    with pytest.raises(ProfileError):
        opener.binding("  ")
    assert world.built == []


async def test_t_set_20_a_profile_and_a_role_alone_switch_no_recovery_on(world: World) -> None:
    """R-SET-26"""
    state = json.loads(json.dumps(STATE))
    del state["settings"]["agent_settings"]["hard_condenser"]
    world.write(state, {"roles": {"condenser": "summary"}, "scopes": {}})
    world.plays("vendor/large", reply("ok"), overflow())
    conversation = world.opener().new()
    await conversation.ask("one")
    with pytest.raises(RunError) as caught:
        await conversation.ask("two")
    assert caught.value.code == "context_window_exceeded"
    assert {binding.model for binding in world.built} == {"vendor/large"}
    assert start_of(conversation).bindings.summary is None
    await conversation.close()


async def test_t_rest_02_opening_needs_no_catalogue_no_network_and_no_model(world: World) -> None:
    """R-REST-1"""
    world.write(STATE)
    conversation_id = await stored(world, call("echo", text="a"), reply("ok"), tools=[Echo()])
    for file in world.home.iterdir():
        file.unlink()
    world.built.clear()
    opened = world.opener(Echo()).load(conversation_id)
    assert [e.kind for e in opened.view.read] == ["MessageEvent", "ActionEvent", "ObservationEvent", "MessageEvent"]
    assert (opened.status, opened.read_only) == ("idle", None)
    assert world.built == []
    await opened.close()


async def test_t_msg_06_a_tool_that_is_gone_is_left_out_and_reported_once(world: World) -> None:
    """R-MSG-1: a call to it is one of an unknown tool."""
    world.write(STATE)
    conversation_id = await stored(world, reply("ok"), tools=[Echo(), Echo("gone")])
    for _ in range(2):
        opened = world.opener(Echo()).load(conversation_id)
        await opened.close()
    world.plays("vendor/large", call("gone"), reply("I see."))
    opened = world.opener(Echo()).load(conversation_id)
    names = [tool["function"]["name"] for tool in opened.next_request().tools]
    assert "echo" in names
    assert "gone" not in names
    assert await opened.ask("two") == "I see."
    details = [e.detail for e in opened.events() if isinstance(e, RecoveryEvent)]
    assert details == ["The tool 'gone' is not installed any more. The model is not offered it."]
    assert "unknown_tool" in [getattr(e, "code", None) for e in opened.events()]
    await opened.close()


async def test_t_msg_06_the_stored_definition_of_a_tool_is_sent_whatever_the_installed_one_says(world: World) -> None:
    class Renewed(Echo):
        @property
        def spec(self) -> Any:
            return super().spec.model_copy(update={"description": "New words.", "parameters": {"type": "object"}})

    world.write(STATE)
    conversation_id = await stored(world, reply("ok"), tools=[Echo()])
    opened = world.opener(Renewed()).load(conversation_id)
    (sent,) = [t["function"] for t in opened.next_request().tools if t["function"]["name"] == "echo"]
    assert sent["description"] == Echo().spec.description
    assert sent["parameters"] == Echo().spec.parameters
    await opened.close()


async def test_r_voc_4_memory_and_skills_are_read_once_and_stay_what_they_were(world: World) -> None:
    """T-MSG-03, R-RESET-10: whatever happens to the files, also after a reset and a restart."""
    memory, skill = world.workspace / "memory.md", world.workspace / "skills" / "plots.md"
    skill.parent.mkdir()
    memory.write_text("Prefer short answers.")
    skill.write_text("# How to plot\n\nUse one axis.")
    world.write(STATE)
    wish = {"memory": ("memory.md",), "skills": "skills"}
    conversation_id = await stored(world, call("condense"), reply("ok"), **wish)
    first = world.models["vendor/large"].requests[0].messages[0]
    assert "Prefer short answers." in first["content"]
    assert "plots" in first["content"]
    assert "How to plot" in first["content"]
    assert "Use one axis." not in first["content"]
    memory.write_text("Prefer long answers.")
    skill.unlink()
    world.plays("vendor/large", reply("still"))
    opened = world.opener(**wish).load(conversation_id)
    await opened.ask("two")
    assert world.models["vendor/large"].requests[0].messages[0] == first
    await opened.close()


def test_a_memory_file_that_is_missing_fails_the_start_and_leaves_no_conversation(world: World) -> None:
    with pytest.raises(Exception, match=r"nowhere\.md"):
        world.opener(memory=("nowhere.md",)).new()
    assert world.files == []


def test_a_missing_conversation_is_named(world: World) -> None:
    for name in ("nothing", "", "..", "../..", "a/b"):
        with pytest.raises(ConversationNotFound):
            world.opener().load(name)
