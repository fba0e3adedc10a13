"""What models and tools do in a conversation that hypothesis plays."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from smolpaws_jupyter.testing import Move, call, calls, failure, overflow, raw_call, reply
from tests.recovery.choices import CALLS, COUNTS, ESTIMATES, FAILURES, FORGETTING, SUMMARY_FAILURES
from tests.recovery.side_by_side import SideBySide, waits_for, while_waiting_for


class Providers(SideBySide):
    """The model answers, calls tools, forgets, or fails; so does whoever makes the summaries; tools return."""

    def _answers(self, move: Move) -> None:
        self.together(lambda toy: toy.answer(move), lambda real: self.process.model.says(move))

    @while_waiting_for("model")
    @rule(estimate=ESTIMATES)
    def is_estimated_anew(self, estimate: int | None) -> None:
        self.course.log.estimate = estimate

    @precondition(lambda self: waits_for(self, "model") and self.course.engine.way.kind == "new_context")
    @rule()
    def is_shown_too_much(self) -> None:
        """The next request is over a limit of 1,000, until the picture is gone (R-NEW-16)."""
        self.course.log.estimate = 950
        self.calls_tools(names=["photo"], tokens=None, cut_off=False)

    @precondition(lambda self: waits_for(self, "model") and self.course.engine.way.kind == "new_context")
    @rule()
    def hands_over_too_much(self) -> None:
        """Even the new context would be over the limit (R-NEW-13)."""
        self.course.log.estimate = 1200
        self.calls_tools(names=["forget"], tokens=None, cut_off=False)

    @while_waiting_for("model")
    @rule(tokens=COUNTS)
    def answers_in_words(self, tokens: int | None) -> None:
        self._answers(reply(self.fresh("answer")).using(input=tokens))

    @while_waiting_for("model")
    @rule(names=CALLS, tokens=COUNTS, cut_off=st.sampled_from([False, False, False, True]))
    def calls_tools(self, names: list[str], tokens: int | None, cut_off: bool) -> None:
        move = calls(*map(self._call, names)).using(input=tokens)
        self._answers(move.finishing("length") if cut_off else move)

    @property
    def _forgetting(self) -> str:
        return FORGETTING.get(self.course.engine.way.kind, "condense")

    def _call(self, name: str) -> Move:
        argument = {"condense": "message_to_future_self", "new_context": "handoff"}[self._forgetting]
        match name:
            case "bad forget":
                return call(self._forgetting, **{argument: None})
            case "bad look":
                return raw_call("look", '{"text": "cut')
            case "forget":
                return call(self._forgetting, **{argument: self.fresh("note to self")})
            case _:
                return call(name, text=self.fresh(name))

    @while_waiting_for("model")
    @rule(
        tokens=COUNTS,
        message=st.sampled_from([None, "", "  Read notes/plan.md.\r\n", "🐾" * 8192]),
        times=st.sampled_from([1, 1, 2]),
    )
    def resets(self, tokens: int | None, message: str | None, times: int) -> None:
        argument = {"condense": "message_to_future_self", "new_context": "handoff"}[self._forgetting]
        forget = call(self._forgetting, **({} if message is None else {argument: message}))
        self._answers(calls(*[forget] * times).using(input=tokens).saying("I start afresh."))

    @while_waiting_for("model")
    @rule(text=st.sampled_from(["", " \n"]), tokens=COUNTS)
    def answers_nothing(self, text: str, tokens: int | None) -> None:
        self._answers(reply(text).using(input=tokens))

    @while_waiting_for("model")
    @rule(kind=FAILURES)
    def fails(self, kind: Any) -> None:
        self._answers(overflow() if kind == "overflow" else failure(kind).requesting(0 if kind == "missing_key" else 1))

    @precondition(lambda self: waits_for(self, "model") and self.course.log.read)
    @rule()
    def overflows(self) -> None:
        self._answers(overflow())

    # What the summariser says

    def _summarises(self, move: Move) -> None:
        self.together(lambda toy: toy.answer(move), lambda real: self.process.buyer.says(move))

    @while_waiting_for("summary")
    @rule(blank=st.sampled_from([False, False, False, True]))
    def summarises(self, blank: bool) -> None:
        self._summarises(reply(" \n" if blank else self.fresh("summary")))

    @while_waiting_for("summary")
    @rule(kind=SUMMARY_FAILURES)
    def fails_to_summarise(self, kind: Any) -> None:
        self._summarises(failure(kind))

    # What a tool does

    @while_waiting_for("tool")
    @rule(outcome=st.sampled_from(["ok", "ok", "ok", "error", "interrupted"]))
    def returns(self, outcome: str) -> None:
        tool = next(tool for tool in self.process.tools.values() if tool.running)
        self.together(lambda toy: toy.answer(outcome), lambda real: tool.returns(outcome))
