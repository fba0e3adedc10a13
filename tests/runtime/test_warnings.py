"""The staged warnings, from the provider's count to the remark in the next request (contract, sections 6 and 7)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from smolpaws_jupyter.core.errors import RunError
from smolpaws_jupyter.core.events import ContextWarningEvent, UsageEvent
from smolpaws_jupyter.runtime.listening import Words
from smolpaws_jupyter.testing import Gate, call, failure, overflow, reply
from tests.runtime.talks import WITH_FALLBACK, Talk, binding, reopened, said_by, talk

CASES = json.loads((Path(__file__).parents[1] / "fixtures/cases/data/open_usage.json").read_text())["cases"]


def warned(t: Talk, index: int = -1) -> list[int]:
    """The stages, in percent, that a request carries; and nothing stands behind them."""
    texts = [m["content"] for m in t.sent(index) if m["role"] == "user"]
    stages = [int(text.split("reached ")[1].split("%")[0]) for text in texts if text.startswith("Environment remark")]
    if stages:
        assert texts[-1].startswith("Environment remark")
    return stages


@pytest.mark.parametrize(
    "name", ["O05-cached", "O06-missing", "O06-no-budget", "O08-once", "O08-edges", "O08-fail-keeps-pending"]
)
async def test_o05_o06_o08_the_next_request_carries_the_stage_that_the_count_makes_due(name: str) -> None:
    case = CASES[name]
    t = talk([], limit=case["budget"], estimate=lambda _: 10)
    due: int | None = None
    for number, step in enumerate(case["steps"]):
        if "fail" in step:
            t.llm.extend([failure("server" if "500" in step["fail"] else "rate_limit")])
            with pytest.raises(RunError):
                await t.ask(f"step {number}")
        else:
            usage = step["usage"]
            tokens = usage["prompt_tokens"] if usage and any(usage.values()) else None
            t.llm.extend([reply("ok").using(input=tokens)])
            await t.ask(f"step {number}")
            if "percent" in step:
                fraction = t.conversation.budget.fraction
                assert fraction == (None if step["percent"] is None else pytest.approx(step["percent"] / 100))
        assert warned(t) == ([due] if due else [])
        due = step["expect_warning"]


async def test_o08_a_fixed_part_above_a_stage_warns_once_a_cycle_and_not_once_a_step() -> None:
    case = CASES["O08-high-floor"]
    t = talk([], limit=case["budget"], estimate=lambda _: case["fixed_prompt_tokens"])
    for number, step in enumerate(case["steps"]):
        if step.get("commit_reset"):
            t.llm.extend([call("condense").using(input=15_800), reply("fresh").using(input=15_640)])
        else:
            t.llm.extend([reply("ok").using(input=step["usage"]["prompt_tokens"])])
        await t.ask(f"step {number}")
    assert [(w.threshold, w.cycle is None) for w in t.of(ContextWarningEvent)] == [(0.75, True), (0.75, False)]
    assert t.kinds.count("Condensation") == 1


async def test_o07_the_count_from_before_a_reset_is_never_used_after_it() -> None:
    t = talk([reply("full").using(input=361_000), call("condense").using(input=361_500)], estimate=lambda _: 14_000)
    await t.ask("one")
    assert t.conversation.budget.counted == "measured"
    gate = Gate()
    t.llm.extend([reply("fresh").using(input=15_000).held(gate)])
    t.conversation.tell("two")
    await gate.reached()
    assert warned(t, 1) == [90]
    assert warned(t, 2) == []
    budget = t.conversation.budget
    assert (budget.tokens, budget.counted) == (14_000, "estimated")
    again = reopened(t, [])
    assert again.conversation.view.count is None
    gate.open()


async def test_t_warn_08_each_stage_is_carried_once_over_two_restarts() -> None:
    counts = [750, 750, 800, 800, 900, 900, 900]
    t = talk([reply("ok").using(input=counts[0])], limit=1_000, estimate=lambda _: 10)
    await t.ask("0")
    carried = [warned(t)]
    for number, count in enumerate(counts[1:], 1):
        if number in (2, 5):
            t = reopened(t)
        t.llm.extend([reply("ok").using(input=count)])
        await t.ask(str(number))
        carried.append(warned(t))
    assert carried == [[], [75], [], [80], [], [90], []]
    assert {w.counted for w in t.of(ContextWarningEvent)} == {"measured"}


async def test_t_warn_09_a_pending_warning_survives_a_failure_and_a_restart_as_one_event() -> None:
    t = talk([reply("ok").using(input=304_000), failure("transport")])
    await t.ask("one")
    with pytest.raises(RunError):
        await t.ask("two")
    again = reopened(t, [reply("ok").using(input=304_100), reply("ok")])
    again.conversation.resume()
    await again.conversation.settled()
    assert warned(again) == [75]
    await again.ask("three")
    assert warned(again) == []
    assert len(again.of(ContextWarningEvent)) == 1


async def test_t_warn_10_an_estimate_over_a_stage_warns_at_once_after_a_reset() -> None:
    t = talk(
        [reply("ok").using(input=301_000), call("condense").using(input=302_000), reply("ok").using(input=3)],
        estimate=lambda _: 310_000,
    )
    await t.ask("one")
    await t.ask("two")
    stages = [(w.threshold, w.counted, w.cycle is None) for w in t.of(ContextWarningEvent)]
    assert stages == [(0.75, "estimated", True), (0.75, "estimated", False)]


async def test_t_warn_12_a_change_of_profile_changes_the_limit_and_not_the_cycle() -> None:
    t = talk([reply("a").using(input=750), reply("b").using(input=750)], limit=1_000, estimate=lambda _: 1)
    await t.ask("1")
    await t.ask("2")
    t.conversation.bind(binding(4_000, name="large"))
    t.llm.extend([reply("c").using(input=3_200), reply("d").using(input=3_000), reply("e")])
    for text in "345":
        await t.ask(text)
    assert [(w.threshold, w.input_limit) for w in t.of(ContextWarningEvent)] == [(0.75, 1_000), (0.8, 4_000)]


async def test_t_bind_06_new_thresholds_hold_from_the_next_check_and_recorded_stages_stay_recorded() -> None:
    t = talk([reply("a").using(input=800)], limit=1_000, estimate=lambda _: 1)
    await t.ask("1")
    t.llm.extend([reply("b").using(input=810)])
    await t.ask("2")
    t.conversation.set_thresholds([0.5, 0.9])
    with pytest.raises(Exception, match="ascending|larger"):
        t.conversation.set_thresholds([0.9, 0.5])
    t = reopened(t, [reply("c").using(input=950), reply("d")])
    await t.ask("3")
    await t.ask("4")
    assert [w.threshold for w in t.of(ContextWarningEvent)] == [0.8, 0.9]
    t.llm.extend([call("condense").using(input=20), reply("e").using(input=510), reply("f")])
    await t.ask("5")
    await t.ask("6")
    assert t.of(ContextWarningEvent)[-1].threshold == 0.5


async def test_t_warn_13_a_message_during_token_counting_is_not_in_that_request() -> None:
    spoken: list[str] = []

    def counting(_size: object) -> int:
        if not spoken:
            spoken.append(t.conversation.tell("while counting"))
        return 310_000

    t = talk([call("condense"), reply("ok")], estimate=counting)
    await t.ask("The task")
    assert said_by(t.sent(0))[0] == "The task"
    assert "while counting" not in said_by(t.sent(0))
    assert said_by(t.sent(1))[3] == "while counting"
    assert "The task" not in said_by(t.sent(1))


async def test_t_warn_14_a_warning_is_the_last_block_and_its_going_disturbs_no_prefix() -> None:
    t = talk([reply("a").using(input=301_000), reply("b").using(input=301_500), reply("c")])
    for text in "123":
        await t.ask(text)
    second, third = t.sent(1), t.sent(2)
    assert second[-1]["content"].startswith("Environment remark")
    assert third[: len(second) - 1] == second[:-1]


async def test_t_warn_15_a_count_above_the_limit_starts_nothing() -> None:
    t = talk([reply("a").using(input=450_000), reply("b")], settings=WITH_FALLBACK)
    await t.ask("1")
    await t.ask("2")
    assert [w.threshold for w in t.of(ContextWarningEvent)] == [0.9]
    assert not t.summariser.requests
    assert len(t.llm.requests) == 2


async def test_t_warn_16_without_agent_reset_nobody_is_warned() -> None:
    t = talk([reply("a").using(input=399_000), reply("b")], settings={})
    await t.ask("1")
    await t.ask("2")
    assert not t.of(ContextWarningEvent)


async def test_t_bud_02_auxiliary_and_failed_records_do_not_count() -> None:
    t = talk(
        [reply("a").using(input=750, cache_read=600, output=9_000), failure("server").using(input=990)],
        limit=1_000,
        settings=WITH_FALLBACK,
    )
    await t.ask("1")
    with pytest.raises(RunError):
        await t.ask("2")
    assert t.of(UsageEvent)[0].usage.input == 990
    assert t.conversation.budget.tokens == 750


async def test_t_bud_05_a_success_without_a_count_means_unknown_and_not_the_count_before() -> None:
    t = talk([reply("a").using(input=390_000), reply("b").using(output=3), reply("c")], estimate=lambda _: 399_000)
    for text in "12":
        await t.ask(text)
    assert t.conversation.budget.counted == "unknown"
    assert t.conversation.budget.fraction is None
    before = len(t.of(ContextWarningEvent))
    await t.ask("3")
    assert len(t.of(ContextWarningEvent)) == before


@pytest.mark.parametrize("estimate", [lambda _: None, lambda _: -1], ids=["none", "negative"])
async def test_t_bud_07_without_a_usable_estimate_the_run_goes_on_and_nobody_is_warned(estimate) -> None:  # type: ignore[no-untyped-def]
    t = talk([reply("a")], estimate=estimate)
    assert await t.ask("1") == "a"
    assert not t.of(ContextWarningEvent)


async def test_t_prof_04_a_request_over_the_budget_is_sent_whole() -> None:
    t = talk([reply("a")], limit=1_000)
    await t.ask("x" * 20_000)
    assert len(t.sent()[0]["content"]) == 20_000


async def test_t_bud_01_the_profile_beats_the_model_and_without_both_there_is_no_percentage() -> None:
    for limit, window, expected in (
        (400_000, 1_000_000, "profile"),
        (None, 1_000_000, "model"),
        (None, None, "unknown"),
    ):
        t = talk([reply("a").using(input=900_000)], limit=limit, window=window)
        await t.ask("1")
        budget = t.conversation.budget
        assert budget.limit_from == expected
        assert budget.limit == (limit or window)
        assert (budget.fraction is None) == (expected == "unknown")


async def test_o25_no_fallback_no_summary_and_condense_still_works() -> None:
    for settings in (None, {"condenser": {"condenser_kind": "agent_reset"}, "hard_condenser": None}):
        t = talk([reply("a"), overflow(), call("condense"), reply("fresh")], settings=settings)
        await t.ask("1")
        with pytest.raises(RunError) as caught:
            await t.ask("2")
        assert caught.value.code == "context_window_exceeded"
        assert await t.ask("3") == "fresh"
        assert not t.summariser.requests


def problems(t: Talk) -> list[str]:
    """What a person is told beside the log, from now on."""
    heard: list[str] = []

    def hear(words: Words) -> None:
        if words.kind == "problem":
            heard.append(words.text)

    t.conversation.on_words(hear)
    return heard


@pytest.mark.parametrize(
    ("counts", "told"),
    [((4_000, 4_050, 3_000), 1), ((4_000, 4_050, 3_900), 0), ((4_000, None, 100), 0), ((3_000, 3_100, 3_200), 0)],
)
async def test_f_45_a_count_that_falls_while_the_history_grew_is_told(counts, told: int) -> None:  # type: ignore[no-untyped-def]
    """F-45: a server that cuts prompts silently would keep every warning from coming."""
    t = talk([reply("ok").using(input=count) for count in counts])
    heard = problems(t)
    for number in range(len(counts)):
        await t.ask(str(number))
    assert len(heard) == told
    if told:
        assert "3,000 tokens" in heard[0]
        assert "4,050" in heard[0]


async def test_f_45_after_a_reset_or_under_another_model_a_lower_count_is_no_wonder() -> None:
    t = talk([call("condense").using(input=9_000), reply("a").using(input=800), reply("b").using(input=70)])
    heard = problems(t)
    await t.ask("one")
    t.conversation.bind(binding(model="vendor/other", name="other"))
    await t.ask("two")
    assert heard == []
