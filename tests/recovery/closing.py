"""Commits that follow from a log alone: a voluntary reset, and results for what a stop or a death left open."""

from __future__ import annotations

from smolpaws_jupyter.core import wording
from tests.recovery.facts import Fact
from tests.recovery.reference import Reference
from tests.recovery.ways import NEEDED


def reset(log: Reference, call: int, boundary: int) -> list[Fact]:
    """The one commit of a voluntary reset (R-RESET-1 to 4)."""
    result, request = len(log.log), len(log.log) + 1
    forgotten = frozenset(entry for entry in log.read if entry != call)
    return [
        Fact("result", (call, False)),
        Fact("request", ("agent", boundary, (call, result))),
        Fact("condensation", (request, forgotten, "The agent triggered context condensation.", None, None)),
    ]


def closures(log: Reference, *, stopped: bool = False) -> list[Fact]:
    """A result for each open call: what is known of it (R-REST-3, R-STOP-3, R-STOP-4)."""
    facts: list[Fact] = []
    for call in log.open_calls:
        code = "outcome_unknown" if call in log.started else "not_run"
        if stopped and log.log[call].details[1] in NEEDED:
            code = "interrupted"
        facts.append(Fact("closed", (call, code)))
    return facts


def repair(log: Reference, *, new_kernel: bool, cuts: int = 0) -> list[Fact]:
    """The one commit of an opening, or nothing (R-REST-2 to 5, R-REST-9). `cuts` are those that no event told of yet."""
    facts = [Fact("recovery")] * cuts
    facts += closures(log)
    facts += [Fact("failure", (r, None, "interrupted"), by=log.log[r].by) for r in log.outstanding]
    remark = Fact("remark", (wording.NEW_KERNEL,))
    if new_kernel and remark not in [log.log[aside] for aside in log.asides]:
        facts.append(remark)
    return facts
