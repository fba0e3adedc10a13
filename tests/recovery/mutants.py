"""T3: puts deliberate mistakes into copies of the package, one at a time, and sees whether T1 and T2 notice.

    python -m tests.recovery.mutants                # all of them
    python -m tests.recovery.mutants "stage warns"  # those whose sentence holds this

A mistake that nobody notices is a hole in the tests. The work tree is never touched.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.recovery.mistakes import Mistake
from tests.recovery.mistakes_in_kinds import EVERY_MISTAKE
from tests.recovery.mistakes_in_logs import MISTAKES_IN_LOGS

ROOT = Path(__file__).parents[2]
PACKAGE = "smolpaws_jupyter"
T1, T2 = "tests/recovery/test_crashes.py", "tests/recovery/test_against_a_model.py"
OPTIONS = ("-x", "-q", "-m", "not exhaustive", "-p", "no:cacheprovider", "-p", "no:nbval")
DEPTHS = ("check", "test")
"""The lanes that are tried, the quick one first."""
SECONDS = 3_600
"""How long one lane may take, on a busy machine too. A test that hangs fails earlier, by its own limit."""


class Verdict(NamedTuple):
    """Whether a copy's tests noticed something, and the first thing that they said."""

    caught: bool
    words: str


MISSED = Verdict(caught=False, words="nothing was noticed")


def source(mistake: Mistake) -> str:
    """The file with the mistake in it. Fails where the patch does not fit any more."""
    text = (ROOT / PACKAGE / mistake.file).read_text()
    found = text.count(mistake.old)
    assert found == 1, (
        f"{mistake.file}: {mistake.old!r} stands there {found} times; mend the mistake {mistake.breaks!r}"
    )
    return text.replace(mistake.old, mistake.new)


def judge(mistake: Mistake) -> Verdict:
    """Runs the tests over a copy of the package with this mistake in it."""
    return _judge(mistake, DEPTHS)


def are_content() -> Verdict:
    """Runs the quick tests over a copy without a mistake: if they fail, they can judge none."""
    return _judge(None, DEPTHS[:1])


def _judge(mistake: Mistake | None, depths: Sequence[str]) -> Verdict:
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = Path(folder)
        for part in (PACKAGE, "tests"):
            ignored = shutil.ignore_patterns("static", "labextension", "e2e", "shots", "notebook.*")
            shutil.copytree(ROOT / part, copy / part, ignore=ignored)
        shutil.copy(ROOT / "pyproject.toml", copy)
        if mistake is not None:
            (copy / PACKAGE / mistake.file).write_text(source(mistake))
        tests = (T1, T2) if mistake in MISTAKES_IN_LOGS else (T2, T1)  # those first that will notice, most likely
        verdicts = (_run(copy, depth, tests) for depth in depths)
        return next((verdict for verdict in verdicts if verdict.caught), MISSED)


def _run(copy: Path, depth: str, tests: Sequence[str]) -> Verdict:
    command = [sys.executable, "-m", "pytest", *OPTIONS, *tests]
    environment = {**os.environ, "HYPOTHESIS_PROFILE": depth, "MUTANT": "1", "PYTHONPATH": str(copy)}
    try:
        run = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return Verdict(caught=True, words="the tests did not end")
    if run.returncode == 0:
        return MISSED
    failed = re.search(r"^FAILED \S+::(.*)$", run.stdout, re.MULTILINE)
    if run.returncode != 1 or failed is None:
        raise AssertionError(f"the copy cannot be tested:\n{run.stdout}\n{run.stderr}")
    return Verdict(caught=True, words=failed[1])


def main() -> int:
    """Judges all mistakes, or those asked for; exit code 1 if one was not caught."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="?", default="", help="only mistakes whose sentence holds these words")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    options = parser.parse_args()
    chosen = [mistake for mistake in EVERY_MISTAKE if options.words.lower() in mistake.breaks.lower()]
    if (broken := are_content()).caught:
        print(f"The tests fail without any mistake, so they can judge none: {broken.words}")
        return 1

    def timed(mistake: Mistake) -> bool:
        start = time.monotonic()
        verdict = judge(mistake)
        print(f"{'caught ' if verdict.caught else 'MISSED '} {mistake.breaks} ({time.monotonic() - start:.0f} s)")
        print(f"         {verdict.words}", flush=True)
        return verdict.caught

    with ThreadPoolExecutor(options.jobs) as pool:
        caught = sum(pool.map(timed, chosen))
    print(f"{caught} of {len(chosen)} mistakes were caught.")
    return 0 if caught == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
