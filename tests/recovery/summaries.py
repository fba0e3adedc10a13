"""The contract as a toy, part four: when summaries are bought, and what follows where none is to be had (sections 11 to 19)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from smolpaws_jupyter.testing import Move
from tests.recovery.facts import Fact
from tests.recovery.reference import Reference
from tests.recovery.script import Ended, Script, Stop, Wait
from tests.recovery.ways import Plan, Way

SCALING, FLOOR = 0.8, 160
TRY_AGAIN = ("rate_limit", "timeout", "transport", "server")


@dataclass
class Summaries:
    """The part of a conversation that buys summaries: before a request, after an overflow, or by hand."""

    log: Reference
    way: Way
    planned: dict[int, int] = field(default_factory=dict[int, int])
    """By request, of how many entries a summary is bought."""
    prompts: dict[int, str] = field(default_factory=dict[int, str])
    """By request, what its first attempt at a summary was given; whoever sees it puts it here."""

    def _end(self, code: str, records: Sequence[Fact] = ()) -> Script:
        yield [*records, Fact("error", (code,))]
        raise Ended

    def _overflow(self, snapshot: Reference, boundary: int, paid: list[Fact]) -> Script:
        """Sections 11, 14, 16, 17: bound closed, nothing that helps; else one summary, or texts are cut, or the end."""
        if self.way.once and snapshot.rescue is not None:
            yield from self._end("context_rescue_blocked", paid)
        plan = self.way.plan(snapshot, "provider_context_window")
        if plan is not None:
            if (hopeless := self._hopeless(snapshot, self.log.window)) is not None:
                yield from self._end(hopeless, paid)
            yield paid
            failed = yield from self._buy(plan, boundary)
            if failed is None:
                return
            record, kind = failed
            if self.way.once or kind != "overflow":
                code = None if self.way.once else kind
                yield from self._end(code or "context_rescue_failed", [record])
            yield [record]
            paid = []
        cuts = self.way.cuts(self.log)
        if not cuts:
            yield from self._end(self._hopeless(snapshot, self.log.window) or "context_window_exceeded", paid)
        if paid:
            yield paid
        yield [Fact("cut", (cuts,))]

    def _before(self) -> Script:
        """What is bought before a request is sent (R-NEW-16, R-NEW-22, R-ORD-8, R-WIN-11)."""
        due = self.way.due(self.log)
        if due is None:
            return
        plan = self.way.plan(self.log, due)
        if due != "capacity":
            failed = (yield from self._buy(plan, self.log.last)) if plan is not None else None
            if failed is not None:
                yield [failed[0]]
            return
        if self.log.rescue is not None:
            yield from self._end("context_rescue_blocked")
        if plan is None:
            yield from self._end(self._over_capacity())
        else:
            failed = yield from self._buy(plan, self.log.last)
            if failed is not None:
                yield from self._end("context_rescue_failed", [failed[0]])

    def by_hand(self, plan: Plan, command: str) -> Script:
        """Section 19: one summary, with the person's command on every record."""
        try:
            failed = yield from self._buy(plan, self.log.last, command)
        except Stop as stop:
            yield [replace(fact, by=command) for fact in (*stop.records, *stop.last)]
            return
        if failed is not None:
            yield [failed[0]]

    def _buy(self, plan: Plan, boundary: int, by: str | None = None) -> Script:
        """Intent, attempts, fact (R-SUM-4 to 8, R-WIN-3). Gives None, or the failure record and the last failure."""
        pins = [Fact("pin", (plan.pins,))] * bool(plan.pins)
        request = len(self.log.log) + len(pins)
        snapshot = self.log.snapshot()
        self.planned[request] = len(plan.entries)
        yield [*pins, Fact("request", (plan.trigger, boundary, plan.protected), by=by)]
        text, code, kind = yield from self._summary(request, plan.attempts, by)
        code = code or self.way.refuses(snapshot, plan)
        if code is not None:
            return Fact("failure", (request, None, code), by=by), kind
        summary = f"{plan.heading}\n\n{text}" if plan.heading else text
        yield [Fact("condensation", (request, frozenset(plan.entries), plan.notice, summary, plan.offset), by=by)]
        return None

    def _hopeless(self, log: Reference, window: int | None) -> str | None:
        """R-EMERG-5, R-EMERG-6: what is too large is no history."""
        fixed, pending = log.estimate or 0, (log.size(log.unread) or 0) - (log.estimate or 0)
        if window is not None and fixed >= window:
            return "fixed_context_too_large"
        if log.read:
            return None
        return "fixed_context_too_large" if window is None and fixed > pending else "input_too_large"

    def _over_capacity(self) -> str:
        """R-NEW-22"""
        limit = self.log.input_limit
        assert limit is not None
        if self.log.unread and (self.log.size(self.log.unread) or 0) >= limit:
            return "input_too_large"
        return self._hopeless(self.log, limit) or "context_window_exceeded"

    def _summary(self, request: int, attempts: int, by: str | None) -> Script:
        """Section 12.2: bounded attempts, each with its record; R-SUM-7 says what follows a failure.

        Gives the text, or the code of the failure record and the last failure.
        """
        limit: int | None = None
        kind = None
        for attempt in range(1, attempts + 1):
            about = (None, request, attempt)
            try:
                move: Move = yield Wait("summary", request)
            except Stop as stop:
                stop.records = [Fact("usage", ("summary", "cancelled", *about))]
                stop.last = [Fact("failure", (request, None, "cancelled"))]
                raise
            if move.failure is None:
                blank = not move.text.strip()
                yield [Fact("usage", ("summary", "summary_blank" if blank else "ok", *about), by=by)]
                return move.text, "summary_blank" if blank else None, None
            kind = move.failure.kind
            yield [Fact("usage", ("summary", kind, *about), by=by)]
            if kind == "overflow":
                longest = longest_preview(self.prompts[request])
                before = longest if limit is None else limit
                limit = max(FLOOR, int(before * SCALING))
                if min(limit, longest) == min(before, longest):
                    break  # the next attempt would be the same
            elif kind not in TRY_AGAIN:
                break
        return "", "summary_failed", kind


def longest_preview(prompt: str) -> int:
    """L of R-SUM-4, read off the first attempt."""
    return max(map(len, re.findall(r"<entry number=\d+>\n(.*?)\n</entry>", prompt, re.DOTALL)), default=0)
