"""What each kind of condensation is called where people read a log without the page."""

from __future__ import annotations

from ..events import Details

_CONDENSED = {
    "agent": "The agent started a fresh context.",
    "provider_context_window": "A summary replaced the history: the provider refused the request as too long.",
    "capacity": "A summary replaced the history: the context was over capacity.",
    "size": "A summary replaced older history: it had grown long.",
    "tokens": "A summary replaced older history: its token limit was reached.",
    "proactive": "A summary replaced older history before it grew too long.",
    "host": "A summary replaced the history, as you asked.",
}


def condensed_words(details: Details | None) -> str:
    """What a condensation was, by the request for it; None in a foreign log, where that is missing."""
    return "A fresh context." if details is None else _CONDENSED[details.trigger]


def failed_words(details: Details | None) -> str:
    """What failed; the history is intact."""
    if details is None or details.trigger == "agent":
        return "A fresh context was asked for and not made; the history is intact."
    return "The summary failed; the history is intact."
