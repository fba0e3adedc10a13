"""The practice model: rules instead of a network, as a pure function of one request (design: "The practice model").

It works through files, is warned, saves notes, starts afresh and finishes from them, so that the whole way of working
can be watched without a key. It imports nothing but json, re, csv, io, decimal and core.
"""

from __future__ import annotations

from .answer import WHAT_I_AM
from .pages import least_window, tokens
from .reply import HABITS, Overflow, Reply, reply
from .tasks import SENTENCES

__all__ = ["HABITS", "SENTENCES", "WHAT_I_AM", "Overflow", "Reply", "least_window", "reply", "tokens"]
