"""One file for each way of keeping a context; `policy_for` chooses by the settings' condenser kind."""

from __future__ import annotations

from ..settings import (
    AgentResetSettings,
    AgentSettings,
    LLMSummarizingSettings,
    NewContextSettings,
    SummarizingWindowSettings,
)
from .agent_reset import AgentReset
from .base import Policy
from .llm_summarizing import LLMSummarizing
from .new_context import NewContext
from .no_op import NoOp
from .summarizing_window import SummarizingWindow

__all__ = ["AgentReset", "LLMSummarizing", "NewContext", "NoOp", "Policy", "SummarizingWindow", "policy_for"]


def policy_for(settings: AgentSettings, notes: str = "notes") -> Policy:
    """The policy of these settings. A missing or disabled condenser behaves as `no_op` (R-SET-7, R-SET-21)."""
    match settings.effective_condenser:
        case AgentResetSettings(warning_thresholds=thresholds, conversation_history=history):
            return AgentReset(thresholds, notes, settings.hard_condenser, history=history)
        case NewContextSettings():
            return NewContext()
        case LLMSummarizingSettings() as condenser:
            return LLMSummarizing(condenser)
        case SummarizingWindowSettings() as condenser:
            return SummarizingWindow(condenser)
        case _:
            return NoOp()
