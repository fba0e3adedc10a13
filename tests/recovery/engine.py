"""The contract as a toy, part two: what a conversation does, as generators that commit and wait (sections 8 to 12, 21, 22).

`yield` of a list of facts is a commit; `yield` of a `Wait` gives the word to somebody outside, whose answer comes back.
A person's Stop comes in as an exception. A death is a generator that nobody asks for its next word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.testing import Move
from tests.recovery.facts import Fact
from tests.recovery.reference import Reference

IN_A_ROW = 3
ATTEMPTS, SCALING, FLOOR = 5, 0.8, 160
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
    fallback: bool = False
    max_steps: int = 200
    estimate: int | None = None
    """What the counter says of any request."""
    in_flight: list[int] = field(default_factory=list[int])
    pause_wanted: bool = False
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
        boundary, unread, refused = self.log.last, list(self.log.unread), self.log.refused_in_a_row
        warning = self.log.due_warning(self.estimate)
        if warning is not None:
            yield [warning]
        consumed = self.log.warnings()
        self.in_flight = unread
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
                yield from self._overflow(boundary, unread, paid)
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
            elif call.name != "condense":
                yield from self._call(at, call.name)
        resets = [at for at, call in numbered if call.name == "condense" and at in self.log.open_calls]
        if len(move.calls) > 1:
            for at in resets:
                yield [Fact("result", (at, True))]
        elif resets:
            yield reset(self.log, resets[0], response.details[0])

    def _unusable(self, name: str, arguments: str) -> str | None:
        """R-STEP-6, R-TOOL-1: `condense` is a tool of agent_reset alone."""
        if name not in ("look", "note", "run_python", *["condense"] * self.log.warns):
            return "unknown_tool"
        return invalid(name, arguments)

    def _call(self, at: int, name: str) -> Script:
        """Consent first (I-11), its intent with it in one commit, then the call, then its result."""
        if name == "look":
            yield [Fact("result", (at, False))]
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

    def _overflow(self, boundary: int, unread: list[int], paid: list[Fact]) -> Script:
        """Section 11, in its order: no fallback, bound closed, nothing to summarise; else one summary."""
        if self.fallback and self.log.rescue is not None:
            yield from self._end("context_rescue_blocked", paid)
        if not self.log.read:
            yield from self._end(self._largest_part(), paid)
        if not self.fallback:
            yield from self._end("context_window_exceeded", paid)
        yield paid
        forgotten, request = frozenset(self.log.read), len(self.log.log)
        yield [Fact("request", ("provider_context_window", boundary, tuple(unread)))]
        text = yield from self._summary(request)
        yield [Fact("condensation", (request, forgotten, wording.EMERGENCY_NOTICE, text))]

    def _largest_part(self) -> str:
        """R-EMERG-5, R-EMERG-6. The counter of these tests says the same of the fixed context and of the whole."""
        fixed_is_all = self.log.window is None and (self.estimate or 0) > 0
        return "fixed_context_too_large" if fixed_is_all else "input_too_large"

    def _summary(self, request: int) -> Script:
        """Section 12.2: at most five attempts, each with its record; R-SUM-7 says what follows a failure."""
        limit: int | None = None
        for attempt in range(1, ATTEMPTS + 1):
            about = (None, request, attempt)
            try:
                move: Move = yield Wait("summary", request)
            except Stop as stop:
                stop.records = [Fact("usage", ("summary", "cancelled", *about))]
                stop.last = [Fact("failure", (request, None, "cancelled"))]
                raise
            if move.failure is None:
                blank = not move.text.strip()
                yield [Fact("usage", ("summary", "summary_blank" if blank else "ok", *about))]
                if blank:
                    yield from self._no_summary(request, "summary_blank")
                return move.text
            kind = move.failure.kind
            yield [Fact("usage", ("summary", kind, *about))]
            if kind == "overflow":
                longest = longest_preview(self.prompts[request])
                before = longest if limit is None else limit
                limit = max(FLOOR, int(before * SCALING))
                if min(limit, longest) == min(before, longest):
                    break  # the next attempt would be the same
            elif kind not in TRY_AGAIN:
                break
        yield from self._no_summary(request, "summary_failed")
        return None

    def _no_summary(self, request: int, code: str) -> Script:
        yield from self._end("context_rescue_failed", [Fact("failure", (request, None, code))])


def invalid(name: str, arguments: str) -> str | None:
    """What the arguments of a call lack (R-STEP-6, R-TOOL-4 to 8)."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return "invalid_arguments"
    if not isinstance(value, dict):
        return "invalid_arguments"
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
        Fact("condensation", (request, forgotten, "The agent triggered context condensation.", None)),
    ]


def closures(log: Reference, *, stopped: bool = False) -> list[Fact]:
    """A result for each open call: what is known of it (R-REST-3, R-STOP-3, R-STOP-4)."""
    facts: list[Fact] = []
    for call in log.open_calls:
        code = "outcome_unknown" if call in log.started else "not_run"
        if stopped and log.log[call].details[1] == "condense":
            code = "interrupted"
        facts.append(Fact("closed", (call, code)))
    return facts


def repair(log: Reference, *, new_kernel: bool, cuts: int = 0) -> list[Fact]:
    """The one commit of an opening, or nothing (R-REST-2 to 5, R-REST-9). `cuts` are those that no event told of yet."""
    facts = [Fact("recovery")] * cuts
    facts += closures(log)
    facts += [Fact("failure", (request, None, "interrupted")) for request in log.outstanding]
    remark = Fact("remark", (wording.NEW_KERNEL,))
    if new_kernel and remark not in [log.log[aside] for aside in log.asides]:
        facts.append(remark)
    return facts


def longest_preview(prompt: str) -> int:
    """L of R-SUM-4, read off the first attempt."""
    return max(map(len, re.findall(r"<entry number=\d+>\n(.*?)\n</entry>", prompt, re.DOTALL)), default=0)
