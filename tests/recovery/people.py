"""What a person does in a conversation that hypothesis plays."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from smolpaws_jupyter.core.errors import CommandRefused
from smolpaws_jupyter.runtime.conversation import Conversation
from tests.recovery.choices import THRESHOLDS
from tests.recovery.course import Died
from tests.recovery.facts import Fact
from tests.recovery.puppets import IMAGE
from tests.recovery.side_by_side import Act, Draw, SideBySide, at_rest, while_waiting_for
from tests.runtime.talks import binding


class People(SideBySide):
    """Talks, decides, stops, changes what can be changed, and asks for summaries."""

    receipt: asyncio.Task[str] | None = None

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
