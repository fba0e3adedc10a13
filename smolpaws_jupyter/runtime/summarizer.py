"""Buys a summary: bounded attempts, each one request and one record, on a profile of its own (section 12)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from ..core import wording
from ..core.events import (
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    PinEvent,
    UsageEvent,
)
from ..core.messages import Message
from ..core.profiles import Binding
from ..core.summary import SummaryPlan, attempts, summary_request
from .control import Control, Stopped
from .llm import LLM, Failure, Limits, LLMFailure, Request, Response
from .log import EventLog, mint

AGAIN = ("rate_limit", "timeout", "transport", "server")
"""Failures that time may mend: the next attempt is worth its price (R-SUM-7)."""


class NoSummary:
    """There is no summary, and why: a code of R-CODE-3 and the record of it, which the caller stores."""

    def __init__(self, request_id: str, code: str, failure: Failure | None = None) -> None:
        """`failure` is the last refusal, if there was one."""
        self.failure = failure
        self.record = _failure(request_id, code)
        why = wording.SUMMARY_FAILED[code]
        self.why = why if failure is None else f"{why[:-1]} ({failure.kind})."

    @property
    def overflowed(self) -> bool:
        """Whether the request for the summary was too large itself."""
        return self.failure is not None and self.failure.kind == "overflow"


@dataclass(frozen=True)
class Summarizer:
    """Buys one summary: intent first, then bounded attempts, then the fact."""

    log: EventLog
    llm: LLM
    binding: Binding
    limits: Limits
    control: Control
    on_failure: Callable[[Failure], None]
    """Hears each refusal, whose words are shown and never stored."""
    command_id: str | None = None
    """The command of the person who asked, if one did; every record carries it (R-MAN-7)."""

    async def buy(self, plan: SummaryPlan) -> NoSummary | None:
        """Replaces what the plan names by a summary. Gives None, or why there is none; the view is then as before."""
        request = CondensationRequest(**mint(), source="environment", details=plan.details)
        pins = (PinEvent(**mint(), entry_ids=plan.pins),) if plan.pins else ()
        self.log.append(*pins, request, command_id=self.command_id)
        try:
            reply = await self._reply(plan, request.id)
        except Stopped as stopped:
            stopped.records = (*stopped.records, _failure(request.id, "cancelled"))
            raise
        return reply if isinstance(reply, NoSummary) else self._commit(plan, request.id, reply)

    def _commit(self, plan: SummaryPlan, request_id: str, response: Response) -> NoSummary | None:
        fact = Condensation(
            **mint(),
            request_id=request_id,
            forgotten_event_ids=tuple(entry.id for entry in plan.entries),
            notice=plan.notice,
            summary=f"{plan.heading}\n\n{response.text}" if plan.heading else response.text,
            summary_offset=plan.offset,
            llm_response_id=response.id,
        )
        refused = "invalid_commit" if self.log.check([fact]) is not None else plan.refuse(fact)
        if refused is not None:
            return NoSummary(request_id, refused)
        self.log.append(fact, command_id=self.command_id)
        return None

    async def _reply(self, plan: SummaryPlan, request_id: str) -> Response | NoSummary:
        """A reply with text, after as many attempts as the plan allows (R-SUM-4 to 7)."""
        failure: Failure | None = None
        tries = attempts(plan.shown, plan.scaling, plan.attempts)
        shown = next(tries)
        for attempt in range(1, plan.attempts + 1):
            try:
                response = await self._attempt(summary_request(shown), request_id, attempt)
            except LLMFailure as error:
                failure = error.failure
                self.on_failure(failure)
            else:
                return response if response.text.strip() else NoSummary(request_id, "summary_blank")
            if failure.kind == "overflow":
                shorter = next(tries, None)
                if shorter is None:
                    break
                shown = shorter
            elif failure.kind not in AGAIN:
                break
            elif attempt < plan.attempts:
                await self.control.guard(asyncio.sleep(self._wait(failure)))
        return NoSummary(request_id, "summary_failed", failure)

    def _wait(self, failure: Failure) -> float:
        most = self.limits.retry_after_max_seconds
        asked = failure.retry_after or 0.0
        return asked if most is None else min(asked, most)

    async def _attempt(self, messages: list[Message], request_id: str, attempt: int) -> Response:
        """One request at the socket, and its record whatever came of it (R-SUM-6, R-SUM-8)."""
        request = Request(messages, [], self.binding)
        limits = replace(self.limits, max_http_requests=1)
        sent = 0

        def on_send() -> None:
            nonlocal sent
            sent += 1

        def record(outcome: str, spent: Response | Failure) -> UsageEvent:
            return UsageEvent(
                **mint(),
                purpose="summary",
                request_id=request_id,
                attempt=attempt,
                outcome=outcome,
                llm_response_id=spent.id if isinstance(spent, Response) else None,
                usage_id="condenser",
                binding_digest=self.binding.digest,
                model=self.binding.model,
                usage=spent.usage,
                http_requests=spent.http_requests,
                latency_ms=spent.latency_ms,
                finish_reason=spent.finish_reason if isinstance(spent, Response) else None,
            )

        try:
            response = await self.control.guard(self.llm.complete(request, limits, lambda _: None, on_send))
        except Stopped as stopped:
            if sent:
                stopped.records = (record("cancelled", Failure("unknown", http_requests=sent)),)
            raise
        except LLMFailure as error:
            self.log.append(record(error.failure.kind, error.failure), command_id=self.command_id)
            raise
        outcome = "ok" if response.text.strip() else "summary_blank"
        self.log.append(record(outcome, response), command_id=self.command_id)
        return response


def _failure(request_id: str, code: str) -> CondensationFailureEvent:
    return CondensationFailureEvent(
        **mint(), request_id=request_id, code=code, error=f"There is no summary: {wording.SUMMARY_FAILED[code]}"
    )
