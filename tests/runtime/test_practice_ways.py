"""The same work under each way to keep a context, on the practice model: what each costs, and whether it is done."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.errors import RunError
from smolpaws_jupyter.core.events import Condensation, ConversationErrorEvent
from smolpaws_jupyter.core.profiles import LLMProfile, bind
from smolpaws_jupyter.runtime.practice_llm import PracticeLLM
from tests.runtime.talks import Talk, talk

TASK = "In data/, total precipitation over all files and find the largest temp_max"
RIGHT = ("6366.1", "37.8")
LOST = "I lost my findings"


@pytest.fixture
def folder(tmp_path: Path, root: Path) -> Path:
    shutil.copytree(root / "examples" / "data", tmp_path / "data")
    return tmp_path


def work(folder: Path, kind: str, habit: str = "diligent") -> Talk:
    model = "practice" if habit == "diligent" else f"practice/{habit}"
    params = {"window": 8_000, "pace": 0}
    client = PracticeLLM(bind("main", LLMProfile.model_validate({"model": model, "params": params})))
    settings: JsonObject = {"condenser": {"condenser_kind": kind}}
    return talk(settings=settings, workspace=folder, limit=8_000, client_for=lambda _: client)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["agent_reset", "new_context", "summarizing_window"])
async def test_a_diligent_agent_gets_the_work_done(folder: Path, kind: str) -> None:
    t = work(folder, kind)
    words = await t.ask(TASK)
    assert all(figure in words for figure in RIGHT)
    assert len(t.of(Condensation)) >= 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "habit"), [("agent_reset", "careless"), ("new_context", "stubborn"), ("llm_summarizing", "diligent")]
)
async def test_where_nobody_wrote_anything_down_the_findings_are_lost_and_it_says_so(
    folder: Path, kind: str, habit: str
) -> None:
    """R-SUM-2: previews of 500 characters hold no table; the summariser cannot know what matters."""
    t = work(folder, kind, habit)
    assert (await t.ask(TASK)).startswith(LOST)
    assert len(t.of(Condensation)) == 2


@pytest.mark.parametrize(("kind", "habit"), [("no_op", "diligent"), ("agent_reset", "stubborn")])
async def test_without_a_way_out_the_run_stops_at_the_window(folder: Path, kind: str, habit: str) -> None:
    t = work(folder, kind, habit)
    with pytest.raises(RunError):
        await t.ask(TASK)
    (error,) = t.of(ConversationErrorEvent)
    assert error.code == "context_window_exceeded"
    assert not t.of(Condensation)
