"""Why a model call failed, read once from status, code, type and message text (contract, section 13).

The wordings stand in `failure_wordings`. A known false alarm, accepted: a refusal that repeats the person's own text is
read as if the provider had said it; the bound on rescues keeps it to one summary (R-BOUND-1).
"""

from __future__ import annotations

from typing import Literal

from . import failure_wordings as said

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

REPEATABLE: frozenset[FailureClass] = frozenset({"rate_limit", "timeout", "transport", "server"})
"""What time can mend: these may be sent again inside one main request (R-FAIL-8)."""

_OVERFLOW_STATUSES = (None, 200, 400, 413, 422, 500, 502, 503)
_TIMEOUT_STATUSES = (408, 504, 524)


def classify(status: int | None, code: str | None, type_: str | None, text: str) -> FailureClass:
    """The class of a failed call; the first row that matches wins (R-FAIL-2).

    `status` is the HTTP status, or None for an error inside a stream and for none at all. `code` and `type_` are the
    structured fields of the error, `text` its message. Never raises.
    """
    names = {name.strip().lower() for name in (code, type_) if name}
    text = said.plain(" ".join((text, *sorted(names))))
    status = _implied(status, names)
    overflow_code = any(code in text for code in said.OVERFLOW_CODES)  # also one that a proxy quotes
    overflow = status in _OVERFLOW_STATUSES and (overflow_code or bool(said.matching(text, said.OVERFLOW)))

    if status == 401 or said.matching(text, said.AUTH):
        return "auth"
    if status == 403:
        return "permission"
    if status == 429 or said.matching(text, said.RATE_LIMIT):
        return "rate_limit"
    if said.matching(text, said.CONTENT_POLICY):
        return "content_policy"
    if said.matching(text, said.OUTPUT_CAP) and not said.NAMES_THE_INPUT.search(text):
        return "output_cap"
    if (not overflow_code and _speaks_of_bytes(text)) or (status == 413 and not overflow):
        return "byte_limit"
    if not overflow_code and said.matching(text, said.MALFORMED_HISTORY):
        return "malformed_history"
    if overflow:
        return "overflow"
    if status == 404 or said.matching(text, said.NOT_FOUND):
        return "not_found"
    return _by_status(status, text)


def _implied(status: int | None, names: set[str]) -> int | None:
    """The status, or what code and type say of it: an error inside a 200 stream has no status of its own."""
    if status not in (None, 200):
        return status
    for name in names:
        if name.isascii() and name.isdigit() and 400 <= int(name) <= 599:
            return int(name)
    return next((said.STATUS_OF_NAME[name] for name in sorted(names) if name in said.STATUS_OF_NAME), status)


def _speaks_of_bytes(text: str) -> bool:
    return bool(said.matching(text, said.BYTE_LIMIT)) and not said.MEASURED_IN_TOKENS.search(text)


def _by_status(status: int | None, text: str) -> FailureClass:
    if status in _TIMEOUT_STATUSES:
        return "timeout"
    if status is not None and 400 <= status < 500:
        return "bad_request"
    if said.matching(text, said.TIMEOUT):
        return "timeout"
    if status is not None and status >= 500:
        return "server"
    if said.matching(text, said.TRANSPORT):
        return "transport"
    if said.matching(text, said.SERVER):
        return "server"
    return "unknown"
