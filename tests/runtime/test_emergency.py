"""Emergency recovery: one paid summary after a real overflow, and never two in a row (contract, sections 11 and 12)."""

from __future__ import annotations

import asyncio
import json

import pytest

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.errors import RunError
from smolpaws_jupyter.core.events import (
    Condensation,
    CondensationFailureEvent,
    CondensationRequest,
    ConversationErrorEvent,
    ResponseEvent,
    UsageEvent,
)
from smolpaws_jupyter.testing import Gate, call, failure, overflow, reply
from tests.runtime.talks import WITH_FALLBACK, Echo, Talk, reopened, said_by, talk, until


def fallback_talk(script, summaries=(), **more) -> Talk:  # type: ignore[no-untyped-def]
    return talk(script, settings=WITH_FALLBACK, summaries=summaries, tools=[Echo()], **more)


async def code_of(talk: Talk, text: str = "Go on") -> str:
    with pytest.raises(RunError) as caught:
        await talk.ask(text)
    return caught.value.code


async def test_t_emerg_01_t_emerg_02_t_sum_08_consumed_work_becomes_a_summary_and_what_is_unread_stays() -> None:
    # given consumed work, then a message that overflows, one during that request and one during the summary
    requesting, summarising = Gate(), Gate()
    t = fallback_talk(
        [call("echo", text="work"), reply("done"), overflow().held(requesting), reply("ok")],
        [reply("The work was done.").held(summarising)],
    )
    await t.ask("first")
    t.conversation.tell("pending")
    await requesting.reached()
    t.conversation.tell("during the request")
    requesting.open()
    await summarising.reached()
    t.conversation.tell("during the summary")
    summarising.open()
    await t.conversation.settled()
    # then
    prompt = json.dumps(t.summariser.requests[0].messages)
    assert "first" in prompt
    assert "echo: work" in prompt
    for text in ("pending", "during the request", "during the summary", "You are an agent."):
        assert text not in prompt
    assert t.summariser.requests[0].tools == []
    assert said_by(t.sent()) == [
        wording.EMERGENCY_NOTICE,
        "The work was done.",
        "pending",
        "during the request",
        "during the summary",
    ]
    assert wording.EMERGENCY_NOTICE.startswith(
        "The environment triggered emergency context condensation after the model provider returned a "
        "context-window error."
    )
    assert set(t.roles()) == {"user"}
    assert [u.usage_id for u in t.of(UsageEvent)] == ["profile:main", "condenser"]
    details = t.of(CondensationRequest)[0].details
    assert len(details.protected_user_event_ids) == 1
    assert t.kinds.index("CondensationRequest") < len(t.kinds) - t.kinds[::-1].index("UsageEvent")


async def test_t_emerg_05_o21_f_39_a_second_overflow_is_not_answered_with_a_second_summary() -> None:
    t = fallback_talk(
        [reply("ok"), overflow(), overflow(), overflow(), reply("fine"), overflow(), reply("end")], [reply("S")] * 2
    )
    await t.ask("one")
    assert await code_of(t, "two") == "context_rescue_blocked"
    assert await code_of(t, "hello?") == "context_rescue_blocked"
    assert len(t.summariser.requests) == 1
    # a completed main response lifts the block
    assert await t.ask("hello??") == "fine"
    assert await t.ask("again") == "end"
    assert len(t.summariser.requests) == 2
    assert len([u for u in t.of(UsageEvent) if u.outcome == "overflow"]) == 4


async def test_t_bound_02_neither_new_input_nor_a_restart_lifts_the_block() -> None:
    t = fallback_talk([reply("ok"), overflow()], [failure("auth")])
    await t.ask("one")
    assert await code_of(t, "two") == "context_rescue_failed"
    again = reopened(t, [overflow()], tools=[Echo()])
    assert again.conversation.status == "error"
    assert await code_of(again, "hello?") == "context_rescue_blocked"
    assert not again.summariser.requests
    assert len(again.of(CondensationFailureEvent)) == 1


async def test_t_bound_01_a_success_after_a_failed_rescue_allows_another() -> None:
    t = fallback_talk(
        [reply("ok"), overflow(), reply("better"), overflow(), reply("end")], [failure("auth"), reply("S")]
    )
    await t.ask("one")
    assert await code_of(t, "two") == "context_rescue_failed"
    assert await t.ask("three") == "better"
    assert await t.ask("four") == "end"


async def test_t_bound_03_a_reset_between_two_overflows_opens_nothing_but_the_success_that_asked_for_it_does() -> None:
    t = fallback_talk([reply("ok"), overflow(), call("condense"), overflow(), reply("end")], [reply("S"), reply("S")])
    await t.ask("one")
    assert await t.ask("two") == "end"
    assert len(t.of(Condensation)) == 3


@pytest.mark.parametrize("kind", ["malformed_history", "byte_limit", "rate_limit", "auth"])
async def test_t_emerg_03_no_other_failure_buys_a_summary(kind) -> None:  # type: ignore[no-untyped-def]
    t = fallback_talk([reply("ok"), failure(kind)])
    await t.ask("one")
    assert await code_of(t) == kind
    assert not t.of(CondensationRequest)


async def test_t_emerg_06_r_emerg_16_f_39_a_summary_that_fails_leaves_the_view_as_it_was() -> None:
    t = fallback_talk([call("echo", text="a"), reply("ok"), overflow()], [failure("not_found")])
    await t.ask("one")
    before = [e.id for e in t.conversation.view.read]
    assert await code_of(t) == "context_rescue_failed"
    assert [e.id for e in t.conversation.view.read] == before
    (record,) = t.of(CondensationFailureEvent)
    assert record.code == "summary_failed"
    assert "'summary'" in t.of(ConversationErrorEvent)[0].detail


@pytest.mark.parametrize("text", ["", "  \n"])
async def test_t_emerg_08_and_o22_a_blank_summary_is_refused_after_one_call(text: str) -> None:
    t = fallback_talk([reply("ok"), overflow()], [reply(text)])
    await t.ask("one")
    assert await code_of(t) == "context_rescue_failed"
    assert t.of(CondensationFailureEvent)[0].code == "summary_blank"
    assert len(t.summariser.requests) == 1
    assert not t.of(Condensation)


async def test_t_emerg_08_a_summary_that_is_longer_than_the_original_is_accepted() -> None:
    t = fallback_talk([reply("ok"), overflow(), reply("end")], [reply("long " * 2_000)])
    await t.ask("one")
    assert await t.ask("two") == "end"


async def test_t_emerg_11_t_sum_08_with_nothing_to_summarise_no_summary_is_bought_and_a_later_rescue_is_possible() -> (
    None
):
    t = fallback_talk([overflow(), reply("ok"), overflow(), reply("end")], [reply("S")])
    assert await code_of(t, "x" * 8_000) == "input_too_large"
    assert not t.of(CondensationRequest)
    t.conversation.withdraw(t.conversation.view.unread[0].id)
    assert await t.ask("short") == "ok"
    assert await t.ask("more") == "end"


async def test_t_emerg_12_a_window_smaller_than_the_fixed_context_buys_nothing_and_a_small_budget_does_not_matter() -> (
    None
):
    t = fallback_talk([reply("ok"), overflow()], window=20)
    await t.ask("one")
    assert await code_of(t) == "fixed_context_too_large"
    small = fallback_talk([reply("ok"), overflow(), reply("end")], [reply("S")], limit=20, window=100_000)
    await small.ask("one")
    assert await small.ask("two") == "end"


async def test_o04_the_output_allowance_is_named_after_one_recovery() -> None:
    refused = overflow(7_884, 131_072, 131_072)
    t = fallback_talk([reply("ok"), refused, refused], [reply("S")])
    await t.ask("one")
    assert await code_of(t) == "output_allowance_too_large"
    assert len(t.summariser.requests) == 1


async def test_t_emerg_15_a_missing_summary_key_stops_before_the_intent() -> None:
    t = fallback_talk([reply("ok"), overflow(), overflow(), reply("end")], [reply("S")])
    t.summariser.missing_key = "env:SUMMARY_KEY"
    await t.ask("one")
    assert await code_of(t, "two") == "context_window_exceeded"
    assert "env:SUMMARY_KEY" in t.of(ConversationErrorEvent)[0].detail
    assert not t.of(CondensationRequest)
    t.summariser.missing_key = None
    assert await t.ask("three") == "end"


async def test_t_sum_01_five_attempts_are_five_requests_and_five_records() -> None:
    t = fallback_talk([reply("ok"), overflow()], [failure("server")] * 9)
    await t.ask("one")
    assert await code_of(t) == "context_rescue_failed"
    attempts = [u for u in t.of(UsageEvent) if u.purpose == "summary"]
    assert [u.attempt for u in attempts] == [1, 2, 3, 4, 5]
    assert len(t.summariser.requests) == 5
    assert {u.request_id for u in attempts} == {t.of(CondensationRequest)[0].id}
    assert all(limits.max_http_requests == 1 for limits in t.summariser.limits)


@pytest.mark.parametrize(
    "kind", ["auth", "permission", "not_found", "bad_request", "malformed_history", "content_policy"]
)
async def test_t_sum_03_what_shrinking_cannot_cure_is_tried_once(kind) -> None:  # type: ignore[no-untyped-def]
    t = fallback_talk([reply("ok"), overflow()], [failure(kind)] * 5)
    await t.ask("one")
    await code_of(t)
    assert len(t.summariser.requests) == 1


def size_of(request) -> int:  # type: ignore[no-untyped-def]
    return sum(len(m["content"]) for m in request.messages)


@pytest.mark.parametrize(
    ("earlier", "attempts", "gets_through"), [(60_000, 3, True), (3_000_000, 5, False)], ids=["60,000", "3,000,000"]
)
async def test_o23_t_sum_07_the_longest_preview_shrinks_until_the_summariser_takes_it(
    earlier, attempts, gets_through
) -> None:  # type: ignore[no-untyped-def]
    def summariser(request):  # type: ignore[no-untyped-def]
        if len(sizes) == 0:
            sizes.append(0)
            return reply("e" * earlier)
        sizes.append(size_of(request))
        return overflow() if sizes[-1] > 45_000 else reply("short")

    sizes: list[int] = []
    t = fallback_talk([reply("ok"), overflow(), reply("a"), reply("b"), overflow(), reply("end")], summariser)
    await t.ask("one")
    await t.ask("two")
    await t.ask("three")
    if gets_through:
        assert await t.ask("four") == "end"
    else:
        assert await code_of(t, "four") == "context_rescue_failed"
    assert len(sizes) - 1 == attempts
    first = sizes[1]
    assert all(abs(size - (first - earlier * (1 - 0.8**n))) < 10 for n, size in enumerate(sizes[1:]))


async def test_o23_a_long_tool_result_is_short_in_its_preview_so_the_first_attempt_gets_through() -> None:
    t = fallback_talk(
        [call("echo", text="y" * 60_000), reply("ok"), overflow(), reply("end")],
        lambda request: overflow() if size_of(request) > 45_000 else reply("short"),
    )
    await t.ask("one")
    assert await t.ask("two") == "end"
    assert len(t.summariser.requests) == 1


async def test_t_stop_04_f_39_a_stop_during_a_summary_leaves_the_view_and_closes_the_bound() -> None:
    gate = Gate()
    t = fallback_talk([reply("ok"), overflow(), overflow()], [reply("never").held(gate)])
    await t.ask("one")
    before = [e.id for e in t.conversation.view.read]
    t.conversation.tell("two")
    await gate.reached()
    t.conversation.stop()
    await t.conversation.settled()
    assert t.of(CondensationFailureEvent)[0].code == "cancelled"
    assert [e.id for e in t.conversation.view.read] == before
    assert t.conversation.status == "paused"
    assert await code_of(t, "three") == "context_rescue_blocked"


async def test_t_rest_04_an_emergency_that_was_cut_off_gets_one_failure_record_over_many_restarts() -> None:
    gate = Gate()
    t = fallback_talk([reply("ok"), overflow()], [reply("never").held(gate)])
    await t.ask("one")
    t.conversation.tell("two")
    await gate.reached()
    again = reopened(t, [overflow()], tools=[Echo()])
    assert [e.code for e in again.of(CondensationFailureEvent)] == ["interrupted"]
    twice = reopened(again, [overflow()], tools=[Echo()])
    assert len(twice.of(CondensationFailureEvent)) == 1
    twice.conversation.resume()
    await twice.conversation.settled()
    assert twice.conversation.view.error is not None
    assert twice.conversation.view.error.code == "context_rescue_blocked"
    assert not twice.summariser.requests


async def test_r_sum_7_a_wait_that_the_provider_asked_for_is_kept_and_stop_ends_it() -> None:
    from dataclasses import replace

    asked = failure("rate_limit")
    assert asked.failure is not None
    slow = replace(asked, failure=replace(asked.failure, retry_after=30))
    t = fallback_talk([reply("ok"), overflow()], [slow, reply("S")])
    await t.ask("one")
    t.conversation.tell("two")
    await until(lambda: t.kinds[-1] == "UsageEvent" and t.summariser.requests)
    t.conversation.stop()
    await asyncio.wait_for(t.conversation.settled(), 20)
    assert len(t.summariser.requests) == 1


async def test_r_acc_2_r_ev_9_the_summary_of_a_rescue_is_on_the_records_of_its_response() -> None:
    t = fallback_talk([reply("ok"), overflow(), reply("end")], [reply("S").using(input=9, output=4)])
    await t.ask("one")
    await t.ask("two")
    fact = t.of(Condensation)[0]
    assert fact.llm_response_id == "scripted-1"
    assert t.conversation.log.ledger.totals["condenser"].input.reported == 9
    assert len(t.of(ResponseEvent)) == 2
