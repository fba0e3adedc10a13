"""T3: the tests of recovery are tested. Each deliberate mistake of `mistakes.py` fits its source, and is caught."""

from __future__ import annotations

import ast
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.recovery.mistakes import Mistake
from tests.recovery.mistakes_in_kinds import EVERY_MISTAKE
from tests.recovery.mutants import are_content, judge, source

AT_ONCE = 2


@pytest.mark.parametrize("mistake", EVERY_MISTAKE, ids=lambda mistake: mistake.name)
def test_t3_a_mistake_fits_its_source(mistake: Mistake) -> None:
    """T3: whoever changes the source mends the mistake, or it would test nothing."""
    ast.parse(source(mistake))


def test_t3_there_are_thirty_mistakes_and_more(count: Callable[[str, int], None]) -> None:
    count("deliberate mistakes that fit their source", len(EVERY_MISTAKE))
    assert len({mistake.breaks for mistake in EVERY_MISTAKE}) == len(EVERY_MISTAKE) >= 30


@pytest.mark.exhaustive
@pytest.mark.timeout(7_200)
def test_t3_every_mistake_is_caught_by_t1_or_t2(count: Callable[[str, int], None]) -> None:
    """T3: a mistake that nobody notices is a hole in T1 and T2."""
    without = are_content()
    assert not without.caught, without.words

    with ThreadPoolExecutor(AT_ONCE) as pool:
        verdicts = list(pool.map(judge, EVERY_MISTAKE))

    count("mutants caught", sum(verdict.caught for verdict in verdicts))
    missed = [mistake.breaks for mistake, verdict in zip(EVERY_MISTAKE, verdicts, strict=True) if not verdict.caught]
    assert not missed
