"""Which range is summarised, and when that is due: `llm_summarizing` as a pure plan (contract, section 17)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.budget import Budget, Gauge
from smolpaws_jupyter.core.messages import messages_of
from smolpaws_jupyter.core.policies.base import Trigger
from smolpaws_jupyter.core.policies.llm_summarizing import LLMSummarizing, LLMSummarizingSettings
from smolpaws_jupyter.core.replay import Replay, Violation
from smolpaws_jupyter.core.summary import SummaryPlan
from tests.builders import History, call
from tests.core.forging import rule
from tests.histories import histories

READ = call("read_file", path="a")
THINKING = {"thinking_blocks": [{"type": "thinking", "thinking": "so", "signature": "c2ln"}]}


def history() -> History:
    return History("llm_summarizing")


def chat(read: int, unread: int = 0) -> History:
    """So many entries that the model knows, of the user and the agent in turn, then so many that it does not."""
    made = history()
    for number in range(read // 2):
        made.user(f"question {number}").reply(f"answer {number}")
    for number in range(unread):
        made.user(f"new {number}")
    return made


def policy(**settings: Any) -> LLMSummarizing:
    return LLMSummarizing(LLMSummarizingSettings.model_validate(settings))


def gauge(tokens: int | None = None, limit: int | None = None) -> Gauge:
    return Gauge(Budget(tokens=tokens, limit=limit), lambda _: None)


def planned(made: History, trigger: Trigger, **settings: Any) -> SummaryPlan | None:
    return policy(**settings).plan(made.view, trigger, gauge())


def span(made: History, trigger: Trigger, **settings: Any) -> tuple[int, int] | None:
    """The positions in `read` where the range begins and ends; None where nothing is summarised."""
    plan = planned(made, trigger, **settings)
    if plan is None:
        return None
    read = [entry.id for entry in made.view.read]
    start = read.index(plan.entries[0].id)
    assert [entry.id for entry in plan.entries] == read[start : start + len(plan.entries)]
    assert plan.offset == start
    return start, start + len(plan.entries)


def summarise(made: History, trigger: Trigger = "size", **settings: Any) -> History:
    """One summary, as the engine stores it."""
    plan = planned(made, trigger, **settings)
    assert plan is not None
    if trigger == "provider_context_window":
        made.fails("overflow")
    made.intend(trigger).attempt()
    return made.summarized(f"{plan.heading}\n\nSo far.", [entry.id for entry in plan.entries], plan.offset)


@pytest.mark.parametrize(
    ("entries", "tokens", "limit", "settings", "due"),
    [
        (20, None, None, {"max_size": 20}, None),
        (22, None, None, {"max_size": 20}, "size"),
        (4, 1_000, 1_000, {}, None),
        (4, 1_001, 1_000, {}, "tokens"),  # without max_tokens the input limit counts (R-SET-16)
        (4, 501, 1_000, {"max_tokens": 500}, "tokens"),
        (4, 10**9, 1_000, {"max_tokens": None}, None),
        (4, None, 1_000, {"max_tokens": 500}, None),
        (22, 501, 1_000, {"max_size": 20, "max_tokens": 500}, "tokens"),
    ],
)
def test_t_ord_01_size_and_tokens_are_due_above_their_bounds(entries, tokens, limit, settings, due):  # type: ignore[no-untyped-def]
    """R-ORD-1"""
    assert policy(**settings).due(chat(entries).view, gauge(tokens, limit)) == due


def test_t_ord_01_what_is_unread_counts_as_an_entry():
    """R-ORD-1"""
    assert policy(max_size=20).due(chat(18, 3).view, gauge()) == "size"


def test_t_ord_01_of_1_001_entries_the_first_two_a_summary_and_the_tail_remain():
    """R-ORD-3, R-ORD-6"""
    made = chat(1_000, 1)
    assert span(made, "size") == (2, 1_001 - 497)
    before = [entry.id for entry in made.view.read]
    summarise(made)
    assert [entry.id for entry in made.view.read] == [*before[:2], "c1-summary", *before[504:]]
    assert rule(made) is None


@pytest.mark.parametrize(
    ("entries", "trigger", "settings", "expected"),
    [
        (40, "size", {"max_size": 30}, (2, 40 - 12)),  # T = 15
        (40, "tokens", {"max_size": 60}, (2, 40 - 17)),  # T = 20
        (40, "provider_context_window", {"max_size": 60}, (2, 40 - 17)),
        (40, "host", {"max_size": 60}, (2, 40 - 17)),
        (40, "tokens", {"max_size": 30}, (2, 40 - 12)),  # both apply: the smaller
        (100, "tokens", {"max_size": 99, "keep_first": 0}, (0, 100 - 48)),
        (40, "size", {"max_size": 30, "keep_first": 5}, (5, 40 - 9)),
        (6, "host", {"keep_first": 4}, (4, 6)),  # no tail is left over
    ],
)
def test_t_ord_01_the_range_leaves_a_prefix_and_half_of_what_is_allowed(entries, trigger, settings, expected):  # type: ignore[no-untyped-def]
    """R-ORD-3"""
    assert span(chat(entries), trigger, **settings) == expected


def test_t_ord_04_the_tail_is_counted_from_the_end_of_what_is_unread_which_is_never_in_a_range():
    """R-ORD-3, R-ORD-7"""
    assert span(chat(30, 10), "size", max_size=30) == (2, 28)
    assert span(chat(10, 30), "size", max_size=30) == (2, 10)
    plan = planned(chat(10, 30), "host", max_size=30)
    assert plan is not None
    assert not any("new" in text for text in plan.shown)
    assert any("question" in text for text in plan.shown)  # what the user said and the model read is summarised


@pytest.mark.parametrize("reasoning", [None, THINKING])
def test_t_ord_02_a_range_that_would_split_a_batch_or_a_loop_grows_forward(reasoning):  # type: ignore[no-untyped-def]
    """R-ORD-3: at its beginning and at its end."""
    made = history().user("go").calls(READ, READ, READ, reasoning=reasoning).results()
    for _ in range(8):
        made.reply("so").user("go on")
    made.reply("so").user("go on").calls(*[READ] * 8, reasoning=reasoning).results().reply("done")
    read = [entry.id for entry in made.view.read]
    start, stop = span(made, "size", max_size=20) or (0, 0)
    assert read[start] == "m1"  # behind the first batch, in which the prefix of two ends
    assert read[stop] == "m10"  # behind the last, in which the tail of seven begins
    assert rule(summarise(made, max_size=20)) is None


def test_t_ord_03_with_too_little_to_gain_a_soft_trigger_does_nothing_and_a_hard_one_takes_all():
    """R-ORD-2, R-ORD-4, R-ORD-6"""
    made = chat(22)
    settings = {"max_size": 20, "minimum_progress": 0.8}  # the range would hold 13 of 22
    for trigger in ("size", "tokens"):
        assert span(made, trigger, **settings) is None  # type: ignore[arg-type]
    for trigger in ("provider_context_window", "host"):
        assert span(made, trigger, **settings) == (0, 22)  # type: ignore[arg-type]
    assert span(made, "size", max_size=20, minimum_progress=0.59) == (2, 15)
    summarise(made, "provider_context_window", **settings)
    assert [entry.id for entry in made.view.read] == ["c1-summary"]
    assert rule(made) is None


def test_t_ord_03_where_the_prefix_is_all_there_is_a_hard_trigger_takes_it():
    """R-ORD-2"""
    assert span(chat(2), "host") == (0, 2)
    assert span(chat(2, 40), "provider_context_window") == (0, 2)
    assert span(chat(2, 40), "size", max_size=20) is None


def test_t_ord_06_what_is_only_an_earlier_summary_is_not_summarised_again():
    """R-ORD-4, R-ORD-9"""
    made = summarise(chat(22), "host", max_size=20, minimum_progress=0.8)
    for trigger in ("size", "tokens", "provider_context_window", "host"):
        assert span(made, trigger, max_size=20) is None  # type: ignore[arg-type]
        assert span(history(), trigger) is None  # type: ignore[arg-type]
    made.user("more").reply("and more")
    assert span(made, "host", keep_first=0) is not None


def test_t_ord_06_an_earlier_summary_in_the_range_is_folded_in():
    """R-SUM-2: with its whole text."""
    made = summarise(chat(30), max_size=20)
    for number in range(10):
        made.user(f"later {number}").reply("so")
    plan = planned(made, "size", max_size=20)
    assert plan is not None
    assert plan.shown[0] == f"{wording.SUMMARY_HEADING}\n\nSo far."
    summarise(made, max_size=20)
    assert [entry.kind for entry in made.view.read].count("CondensationSummaryEvent") == 1
    assert rule(made) is None


def test_t_ord_07_attempts_scaling_and_heading_are_those_of_the_condenser():
    """R-ORD-5, R-ORD-6, R-WORD-15: a heading of one line, which says that this is not the user."""
    own = {"hard_context_reset_max_retries": 3, "hard_context_reset_context_scaling": 0.5}
    plan = planned(chat(30), "host", **own)
    assert plan is not None
    assert (plan.attempts, plan.scaling, plan.notice) == (3, 0.5, None)
    assert "\n" not in plan.heading
    assert "not the user" in plan.heading
    assert "Automatic summary" in plan.heading


def test_t_bound_05_a_routine_summary_is_not_due_again_until_the_model_has_answered():
    """R-BOUND-5"""
    made = chat(30).intend("size").attempt("server").failure().user("more")
    assert policy(max_size=20).due(made.view, gauge()) is None
    assert policy(max_size=20).due(made.reply("so").view, gauge()) == "size"


SETTINGS = st.fixed_dictionaries(
    {
        "max_size": st.sampled_from([20, 24]),
        "keep_first": st.integers(0, 8),
        "minimum_progress": st.sampled_from([0.05, 0.1, 0.5]),
    }
)
TRIGGERS = st.sampled_from(["size", "tokens", "host"])


@given(histories(kinds=("llm_summarizing",), moves=15), TRIGGERS, SETTINGS)
def test_every_summary_of_a_range_is_lawful_and_leaves_what_is_unread(made: History, trigger: Any, settings: Any):
    """R-ORD-3, R-ORD-7, R-REPL-9, R-VIEW-13"""
    made.results()
    before = made.view
    plan = planned(made, trigger, **settings)
    if plan is None:
        return
    made.intend(trigger).summarized("S", [entry.id for entry in plan.entries], plan.offset)
    assert not isinstance(Replay.of(made.commits), Violation)
    assert made.view.unread == before.unread
    summary = f"{made.last.id}-summary"
    assert [e for e in made.view.read if e.id != summary] == [e for e in before.read if e not in plan.entries]
    assert messages_of(made.view)[1]["role"] == "user"
