"""T1: a conversation dies at every step on the disk, and again while it recovers. Nothing that was promised is lost.

Each story of `stories.py` is run once and watched. For every moment at which it could have died, by a kill and by a
power cut, another process finds what is left, opens it, is checked, goes on, and is checked again.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable

import pytest

from smolpaws_jupyter.core.errors import SmolPawsError
from smolpaws_jupyter.core.view import View
from smolpaws_jupyter.testing import overflow, reply
from tests.conftest import LANE
from tests.recovery import guarantees
from tests.recovery.closing import repair
from tests.recovery.disks import FaultyDisk
from tests.recovery.facts import Facts
from tests.recovery.reference import as_shown
from tests.recovery.stories import EVERY_COMMIT, STORIES, WITH_SNAPSHOTS, Story
from tests.recovery.stories_in_kinds import OTHER_KINDS
from tests.recovery.world import POWER_CUTS, Life, Process, World, deaths, one_death, toy_of
from tests.runtime.simulated_disk import ENDINGS, Ending
from tests.wire_rules import assert_lawful, assert_shows

pytestmark = pytest.mark.slow

Count = Callable[[str, int], None]
stories = pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)


def every(story: Story) -> int:
    """Of how many moments one is looked at. Half of the time goes to the kind of condenser that most people have."""
    return {"check": 8, "test": 4, "all": 1}[LANE] if story in OTHER_KINDS else {"check": 5, "test": 1, "all": 1}[LANE]


def told(story: Story) -> Process:
    """One process that lives through the story."""
    return lambda world: asyncio.run(story(Life(world)))


def lives_on(world: World) -> None:
    """Another process finds what is left: it opens it, is checked, goes on, and is checked again."""
    asyncio.run(_lives_on(world))


async def _lives_on(world: World) -> None:
    life = Life(world)
    outside = (world.asked, world.paid, world.effects)
    ignores_estimates(world)
    torn = guarantees.whole_and_torn(world.log)[1]
    store = life.store()
    found = list(store.commits()) if store is not None else []
    guarantees.the_log_is_what_was_acknowledged(found, world)
    if store is None or not found:
        return  # not even the start was stored, so nobody was promised anything
    assert store.read_only is None
    world.acknowledged, world.attempted = tuple(found), None

    # opening appends the one commit that the contract asks for, and does nothing else (R-REST-1 to R-REST-9)
    toy = toy_of(found)
    cuts = guarantees.cuts_not_told_of(found, world)
    repaired = repair(toy, new_kernel=True, cuts=len(cuts))
    life.open(store)
    assert Facts.of(world.acknowledged) == Facts.of(found) + [tuple(repaired)] * bool(repaired)
    assert (world.asked, world.paid, world.effects) == outside
    guarantees.a_torn_tail_is_kept_aside(torn, world)
    is_as_the_contract_says(life)
    life.t.conversation.log.close()

    # the next kernel opens it too, and appends nothing (I-7)
    length, life = len(store), Life(world)
    store = life.store()
    assert store is not None
    assert store.recovered == ()
    life.open(store)
    assert len(store) == length
    is_as_the_contract_says(life)

    bought = await goes_on(life)
    assert (world.paid, world.effects) == (outside[1] + bought, outside[2])
    guarantees.all_hold(Facts.of(world.acknowledged), world)
    assert tuple(store.commits()) == world.acknowledged
    assert guarantees.whole_and_torn(world.log) == (len(world.acknowledged), b"")


def ignores_estimates(world: World) -> None:
    """What a provider counted is in the log; what a counter would say now is nothing that a toy could know."""
    if world.way.kind != "agent_reset":
        world.counts = lambda _: None


async def goes_on(life: Life) -> int:
    """The person goes on. What no request has carried is in the next one, once (I-18); a closed bound holds (I-21).

    Gives how many routine summaries are due before that, by the contract.
    """
    ignores_estimates(life.world)
    conversation, toy, way = life.t.conversation, toy_of(life.world.acknowledged), life.world.way
    bound_closed = toy.rescue is not None and way.once
    life.tell("And now?")
    toy = toy_of(life.world.acknowledged)
    due = way.due(toy)
    bought = int(due is not None and way.plan(toy, due) is not None)
    life.says([*[overflow()] * bound_closed, reply("Done.")])
    life.summarises([reply("Later.")] * bought)
    view = conversation.view
    unread = [message for message in view.unread if (message.id, 0) not in view.cuts]
    if conversation.view.paused:
        conversation.resume()
    await conversation.settled()
    if bound_closed:
        assert conversation.view.error is not None
        assert conversation.view.error.code == "context_rescue_blocked"
        conversation.resume()
        await conversation.settled()
    assert conversation.status == "idle"
    assert_shows(life.t.llm.requests[-1].messages, unread)
    is_as_the_contract_says(life)
    return bought


def is_as_the_contract_says(life: Life) -> None:
    """View, status, totals and the next request are what the log means (I-4, R-VIEW-1, R-VIEW-2)."""
    conversation = life.t.conversation
    toy = toy_of(life.world.acknowledged)
    assert conversation.view == View.of(event for commit in life.world.acknowledged for event in commit)
    assert conversation.status == toy.status
    assert (conversation.view.count is None) == (toy.count is None)
    assert [message.text for message in conversation.view.unread] == [toy.log[m].said for m in toy.unread]
    messages = conversation.next_request().messages
    shown, predicted = as_shown(messages), toy.request()
    if advice := shown[len(predicted) :]:
        # What a step would add now (R-WARN-8).
        assert life.world.way.kind == "agent_reset"
        assert len(advice) == 1
        shown.pop()
    assert shown == predicted
    assert_lawful(messages)
    recorded = sum(totals.records for totals in conversation.log.ledger.totals.values())
    assert recorded == sum(fact.what in ("response", "usage") for fact in toy.log)


@stories
@pytest.mark.parametrize("endings", [["kill"], POWER_CUTS], ids=["kill", "power"])
def test_t1_f_1_a_death_at_every_step_loses_nothing_and_repeats_nothing(
    story: Story, endings: list[Ending], count: Count
) -> None:
    """T1, F-1, F-2, T-REST-01, I-1 to I-4, I-7, I-9 to I-11, I-16 to I-24; every other recovery dies, too."""
    dead = deaths(told(story), World(), *endings)
    for number, world in enumerate(dead[:: every(story)]):
        count("crash points", 1)
        if number % 2:
            lives_on(world)
        elif (again := one_death(lives_on, world, 1 + number % 18, ENDINGS[number % len(ENDINGS)])) is not None:
            lives_on(again)
            count("crash points of recoveries", 1)


@stories
@pytest.mark.exhaustive
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("ending", ENDINGS)
def test_t1_each_recovery_may_die_at_seven_of_its_steps(story: Story, ending: Ending, count: Count) -> None:
    """T1, F-2: all sorts of power cuts, seven second fuses each."""
    for number, world in enumerate(deaths(told(story), World(), ending)):
        again = deaths(lives_on, world, ENDINGS[number % len(ENDINGS)])
        for dead in again[:: max(1, len(again) // 7)]:
            lives_on(dead)
            count("crash points of recoveries", 1)
        count("crash points", 1)


@pytest.mark.parametrize("story", WITH_SNAPSHOTS, ids=lambda story: story.__name__)
def test_t1_i_7_whatever_snapshot_lies_beside_a_log_it_means_what_it_says(story: Story, count: Count) -> None:
    """I-7, R-LOG-1, T-LOG-04: an old one; one ahead of the log, as where somebody puts an older log back; and one of a
    conversation that went the same way."""
    worlds, others = (deaths(told(story), World(), "kill") for _ in range(2))
    ours = list(dict.fromkeys(world.snapshot for world in worlds if world.snapshot))
    for world, other in list(zip(worlds, others, strict=True))[:: 4 * every(story)]:
        ahead = ours[ours.index(world.snapshot) + 1 :] if world.snapshot else ours
        stale = ours[:1] if world.snapshot in ours[1:] else []
        for snapshot in [*stale, *ahead[:1], *[other.snapshot] * bool(other.snapshot)]:
            lives_on(world.beside(snapshot))
            count("snapshots put beside a log", 1)


@stories
def test_t6_i_2_a_write_that_fails_leaves_nothing_behind(story: Story, count: Count) -> None:
    """I-2, F-9, R-LOG-2, R-RESET-14, R-EMERG-18: the n-th write or sync fails, and the run stops; then the person goes on."""
    disk = FaultyDisk()
    told(story)(World(disk))
    for fails_at in range(1, disk.calls + 1, every(story)):
        world = World(FaultyDisk(fails_at=fails_at))
        asyncio.run(fails(story, world))
        lives_on(world.after("kill"))
        count("failed writes", 1)


async def fails(story: Story, world: World) -> None:
    """A process whose disk fails once; after that the person goes on in it, unless the log has to be opened again."""
    life = Life(world)
    with contextlib.suppress(SmolPawsError):
        await story(life)
    life.t.conversation.stop()  # where a person's act could not be recorded, the run itself may stand at a gate
    with contextlib.suppress(SmolPawsError):
        await life.t.conversation.settled()
    if world.attempted is None:
        assert guarantees.whole_and_torn(world.log) == (len(world.acknowledged), b"")
        assert life.t.conversation.log.view == View.of(e for commit in world.acknowledged for e in commit)
    if life.t.conversation.read_only is None:
        await goes_on(life)


@stories
def test_t6_f_12_an_opening_that_fails_loses_nothing(story: Story, count: Count) -> None:
    """T6, F-9, F-10, F-12, I-3: the n-th write or sync of an opening fails; the next opening finds all."""
    for world in deaths(told(story), World(), "half")[:: 8 * every(story)]:
        fails_at, happened = 0, True
        while happened:
            fails_at += 1
            failing = world.failing(fails_at)
            opens(failing)
            happened = isinstance(failing.disk, FaultyDisk) and failing.disk.calls >= fails_at
            lives_on(failing.after("kill"))
            count("failed openings", happened)


def opens(world: World) -> None:
    """A process that only opens what is there, on a disk that may fail."""
    life = Life(world)
    store = life.store()
    found = list(store.commits()) if store is not None else []
    guarantees.the_log_is_what_was_acknowledged(found, world)
    if store is not None and found:
        world.acknowledged, world.attempted = tuple(found), None
        if store.read_only is None:
            life.open(store)


def test_t_log_07_the_stories_write_every_kind_of_commit() -> None:
    """T-LOG-07, R-LOG-8: what shares a commit, over all stories and what follows from their deaths."""
    seen: set[str] = set()
    for story in STORIES:
        whole = World()
        told(story)(whole)
        recovered = deaths(told(story), World(), "half")[::5]
        for world in recovered:
            opens(world)
        for world in (whole, *recovered):
            seen |= {" ".join(fact.what for fact in commit) for commit in Facts.of(world.acknowledged)}
    missing = [name for name, form in EVERY_COMMIT.items() if not any(re.fullmatch(form, commit) for commit in seen)]
    assert not missing
    assert not [commit for commit in seen if not any(re.fullmatch(form, commit) for form in EVERY_COMMIT.values())]
