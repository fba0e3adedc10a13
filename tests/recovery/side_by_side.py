"""A conversation and its toy, side by side: both do the same, and must have done the same after every move."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition

from smolpaws_jupyter.core.replay import Replay
from smolpaws_jupyter.core.view import View
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.memory_store import MemoryStore
from tests.recovery.course import Course, Died
from tests.recovery.engine import Engine
from tests.recovery.facts import Facts
from tests.recovery.puppets import MortalStore, Process, Setup
from tests.recovery.reference import Reference, as_shown
from tests.recovery.ways import Way
from tests.wire_rules import assert_lawful

STEPS_A_RUN = 6

Draw = Callable[[Any], Any]
Act = Callable[[Conversation], object]


def waits_for(machine: SideBySide, who: str) -> bool:
    """Whether a run waits for the model, a summary, a person or a tool."""
    return machine.course.place is not None and machine.course.place.for_ == who


def while_waiting_for(who: str) -> Any:
    """A move that is possible only then."""
    return precondition(lambda self: waits_for(self, who))


at_rest = precondition(lambda self: self.course.place is None)


class SideBySide(RuleBasedStateMachine):
    """What is the same for every move."""

    loop: ClassVar[asyncio.AbstractEventLoop]
    lived: ClassVar[int] = 0

    def begin(self, condenser: dict[str, Any], limit: int | None, window: int | None, estimate: int | None) -> None:
        self.setup = Setup({**condenser, "max_steps_per_run": STEPS_A_RUN}, limit, window)
        way = Way(condenser)
        log = Reference(warns=way.kind == "agent_reset", limit=limit, window=window, estimate=estimate)
        engine = Engine(log, way, max_steps=STEPS_A_RUN)
        self.course = Course(engine)
        self.began: list[str] = []
        self.words = self.seen = 0
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
        SideBySide.lived += 1
        live = self.process.conversation.log
        commits = list(self.store.store.commits()) if len(self.store) else []
        self.process.die()
        assert live.view == View.of(event for commit in commits for event in commit)  # I-4, R-VIEW-1
        assert isinstance(Replay.of(commits), Replay)
