"""Public stand-ins for tests: a model that follows a script, a provider on loopback, and builders for their replies.

They are real implementations of the doors (see `runtime.llm`), so nothing of this package has to be patched.
"""

from __future__ import annotations

from .moves import Gate, Move, call, calls, failure, overflow, raw_call, reply
from .scripted_llm import Script, ScriptedLLM, ScriptExhausted

__all__ = [
    "Gate",
    "Move",
    "Script",
    "ScriptExhausted",
    "ScriptedLLM",
    "call",
    "calls",
    "failure",
    "overflow",
    "raw_call",
    "reply",
]
