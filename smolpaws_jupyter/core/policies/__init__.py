"""One file for each way of keeping a context; `policy_for` chooses by the settings' condenser kind."""

from __future__ import annotations

from ..settings import AgentResetSettings, AgentSettings
from .agent_reset import AgentReset
from .base import Policy
from .no_op import NoOp

__all__ = ["AgentReset", "NoOp", "Policy", "policy_for"]

BUILT = ("agent_reset", "no_op")
"""The kinds that this version can run. The others are read, kept and refused at the start."""


def policy_for(settings: AgentSettings, notes: str = "notes") -> Policy:
    """The policy of these settings. A missing or disabled condenser behaves as `no_op` (R-SET-7, R-SET-21)."""
    match settings.effective_condenser:
        case AgentResetSettings(warning_thresholds=thresholds, conversation_history=history):
            return AgentReset(thresholds, notes, settings.hard_condenser, history=history)
        case _:
            return NoOp()
