"""Why a model call failed, read from status, code, type and message text (contract, section 13)."""

from __future__ import annotations

from typing import Literal

FailureClass = Literal[
    "auth",
    "permission",
    "rate_limit",
    "content_policy",
    "output_cap",
    "byte_limit",
    "malformed_history",
    "overflow",
    "bad_request",
    "not_found",
    "timeout",
    "transport",
    "server",
    "unknown",
    "missing_key",
]
"""The classes of R-FAIL-2, and a key that could not be found before anything was sent (R-BIND-8)."""
