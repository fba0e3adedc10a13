"""The contract as a toy, part two: what a conversation does, as generators that commit and wait (sections 8 to 22).

`yield` of a list of facts is a commit; `yield` of a `Wait` gives the word to somebody outside, whose answer comes back.
A person's Stop comes in as an exception. A death is a generator that nobody asks for its next word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.testing import Move
from tests.recovery.facts import Fact
from tests.recovery.reference import Reference
from tests.recovery.ways import NEEDED, Plan, Way

IN_A_ROW = 3
SCALING, FLOOR = 0.8, 160
TRY_AGAIN = ("rate_limit", "timeout", "transport", "server")


@dataclass(frozen=True)
class Wait:
    """`model` and `summary` get a `Move`, `person` gets once, run or reject, `tool` gets ok, error or interrupted."""

    for_: Literal["model", "summary", "person", "tool"]
    about: int = -1
    """The call that waits, or the request whose summary is bought."""


Script = Generator[list[Fact] | Wait, Any, Any]


class Ended(Exception):
    """The run ended with an error that is in the log."""


class Stop(Exception):
    """A person stopped the run. `records` say what happened to the work in hand; `answered` is the call among them."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[Fact] = []
        self.last: list[Fact] = []
        self.answered: int | None = None


@dataclass
class Engine:
    """One conversation in one process. What survives it is the log alone."""

    log: Reference
    way: Way
    max_steps: int = 200
    in_flight: list[int] = field(default_factory=list[int])
    pause_wanted: bool = False
    planned: dict[int, int] = field(default_factory=dict[int, int])
    """By request, of how many entries a summary is bought."""
    prompts: dict[int, str] = field(default_factory=dict[int, str])
    """By request, what its first attempt at a summary was given; whoever sees it puts it here."""

    # A run

    def run(self) -> Script:
        """Steps until the turn is done, the limit is reached, or somebody ends it (R-STEP-4, R-STEP-11)."""
        try:
            yield from self._steps()
        except Ended:
            pass
        except Stop as stop:
            closed = [f for f in closures(self.log, stopped=True) if f.details[0] != stop.answered]
            yield [*stop.records, *closed, *stop.last, Fact("interrupt")]
            return
        if self.pause_wanted:
            yield [Fact("pause")]

    def _steps(self) -> Script:
        for _ in range(self.max_steps):
            more = yield from self._step()
            if self.pause_wanted or not more:
                return
        yield from self._end("run_limit_reached")

    def _step(self) -> Script:
        """R-STEP-2"""
        yield from self._before()
        snapshot, boundary, refused = self.log.snapshot(), self.log.last, self.log.refused_in_a_row
        advice = self.way.advice(self.log)
        if advice is not None:
            yield [advice]
        consumed = self.log.warnings()
        self.in_flight = list(snapshot.unread)
        try:
            move: Move = yield Wait("model")
        except Stop as stop:
            stop.records = [Fact("usage", ("main_failed", "cancelled", boundary, None, None))]
            raise
        finally:
            self.in_flight = []
        if move.failure is not None:
            kind = move.failure.kind
            paid = [Fact("usage", ("main_failed", kind, boundary, None, None))] * (move.http_requests > 0)
            if kind == "overflow":
                yield from self._overflow(snapshot, boundary, paid)
            else:
                yield from self._failed(kind, paid, last=refused + 1 == IN_A_ROW)
            return True
        response = Fact("response", (boundary, consumed, move.usage.input))
        if move.calls:
            yield from self._batch(move, response)
        elif move.text.strip():
            yield [response, Fact("reply", (move.text,))]
        else:
            yield [response, Fact("remark", (wording.NUDGE_EMPTY,))]
            if self.log.empty_in_a_row >= IN_A_ROW:
                yield from self._end("empty_replies")
        return self.log.unfinished

    def _end(self, code: str, records: Sequence[Fact] = ()) -> Script:
        yield [*records, Fact("error", (code,))]
        raise Ended

    # Tools

    def _batch(self, move: Move, response: Fact) -> Script:
        """R-STEP-5, 6, 12; then `condense` (R-TOOL-10 to 12, R-RESET-1)."""
        position = len(self.log.log)
        calls = [Fact("call", (position, call.name, call.arguments)) for call in move.calls]
        yield [response, *calls]
        numbered = list(enumerate(move.calls, position + 1))
        for at, call in numbered:
            problem = "reply_cut_off" if move.finish_reason == "length" else self._unusable(call.name, call.arguments)
            if problem:
                yield [Fact("closed", (at, problem))]
            elif call.name not in NEEDED:
                yield from self._call(at, call.name)
        resets = [at for at, call in numbered if call.name == "condense" and at in self.log.open_calls]
        if len(move.calls) > 1:
            for at in resets:
                yield [Fact("result", (at, True))]
        elif resets:
            yield reset(self.log, resets[0], response.details[0])
        handoffs = [at for at, call in numbered if call.name == "new_context" and at in self.log.open_calls]
        if handoffs:
            yield self._fresh_context(handoffs, position, response.details[0])

    def _fresh_context(self, calls: list[int], response: int, boundary: int) -> list[Fact]:
        """The one commit for all calls of `new_context` in a batch (R-NEW-4 to 13)."""
        now = len(self.log.log)
        results = [Fact("result", (call, False)) for call in calls]
        batch = [e for e in self.log.read if isinstance(e, int) and self._response_of(e) == response]
        gone = frozenset(entry for entry in self.log.read if entry not in batch)
        if all(isinstance(entry, tuple) and entry[0] == "notice" for entry in gone):
            return results
        tokens, limit = self.log.size([*batch, *self.log.unread]), self.log.input_limit
        if tokens is not None and limit is not None and tokens >= limit:
            too_large = Fact("failure", (None, calls[0], "does_not_fit"))
            return [*(Fact("result", (call, True)) for call in calls), too_large]
        request = Fact("request", ("agent", boundary, (calls[0], now)))
        left = (wording.NEW_CONTEXT_NOTICE, None, None)
        return [*results, request, Fact("condensation", (now + len(calls), gone, *left))]

    def _response_of(self, entry: int) -> object:
        fact = self.log.log[entry]
        if fact.what in ("result", "closed", "rejected"):
            fact = self.log.log[fact.details[0]]
        return fact.details[0] if fact.what == "call" else None

    def _unusable(self, name: str, arguments: str) -> str | None:
        """R-STEP-6, R-TOOL-1: `condense` is a tool of agent_reset alone, `new_context` of new_context."""
        if self.way.kind not in NEEDED.get(name, [self.way.kind] * (name in ("look", "photo", "note", "run_python"))):
            return "unknown_tool"
        return invalid(name, arguments)

    def _call(self, at: int, name: str) -> Script:
        """Consent first (I-11), its intent with it in one commit, then the call, then its result."""
        if name in ("look", "photo"):
            yield [Fact("result", (at, False), pictures=int(name == "photo"))]
            return
        consent: list[Fact] = []
        if name == "run_python":
            if self.log.grant is not None:
                consent = [Fact("approval", (at, "covered", self.log.grant))]
            else:
                decision = yield Wait("person", at)
                if decision == "reject":
                    yield [Fact("rejected", (at,))]
                    return
                consent = [Fact("approval", (at, decision, None))]
        yield [*consent, Fact("started", (at,))]
        try:
            outcome = yield Wait("tool", at)
        except Stop as stop:
            stop.records, stop.answered = [Fact("closed", (at, "interrupted"))], at
            raise
        yield [Fact("result", (at, outcome != "ok"))]
        if outcome == "interrupted":
            raise Stop

    # A main request that failed

    def _failed(self, kind: str, paid: list[Fact], *, last: bool) -> Script:
        """Section 13: a refusal for content is tried again with a nudge (R-STEP-10); any other failure ends the run."""
        if kind == "content_policy" and not last:
            yield paid
            yield [Fact("remark", (wording.NUDGE_CONTENT,))]
        else:
            code = {"content_policy": "content_refused", "missing_key": "auth"}.get(kind, kind)
            yield from self._end(code, paid)

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


def invalid(name: str, arguments: str) -> str | None:
    """What the arguments of a call lack (R-STEP-6, R-TOOL-4 to 8)."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return "invalid_arguments"
    if not isinstance(value, dict):
        return "invalid_arguments"
    if name == "new_context":
        return None if set(value) <= {"handoff"} and isinstance(value.get("handoff", ""), str) else "invalid_arguments"
    if name == "condense":
        message = value.get("message_to_future_self", "")
        if set(value) - {"message_to_future_self"} or not isinstance(message, str):
            return "invalid_arguments"
        if any("\ud800" <= c <= "\udfff" for c in message) or len(message.encode("utf-16-le")) // 2 > 16_384:
            return "invalid_arguments"
    return None


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


def longest_preview(prompt: str) -> int:
    """L of R-SUM-4, read off the first attempt."""
    return max(map(len, re.findall(r"<entry number=\d+>\n(.*?)\n</entry>", prompt, re.DOTALL)), default=0)
