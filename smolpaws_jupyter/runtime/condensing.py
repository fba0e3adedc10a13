"""When summaries are bought: before a request, after an overflow, or by hand (contract, sections 11 to 19)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..core import wording
from ..core.budget import Gauge
from ..core.errors import CommandRefused
from ..core.events import UsageEvent
from ..core.policies import Policy
from ..core.profiles import Binding
from ..core.summary import SummaryPlan
from ..core.view import View
from .control import Control
from .endings import Overflow, end
from .listening import Listener
from .llm import LLM, Limits, LLMFailure
from .log import EventLog, mint
from .model_in_use import ModelInUse
from .summarizer import NoSummary, Summarizer


class Condenser:
    """Carries out what the policy wants of summaries, each with the profile bound for it, else with the main one."""

    def __init__(self, log: EventLog, policy: Policy, limits: Limits, listener: Listener, model: ModelInUse) -> None:
        """`model` holds the client that makes the summaries."""
        self.log = log
        self.policy = policy
        self.limits = limits
        self.listener = listener
        self.model = model

    async def before(self, view: View, overflow: Callable[[], Overflow], gauge: Gauge, control: Control) -> bool:
        """What the policy wants done before a request of this view is sent (R-STEP-2). True where something was tried.

        `overflow` is what sending it would run into.
        """
        due = self.policy.due(view, gauge)
        if due is None:
            return False
        plan = self.policy.plan(view, due, gauge)
        if due == "capacity":
            await self._over_capacity(plan, overflow(), control)
        elif plan is not None:
            await self._routine(plan, control)
        return plan is not None

    async def _routine(self, plan: SummaryPlan, control: Control) -> None:
        """A summary that makes room ahead. Where there is none, the request goes out unchanged (R-ORD-8, R-WIN-11)."""
        try:
            llm = await self._client(control)
        except LLMFailure as error:
            self.listener.problem(error.failure)
            return
        none = await self._buy(plan, llm, control)
        if none is not None:
            self.log.append(none.record)

    async def _over_capacity(self, plan: SummaryPlan | None, overflow: Overflow, control: Control) -> None:
        """A request that is known to be too large is not sent (R-NEW-16, R-NEW-22)."""
        if overflow.view.rescue is not None:
            end(self.log, "context_rescue_blocked", wording.capacity_blocked())
        if plan is None:
            end(self.log, *overflow.too_large(("context_window_exceeded", wording.over_capacity())))
        none = await self._buy(plan, await self._rescuer((), control), control)
        if none is not None:
            self._failed(none)

    async def after_overflow(
        self, overflow: Overflow, gauge: Gauge, paid: Sequence[UsageEvent], control: Control
    ) -> None:
        """Buys a summary, or cuts what is shown, or ends the run with the reason why neither helps (R-FAIL-6)."""
        if self.policy.once and overflow.view.rescue is not None:
            blocked = ("context_rescue_blocked", overflow.named(wording.rescue_blocked()))
            end(self.log, *(await overflow.output_allowance() or blocked), paid)
        plan = self.policy.plan(overflow.view, "provider_context_window", gauge)
        if plan is not None:
            if (hopeless := overflow.no_summary_helps()) is not None:
                end(self.log, *(await overflow.output_allowance() or hopeless), paid)
            llm = await self._rescuer(paid, control)
            if paid:
                self.log.append(*paid)
            none = await self._buy(plan, llm, control)
            if none is None:
                return
            if self.policy.once or not none.overflowed:
                self._failed(none)
            self.log.append(none.record)
            paid = ()
        cut = self.policy.truncation(self.log.view, mint)
        if not cut:
            end(self.log, *await overflow.ending(("context_window_exceeded", overflow.named(self._exceeded()))), paid)
        if paid:
            self.log.append(*paid)
        self.log.append(*cut)

    async def by_hand(self, gauge: Gauge, command_id: str, control: Control) -> None:
        """One summary because a person asked (R-MAN-3); the log says what came of it.

        Raises `CommandRefused` where there is nothing to summarise or no key; then nothing was appended.
        """
        plan = self.policy.plan(self.log.view, "host", gauge)
        if plan is None:
            raise CommandRefused("nothing_to_condense", wording.MANUAL_NOTHING)
        try:
            llm = await self._client(control)
        except LLMFailure as error:
            raise CommandRefused("condensation_failed", wording.missing_key(error.failure.text)) from None
        none = await self._buy(plan, llm, control, command_id)
        if none is not None:
            self.log.append(none.record, command_id=command_id)

    # Inside

    @property
    def _binding(self) -> Binding:
        """The profile that summaries are made with (R-SET-28, R-SET-29)."""
        view = self.log.view
        bound = (view.start.bindings.summary if view.start else None) or view.binding
        assert bound is not None, "a conversation runs only after its start is stored"
        return bound

    async def _client(self, control: Control) -> LLM:
        """The client for a summary. Raises `LLMFailure` where its key is missing: before any intent (R-EMERG-8)."""
        llm = await control.guard(self.model.load(self._binding))
        await control.guard(llm.check_key())
        return llm

    async def _rescuer(self, paid: Sequence[UsageEvent], control: Control) -> LLM:
        """The client for a rescue; a missing key ends the run and leaves the bound open."""
        try:
            return await self._client(control)
        except LLMFailure as error:
            end(self.log, "context_window_exceeded", wording.summary_key_missing(error.failure.text), paid)

    async def _buy(
        self, plan: SummaryPlan, llm: LLM, control: Control, command_id: str | None = None
    ) -> NoSummary | None:
        self.listener.busy("summary")
        told = self.listener.problem
        return await Summarizer(self.log, llm, self._binding, self.limits, control, told, command_id).buy(plan)

    def _failed(self, none: NoSummary) -> None:
        """Ends the run in one commit with the record of its rescue's failure (R-EMERG-16, R-WIN-9)."""
        own_class = none.failure.kind if none.failure is not None and not self.policy.once else None
        code = own_class or "context_rescue_failed"
        detail = wording.rescue_failed(self._binding.profile, none.why, once=self.policy.once)
        end(self.log, code, detail, (none.record,))

    def _exceeded(self) -> str:
        rescue_is_off = self.policy.kind == "agent_reset"
        return wording.overflow_without_rescue() if rescue_is_off else wording.overflow_without_way()
