"""One file for each way of keeping a context: its settings and its policy. Each is made known by its import here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .agent_reset import AgentReset
from .base import CONDENSERS, CondenserSettings, HardCondenserSettings, Policy
from .llm_summarizing import LLMSummarizing
from .new_context import NewContext
from .no_op import NoOp
from .summarizing_window import SummarizingWindow

if TYPE_CHECKING:
    from ..settings import AgentSettings

__all__ = [
    "CONDENSERS",
    "AgentReset",
    "CondenserSettings",
    "HardCondenserSettings",
    "LLMSummarizing",
    "NewContext",
    "NoOp",
    "Policy",
    "SummarizingWindow",
    "policy_for",
]


def policy_for(settings: AgentSettings, notes: str = "notes") -> Policy:
    """The policy of these settings. A missing or disabled condenser behaves as `no_op` (R-SET-7, R-SET-21)."""
    return settings.effective_condenser.policy(notes, settings.hard_condenser)
