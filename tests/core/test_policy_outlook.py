"""What a policy will do next, in a sentence: for each kind, by the numbers that it goes by itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.budget import Budget, Gauge
from smolpaws_jupyter.core.instruments.rehearsal import throwaway_mint
from smolpaws_jupyter.core.policies import CONDENSERS, Policy, policy_for
from smolpaws_jupyter.core.policies.base import BEFORE_NEXT
from smolpaws_jupyter.core.settings import AgentSettings
from tests.builders import History
from tests.histories import histories


def policy(kind: str, **settings: Any) -> Policy:
    return policy_for(AgentSettings.model_validate({"condenser": {"condenser_kind": kind, **settings}}))


def gauge(tokens: int | None, limit: int | None = 8_000) -> Gauge:
    counted = "unknown" if tokens is None else "estimated"
    return Gauge(Budget(tokens=tokens, limit=limit, counted=counted), lambda _: tokens)


def test_agent_reset_names_the_next_stage_in_tokens():
    """R-WARN-3."""
    kind = policy("agent_reset", warning_thresholds=[0.5, 0.8])
    history = History().user("go").reply()

    assert "At 50 % (4,000 of 8,000 tokens) the agent is warned" in kind.outlook(history.view, gauge(100))
    assert "warned of 50 %" in kind.outlook(history.view, gauge(4_000))
    assert "limit of the context is unknown" in kind.outlook(history.view, gauge(100, None))
    assert "size of the context is unknown" in kind.outlook(history.view, gauge(None))
    warned = History().user("go").reply().warn(0.5).view
    assert "At 80 % (6,400 of 8,000 tokens)" in kind.outlook(warned, gauge(4_100))
    warned = History().user("go").reply().warn(0.8).view
    assert "All warnings" in kind.outlook(warned, gauge(7_000))


def test_new_context_reminds_once_and_then_summarises():
    """R-NEW-14, R-NEW-16."""
    kind = policy("new_context")
    history = History("new_context").user("go").reply("so").user("on").reply("on")

    assert "At 80 % (6,400 of 8,000 tokens) the agent is reminded" in kind.outlook(history.view, gauge(6_399))
    assert "With the next request the agent is reminded" in kind.outlook(history.view, gauge(6_400))
    assert "could not make room" in kind.outlook(history.view, gauge(8_000))  # whatever is left out, it is as large
    history.remind()
    assert "at 8,000 tokens all but your messages is summarised" in kind.outlook(history.view, gauge(6_500))


def test_llm_summarizing_says_how_many_entries_a_summary_would_take():
    """R-ORD-1 to 3."""
    kind = policy("llm_summarizing", max_size=20)
    history = History("llm_summarizing")
    assert "Above 20 entries (now 0) or 8,000 tokens (now 100)" in kind.outlook(history.view, gauge(100))
    assert "tokens (now unknown)" in kind.outlook(history.view, gauge(None))
    for _ in range(12):
        history.user("go").reply()
    plan = kind.plan(history.view, "size", gauge(100))
    assert plan is not None
    assert f"{len(plan.entries)} of 24 entries are summarised" in kind.outlook(history.view, gauge(100))


def test_a_window_says_whether_it_waits_for_a_refusal():
    """R-WIN-11."""
    history = History("summarizing_window").user("go").reply()

    assert "Only when the provider refuses" in policy("summarizing_window").outlook(history.view, gauge(7_999))
    ahead = policy("summarizing_window", proactive_compression=True)
    assert "At 70 % (5,600 of 8,000 tokens) the oldest 30 %" in ahead.outlook(history.view, gauge(100))
    assert "too little" in ahead.outlook(history.view, gauge(6_000))
    for _ in range(20):
        history.user("go").reply()
    assert f"{BEFORE_NEXT} the oldest" in ahead.outlook(history.view, gauge(6_000))


def test_no_op_only_grows():
    """R-NOOP-1."""
    assert "only grows" in policy("no_op").outlook(History().user("go").view, gauge(100))


@pytest.mark.parametrize("kind", CONDENSERS)
@given(data=st.data(), tokens=st.none() | st.integers(0, 10_000), limit=st.none() | st.integers(1, 9_000))
def test_the_sentence_agrees_with_what_the_policy_then_does(
    kind: str, data: st.DataObject, tokens: int | None, limit: int | None
):
    """A summary before the next request, or advice with it, is announced exactly where the policy wants it."""
    view = data.draw(histories((kind,))).view
    chosen, now = policy(kind), gauge(tokens, limit)

    sentence = chosen.outlook(view, now)

    trigger = chosen.due(view, now)
    buys = trigger is not None and chosen.plan(view, trigger, now) is not None
    assert sentence.startswith(BEFORE_NEXT) == buys
    if trigger is None:
        advises = chosen.advice(view, now, throwaway_mint()) is not None
        assert sentence.startswith("With the next request") == advises
