"""T8: every test of the notebook floor on each supported ipykernel, down to 6.31, where a kernel has no subshells (F-22).

`make test` runs them on the installed ipykernel. Here each version gets an environment of its own, made once by pip in
pytest's cache folder. What is not the kernel's side (anywidget, litellm, ...) is the same for all.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

# The tests take minutes for each version.
pytestmark = [pytest.mark.kernel, pytest.mark.exhaustive, pytest.mark.timeout(1_800)]

VERSIONS = ["==6.31.*", "==7.0.*", "==7.3.*", ">=7.4"]
WITHOUT_SUBSHELLS = "==6.31.*"
DEAF = ("==7.0.*", "==7.3.*")
"""Versions whose kernels need `shell_fix.py` to hear every request."""


def environment(folder: Path, version: str) -> Path:
    """The interpreter of an environment with this ipykernel, which finds all else where this one does."""
    python = folder / "bin/python"
    done = folder / "made"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, f"ipykernel{version}"], check=True)
        (site,) = folder.glob("lib/python*/site-packages")
        (site / "everything_else.pth").write_text(sysconfig.get_path("purelib"))
        if version in DEAF:
            shutil.copy(Path(__file__).with_name("shell_fix.py"), site)
            (site / "shell_fix.pth").write_text("import shell_fix")
        done.touch()
    return python


@pytest.mark.parametrize("version", VERSIONS)
def test_t8_f_22_i_25_to_i_31_hold_on_each_ipykernel(
    version: str, root: Path, pytestconfig: pytest.Config, capsys: pytest.CaptureFixture[str]
) -> None:
    """T8, F-21 to F-30, F-34, I-25 to I-28, I-31."""
    cache = pytestconfig.cache
    assert cache is not None
    folder = cache.mkdir("kernels") / f"ipykernel-{re.sub('[^0-9.]', '', version).rstrip('.')}"
    python = environment(folder, version)
    found = subprocess.run(
        [python, "-c", "import ipykernel; print(ipykernel.__version__)"], capture_output=True, text=True
    )
    assert re.match(re.escape(version.strip("=>*")), found.stdout) or version.startswith(">")

    chosen = "kernel and not exhaustive" + (" and not subshells" if version == WITHOUT_SUBSHELLS else "")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", chosen, "tests/notebook"]
    run = subprocess.run(
        command,
        cwd=root,
        env={**os.environ, "KERNEL_PYTHON": str(python), "HYPOTHESIS_PROFILE": "check"},  # few rounds, since four times
        capture_output=True,
        text=True,
        check=False,
    )

    counted = re.search(r"(\d+) passed", run.stdout)
    with capsys.disabled():
        print(f"\nipykernel {found.stdout.strip()}: {counted[1] if counted else 'no'} cases passed")
    assert run.returncode == 0, run.stdout[-20_000:]
    assert counted
    assert int(counted[1]) >= 40
