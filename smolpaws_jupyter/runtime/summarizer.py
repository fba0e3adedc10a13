"""Buys a summary: bounded attempts, each one request and one record, on a profile of its own (section 12)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from ..core import wording
from ..core.events import (
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    ConversationErrorEvent,
    UsageEvent,
)
from ..core.profiles import Binding
from ..core.summary import SummaryPlan, attempts, previews, summary_request
from .control import Control, RunEnded, Stopped
from .llm import LLM, Failure, Limits, LLMFailure, Request, Response
from .log import EventLog, mint

AGAIN = ("rate_limit", "timeout", "transport", "server")
"""Failures that time may mend: the next attempt is worth its price (R-SUM-7)."""


class NoSummary(Exception):
    """There is no summary, and why: a code of R-CODE-3. `failure` is the last refusal, if there was one."""

    def __init__(self, code: str, failure: Failure | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.failure = failure


class Summarizer:
    """Carries out a policy's plan: intent first, then bounded attempts, then the fact or the record of its failure."""

    def __init__(self, log: EventLog, limits: Limits, on_failure: Callable[[Failure], None]) -> None:
        """`on_failure` hears each refusal, whose words are shown and never stored."""
        self.log = log
        self.limits = replace(limits, max_http_requests=1)
        self.on_failure = on_failure

    async def rescue(self, plan: SummaryPlan, llm: LLM, binding: Binding, control: Control) -> None:
        """Replaces what the plan names by a summary. Raises `RunEnded` if that failed; the view is then as before."""
        request = CondensationRequest(**mint(), source="environment", details=plan.details)
        self.log.append(request)
        try:
            text, response = await self._buy(plan, llm, binding, request.id, control)
        except NoSummary as no:
            self._fail(request.id, no.code, binding, no.failure)
        except Stopped as stopped:
            stopped.records = (*stopped.records, _failure(request.id, "cancelled"))
            raise
        else:
            self._commit(plan, request.id, text, response, binding)

    def _commit(self, plan: SummaryPlan, request_id: str, text: str, response: Response, binding: Binding) -> None:
        fact = Condensation(
            **mint(),
            request_id=request_id,
            forgotten_event_ids=tuple(entry.id for entry in plan.entries),
            notice=plan.notice,
            summary=text,
            summary_offset=plan.offset,
            llm_response_id=response.id,
        )
        if self.log.check([fact]) is not None:
            self._fail(request_id, "invalid_commit", binding, None)
        self.log.append(fact)

    def _fail(self, request_id: str, code: str, binding: Binding, failure: Failure | None) -> None:
        why = wording.SUMMARY_FAILED[code]
        if failure is not None:
            why = f"{why[:-1]} ({failure.kind})."
        detail = wording.rescue_failed(binding.profile, why)
        error = ConversationErrorEvent(**mint(), code="context_rescue_failed", detail=detail, recoverable=True)
        self.log.append(_failure(request_id, code), error)
        raise RunEnded

    async def _buy(
        self, plan: SummaryPlan, llm: LLM, binding: Binding, request_id: str, control: Control
    ) -> tuple[str, Response]:
        failure: Failure | None = None
        tries = attempts(previews(plan.entries), plan.scaling, plan.attempts)
        shown = next(tries)
        for attempt in range(1, plan.attempts + 1):
            request = Request(summary_request(shown), [], binding)
            try:
                response = await self._attempt(request, llm, request_id, attempt, control)
            except LLMFailure as error:
                failure = error.failure
                self.on_failure(failure)
            else:
                if not response.text.strip():
                    raise NoSummary("summary_blank")
                return response.text, response
            if failure.kind == "overflow":
                shorter = next(tries, None)
                if shorter is None:
                    break
                shown = shorter
            elif failure.kind not in AGAIN:
                break
            elif attempt < plan.attempts:
                await control.guard(asyncio.sleep(self._wait(failure)))
        raise NoSummary("summary_failed", failure)

    def _wait(self, failure: Failure) -> float:
        most = self.limits.retry_after_max_seconds
        asked = failure.retry_after or 0.0
        return asked if most is None else min(asked, most)

    async def _attempt(self, request: Request, llm: LLM, request_id: str, attempt: int, control: Control) -> Response:
        """One request, and its record whatever came of it (R-SUM-8)."""
        sent = 0

        def on_send() -> None:
            nonlocal sent
            sent += 1

        def record(outcome: str, spent: Response | Failure) -> UsageEvent:
            binding = request.binding
            return UsageEvent(
                **mint(),
                purpose="summary",
                request_id=request_id,
                attempt=attempt,
                outcome=outcome,
                llm_response_id=spent.id if isinstance(spent, Response) else None,
                usage_id="condenser",
                binding_digest=binding.digest,
                model=binding.model,
                usage=spent.usage,
                http_requests=spent.http_requests,
                latency_ms=spent.latency_ms,
                finish_reason=spent.finish_reason if isinstance(spent, Response) else None,
            )

        try:
            response = await control.guard(llm.complete(request, self.limits, lambda _: None, on_send))
        except Stopped as stopped:
            if sent:
                stopped.records = (record("cancelled", Failure("unknown", http_requests=sent)),)
            raise
        except LLMFailure as error:
            self.log.append(record(error.failure.kind, error.failure))
            raise
        self.log.append(record("ok" if response.text.strip() else "summary_blank", response))
        return response


def _failure(request_id: str, code: str) -> CondensationFailureEvent:
    return CondensationFailureEvent(
        **mint(), request_id=request_id, code=code, error=f"There is no summary: {wording.SUMMARY_FAILED[code]}"
    )
