"""Runs the toy engine beside a real conversation: up to where it waits, and no further than its death."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.recovery.closing import repair
from tests.recovery.engine import Engine
from tests.recovery.facts import Commit, Fact
from tests.recovery.script import Script, Stop, Wait


class Died(BaseException):
    """The process is gone. No `except Exception` can mend that."""


@dataclass
class Fuse:
    """The process dies at its n-th append from now on: before that is stored, or after it, unacknowledged."""

    appends: int
    stored: bool


@dataclass
class Course:
    """What one process does, by the contract. `commits` are those that are stored and were not yet compared."""

    engine: Engine
    kernel: int = 0
    fuse: Fuse | None = None
    commits: list[Commit] = field(default_factory=list[Commit])
    place: Wait | None = None
    """What the run waits for; None where nothing runs."""
    written_by: int | None = None
    """The kernel that wrote the last commit."""
    dead: bool = False
    by_hand: bool = False
    """Whether what is under way is a summary because a person asked (section 19)."""
    asked: int = 0
    paid: int = 0
    effects: list[int] = field(default_factory=list[int])
    """The calls with effects that began, over all processes."""
    _script: Script | None = None

    @property
    def log(self):  # type: ignore[no-untyped-def]
        return self.engine.log

    # What a person does

    def tell(self, text: str, pictures: int = 0) -> None:
        """R-LOG-7, R-STOP-10: recorded at once; after an explicit pause it waits for resume."""
        self.begin()
        self.commit([Fact("user", (text,), text, pictures)])
        if not self.log.paused:
            self.go()

    def note(self, fact: Fact) -> None:
        """A title, other thresholds, another profile, a withdrawal, a revocation: recorded, and nothing follows."""
        self.begin()
        self.commit([fact])

    def stop(self) -> None:
        """R-STOP-1, R-STOP-6"""
        if self.place is not None:
            self._advance(stop=True)

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self.place is not None and not self.by_hand

    def condense(self, command: str) -> None:
        """R-MAN-3, R-MAN-7: where there is something to summarise, and the command has no receipt yet."""
        plan = self.engine.way.plan(self.log, "host") if self.log.log else None
        if plan is not None and command not in self.log.receipts:
            self.by_hand, self._script = True, self.engine.by_hand(plan, command)
            self._advance()

    def pause(self) -> None:
        """R-STOP-9"""
        if self.running:
            self.engine.pause_wanted = True
        elif self.log.log and not self.log.paused:
            self.commit([Fact("pause")])

    def resume(self) -> None:
        """R-STOP-10"""
        if self.place is None and self.log.log:
            self.commit([Fact("resume")])
            if self.log.unfinished:
                self.go()

    def reopen(self, *, same_kernel: bool) -> None:
        """Another process, or the same one after a close, finds the log (section 21)."""
        self.dead, self.place, self._script, self.by_hand = False, None, None, False
        self.engine.pause_wanted, self.engine.in_flight, self.log.grant = False, [], None
        self.kernel += not same_kernel
        if self.log.log:
            facts = repair(self.log, new_kernel=self.kernel != self.written_by)
            if facts:
                self.commit(facts)

    # The run

    def go(self) -> None:
        if self.place is None:
            self.engine.pause_wanted = False
            self._script = self.engine.run()
            self._advance()

    def answer(self, said: object) -> None:
        """The word of whoever was waited for."""
        self._advance(said)

    def begin(self) -> None:
        """The start is stored with the first act of a person."""
        if not self.log.log:
            self.commit([Fact("start")])

    def commit(self, facts: Sequence[Fact]) -> None:
        if self.fuse is not None:
            self.fuse.appends -= 1
            if self.fuse.appends == 0:
                stored, self.fuse, self.dead = self.fuse.stored, None, True
                if stored:
                    self._store(facts)
                raise Died
        self._store(facts)

    def _store(self, facts: Sequence[Fact]) -> None:
        self.commits.append(tuple(facts))
        self.written_by = self.kernel
        for fact in facts:
            self.log.add(fact)

    def _advance(self, said: object = None, *, stop: bool = False) -> None:
        assert self._script is not None
        self.place = None
        try:
            what = self._script.throw(Stop()) if stop else self._script.send(said)
            while not isinstance(what, Wait):
                self.commit(what)
                what = self._script.send(None)
        except StopIteration:
            self._script, self.by_hand = None, False
            return
        self.place = what
        self.asked += what.for_ == "model"
        self.paid += what.for_ == "summary"
        if what.for_ == "tool":
            self.effects.append(what.about)
