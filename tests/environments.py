"""Other packages in environments of their own, kept between runs: peers to be measured, originals to be compared with."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(os.environ.get("SMOLPAWS_ENVIRONMENTS", Path(__file__).parent.parent / ".environments"))


class NoEnvironment(Exception):
    """No interpreter is new enough, or the package index cannot be reached."""


def environment(*packages: str, at_least: tuple[int, int] = (3, 11)) -> Path:
    """The interpreter of an environment with these packages, made when there is none.

    Raises `NoEnvironment` where it cannot be made.
    """
    asked = "\n".join([*packages, str(at_least)])
    folder = FOLDER / f"{packages[0].partition('=')[0]}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}"
    python, finished = folder / "bin/python", folder / "finished"
    if not finished.exists():
        shutil.rmtree(folder, ignore_errors=True)
        for command in (
            [interpreter(at_least), "-m", "venv", str(folder)],
            [str(python), "-m", "pip", "install", "--quiet", "--no-compile", *packages],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise NoEnvironment(f"{packages[0]} could not be installed: {done.stderr.strip()[-300:]}")
        finished.touch()
    return python


def interpreter(at_least: tuple[int, int]) -> str:
    """The oldest Python on this machine that is new enough. Raises `NoEnvironment` where there is none."""
    if sys.version_info[:2] >= at_least:
        return sys.executable
    for minor in range(at_least[1], 16):
        name = f"python3.{minor}"
        pyenv = sorted(map(str, Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/{name}")))
        for found in filter(None, [shutil.which(name), *pyenv]):
            if subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0:
                return found
    raise NoEnvironment(f"Python {at_least[0]}.{at_least[1]} or newer is needed, and none was found on the path.")
