"""T2: whatever a person, a model, a tool and a power cut do, a conversation does what the contract says, commit by commit.

Hypothesis plays all four. After each move the toy of `reference.py` and `engine.py` has predicted every commit, the next
request, the status and what ran outside; the conversation must have done exactly that.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from smolpaws_jupyter.core.errors import CommandRefused
from smolpaws_jupyter.core.replay import Replay
from smolpaws_jupyter.core.view import View
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.memory_store import MemoryStore
from smolpaws_jupyter.testing import Move, call, calls, failure, overflow, raw_call, reply
from tests.recovery.course import Course, Died, Fuse
from tests.recovery.engine import Engine
from tests.recovery.facts import Fact, Facts
from tests.recovery.puppets import IMAGE, MortalStore, Process, Setup
from tests.recovery.reference import Reference, as_shown
from tests.recovery.ways import Way
from tests.runtime.talks import WITH_FALLBACK, binding
from tests.wire_rules import assert_lawful

STEPS_A_RUN = 6
COUNTS = st.sampled_from([None, 0, 400, 760, 810, 870, 950, 1200])
ESTIMATES = st.sampled_from([None, 0, 600, 880, 1200])
THRESHOLDS = st.sampled_from([(0.5, 0.9), (0.75, 0.8, 0.85, 0.9), (0.4,), (1.0,)])
FORGETTING = {"agent_reset": "condense", "new_context": "new_context"}
"""The tool by which the agent forgets; every other kind has none."""
CALLS = st.lists(
    st.sampled_from(["look", "photo", "note", "run_python", "run_python", "forget", "bad forget", "bad look", "fly"]),
    min_size=1,
    max_size=3,
)
KINDS = st.sampled_from(
    ["agent_reset", "with fallback", "new_context", "summarizing_window", "llm_summarizing", "no_op"]
)


@st.composite
def condensers(draw: Callable[[Any], Any]) -> dict[str, Any]:
    """The settings of a condenser of some kind."""
    own = draw(st.sampled_from([{}, {"llm_profile_ref": "summary"}]))
    match draw(KINDS):
        case "with fallback":
            return WITH_FALLBACK
        case "summarizing_window":
            ahead = draw(st.sampled_from([None, {"compression_threshold": 0.8}]))
            window = {
                "summary_ratio": draw(st.sampled_from([0.3, 0.5, 0.8])),
                "preserve_recent_messages": draw(st.sampled_from([0, 1, 1, 6])),
                "pin_first": draw(st.sampled_from([0, 1, 2])),
                "proactive_compression": ahead,
                "truncate_preserve_chars": 60,
            }
            return {"condenser": {"condenser_kind": "summarizing_window", **window, **own}}
        case "llm_summarizing":
            tokens = draw(st.sampled_from([{}, {"max_tokens": 760}, {"max_tokens": None}]))
            ordinary = {"max_size": 20, "keep_first": draw(st.sampled_from([0, 2])), "llm_profile_ref": "summary"}
            return {"condenser": {"condenser_kind": "llm_summarizing", **ordinary, **tokens}}
        case "no_op":
            return {}
        case kind:
            return {"condenser": {"condenser_kind": kind}}


FAILURES = st.sampled_from(
    [
        "content_policy",
        "content_policy",
        "content_policy",
        "server",
        "rate_limit",
        "auth",
        "malformed_history",
        "missing_key",
    ]
)
SUMMARY_FAILURES = st.sampled_from(
    ["overflow", "overflow", "server", "timeout", "rate_limit", "auth", "content_policy"]
)

Draw = Callable[[Any], Any]
Act = Callable[[Conversation], object]


def waits_for(self: Talking, who: str) -> bool:
    return self.course.place is not None and self.course.place.for_ == who


def while_waiting_for(who: str) -> Any:
    """A move that is possible only then."""
    return precondition(lambda self: waits_for(self, who))


at_rest = precondition(lambda self: self.course.place is None)


class Talking(RuleBasedStateMachine):
    """A conversation and its toy, side by side."""

    loop: ClassVar[asyncio.AbstractEventLoop]
    lived: ClassVar[int] = 0

    @initialize(
        condenser=condensers(),
        limit=st.sampled_from([1000, 1000, None]),
        window=st.sampled_from([None, 10_000]),
        estimate=ESTIMATES,
    )
    def begin(self, condenser: dict[str, Any], limit: int | None, window: int | None, estimate: int | None) -> None:
        self.setup = Setup({**condenser, "max_steps_per_run": STEPS_A_RUN}, limit, window)
        way = Way(condenser)
        log = Reference(warns=way.kind == "agent_reset", limit=limit, window=window, estimate=estimate)
        engine = Engine(log, way, max_steps=STEPS_A_RUN)
        self.course = Course(engine)
        self.began: list[str] = []
        self.words = self.seen = 0
        self.receipt: asyncio.Task[str] | None = None
        self.store = MortalStore(MemoryStore())
        self.facts = Facts()
        self.process = self._process()

    def _process(self) -> Process:
        return Process(self.setup, self.store, self.began, lambda: self.course.log.estimate, self.loop)

    def fresh(self, what: str) -> str:
        """A text that occurs nowhere else."""
        self.words += 1
        return f"{what} {self.words:03}."

    def together(self, toy: Callable[[Course], object], real: Act) -> None:
        """Both do it; if it killed the process, both are opened again."""
        with contextlib.suppress(Died):
            toy(self.course)
        self.process.act(real)
        self.compare_commits()
        if self.course.dead:
            self._reopen(same_kernel=False)

    def compare_commits(self) -> None:
        """Each commit, whole, in order, as predicted (R-LOG-8); afterwards the toy knows what remarks said."""
        assert self.store.dead == self.course.dead
        start = self.facts.length
        written = [self.facts.commit(commit) for commit in self.store.store.commits(start)]
        assert written == self.course.commits
        self.course.commits = []
        self.course.log.log[start:] = [fact for commit in written for fact in commit]

    # What a person does

    @precondition(lambda self: not self.course.by_hand)
    @rule(paste=st.sampled_from(["", "", "a long paste " * 40]), pictures=st.sampled_from([0, 0, 1]))
    def says_something(self, paste: str = "", pictures: int = 0) -> None:
        text = self.fresh("message") + paste
        images = (IMAGE,) * pictures
        self.together(lambda toy: toy.tell(text, pictures), lambda real: real.tell(text, images))

    @at_rest
    @rule()
    def begins_a_turn(self) -> None:
        """A message, and `resume` where it waits for that (R-STOP-10)."""
        self.says_something(paste="", pictures=0)
        if self.course.log.paused:
            self.resumes()

    @at_rest
    @rule()
    def resumes(self) -> None:
        self.together(lambda toy: toy.resume(), lambda real: real.resume())

    def stops(self, _: Draw) -> None:
        self.together(lambda toy: toy.stop(), lambda real: real.stop())

    def pauses(self, _: Draw) -> None:
        self.together(lambda toy: toy.pause(), lambda real: real.pause())

    @while_waiting_for("person")
    @rule(decision=st.sampled_from(["once", "run", "run", "reject"]))
    def decides(self, decision: Any) -> None:
        waiting = self.process.conversation.waiting[0].action_id

        def decide(real: Conversation) -> None:
            real.reject(waiting) if decision == "reject" else real.approve(waiting, decision)

        self.together(lambda toy: toy.answer(decision), decide)

    @precondition(lambda self: self.course.log.unread)
    @rule(data=st.data())
    def withdraws_a_message(self, data: st.DataObject) -> None:
        """R-VIEW-16: possible until a request carries it."""
        message = data.draw(st.sampled_from(self.course.log.unread))
        message_id = next(self.store.read(message)).id
        if message in self.course.engine.in_flight:
            self.is_refused(lambda real: real.withdraw(message_id))
        else:
            self.notes(Fact("withdrawn", (message,)), lambda real: real.withdraw(message_id))

    @rule(data=st.data())
    def something_comes_between(self, data: st.DataObject) -> None:
        """What a person does beside talking, and what happens to the process."""
        person = [self.stops, self.pauses, self.gives_a_title, self.sets_thresholds, self.chooses_a_profile]
        person += [self.revokes] * (self.course.log.grant is not None)
        process = [self.ends, self.is_about_to_die, self.is_about_to_die]
        data.draw(st.sampled_from([*person, *process]))(data.draw)

    def gives_a_title(self, _: Draw) -> None:
        title = self.fresh("title")
        self.notes(Fact("title", (title,)), lambda real: real.set_title(title))

    def sets_thresholds(self, draw: Draw) -> None:
        """R-BIND-10"""
        thresholds = draw(THRESHOLDS)
        if self.course.log.warns:
            self.notes(Fact("thresholds", (thresholds,)), lambda real: real.set_thresholds(thresholds))
        else:
            self.is_refused(lambda real: real.set_thresholds(thresholds))

    def chooses_a_profile(self, draw: Draw) -> None:
        """R-BIND-6: between steps."""
        name, limit = draw(st.sampled_from(["main", "other"])), draw(st.sampled_from([1000, 2000, None]))
        if not self.course.running:
            self.notes(Fact("bound", (name, limit)), lambda real: real.bind(binding(limit, name=name)))
        else:
            self.is_refused(lambda real: real.bind(binding(limit, name=name)))

    def revokes(self, _: Draw) -> None:
        assert self.course.log.grant is not None
        approved = self.course.log.log[self.course.log.grant].details[0]
        action_id = self.process.conversation.granted[0].action_id
        self.notes(Fact("approval", (approved, "revoked", None)), lambda real: real.revoke(action_id))

    @invariant()
    def a_person_cannot_condense(self) -> None:
        """R-MAN-2, R-MAN-4: refused before anything is looked up or appended."""
        if self.course.engine.way.refusal is None:
            return
        with pytest.raises(CommandRefused) as refused:
            self.process.conversation.condense().send(None)
        assert refused.value.status == self.course.engine.way.refusal

    @precondition(lambda self: self.course.place is None and self.course.engine.way.refusal is None)
    @rule(again=st.sampled_from([False, False, True]))
    def asks_for_a_summary(self, again: bool) -> None:
        """R-MAN-3, R-MAN-5, R-MAN-7: one summary for one command, however often it is sent."""
        self.words += not again
        command = f"command {self.words}"

        def condense(real: Conversation) -> None:
            self.receipt = asyncio.ensure_future(real.condense(command))
            self.receipt.add_done_callback(lambda task: task.cancelled() or task.exception())

        self.together(lambda toy: toy.condense(command), condense)

    @invariant()
    def a_person_hears_what_came_of_it(self) -> None:
        """R-MAN-5, R-MAN-7"""
        if self.receipt is None or self.course.by_hand:
            return
        receipt, self.receipt = self.receipt, None
        if receipt.cancelled() or isinstance(receipt.exception(), Died):
            return
        last = next((f for f in reversed(self.course.log.log) if f.what in ("condensation", "failure") and f.by), None)
        if receipt.exception() is None:
            assert last is not None
            assert last.what == "condensation"
        else:
            assert isinstance(receipt.exception(), CommandRefused)

    def notes(self, fact: Fact, act: Act) -> None:
        self.together(lambda toy: toy.note(fact), act)

    def is_refused(self, act: Act) -> None:
        with pytest.raises(CommandRefused):
            act(self.process.conversation)

    # What goes well

    @rule(tokens=COUNTS, scope=st.sampled_from(["once", "run"]))
    def goes_well(self, tokens: int | None, scope: Any) -> None:
        """Whoever is waited for does what one hopes for."""
        match self.course.place.for_ if self.course.place else "nobody":
            case "model":
                self.calls_tools(names=["look", "run_python"], tokens=tokens, cut_off=False)
            case "summary":
                self.summarises(blank=False)
            case "person":
                self.decides(decision=scope)
            case "tool":
                self.returns(outcome="ok")
            case _:
                self.begins_a_turn()

    # What the model says

    def _answers(self, move: Move) -> None:
        self.together(lambda toy: toy.answer(move), lambda real: self.process.model.says(move))

    @while_waiting_for("model")
    @rule(estimate=ESTIMATES)
    def is_estimated_anew(self, estimate: int | None) -> None:
        self.course.log.estimate = estimate

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
    @rule(tokens=COUNTS, message=st.sampled_from([None, "", "  Read notes/plan.md.\r\n", "🐾" * 8192]))
    def resets(self, tokens: int | None, message: str | None) -> None:
        argument = {"condense": "message_to_future_self", "new_context": "handoff"}[self._forgetting]
        arguments = {} if message is None else {argument: message}
        self._answers(call(self._forgetting, **arguments).using(input=tokens).saying("I start afresh."))

    @while_waiting_for("model")
    @rule(text=st.sampled_from(["", " \n"]), tokens=COUNTS)
    def answers_nothing(self, text: str, tokens: int | None) -> None:
        self._answers(reply(text).using(input=tokens))

    @while_waiting_for("model")
    @rule(kind=FAILURES)
    def fails(self, kind: Any) -> None:
        self._answers(failure(kind).requesting(0 if kind == "missing_key" else 1))

    @precondition(lambda self: waits_for(self, "model") and self.course.log.read)
    @rule()
    def overflows(self) -> None:
        self._answers(overflow())

    @while_waiting_for("model")
    @rule()
    def overflows_at_once(self) -> None:
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

    # What happens to the process

    def ends(self, draw: Draw) -> None:
        how = draw(st.sampled_from(["killed", "killed in a kernel that goes on", "closed"]))
        if how == "closed":
            self.is_closed()
        else:
            self._reopen(same_kernel=how != "killed")

    def is_closed(self) -> None:
        """R-STOP-13: Stop, then give up the log."""
        with contextlib.suppress(Died):
            self.course.stop()
        self.process.close()
        self.compare_commits_of_a_closed_log()
        self._reopen(same_kernel=not self.course.dead)

    def compare_commits_of_a_closed_log(self) -> None:
        self.store.store = self.store.store.reopen(same_kernel=True)
        self.compare_commits()

    def is_about_to_die(self, draw: Draw) -> None:
        """At one of the next appends: just before it is stored, or just after, unacknowledged."""
        appends, stored = draw(st.integers(1, 4)), draw(st.booleans())
        self.course.fuse, self.store.fuse = Fuse(appends, stored), Fuse(appends, stored)

    def _reopen(self, *, same_kernel: bool) -> None:
        self.process.die()
        if not len(self.store):
            # Not even the start was stored, so nothing was acknowledged, and the person begins anew.
            self.store, self.facts = MortalStore(MemoryStore(), self.store.fuse), Facts()
        else:
            self.store = MortalStore(self.store.store.reopen(same_kernel=same_kernel), self.store.fuse)
        try:
            self.course.reopen(same_kernel=same_kernel)
        except Died:
            with pytest.raises(Died):
                self._process()
            self.compare_commits()
            self._reopen(same_kernel=False)
            return
        self.process = self._process()
        self.compare_commits()

    # What holds after every move

    @invariant()
    def the_next_request_is_the_one_predicted(self) -> None:
        """R-VIEW-2 and all that stands behind it; INV1 to INV5."""
        if not self.course.log.log:
            return
        place, log = self.course.place, self.course.log
        main, buyer = self.process.model, self.process.buyer
        asked = place.for_ if place is not None and place.for_ in ("model", "summary") else None
        assert main.asked == (asked == "model" or (asked == "summary" and buyer is main))
        assert self.process.summariser.asked == (asked == "summary" and buyer is not main)
        if place is None:
            messages = self.process.conversation.next_request().messages
        elif place.for_ == "model":
            if self.seen == self.course.asked:
                return  # compared already; what came since is late
            self.seen = self.course.asked
            messages = main.requests[-1].messages
        elif place.for_ == "summary":
            prompt = buyer.requests[-1].messages[1]["content"]
            self.course.engine.prompts.setdefault(place.about, prompt)
            assert buyer.requests[-1].tools == []
            assert prompt.count("\n<entry number=") == self.course.engine.planned[place.about]
            assert not [text for m in log.unread if (text := log.log[m].said) in prompt]
            return
        else:
            return
        shown, predicted = as_shown(messages), log.request()
        if place is None and (advice := shown[len(predicted) :]):
            # What a step would add now, if its model is known already (R-WARN-8).
            assert self.course.engine.way.advice(log) is not None
            assert len(advice) == 1
            shown.pop()
        assert shown == predicted
        assert_lawful(messages)

    @invariant()
    def the_state_is_the_one_predicted(self) -> None:
        log, real, place = self.course.log, self.process.conversation, self.course.place
        running = {"person": "waiting"}.get(place.for_, "running") if place and self.course.running else log.status
        assert real.status == running
        assert [m.text for m in real.view.unread] == [log.log[m].said for m in log.unread]
        assert (real.view.rescue is not None) == (log.rescue is not None)
        assert (real.view.routine is not None) == (log.routine is not None)
        assert len(real.waiting) == (place is not None and place.for_ == "person")
        assert len(real.granted) == (log.grant is not None)
        assert real.log.ledger.title == log.title
        assert len(self.began) == len(self.course.effects) == len(set(self.began))  # I-9
        assert (real.view.count is None) == (log.count is None)
        if log.count is not None and log.log:
            budget = real.budget
            assert (budget.tokens, budget.counted) == log.budget()

    def teardown(self) -> None:
        if not hasattr(self, "course"):
            return
        Talking.lived += 1
        live = self.process.conversation.log
        commits = list(self.store.store.commits()) if len(self.store) else []
        self.process.die()
        assert live.view == View.of(event for commit in commits for event in commit)  # I-4, R-VIEW-1
        assert isinstance(Replay.of(commits), Replay)


def deaths_are_no_news(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A run that died with its process has nobody who would look at its exception."""
    if not isinstance(context.get("exception"), Died):
        loop.default_exception_handler(context)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_t2_a_conversation_does_what_the_contract_says(count: Callable[[str, int], None]) -> None:
    """T2"""
    with asyncio.Runner() as runner:
        Talking.loop, Talking.lived = runner.get_loop(), 0
        Talking.loop.set_exception_handler(deaths_are_no_news)
        # Without shrinking where only the verdict counts: a mutant is either caught or not.
        phases = [Phase.explicit, Phase.generate, *[Phase.shrink] * ("MUTANT" not in os.environ)]
        run_state_machine_as_test(
            Talking,
            settings=settings(
                stateful_step_count=40,
                phases=phases,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
            ),
        )
    count("conversations against the model", Talking.lived)
