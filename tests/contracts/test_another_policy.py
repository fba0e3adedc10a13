"""Another way to keep a context takes one file and one line: what CONTRIBUTING says of it is done here, to the letter."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from smolpaws_jupyter.core import policies
from smolpaws_jupyter.core.errors import RunError, SettingsError
from smolpaws_jupyter.core.events import CondensationRequest
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.core.validation import checked
from smolpaws_jupyter.testing import overflow, reply
from tests.runtime.talks import reopened, said_by, talk

GUIDE = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text().partition("## Another way to keep a context")[2]
OLDER_HALF = {"condenser": {"condenser_kind": "older_half", "at": 0.6, "llm_profile_ref": "summary"}}


@pytest.fixture
def older_half(tmp_path: Path) -> Iterator[None]:
    """The file of the guide in its place, and the line of the guide run there; afterwards neither is left."""
    file, line = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)[:2]
    source = tmp_path / "older_half.py"
    source.write_text(file)
    name = f"{policies.__name__}.older_half"
    spec = importlib.util.spec_from_file_location(name, source)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    exec(line, policies.__dict__)
    yield
    del sys.modules[name], policies.CONDENSERS["older_half"], policies.OlderHalf  # type: ignore[attr-defined]


@pytest.mark.usefixtures("older_half")
async def test_a_sixth_kind_runs_from_its_settings_to_its_summaries_and_comes_back_from_its_log() -> None:
    """R-VOC-14, R-BOUND-1, R-BOUND-5, R-MAN-1, R-REST-1: what the engine promises of all kinds holds for a new one."""
    counted = [reply("1").using(input=100), reply("2").using(input=700), reply("3").using(input=300)]
    summaries = [reply("One was said."), reply("Two was said."), reply("Three was said.")]
    t = talk([*counted, overflow(), overflow()], summaries=summaries, settings=OLDER_HALF, limit=1000)
    for text in ("One", "Two", "Three"):
        await t.ask(text)
    assert said_by(t.sent()) == ["One was said.", "Two", "2", "Three"]

    with pytest.raises(RunError) as blocked:
        await t.ask("Four")
    assert blocked.value.code == "context_rescue_blocked"
    assert said_by(t.sent()) == ["Two was said.", "Three", "3", "Four"]

    view = t.conversation.view
    t = reopened(t, [reply("4").using(input=200)], same_kernel=True, summaries=[reply("By hand.")])
    assert t.conversation.view == view
    t.conversation.resume()
    await t.conversation.settled()
    await t.conversation.condense()
    assert said_by(t.conversation.next_request().messages[1:]) == ["By hand.", "Four", "4"]
    assert [r.details.trigger for r in t.of(CondensationRequest)] == ["proactive", "provider_context_window", "host"]


def test_a_kind_is_known_by_its_line_alone(older_half: None) -> None:
    """R-SET-13: settings that name another are told of it, too."""
    with pytest.raises(SettingsError) as refused:
        checked(AgentSettings, {"condenser": {"condenser_kind": "other"}})
    assert "older_half" in refused.value.allowed
    assert type(policies.policy_for(AgentSettings.model_validate(OLDER_HALF))).__name__ == "OlderHalf"


def test_without_its_line_nothing_of_a_kind_is_left() -> None:
    """R-SET-13"""
    with pytest.raises(SettingsError) as refused:
        checked(AgentSettings, OLDER_HALF)
    assert "older_half" not in refused.value.allowed
    assert len(refused.value.allowed) == 5
