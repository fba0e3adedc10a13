"""A process that was killed with SIGKILL, and what opens what it left behind (contract, section 21)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.events import AgentErrorEvent, Condensation
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.log import EventLog
from smolpaws_jupyter.runtime.opening import repair
from smolpaws_jupyter.runtime.redaction import Redactor
from smolpaws_jupyter.testing import Move, ScriptedLLM, reply
from tests.runtime.talks import AGENT_RESET, Echo, Talk, said_by
from tests.wire_rules import assert_lawful

pytestmark = pytest.mark.slow

KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.testing import call
from tests.runtime.talks import Echo, talk

folder, effects, tool, moment = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4]

class Train(Echo):
    async def run(self, action, context):
        with effects.open("a") as file:
            file.write("ran\\n")
        if moment == "inside":
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().run(action, context)

def die(start, events):
    if any(event.kind == moment for event in events):
        os.kill(os.getpid(), signal.SIGKILL)

t = talk([call(tool)] * 3, tools=[Train("train", effects=True)], store=JsonlStore.create(folder))
t.conversation.log.subscribe(die)
asyncio.run(t.ask("Train it"))
"""


@dataclass
class Killed:
    """What a process left behind that was killed in the moment in which an event of a kind had become durable."""

    folder: Path
    effects: Path

    def opened(self, *script: Move) -> Talk:
        store = JsonlStore.open(self.folder)
        log = EventLog(store, Redactor())
        repair(log)
        model, tool = ScriptedLLM(script), Echo("train", effects=True)
        settings = AgentSettings.model_validate(AGENT_RESET)
        conversation = Conversation(log, settings=settings, llm_for=lambda _: model, tools=[tool], approvals="allow")
        return Talk(conversation, model, store, ScriptedLLM())

    @property
    def runs(self) -> int:
        return self.effects.read_text().count("ran") if self.effects.exists() else 0


def killed(tmp_path: Path, root: Path, tool: str, moment: str) -> Killed:
    left = Killed(tmp_path / "conversation", tmp_path / "effects")
    child = subprocess.run(
        [sys.executable, "-c", KILLED, str(left.folder), str(left.effects), tool, moment],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr.decode()
    return left


@pytest.mark.parametrize(
    ("tool", "moment", "runs", "code", "told"),
    [
        ("train", "ActionEvent", 0, "not_run", wording.NOT_RUN),
        ("train", "ToolStartEvent", 0, "outcome_unknown", wording.OUTCOME_UNKNOWN),
        ("train", "inside", 1, "outcome_unknown", wording.OUTCOME_UNKNOWN),
        ("condense", "ActionEvent", 0, "not_run", wording.NOTHING_CLEARED),
    ],
)
async def test_o16_t_rest_06_a_killed_process_leaves_a_call_that_is_answered_once_and_not_run_again(
    tmp_path: Path, root: Path, tool: str, moment: str, runs: int, code: str, told: str
) -> None:
    left = killed(tmp_path, root, tool, moment)
    assert left.runs == runs
    first = left.opened()
    events = len(first.events)
    await first.conversation.close()
    t = left.opened(reply("Going on."))
    assert len(t.events) == events
    assert t.conversation.status == "paused"
    assert not t.llm.requests  # before the person acts
    assert await t.ask("Continue") == "Going on."
    (closed,) = t.of(AgentErrorEvent)
    assert closed.code == code
    assert told in closed.error
    assert not t.of(Condensation)
    assert_lawful(t.llm.requests[-1].messages)
    assert said_by(t.sent())[0] == "Train it"
    assert left.runs == runs
    await t.conversation.close()


async def test_o16_a_process_killed_behind_the_commit_of_a_reset_leaves_the_reset(tmp_path: Path, root: Path) -> None:
    t = killed(tmp_path, root, "condense", "Condensation").opened(reply("Going on."))
    assert await t.ask("Continue") == "Going on."
    assert not t.of(AgentErrorEvent)
    assert t.roles() == ["user", "assistant", "tool", "user"]
    await t.conversation.close()
