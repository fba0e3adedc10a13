"""What outlives a process, and processes that live and die in it: the ground of the crash tests.

A process is watched at each of its steps on the disk: before the step, halfway through it and behind it. What a death
would leave at that moment is kept as a world of its own, in which another process can begin.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from typing import Any, cast

from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.errors import ConversationNotFound, StoreError
from smolpaws_jupyter.core.events import Event
from smolpaws_jupyter.core.messages import Size
from smolpaws_jupyter.core.payloads import HostAction, ToolObservation
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.llm import Request
from smolpaws_jupyter.runtime.log import EventLog
from smolpaws_jupyter.runtime.opening import repair
from smolpaws_jupyter.runtime.redaction import Redactor
from smolpaws_jupyter.runtime.store import Store
from smolpaws_jupyter.runtime.tools.base import ToolContext
from smolpaws_jupyter.testing import Gate, Move, ScriptedLLM
from tests.recovery.disks import FaultyDisk, WatchedDisk
from tests.recovery.facts import Facts
from tests.recovery.reference import Reference, as_shown
from tests.recovery.ways import Way
from tests.runtime.simulated_disk import ENDINGS, Ending, File, SimulatedDisk
from tests.runtime.talks import WITH_FALLBACK, Echo, Talk, talk, until
from tests.wire_rules import assert_lawful

FOLDER = Path("/work/.smolpaws/conversations/c")
LOG = FOLDER / "log.jsonl"
SNAPSHOT = FOLDER / "log.snapshot"
LIMIT = 1000
KEEP_EVERY = 4
"""After so few events a log gets a snapshot, so that every story has some."""
Stored = tuple[Event, ...]


@dataclass
class World:
    """The disk, and what people, providers and tools outside remember."""

    disk: SimulatedDisk = field(default_factory=SimulatedDisk)
    acknowledged: tuple[Stored, ...] = ()
    """The commits whose append returned."""
    attempted: Stored | None = None
    """The commit whose append did not return, or whose outcome the disk could not tell."""
    told: tuple[str, ...] = ()
    """The ids of the messages that a person was told are recorded."""
    effects: tuple[str, ...] = ()
    """What tools did outside."""
    hasty: tuple[str, ...] = ()
    """What they did too early."""
    asked: int = 0
    """Main requests that reached the provider."""
    paid: int = 0
    """Summaries that reached the provider."""
    kernels: int = 0
    way: Way = field(default_factory=lambda: Way(WITH_FALLBACK))
    """How the conversation keeps its context."""
    counts: Callable[[Size], int | None] = lambda size: size.bytes // 4
    """The counter of the model's tokens."""

    def after(self, ending: Ending) -> World:
        """This world if the process dies now."""
        return replace(self, disk=self.disk.reborn(ending))

    def watched(self, seen: Callable[[], None]) -> World:
        """A copy of this world, on a disk that tells when a process could die."""
        return replace(self, disk=WatchedDisk(*self._parts(), seen=seen))

    def failing(self, at: int) -> World:
        """A copy of this world, on a disk of which one call fails."""
        return replace(self, disk=FaultyDisk(*self._parts(), fails_at=at))

    def beside(self, snapshot: bytes) -> World:
        """A copy of this world with this snapshot beside its log, and no other."""
        copy = self.after("kill")
        copy.disk.files[SNAPSHOT] = File(snapshot, snapshot)
        return copy

    def _parts(self) -> tuple[Any, ...]:
        disk = self.disk.reborn("kill")
        return None, 0, disk.files, disk.synced_files, disk.folders, disk.synced_folders

    @property
    def log(self) -> bytes:
        """The log file as a process would read it."""
        return self.disk.files.get(LOG, File()).cache

    @property
    def snapshot(self) -> bytes:
        """The snapshot beside the log; empty where there is none."""
        return self.disk.files.get(SNAPSHOT, File()).cache

    def fingerprint(self) -> object:
        """Equal for worlds in which the next process would do the same."""
        files = frozenset((path, file.cache, file.platter) for path, file in self.disk.files.items())
        attempted = tuple(event.id for event in self.attempted or ())
        outside = (len(self.acknowledged), attempted, self.told, self.effects, self.asked, self.paid)
        return files, frozenset(self.disk.synced_files), frozenset(self.disk.folders), outside


Process = Callable[[World], None]
POWER_CUTS = ENDINGS[1:]


def deaths(process: Process, world: World, *endings: Ending) -> list[World]:
    """Runs a process to its end; gives what each moment would leave at which it could have died, the same ones once.

    Of several endings each moment gets the next one.
    """
    left: dict[object, World] = {}
    ways = cycle(endings)

    def seen() -> None:
        dead = watched.after(next(ways))
        left.setdefault(dead.fingerprint(), dead)

    watched = world.watched(seen)
    process(watched)
    return list(left.values())


def one_death(process: Process, world: World, moment: int, ending: Ending) -> World | None:
    """The same for a single moment, counted from 1; None where the process has not so many."""
    left: World | None = None
    moments = 0

    def seen() -> None:
        nonlocal left, moments
        moments += 1
        if moments == moment:
            left = watched.after(ending)

    watched = world.watched(seen)
    process(watched)
    return left


class WitnessedStore:
    """A log on the world's disk; the world notes what was attempted and what was acknowledged."""

    def __init__(self, store: JsonlStore, world: World) -> None:
        self.inner = store
        self.world = world

    def append(self, events: Sequence[Event]) -> None:
        world, commit = self.world, tuple(events)
        world.attempted = commit
        try:
            self.inner.append(commit)
        except StoreError as error:
            if error.code != "unknown_outcome":
                world.attempted = None
            raise
        world.attempted, world.acknowledged = None, (*world.acknowledged, commit)

    def __len__(self) -> int:
        return len(self.inner)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


@dataclass
class Deed(Echo):
    """A tool with an effect outside: it looks whether its intent, and the approval it needs, are on the platter."""

    world: World = field(default_factory=World)

    async def run(self, action: HostAction, context: ToolContext) -> ToolObservation:
        platter = self.world.disk.files[LOG].platter
        for needed in ("ToolStartEvent", *["ApprovalEvent"] * (self.verdict == "ask")):
            if not any(needed.encode() in line and context.action_id.encode() in line for line in platter.splitlines()):
                self.world.hasty += (f"{self.name} before its {needed}",)
        self.world.effects += (str(action.arguments["text"]),)
        return await super().run(action, context)


class Life:
    """One process in a world. `begin` starts the conversation in it, `open` finds one that is there."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.kernel = f"kernel{world.kernels}"
        world.kernels += 1
        self.tools = {
            "look": Echo("look"),
            "note": Deed("note", effects=True, world=world),
            "run_python": Deed("run_python", effects=True, verdict="ask", world=world),
        }
        self._opened = 0
        self._moves: Iterator[Move] = iter(())
        self._summaries: Iterator[Move] = iter(())

    def begin(
        self, moves: Iterable[Move], summaries: Iterable[Move] = (), settings: JsonObject = WITH_FALLBACK
    ) -> Talk:
        """A new conversation with these moves of its model."""
        store = self._witnessed(JsonlStore.create(FOLDER, disk=self.world.disk))
        rules = {"script": self._asked(moves), "summaries": self.summarises(summaries)}
        options = {"settings": settings, "limit": LIMIT, "approvals": "ask", "keep_every": KEEP_EVERY}
        self.world.way = Way(settings)
        tools = list(self.tools.values())
        self.t = talk(**rules, store=cast("Store", store), estimate=self._count, tools=tools, **options)
        return self.t

    def store(self) -> WitnessedStore | None:
        """What is stored, opened for writing; None where no conversation is."""
        try:
            store = JsonlStore.open(FOLDER, disk=self.world.disk)
        except ConversationNotFound:
            return None
        return self._witnessed(store)

    def open(self, store: WitnessedStore, moves: Iterable[Move] = (), summaries: Iterable[Move] = ()) -> Talk:
        """The conversation, repaired and ready; nothing runs."""
        log = EventLog(cast("Store", store), Redactor(), keep_every=KEEP_EVERY)
        assert log.view.start is not None
        repair(log)
        model = ScriptedLLM(self._asked(moves), estimate=self._count)
        summariser = ScriptedLLM(self.summarises(summaries))
        conversation = Conversation(
            log,
            settings=AgentSettings.model_validate(log.view.start.settings),
            llm_for=lambda bound: summariser if bound.profile == "summary" else model,
            tools=list(self.tools.values()),
        )
        self.t = Talk(conversation, model, cast("Store", store), summariser)
        return self.t

    def tell(self, text: str) -> str:
        message_id = self.t.conversation.tell(text)
        self.world.told += (message_id,)
        return message_id

    async def ask(self, text: str) -> None:
        self.tell(text)
        await self.t.conversation.settled()

    async def reaches(self, what: Gate | Callable[[], object]) -> None:
        """Waits for a gate or a fact. Raises what broke the run before it came to that."""
        reached = asyncio.ensure_future(what.reached() if isinstance(what, Gate) else until(what))
        settled = asyncio.ensure_future(self.t.conversation.settled())
        hasty = asyncio.ensure_future(until(lambda: self.world.hasty))
        await asyncio.wait({reached, settled, hasty}, return_when=asyncio.FIRST_COMPLETED)
        assert not self.world.hasty
        hasty.cancel()
        if not reached.done():
            reached.cancel()
            await settled
            raise AssertionError("the run came to rest before that")
        settled.cancel()

    async def asks_for_consent(self) -> str:
        """The id of the call that waits for a person."""
        await self.reaches(lambda: self.t.conversation.waiting)
        return self.t.conversation.waiting[0].action_id

    def _witnessed(self, store: JsonlStore) -> WitnessedStore:
        self._opened += 1
        store.writer_id = f"{self.kernel}-{self._opened}"
        return WitnessedStore(store, self.world)

    def says(self, moves: Iterable[Move]) -> None:
        """What the model answers from now on."""
        self._moves = iter(moves)

    def _asked(self, moves: Iterable[Move]) -> Callable[[Request], Move]:
        """A model that answers in order. Every request is lawful, and the one that the contract asks for."""
        self.says(moves)

        def answer(request: Request) -> Move:
            if not request.tools:  # a summary, which the main model makes where no other is bound
                return self._summary(request)
            self.world.asked += 1
            assert_lawful(request.messages)
            assert as_shown(request.messages) == toy_of(self.world.acknowledged).request()
            return next(self._moves)

        return answer

    def summarises(self, moves: Iterable[Move]) -> Callable[[Request], Move]:
        """What whoever makes the summaries answers from now on."""
        self._summaries = iter(moves)
        return self._summary

    def _summary(self, request: Request) -> Move:
        """What is paid for is on the platter as an intent (I-22)."""
        (outstanding,) = toy_of(self.world.acknowledged).outstanding
        asked = [event for commit in self.world.acknowledged for event in commit][outstanding]
        assert asked.id.encode() in self.world.disk.files[LOG].platter
        self.world.paid += 1
        return next(self._summaries)

    def _count(self, size: Size) -> int | None:
        return self.world.counts(size)


def toy_of(commits: Iterable[Sequence[Event | UnknownEvent]]) -> Reference:
    """What the contract makes of a log."""
    return Reference(limit=LIMIT).add_all(Facts.of(commits))
