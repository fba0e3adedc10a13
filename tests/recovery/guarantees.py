"""What must hold in a log, whatever happened to the processes that wrote it: the invariants, each under its number.

All of them look at a log of facts or at the world around it; none looks at the code under test.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import cast

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.events import RecoveryEvent
from tests.recovery.facts import Commit, Fact
from tests.recovery.reference import Reference
from tests.recovery.ways import Plan, Way
from tests.recovery.world import Stored, World


def the_log_is_what_was_acknowledged(found: Sequence[Stored], world: World) -> None:
    """I-1 to I-3, R-LOG-2: all that was acknowledged, unchanged, and nothing else but perhaps the commit in hand."""
    acknowledged = list(world.acknowledged)
    in_hand = [[*acknowledged, world.attempted]] if world.attempted is not None else []
    assert list(found) in [acknowledged, *in_hand]
    assert {event.id for commit in found for event in commit} >= set(world.told)


def whole_and_torn(log: bytes) -> tuple[int, bytes]:
    """I-4, I-5: how many sound lines a file has, numbered without a gap, and the bytes behind them."""
    whole = 0
    while (end := log.find(b"\n")) >= 0:
        line = log[:end]
        body = line[24:-1]
        if not line.startswith(b'{"crc":"%08x","rec":' % zlib.crc32(body)):
            break
        assert json.loads(body)["seq"] == whole
        whole, log = whole + 1, log[end + 1 :]
    return whole, log


def cuts_not_told_of(found: Sequence[Stored], world: World) -> list[str]:
    """The files with what was cut off a log, but for those that the log itself tells of."""
    told = " ".join(e.detail for commit in found for e in commit if isinstance(e, RecoveryEvent))
    return [path.name for path in world.disk.files if path.name.startswith("log.torn-") and path.name not in told]


def a_torn_tail_is_kept_aside(torn: bytes, world: World) -> None:
    """I-3, R-LOG-5: only an unacknowledged tail is cut, and it is kept and told of."""
    aside = [file.cache for path, file in world.disk.files.items() if path.name.startswith("log.torn-")]
    assert not torn or torn in aside
    assert not cuts_not_told_of(world.acknowledged, world)


def all_hold(commits: Sequence[Commit], world: World) -> None:
    """I-9 to I-24, as far as a log of this version can show them."""
    log = [fact for commit in commits for fact in commit]
    effects_happen_once_and_after_their_intent(log, world)
    every_call_has_one_result(log)
    a_reset_is_one_commit(commits)
    every_stage_warns_once_a_cycle(log)
    rescues_are_needed_and_bounded(log, once=world.way.once)
    summaries_are_of_what_their_kind_takes(log, world.way)
    paid_calls_are_recorded(log, world)


def effects_happen_once_and_after_their_intent(log: Sequence[Fact], world: World) -> None:
    """I-9, I-11: the tools of the stories say so where they were called before their intent was durable."""
    assert not world.hasty
    assert not [text for text, times in Counter(world.effects).items() if times > 1]
    started = [_text_of(log, fact.details[0]) for fact in log if fact.what == "started"]
    assert set(world.effects) <= set(started)
    assert len(started) == len(set(started))
    approved = {fact.details[0] for fact in log if fact.what == "approval"}
    for fact in log:
        if fact.what == "started" and log[fact.details[0]].details[1] == "run_python":
            assert fact.details[0] in approved


def _text_of(log: Sequence[Fact], call: int) -> str:
    return json.loads(log[call].details[2])["text"]


def every_call_has_one_result(log: Sequence[Fact]) -> None:
    """I-10. After a death it says what is known: "outcome unknown" only of a call that was started."""
    calls = [position for position, fact in enumerate(log) if fact.what == "call"]
    answered = [fact.details[0] for fact in log if fact.what in ("result", "closed", "rejected")]
    assert sorted(answered) == calls
    started = {fact.details[0] for fact in log if fact.what == "started"}
    for fact in log:
        if fact.what == "closed" and fact.details[1] == "outcome_unknown":
            assert fact.details[0] in started
        if fact.what == "closed" and fact.details[1] == "not_run":
            assert fact.details[0] not in started


def a_reset_is_one_commit(commits: Sequence[Commit]) -> None:
    """I-16, I-17, R-LOG-10: there is no state in which the result says so and the history is still there."""
    for commit in commits:
        kinds = [fact.what for fact in commit]
        voluntary = [fact for fact in commit if fact.what == "request" and fact.details[0] == "agent"]
        if voluntary or (kinds[0] == "result" and "condensation" in kinds):
            results = kinds.count("result")
            assert kinds == [*["result"] * results, "request", "condensation"]
            assert commit[-1].details[2] in (wording.RESET_NOTICE, wording.NEW_CONTEXT_NOTICE)
            assert commit[-1].details[3:] == (None, None)


def every_stage_warns_once_a_cycle(log: Sequence[Fact]) -> None:
    """I-20"""
    for cycle in {fact.details[0] for fact in log if fact.what == "warning"}:
        stages = [fact.details[1] for fact in log if fact.what == "warning" and fact.details[0] == cycle]
        assert all(lower < higher for lower, higher in pairwise(stages))


def rescues_are_needed_and_bounded(log: Sequence[Fact], *, once: bool) -> None:
    """I-21, I-24: one is for a request that was refused for its size, or would be.

    A main success lies between two, where one takes all it can at once.
    """
    success_since = True
    for position, fact in enumerate(log):
        if fact.what == "response":
            success_since = True
        if fact.what == "request" and fact.details[0] in ("provider_context_window", "capacity"):
            assert success_since or not once
            success_since = False
        if fact.what == "request" and fact.details[0] == "provider_context_window":
            overflow = next(f for f in reversed(log[:position]) if f.what == "usage")
            assert overflow.details[:2] == ("main_failed", "overflow")


def summaries_are_of_what_their_kind_takes(log: Sequence[Fact], way: Way) -> None:
    """R-NEW-19, R-NEW-21, R-WIN-1 to 7, R-ORD-3: what a summary protects, what it replaces, and where it stands."""
    toy, plans = Reference(), dict[int, Plan]()
    for position, fact in enumerate(log):
        if fact.what == "request" and fact.details[0] != "agent":
            trigger, boundary, protected = fact.details
            pending = [message for message in toy.unread if message <= boundary]
            plan = way.plan(replace(toy, unread=pending), trigger)
            assert plan is not None
            assert plan.protected == protected
            plans[position] = plan
        elif fact.what == "condensation" and (plan := plans.get(cast("int", fact.details[0]))):
            assert fact.details[1] == frozenset(plan.entries)
            assert fact.details[4] == plan.offset
        toy.add(fact)


def paid_calls_are_recorded(log: Sequence[Fact], world: World) -> None:
    """I-22, R-SUM-8: every attempt has its record, but for those that a death or a full disk cut off."""
    attempts = [fact.details[3:] for fact in log if fact.what == "usage" and fact.details[0] == "summary"]
    assert len(attempts) == len(set(attempts))
    interrupted = [fact for fact in log if fact.what == "failure" and fact.details[2] == "interrupted"]
    assert len(attempts) <= world.paid <= len(attempts) + len(interrupted)
