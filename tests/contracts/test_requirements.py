"""T15: whatever the papers ask for has a test that names it, or stands on one list that only shrinks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contracts import requirements
from tests.contracts.built_later import BUILT_LATER
from tests.contracts.requirements import Matrix, Paper, ids_in, ids_in_name, named_in_python, named_in_typescript


@pytest.fixture(scope="module")
def matrix(root: Path) -> Matrix:
    return Matrix(Paper.read(root), requirements.named_by_tests(root), BUILT_LATER)


def test_every_id_of_the_papers_has_a_test(matrix: Matrix, say: Callable[[str], None]) -> None:
    say(matrix.line())
    assert not matrix.untested, (
        f"no test names {', '.join(matrix.untested)}: write it, or name the id in the one that shows it"
    )


def test_what_has_a_test_by_now_is_off_the_list(matrix: Matrix) -> None:
    assert not matrix.overtaken, (
        f"take off tests/contracts/built_later.py, tests name them: {', '.join(matrix.overtaken)}"
    )


def test_no_test_names_an_id_that_no_paper_knows(matrix: Matrix) -> None:
    assert not matrix.unheard_of


def test_the_papers_are_read_whole(root: Path) -> None:
    paper = Paper.read(root)
    assert (len(paper.rules), len(paper.cases)) == (390, 260)  # the totals of contract, section 28
    assert (len(paper.invariants), len(paper.faults), len(paper.methods), len(paper.real)) == (40, 62, 15, 37)
    assert not paper.rules - {rule for rules in paper.cases.values() for rule in rules}


def test_ranges_and_names_are_understood() -> None:
    text = "T-WIN-03, I-9 to I-11 (R-TOOL-8 to 10), O01; not UTF-8, R-1 or F-1x."
    assert list(ids_in(text)) == ["T-WIN-03", "I-9", "I-10", "I-11", "R-TOOL-8", "R-TOOL-9", "R-TOOL-10", "O01"]
    assert list(ids_in_name("test_t_win_03_i_9_f_38_o07_t10_r_bud_4_i_see_3_files")) == [
        "T-WIN-03", "I-9", "F-38", "O07", "T10", "R-BUD-4",
    ]  # fmt: skip


def test_only_tests_name_ids() -> None:
    source = '"""T2: I-1."""\ndef test_i_2_x():\n    """F-3."""\n    # I-4\ndef helper():\n    """I-5."""\n'
    assert list(named_in_python(source)) == ["T2", "I-2", "F-3"]
    assert list(named_in_typescript('// F-1: no\ntest("F-2, I-3: yes", () => say("F-4"))')) == ["F-2", "I-3"]


def test_what_is_missing_overtaken_or_unknown_is_found(root: Path) -> None:
    paper = Paper.read(root)
    named = {an_id: frozenset({"a test"}) for an_id in paper.cases.keys() | paper.all - paper.rules - {"I-7"}}
    assert Matrix(paper, named, frozenset()).untested == ["I-7"]
    assert Matrix(paper, named, frozenset({"I-7"})).untested == []
    assert Matrix(paper, named, frozenset({"I-7", "I-8"})).overtaken == ["I-8"]
    assert Matrix(paper, {"I-41": frozenset({"x.py"})}, frozenset({"F-63"})).unheard_of == ["I-41 (x.py)", "F-63"]


def test_a_rule_waits_only_as_long_as_all_of_its_cases_do(root: Path) -> None:
    paper = Paper.read(root)  # R-BOUND-9 is checked by T-BOUND-04 alone, R-BOUND-4 by T-WIN-15, too
    waiting = Matrix(paper, {}, frozenset({"T-BOUND-04"}))
    assert "R-BOUND-9" in waiting.excused
    assert "R-BOUND-4" in waiting.untested
