"""What may happen in a conversation that hypothesis plays: numbers, calls, failures, and settings of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.runtime.talks import WITH_FALLBACK

COUNTS = st.sampled_from([None, 0, 400, 760, 810, 870, 950, 1200])
ESTIMATES = st.sampled_from([None, 0, 600, 880, 950, 950, 1200])
"""From 950 on a picture more is too much of a limit of 1,000."""
THRESHOLDS = st.sampled_from([(0.5, 0.9), (0.75, 0.8, 0.85, 0.9), (0.4,), (1.0,)])
FORGETTING = {"agent_reset": "condense", "new_context": "new_context"}
"""The tool by which the agent forgets; every other kind has none."""
CALLS = st.lists(
    st.sampled_from(["look", "photo", "note", "run_python", "run_python", "forget", "bad forget", "bad look", "fly"]),
    min_size=1,
    max_size=3,
)
FAILURES = st.sampled_from(
    [
        "content_policy",
        "content_policy",
        "content_policy",
        "overflow",
        "server",
        "rate_limit",
        "auth",
        "malformed_history",
        "missing_key",
    ]
)
SUMMARY_FAILURES = st.sampled_from(
    ["overflow", "overflow", "server", "timeout", "rate_limit", "auth", "content_policy"]
)
KINDS = ["agent_reset", "with fallback", "new_context", "summarizing_window", "llm_summarizing", "no_op"]


@st.composite
def condensers(draw: Callable[[Any], Any], kind: str) -> dict[str, Any]:
    """The settings of a condenser of this kind."""
    own = draw(st.sampled_from([{}, {"llm_profile_ref": "summary"}]))
    match kind:
        case "with fallback":
            return WITH_FALLBACK
        case "summarizing_window":
            ahead = draw(st.sampled_from([None, {"compression_threshold": 0.8}]))
            window = {
                "summary_ratio": draw(st.sampled_from([0.3, 0.5, 0.8])),
                "preserve_recent_messages": draw(st.sampled_from([0, 1, 3, 5])),
                "pin_first": draw(st.sampled_from([0, 1, 2])),
                "proactive_compression": ahead,
                "truncate_preserve_chars": 60,
            }
            return {"condenser": {"condenser_kind": "summarizing_window", **window, **own}}
        case "llm_summarizing":
            tokens = draw(st.sampled_from([{}, {"max_tokens": 760}, {"max_tokens": None}]))
            ordinary = {"max_size": 20, "keep_first": draw(st.sampled_from([0, 2])), "llm_profile_ref": "summary"}
            return {"condenser": {"condenser_kind": "llm_summarizing", **ordinary, **tokens}}
        case "no_op":
            return {}
        case _:
            return {"condenser": {"condenser_kind": kind}}
