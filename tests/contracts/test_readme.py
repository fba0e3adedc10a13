"""The README tells the truth: its code runs, its settings load, and the files it names are there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from smolpaws_jupyter.core.policies.agent_reset import AgentResetSettings
from smolpaws_jupyter.core.settings_files import read_state

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.mark.slow
def test_the_python_of_the_readme_runs_from_top_to_bottom(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples/data", tmp_path / "data")
    check = '\nassert "2,190 rows" in answer, answer\n'
    code = "\n".join(blocks("python")) + check
    env = {**os.environ, "PYTHONPATH": str(ROOT), "SMOLPAWS_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_settings_of_the_readme_load() -> None:
    state = read_state(blocks("json")[0])
    settings = state.settings.agent_settings
    assert settings is not None
    assert isinstance(settings.condenser, AgentResetSettings)
    assert settings.hard_condenser is not None
    assert set(state.profiles) == {"main", "summary"}


def test_every_file_that_the_papers_link_to_is_there() -> None:
    for paper in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / paper).read_text()
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            if "://" not in target:
                assert (ROOT / target).exists(), f"{paper} links to {target}"
