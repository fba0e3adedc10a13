"""Which ids the papers give out, and which of them tests name: the two halves of the requirements matrix (T15).

A test names an id in its function's name (`test_t_win_03_...`, `test_i_9_...`), in its docstring or its class's, or, in
JavaScript, at the beginning of its title (`"F-57: ..."`). A method (T1 to T15) may be named by a whole module. Ranges are
understood: "I-1 to I-4", "R-TOOL-1 to 17".

A rule counts as named, too, when a case that checks it is: the contract says which rules each case checks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

ID = r"(?:[RT]-[A-Z]+-\d+|[IF]-\d+|T\d+|O\d\d)"
RANGE = re.compile(rf"\b({ID})(?: to ({ID}|\d+))?\b")
IN_A_NAME = re.compile(r"(?<![a-z0-9])(?:([rt])_([a-z]+)_(\d+)|([if])_(\d+)|([to])(\d+))(?![a-z0-9])")
TITLE = re.compile(rf"""["'`]({ID}(?:(?:, | to | and ){ID})*):""")
WORDS = frozenset(f"R-VOC-{n}" for n in range(1, 20))  # terms; a test may name them, none has to
CASE = re.compile(r"^- \*\*(T-[A-Z]+-\d+)\*\*.*?→ (.*)$", re.MULTILINE)


def ids_in(text: str) -> Iterator[str]:
    """Every id that a sentence names, ranges spelled out."""
    for first, last in RANGE.findall(text):
        stem, number = _split(first)
        until = _split(last)[1] if last else number
        yield from (f"{stem}{n:0{len(number)}}" for n in range(int(number), int(until) + 1))


def _split(an_id: str) -> tuple[str, str]:
    """`T-WIN-03` -> `T-WIN-`, `03`; the digits keep their width."""
    found = re.fullmatch(r"(.*?)(\d+)", an_id)
    assert found
    return found[1], found[2]


def ids_in_name(name: str) -> Iterator[str]:
    """`test_t_win_03_i_9_...` -> T-WIN-03, I-9."""
    for found in IN_A_NAME.finditer(name):
        group, word, number, letter, plain, method, digits = found.groups()
        yield (f"{group}-{word}-{number}" if group else f"{letter}-{plain}" if letter else f"{method}{digits}").upper()


def named_in_python(source: str) -> Iterator[str]:
    """The ids that the tests of a Python file name."""
    tree = ast.parse(source)
    yield from (i for i in ids_in(ast.get_docstring(tree) or "") if re.fullmatch(r"T\d+", i))
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name.startswith("test_"):
                yield from ids_in_name(name)
                yield from ids_in(ast.get_docstring(node) or "")
            case ast.ClassDef(name=name) if name.startswith("Test"):
                yield from ids_in(ast.get_docstring(node) or "")


def named_in_typescript(source: str) -> Iterator[str]:
    """The ids at the beginning of titles: `test("F-57, F-58: ..."`."""
    for title in TITLE.findall(source):
        yield from ids_in(title)


class Paper(NamedTuple):
    """What the papers ask for."""

    rules: frozenset[str]
    cases: Mapping[str, frozenset[str]]  # each with the rules that it checks
    invariants: frozenset[str]
    faults: frozenset[str]
    methods: frozenset[str]
    real: frozenset[str]  # the cases from the field, O01 and on

    @classmethod
    def read(cls, root: Path) -> Paper:
        """The papers of the project in this folder."""
        contract = (root / "docs/contract.md").read_text(encoding="utf-8")
        invariants = (root / "docs/invariants.md").read_text(encoding="utf-8")
        field = (root / "tests/fixtures/cases/open.md").read_text(encoding="utf-8")
        index = contract.split("## 28.")[1]
        undefined = set(ids_in(index.split("Rules without a case of their own")[1]))
        return cls(
            rules=frozenset(i for row in re.findall(r"^\| R-.*$", index, re.MULTILINE) for i in ids_in(row))
            - undefined,
            cases={case: frozenset(ids_in(checks)) for case, checks in CASE.findall(contract)},
            invariants=frozenset(ids_in(_heading(invariants, "## Invariants"))),
            faults=frozenset(ids_in(_heading(invariants, "## Faults"))),
            methods=frozenset(f"T{n}" for n in re.findall(r"^\| T(\d+) \|", invariants, re.MULTILINE)),
            real=frozenset(re.findall(r"^### (O\d\d) ", field, re.MULTILINE)),
        )

    @property
    def all(self) -> frozenset[str]:
        """Every id of every sort."""
        return self.rules | self.cases.keys() | self.invariants | self.faults | self.methods | self.real


def _heading(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(start))


@dataclass(frozen=True)
class Matrix:
    """The papers against the tests. `named` holds, for each id, the files whose tests name it."""

    paper: Paper
    named: Mapping[str, frozenset[str]]
    later: frozenset[str]

    @cached_property
    def covered(self) -> frozenset[str]:
        """Ids that tests name, and rules that a named case checks."""
        through_cases = {rule for case, rules in self.paper.cases.items() if case in self.named for rule in rules}
        return frozenset((self.named.keys() | through_cases) & self.paper.all)

    @cached_property
    def excused(self) -> frozenset[str]:
        """What is built later: the entries of the list, and rules that no other case checks."""
        elsewhere = {rule for case, rules in self.paper.cases.items() if case not in self.later for rule in rules}
        waiting = {rule for case in self.later & self.paper.cases.keys() for rule in self.paper.cases[case]}
        return self.later | (waiting - elsewhere - self.covered)

    @property
    def untested(self) -> list[str]:
        """Ids that neither a test nor the list names."""
        return sorted(self.paper.all - self.covered - self.excused)

    @property
    def overtaken(self) -> list[str]:
        """Entries of the list that a test names by now."""
        return sorted(self.later & self.covered)

    @property
    def unheard_of(self) -> list[str]:
        """Ids that tests or the list name and no paper knows, with where."""
        known = self.paper.all | WORDS
        wrong = {i: where for i, where in self.named.items() if i not in known}
        return [f"{i} ({', '.join(sorted(where))})" for i, where in sorted(wrong.items())] + sorted(self.later - known)

    def line(self) -> str:
        """The count, for people."""
        paper = self.paper
        rules, cases, invariants, faults, real = (
            len(self.covered & ids)
            for ids in (paper.rules, paper.cases.keys(), paper.invariants, paper.faults, paper.real)
        )
        return (
            f"requirements: {rules} rules, {cases} cases, {invariants} invariants, {faults} faults and {real} cases of "
            f"the field named by tests; {len(self.excused)} built later"
        )


def named_by_tests(root: Path) -> dict[str, frozenset[str]]:
    """Each id with the test files that name it."""
    files: dict[str, set[str]] = {}
    for folder, pattern, named in (
        ("tests", "**/test_*.py", named_in_python),
        ("js", "src/**/*.test.ts*", named_in_typescript),
        ("js", "tests/**/*.test.ts*", named_in_typescript),
    ):
        for path in (root / folder).glob(pattern):
            for an_id in named(path.read_text(encoding="utf-8")):
                files.setdefault(an_id, set()).add(path.relative_to(root).as_posix())
    return {an_id: frozenset(where) for an_id, where in files.items()}
