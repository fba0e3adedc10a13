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
from hypothesis.stateful import initialize, rule, run_state_machine_as_test

from tests.recovery.choices import COUNTS, ESTIMATES, KINDS, condensers
from tests.recovery.course import Died, Fuse
from tests.recovery.people import People
from tests.recovery.providers import Providers
from tests.recovery.side_by_side import Draw, SideBySide, waits_for


class Talking(People, Providers):
    """Everybody together, in a process that may end."""

    kind: ClassVar[str]

    @initialize(
        data=st.data(),
        limit=st.sampled_from([1000, 1000, None]),
        window=st.sampled_from([None, 10_000]),
        estimate=ESTIMATES,
        turns=st.sampled_from([0, 1, 3, 5]),
    )
    def starts(
        self, data: st.DataObject, limit: int | None, window: int | None, estimate: int | None, turns: int
    ) -> None:
        """A conversation of this kind, at its beginning or some turns later."""
        self.begin(data.draw(condensers(self.kind)), limit, window, estimate)
        for _ in range(turns):
            self.has_a_turn()

    def has_a_turn(self) -> None:
        """A question, a call, an answer; other things may come instead."""
        self.begins_a_turn()
        if waits_for(self, "model"):
            self.calls_tools(names=["look"], tokens=400, cut_off=False)
        if waits_for(self, "model"):
            self.answers_in_words(tokens=400)

    @rule(tokens=COUNTS, scope=st.sampled_from(["once", "run"]), does=st.sampled_from(["look", "photo", "talk"]))
    def goes_well(self, tokens: int | None, scope: Any, does: str) -> None:
        """Whoever is waited for does what one hopes for."""
        match self.course.place.for_ if self.course.place else "nobody":
            case "model" if does == "talk":
                self.answers_in_words(tokens=tokens)
            case "model":
                self.calls_tools(names=[does, "run_python"], tokens=tokens, cut_off=False)
            case "summary":
                self.summarises(blank=False)
            case "person":
                self.decides(decision=scope)
            case "tool":
                self.returns(outcome="ok")
            case _:
                self.begins_a_turn()

    @rule(data=st.data())
    def something_comes_between(self, data: st.DataObject) -> None:
        """What a person does beside talking, and what happens to the process."""
        person = [self.stops, self.pauses, self.gives_a_title, self.sets_thresholds, self.chooses_a_profile]
        person += [self.revokes] * (self.course.log.grant is not None)
        process = [self.ends, self.is_about_to_die, self.is_about_to_die]
        data.draw(st.sampled_from([*person, *process]))(data.draw)

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


def deaths_are_no_news(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A run that died with its process has nobody who would look at its exception."""
    if not isinstance(context.get("exception"), Died):
        loop.default_exception_handler(context)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", KINDS)
def test_t2_a_conversation_does_what_the_contract_says(kind: str, count: Callable[[str, int], None]) -> None:
    """T2"""
    with asyncio.Runner() as runner:
        Talking.loop, Talking.kind, SideBySide.lived = runner.get_loop(), kind, 0
        Talking.loop.set_exception_handler(deaths_are_no_news)
        # Without shrinking where only the verdict counts: a mutant is either caught or not.
        phases = [Phase.explicit, Phase.generate, *[Phase.shrink] * ("MUTANT" not in os.environ)]
        run_state_machine_as_test(
            Talking,
            settings=settings(
                max_examples=settings().max_examples // (15 if kind == "no_op" else 5),  # no_op does least
                stateful_step_count=40,
                phases=phases,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
            ),
        )
    count("conversations against the model", Talking.lived)
