"""A conversation whose model, tools and death are in the hands of a test: each waits until the test says what happens."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from smolpaws_jupyter.core.base import ImageBlock, JsonObject, TextBlock, ToolSpec
from smolpaws_jupyter.core.events import Bindings, ConversationStartEvent, Event
from smolpaws_jupyter.core.messages import Size
from smolpaws_jupyter.core.payloads import HostAction, ToolObservation
from smolpaws_jupyter.core.policies import policy_for
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.llm import Delta, Limits, LLMFailure, Request, Response
from smolpaws_jupyter.runtime.log import EventLog, mint
from smolpaws_jupyter.runtime.memory_store import MemoryStore
from smolpaws_jupyter.runtime.opening import repair
from smolpaws_jupyter.runtime.redaction import Redactor
from smolpaws_jupyter.runtime.store import Store
from smolpaws_jupyter.runtime.tools.base import Consent, Interrupted, ToolContext, said
from smolpaws_jupyter.testing import Move, ScriptedLLM
from tests.recovery.course import Died, Fuse
from tests.recovery.reference import PICTURE
from tests.runtime.talks import binding

IMAGE = ImageBlock(media_type="image/png", data="iVBORw0KGgo=")
KEEP_EVERY = 4
"""After so few events the folds are kept, so that most openings begin with some."""
QUIET = 8
"""After so many turns of the event loop without an event, everybody waits for somebody outside."""


class Puppet(ScriptedLLM):
    """A model that answers when `says` is called."""

    def __init__(self, window: int | None = None, counts: Callable[[], int | None] = lambda: None) -> None:
        super().__init__(window=window, estimate=lambda size: _with_pictures(counts(), size))
        self._answer: asyncio.Future[Move] | None = None

    @property
    def asked(self) -> bool:
        """Whether a request waits for an answer."""
        return self._answer is not None

    def says(self, move: Move) -> None:
        assert self._answer is not None
        self._answer.set_result(move)

    async def complete(
        self, request: Request, limits: Limits, on_delta: Callable[[Delta], None], on_send: Callable[[], None]
    ) -> Response:
        self.requests.append(request)
        on_send()
        self._answer = asyncio.get_running_loop().create_future()
        try:
            move = await self._answer
        finally:
            self._answer = None
        if move.failure is not None:
            raise LLMFailure(replace(move.failure, usage=move.usage, http_requests=move.http_requests))
        calls = tuple(replace(c, id=f"call-{len(self.requests)}-{n}") for n, c in enumerate(move.calls))
        return Response(
            text=move.text,
            calls=calls,
            finish_reason=move.finish_reason,
            usage=move.usage,
            http_requests=move.http_requests,
        )


def _with_pictures(tokens: int | None, size: Size) -> int | None:
    return None if tokens is None else tokens + PICTURE * size.images


@dataclass
class PuppetTool:
    """`look` and `photo` answer at once; the others run until `returns` says how it went. `began` outlives the process."""

    name: str
    began: list[str]
    effects: bool = True
    asks: bool = False
    _outcome: asyncio.Future[str] | None = None

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(name=self.name, description="A tool.", parameters={"type": "object", "properties": {}})

    def parse(self, arguments: JsonObject) -> HostAction:
        return HostAction(arguments=arguments)

    def consent(self, action: HostAction) -> Consent:
        return Consent("ask" if self.asks else "allow", covers=self.name)

    @property
    def running(self) -> bool:
        return self._outcome is not None

    def returns(self, outcome: str) -> None:
        assert self._outcome is not None
        self._outcome.set_result(outcome)

    async def run(self, action: HostAction, context: ToolContext) -> ToolObservation:
        text = str(action.arguments.get("text", ""))
        if self.name == "photo":
            return ToolObservation(content=(TextBlock(text=f"took {text}"), IMAGE))
        if not self.effects:
            return said(f"saw {text}")
        self.began.append(text)
        self._outcome = asyncio.get_running_loop().create_future()
        try:
            outcome = await self._outcome
        finally:
            self._outcome = None
        if outcome == "error":
            raise ValueError("it broke")
        if outcome == "interrupted":
            raise Interrupted(said(f"half of {text}", is_error=True))
        return said(f"did {text}")


class MortalStore:
    """A store whose process dies at a chosen append. A dead process writes nothing any more."""

    def __init__(self, store: MemoryStore, fuse: Fuse | None = None) -> None:
        self.store = store
        self.fuse = fuse
        self.dead = False

    def append(self, events: Sequence[Event]) -> None:
        if self.dead:
            raise Died
        if self.fuse is not None:
            self.fuse.appends -= 1
            self.dead = self.fuse.appends == 0
        if not self.dead or (self.fuse and self.fuse.stored):
            self.store.append(events)
        if self.dead:
            raise Died

    def keep_folds(self, folds: JsonObject) -> None:
        if not self.dead:
            self.store.keep_folds(folds)

    def __len__(self) -> int:
        return len(self.store)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


@dataclass(frozen=True)
class Setup:
    """What a conversation is started with."""

    settings: JsonObject
    limit: int | None = None
    window: int | None = None


class Process:
    """One process that has the conversation open. `act` lets it do something; `die` ends it without a word."""

    def __init__(
        self,
        setup: Setup,
        store: MortalStore,
        began: list[str],
        counts: Callable[[], int | None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Starts a conversation where `store` is empty, else opens what it holds. May die in the repair commit.

        `began` outlives the process: the tool calls with effects that were begun. `counts` estimates every request.
        """
        self.store = store
        self._loop = loop
        self.model = Puppet(setup.window, counts)
        self.summariser = Puppet()
        self.tools = {
            "look": PuppetTool("look", began, effects=False),
            "photo": PuppetTool("photo", began, effects=False),
            "note": PuppetTool("note", began),
            "run_python": PuppetTool("run_python", began, asks=True),
        }
        log = EventLog(cast("Store", store), Redactor(), keep_every=KEEP_EVERY)
        settings = AgentSettings.model_validate(log.view.start.settings if log.view.start else setup.settings)
        if log.view.start is not None:
            repair(log)
        self.conversation = Conversation(
            log,
            settings=settings,
            llm_for=lambda bound: self.summariser if bound.profile == "summary" else self.model,
            tools=list(self.tools.values()),
            start=None if log.view.start else self._start(setup, settings),
        )

    def _start(self, setup: Setup, settings: AgentSettings) -> ConversationStartEvent:
        buyer = settings.hard_condenser or settings.condenser
        own = getattr(buyer, "llm_profile_ref", None) is not None
        summary = binding(None, "vendor/small", "summary") if own else None
        return ConversationStartEvent(
            **mint(),
            conversation_id=self.store.conversation_id,
            settings=settings.model_dump(mode="json"),
            bindings=Bindings(main=binding(setup.limit), summary=summary),
            system_prompt="You are an agent.",
            tools=(*(tool.spec for tool in self.tools.values()), *policy_for(settings).tools),
        )

    @property
    def buyer(self) -> Puppet:
        """The model that makes the summaries: the main one where no other is bound (R-SET-29)."""
        start = self.conversation.view.start
        return self.summariser if start is not None and start.bindings.summary is not None else self.model

    def act(self, do: Callable[[Conversation], object]) -> None:
        """Does something, and then everything that follows from it without anybody outside."""

        async def done() -> None:
            do(self.conversation)
            quiet = 0
            while quiet < QUIET:
                before = self._progress()
                await asyncio.sleep(0)
                quiet = quiet + 1 if self._progress() == before else 0

        with contextlib.suppress(Died):
            self._loop.run_until_complete(done())

    def _progress(self) -> tuple[int, ...]:
        return len(self.store), len(self.model.requests), len(self.summariser.requests)

    def close(self) -> None:
        """Stop, and give up the log (R-STOP-13)."""
        with contextlib.suppress(Died):
            self._loop.run_until_complete(self.conversation.close())

    def die(self) -> None:
        """Ends all that was under way; nothing of that reaches the store."""
        self.store.dead = True
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        if tasks:
            self._loop.run_until_complete(asyncio.wait(tasks))
