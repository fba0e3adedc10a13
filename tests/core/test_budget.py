"""How full the context is, by whose count, and which warning that makes due."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.base import Usage
from smolpaws_jupyter.core.budget import Budget, budget_of, due_stage, input_limit
from smolpaws_jupyter.core.records import decode, encode
from smolpaws_jupyter.core.view import View
from tests.builders import READ_FILE, History, call

STAGES = (0.75, 0.80, 0.85, 0.90)


def never(view: View) -> NoReturn:
    raise AssertionError("no estimate is asked for while there is a count")


def counted(tokens: int | None, limit: int | None = 400_000) -> Budget:
    return Budget(tokens=tokens, limit=limit, counted="measured", limit_from="profile")


def stage(
    tokens: int | None, limit: int | None = 400_000, view: View | None = None, stages: Any = STAGES
) -> float | None:
    """The stage that this count makes due."""
    return due_stage(view or History().view, counted(tokens, limit), stages)


# The count


def test_t_bud_02_the_latest_success_counts_and_nothing_after_it():
    """R-BUD-5, R-BUD-10: neither a failed request nor an auxiliary call under the same profile, nor output."""
    history = History("llm_summarizing").user("go").reply(usage=Usage(input=750, cache_read=600, output=9_000))
    history.fails(usage=Usage(input=990)).intend().attempt(usage=Usage(input=5_000), usage_id="profile:main").failure()
    history.pause().resume().fork()
    assert budget_of(history.view, None, never).tokens == 750


def test_t_bud_03_zero_is_a_count_and_silence_is_none():
    """R-BUD-6, R-VOC-19"""
    assert budget_of(History().user("go").reply(usage=Usage(input=0, output=12)).view, None, never).tokens == 0
    assert budget_of(History().user("go").reply(usage=Usage(output=12)).view, None, never).tokens is None


@pytest.mark.parametrize(
    ("name", "model", "base_url"),
    [("other", "practice", None), ("main", "openai/gpt", None), ("main", "practice", "http://127.0.0.1:1/v1")],
)
def test_t_bud_04_another_binding_measures_otherwise(name: str, model: str, base_url: str | None):
    """R-BUD-7, R-BIND-3: another profile, model or endpoint; switching back does not revive the old count."""
    history = History().user("go").reply(usage=Usage(input=750))
    history.bind(name, model, base_url=base_url)
    assert budget_of(history.view, None, lambda _: 33).counted == "estimated"
    history.bind("main")
    assert budget_of(history.view, None, lambda _: 33).tokens == 33


def test_t_bud_04_another_limit_is_another_yardstick_and_the_same_measurement():
    history = History().user("go").reply(usage=Usage(input=750)).bind("main", max_input_tokens=1_000)
    assert budget_of(history.view, None, never) == counted(750, 1_000)


def test_t_bud_05_a_success_without_a_count_is_unknown():
    """R-BUD-4, R-WARN-6: no estimate, no warning, and not the count before it."""
    history = History().user("go").reply(usage=Usage(input=399_999)).user("more").reply(usage=Usage())
    budget = budget_of(history.view, None, never)
    assert budget == Budget(limit=400_000, counted="unknown", limit_from="profile")
    assert due_stage(history.view, budget, STAGES) is None


def test_t_bud_06_a_fact_or_a_truncation_voids_the_count():
    """R-BUD-10, O07"""
    history = History().user("go").reply(usage=Usage(input=361_000)).user("more").condense()
    assert budget_of(history.view, None, lambda _: 14_000).tokens == 14_000
    history = History("summarizing_window").user("go").reply(usage=Usage(input=361_000)).truncate("u1", "go", keep=0)
    assert budget_of(history.view, None, lambda _: 14_000).tokens == 14_000


def test_t_bud_07_an_estimate_sees_the_whole_view_and_nonsense_is_unknown():
    """R-BUD-8"""
    view = History().user("go").view
    asked: list[View] = []
    assert budget_of(view, None, lambda seen: asked.append(seen) or 5).counted == "estimated"
    assert asked == [view]
    for nonsense in (None, -1):
        assert budget_of(view, None, lambda _, n=nonsense: n).counted == "unknown"


MEASURED = {"measured": Usage(input=5), "estimated": None, "unknown": Usage()}


@pytest.mark.parametrize("counted_as", MEASURED)
@pytest.mark.parametrize(
    ("limit", "window", "limit_from"), [(9, 7, "profile"), (None, 7, "model"), (None, None, "unknown")]
)
def test_t_bud_08_a_budget_says_where_both_numbers_come_from(
    counted_as: str, limit: int | None, window: int | None, limit_from: str
):
    """R-BUD-11: without one of the two numbers there is no percentage."""
    history = History().bind("main", max_input_tokens=limit).user("go")
    usage = MEASURED[counted_as]
    if usage is not None:
        history.reply(usage=usage)
    budget = budget_of(history.view, window, lambda _: 5)
    assert (budget.counted, budget.limit_from) == (counted_as, limit_from)
    known = counted_as != "unknown" and limit_from != "unknown"
    assert budget.fraction == (5 / (limit or window or 1) if known else None)


@pytest.mark.parametrize("window", [None, 0, -5])
def test_t_bud_01_a_bad_window_is_unknown(window: int | None):
    """R-BUD-1, R-BUD-2: and the profile's limit counts, even below the window."""
    assert input_limit(History().bind("other").view, window) == (None, "unknown")
    assert input_limit(History().view, 1_000_000) == (400_000, "profile")
    assert input_limit(View(), window) == (None, "unknown")


# The stages


@pytest.mark.parametrize(
    ("tokens", "due"),
    [(299_999, None), (300_000, 0.75), (320_000, 0.80), (340_000, 0.85), (360_000, 0.90), (450_000, 0.90), (0, None)],
)
def test_t_warn_01_a_stage_is_crossed_at_its_share(tokens: int, due: float | None):
    """R-WARN-2, R-WARN-3, R-WARN-5"""
    assert stage(tokens) == due


def test_t_warn_01_the_share_is_a_division():
    """R-WARN-2: 0.07 * 100 is more than 7."""
    assert stage(7, 100, stages=(0.07,)) == 0.07
    assert stage(100, 100, stages=(1.0,)) == 1.0


def test_r_warn_6_no_count_or_no_limit_is_no_warning():
    assert stage(None) is None
    assert stage(400_000, None) is None


def test_t_warn_02_only_a_higher_stage_warns_again():
    """R-WARN-3, O08: 74% then 87% is one warning of 85%; below 90% none; 90% one more."""
    history = History().user("go")
    assert stage(296_000, view=history.view) is None
    assert stage(348_000, view=history.view) == 0.85
    history.warn(0.85)
    assert [stage(n, view=history.view) for n in (300_000, 348_000, 352_000, 359_999)] == [None] * 4
    assert stage(360_000, view=history.view) == 0.90


def test_t_warn_03_the_highest_recorded_stage_of_this_cycle_counts_in_whatever_order():
    """R-WARN-4"""
    history = History().user("go").warn(0.85).fails().warn(0.75).fails()
    assert history.view.stage == 0.85
    assert stage(340_000, view=history.view) is None
    assert stage(360_000, view=history.view) == 0.90


def test_t_warn_03_and_t_warn_05_an_older_cycle_suppresses_nothing_and_only_a_fact_rearms():
    """R-WARN-4, R-WARN-13, R-RESET-11"""
    history = History().user("go").warn(0.90).reply().user("more").fails("overflow").intend("provider_context_window")
    assert stage(360_000, view=history.view) is None
    assert stage(360_000, view=history.failure().pause().resume().fork().view) is None
    history.reply().condense()
    assert stage(300_000, view=history.view) == 0.75
    stale = history["w1"].model_copy(update={"id": "w9"})
    assert stage(300_000, view=history.commit(stale).view) == 0.75


def test_t_warn_04_a_warning_that_was_read_back_suppresses_as_before():
    """R-WARN-7, R-WARN-12, R-EV-3: also once it was consumed; its words are the stored ones."""
    history = History().user("go").warn(0.75, text="In the words of an older version.").reply()
    again = View.of(decode(json.loads(json.dumps(encode(event))))[0] for event in history.events)  # type: ignore[arg-type]
    assert again == history.view
    assert stage(300_000, view=again) is None
    assert history["w1"].text == "In the words of an older version."


def test_t_warn_06_an_unreadable_warning_suppresses_and_shows_nothing():
    """R-WARN-18, R-REPL-13: a missing field, threshold 0 or limit 0."""
    history = History().user("go").warn(0.90)
    good = encode(history["w1"])
    for broken in (
        {**good, "threshold": 0},
        {**good, "input_limit": 0},
        {k: v for k, v in good.items() if k != "text"},
    ):
        event, _ = decode(broken)
        view = History().user("go").commit(event).view
        assert view.asides == ()
        assert stage(360_000, view=view) == 0.90


def test_t_warn_12_another_limit_moves_the_stages_and_keeps_the_cycle():
    """R-WARN-15"""
    history = History().bind("main", max_input_tokens=1_000).user("go").warn(0.75, 750, 1_000)
    history.bind("other", max_input_tokens=4_000).user("more")
    assert stage(3_200, 4_000, history.view) == 0.80
    assert stage(3_000, 4_000, history.view) is None


@given(st.lists(st.tuples(st.integers(0, 1_200), st.booleans()), max_size=30))
def test_i_20_every_stage_warns_at_most_once_in_a_cycle(counts: list[tuple[int, bool]]):
    """I-20: however the count moves; a jump gives only the highest."""
    history, given_now = History().user("go").reply(), list[float]()
    for tokens, reset in counts:
        due = due_stage(history.view, counted(tokens, 1_000), STAGES)
        assert due in (None, max((s for s in STAGES if tokens / 1_000 >= s), default=None))
        if due is not None:
            assert all(due > earlier for earlier in given_now)
            given_now.append(due)
            history.warn(due, tokens, 1_000).reply()
        if reset:
            history.condense()
            given_now.clear()


def test_r_warn_17_considering_changes_nothing():
    history = History(tools=(READ_FILE,)).user("go").calls(call("read_file", path="a")).results()
    before = View.of(history.events)
    budget_of(history.view, 10, lambda _: 9)
    due_stage(history.view, counted(9, 10), STAGES)
    assert history.view == before
