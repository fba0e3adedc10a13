"""Public stand-ins for tests: a model that follows a script, a provider on loopback, and builders for their replies.

They are real implementations of the doors (see `runtime.llm`), so nothing of this package has to be patched.
"""

from __future__ import annotations

from .answers import Answer, answer, chunk, events, refuse, rendered
from .moves import Gate, Move, call, calls, failure, overflow, raw_call, reply
from .scripted_llm import Script, ScriptedLLM, ScriptExhausted
from .scripted_server import ScriptedServer, Step

__all__ = [
    "Answer",
    "Gate",
    "Move",
    "Script",
    "ScriptExhausted",
    "ScriptedLLM",
    "ScriptedServer",
    "Step",
    "answer",
    "call",
    "calls",
    "chunk",
    "events",
    "failure",
    "overflow",
    "raw_call",
    "refuse",
    "rendered",
    "reply",
]
