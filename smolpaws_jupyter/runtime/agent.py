"""One step: build a request, ask the model, turn its answer into events, run the tools (contract, section 8)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from ..core import wording
from ..core.base import JsonObject, TextBlock
from ..core.budget import Gauge, budget_of, prompt_was_cut
from ..core.entries import Entries
from ..core.events import (
    ActionEvent,
    ContextWarningEvent,
    Event,
    MessageEvent,
    ResponseEvent,
    UsageEvent,
)
from ..core.messages import Renderer, tool_definitions
from ..core.policies import Policy
from ..core.units import Aside, Entry
from ..core.view import View
from .condensing import Condenser
from .control import Control, Stopped
from .endings import Overflow, end
from .listening import Listener
from .llm import LLM, Failure, Limits, LLMFailure, Request, Response
from .log import EventLog, mint
from .model_in_use import ModelInUse
from .runner import ToolRunner
from .tools.toolbox import Unusable

IN_A_ROW = 3
"""How many empty or refused replies in a row end a run (R-STEP-9, R-STEP-10)."""


class Agent:
    """Makes steps. It keeps nothing between them but a renderer, which could be made anew at any time."""

    def __init__(
        self,
        log: EventLog,
        policy: Policy,
        runner: ToolRunner,
        limits: Limits,
        listener: Listener,
        summary_model: ModelInUse,
    ) -> None:
        self.log = log
        self.policy = policy
        self.runner = runner
        self.limits = limits
        self.listener = listener
        self.renderer = Renderer()
        self.turn = asyncio.Lock()
        """Held by a step or a manual condensation: one at a time (R-STEP-1)."""
        self.condenser = Condenser(log, policy, limits, listener, summary_model)
        self._call_ids = CallIds()
        self.in_flight: frozenset[str] = frozenset()
        """The unread messages that the request under way carries."""

    async def step(self, llm: LLM, window: int | None, control: Control) -> bool:
        """One main request with what follows from it (R-STEP-2). True while the turn goes on."""
        self.runner.close_open_calls()
        snapshot = self.log.view
        if await self.condense_before(snapshot, llm, window, control):
            snapshot = self.log.view
        advice = self.advise(snapshot, llm, window)
        shown = snapshot.with_asides(advice)
        request = self.request(shown)
        try:
            response = await self.ask(llm, request, snapshot.boundary, control)
        except LLMFailure as error:
            await self.failed(error.failure, snapshot, llm, window, control)
            return True
        batch, arguments = self.record(response, snapshot.boundary, shown)
        self.check_count(snapshot, response)
        await self.runner.run(batch, arguments, response.finish_reason, control)
        self.settle(batch, response.finish_reason, llm, window)
        self.check_empty()
        return self.log.view.unfinished

    # Building

    def tools(self, view: View) -> list[JsonObject]:
        """The stored definitions of the tools that are installed (R-MSG-1)."""
        start = view.start
        installed = {spec.name for spec in self.runner.toolbox.specs}
        return tool_definitions(t for t in (start.tools if start else ()) if t.name in installed)

    def request(self, view: View) -> Request:
        """What a main request built from this view sends."""
        assert view.binding is not None
        return Request(self.renderer.messages(view), self.tools(view), view.binding)

    def gauge(self, view: View, llm: LLM | None, window: int | None) -> Gauge:
        """The budget of the next request, and a way to estimate another."""
        estimate: Callable[[View], int | None] = lambda _: None  # noqa: E731
        if llm is not None:
            estimate = lambda v: llm.estimate(self.renderer.size(v, self.tools(v)))  # noqa: E731
        return Gauge(budget_of(view, window, estimate), estimate)

    def advise(self, snapshot: View, llm: LLM, window: int | None) -> tuple[Aside, ...]:
        """Appends the remark that is due, if any; it belongs to this request (R-WARN-8)."""
        advice = self.policy.advice(snapshot, self.gauge(snapshot, llm, window), mint)
        if advice is None:
            return ()
        self.log.append(advice)
        return (advice,)

    async def condense_before(self, view: View, llm: LLM, window: int | None, control: Control) -> bool:
        """What the policy wants done before a request of this view is sent. True where something was tried."""
        gauge = self.gauge(view, llm, window)

        def overflow() -> Overflow:
            return Overflow(Failure("overflow"), view, self.renderer, self.tools(view), llm, gauge.budget.limit)

        return await self.condenser.before(view, overflow, gauge, control)

    async def condense_by_hand(self, llm: LLM, window: int | None, command_id: str, control: Control) -> None:
        """One summary because a person asked. Raises `CommandRefused` (section 19)."""
        await self.condenser.by_hand(self.gauge(self.log.view, llm, window), command_id, control)

    # Asking

    async def ask(self, llm: LLM, request: Request, boundary: str, control: Control) -> Response:
        """The model's complete reply. A call that was stopped on its way leaves a record of what may have been paid."""
        sent = 0

        def on_send() -> None:
            nonlocal sent
            sent += 1

        self.listener.busy("model")
        self.in_flight = frozenset(m.id for m in self.log.view.unread)
        try:
            return await control.guard(llm.complete(request, self.limits, self.listener.delta, on_send))
        except Stopped as stopped:
            if sent:
                cancelled = Failure("unknown", http_requests=sent)
                stopped.records = (self.usage(cancelled, request, boundary, "cancelled"),)
            raise
        finally:
            self.in_flight = frozenset()

    def usage(self, failure: Failure, request: Request, boundary: str, outcome: str) -> UsageEvent:
        return UsageEvent(
            **mint(),
            purpose="main_failed",
            read_through=boundary,
            outcome=outcome,
            usage_id=f"profile:{request.binding.profile}",
            binding_digest=request.binding.digest,
            model=request.binding.model,
            usage=failure.usage,
            http_requests=failure.http_requests,
            latency_ms=failure.latency_ms,
        )

    # Failing

    async def failed(self, failure: Failure, snapshot: View, llm: LLM, window: int | None, control: Control) -> None:
        """Records a failed request, and ends the run unless another try makes sense (section 13)."""
        self.listener.problem(failure)
        request = self.request(snapshot)
        paid = (self.usage(failure, request, snapshot.boundary, failure.kind),) if failure.http_requests else ()
        match failure.kind:
            case "overflow":
                overflow = Overflow(failure, snapshot, self.renderer, request.tools, llm, window)
                await self.condenser.after_overflow(overflow, self.gauge(snapshot, llm, window), paid, control)
            case "content_policy" if snapshot.refusals + 1 < IN_A_ROW:
                if paid:
                    self.log.append(*paid)
                self.log.append(_remark(wording.NUDGE_CONTENT))
            case "content_policy":
                end(self.log, "content_refused", wording.CONTENT_REFUSED, paid)
            case "missing_key":
                end(self.log, "auth", wording.missing_key(failure.text), paid)
            case kind:
                end(self.log, kind, wording.failed(kind), paid)

    # Recording

    def record(self, response: Response, boundary: str, shown: View) -> tuple[Sequence[ActionEvent], dict[str, str]]:
        """The success and its reply as one commit (R-LOG-9). Gives the calls, and their arguments as received."""
        assert shown.binding is not None
        stamp = mint()
        success = ResponseEvent(
            **stamp,
            read_through=boundary,
            consumed_warning_ids=tuple(a.id for a in shown.asides if isinstance(a, ContextWarningEvent)),
            llm_response_id=response.id,
            usage_id=f"profile:{shown.binding.profile}",
            binding_digest=shown.binding.digest,
            model=shown.binding.model,
            usage=response.usage,
            http_requests=response.http_requests,
            latency_ms=response.latency_ms,
            finish_reason=response.finish_reason,
        )
        actions = self._actions(response, success.id, shown)
        reply: Sequence[Event] = actions
        if not actions:
            reply = [_spoken(response.text, success.id) if response.text.strip() else _remark(wording.NUDGE_EMPTY)]
        arguments = {a.id: a.arguments for a in actions}
        stored = self.log.append(success, *reply)
        return [event for event in stored if isinstance(event, ActionEvent)], arguments

    def _actions(self, response: Response, response_event_id: str, shown: View) -> list[ActionEvent]:
        taken = self._call_ids.of(shown.read)
        actions: list[ActionEvent] = []
        for index, call in enumerate(response.calls):
            call_id = call.id if call.id and call.id not in taken else f"call_{mint()['id']}"
            taken.add(call_id)
            read = self.runner.toolbox.read(call.name, call.arguments)
            actions.append(
                ActionEvent(
                    **mint(),
                    response_event_id=response_event_id,
                    tool_name=call.name,
                    tool_call_id=call_id,
                    arguments=call.arguments,
                    action=None if isinstance(read, Unusable) else read,
                    thought=response.text if index == 0 else "",
                    reasoning=response.reasoning if index == 0 else None,
                )
            )
        return actions

    def settle(self, batch: Sequence[ActionEvent], finish_reason: str | None, llm: LLM, window: int | None) -> None:
        """Answers the policy's own calls, the reset among them, in commits that were validated first (R-RESET-13)."""
        if finish_reason == "length" or not batch:
            return
        view = self.log.view
        for commit in self.policy.settle(batch, view, self.gauge(view, llm, window), mint):
            if self.log.check(commit) is not None:
                commit = self.policy.not_possible(batch, self.log.view, mint)
            self.log.append(*commit)

    def check_count(self, snapshot: View, response: Response) -> None:
        """Says so where the server seems to have cut the prompt; its count, and so the warnings, are then too low."""
        reported = response.usage.input
        if prompt_was_cut(snapshot, reported):
            assert snapshot.count is not None
            self.listener.notice("prompt_cut", wording.prompt_cut(snapshot.count.tokens or 0, reported or 0))

    def check_empty(self) -> None:
        if self.log.view.empty_replies >= IN_A_ROW:
            end(self.log, "empty_replies", wording.EMPTY_REPLIES)


class CallIds:
    """The call ids of a view's history; only what is new since the last time is looked at."""

    def __init__(self) -> None:
        self._read: Entries[Entry] = Entries()
        self._ids: set[str] = set()

    def of(self, read: Entries[Entry]) -> set[str]:
        """A set that the caller may add to: what it adds is about to be part of the history."""
        if not read.grew_from(self._read):
            self._read, self._ids = Entries(), set()
        self._ids |= {entry.tool_call_id for entry in read[len(self._read) :] if isinstance(entry, ActionEvent)}
        self._read = read
        return self._ids


def _spoken(text: str, response_event_id: str) -> MessageEvent:
    return MessageEvent(
        **mint(), source="agent", role="assistant", content=(TextBlock(text=text),), response_event_id=response_event_id
    )


def _remark(text: str) -> MessageEvent:
    return MessageEvent(**mint(), source="environment", role="user", content=(TextBlock(text=text),))
