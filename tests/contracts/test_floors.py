"""The floors hold: testing stands on notebook, notebook on runtime, runtime on core, and core is pure."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_the_floors_hold(root: Path):
    result = lint_imports(root)
    assert result.returncode == 0, result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "line", "broken"),
    [
        ("core/view.py", "import time", "core is pure"),
        ("core/view.py", "from smolpaws_jupyter.runtime import llm", "Three floors"),
        ("runtime/llm.py", "import ipykernel", "runtime knows nothing of Jupyter"),
        ("runtime/llm.py", "import litellm", "one file knows litellm"),
        ("attic.py", "", "Three floors"),
    ],
)
def test_a_step_across_the_floors_is_seen(root: Path, tmp_path: Path, file: str, line: str, broken: str):
    shutil.copy(root / "pyproject.toml", tmp_path)
    package = shutil.copytree(root / "smolpaws_jupyter", tmp_path / "smolpaws_jupyter")
    with (package / file).open("a") as source:
        source.write(f"\n{line}\n")

    result = lint_imports(tmp_path)

    assert result.returncode == 1
    assert f"{broken}" in result.stdout
    assert "BROKEN" in result.stdout
