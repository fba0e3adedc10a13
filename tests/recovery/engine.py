"""The contract as a toy, part two: what a conversation does, as generators that commit and wait (sections 8 to 22).

`yield` of a list of facts is a commit; `yield` of a `Wait` gives the word to somebody outside, whose answer comes back.
A person's Stop comes in as an exception. A death is a generator that nobody asks for its next word.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.testing import Move
from tests.recovery.closing import closures, reset
from tests.recovery.facts import Fact
from tests.recovery.script import Ended, Script, Stop, Wait
from tests.recovery.summaries import Summaries
from tests.recovery.ways import NEEDED

IN_A_ROW = 3


@dataclass
class Engine(Summaries):
    """One conversation in one process. What survives it is the log alone."""

    max_steps: int = 200
    in_flight: list[int] = field(default_factory=list[int])
    pause_wanted: bool = False

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
