"""How much of a file one call may ask for, so that the answer fits."""

from __future__ import annotations

from ..messages import canonical
from .known import Known
from .plan import Plan
from .reading import page
from .window import RESERVE, tokens

SHARE = 6
"""A page takes at most this part of the window: one sixth."""

SMALLEST = 200
"""The least number of characters worth a call."""

UNSEEN = 1.8
"""Bytes for a character of a file of which no page is there: enough for quotes and accents."""


def room_left(used: int, window: int, notes: str) -> int:
    """Tokens that pages may still take, if the notes have to be written afterwards."""
    return window - used - RESERVE - tokens(_weight(notes)) * 5 // 4


def characters(known: Known, plan: Plan, file: str, window: int, room: int | None) -> int:
    """Characters to ask for. With `room` the page fits into so many tokens, whatever it holds."""
    weight = _bytes_per_character(known, plan, file)
    most = 4 * (window // SHARE) / weight
    if room is not None:
        heaviest = 2 if _is_ascii(plan, file) else 4
        most = min(most, 4 * room / weight, 4 * room / heaviest)
    return max(SMALLEST, int(most))


def _bytes_per_character(known: Known, plan: Plan, file: str) -> float:
    """What a character will weigh in the request: as in the latest page of the file; without one, rather too much."""
    pages = [found for call in known.calls if call.tool == "read_file" and (found := page(call.result or ""))]
    seen = [found.text for found in pages if found.path == file and found.text]
    size = plan.facts[file].size
    average = plan.sizes[file] / size if size else 1.0
    return max(average, _weight(seen[-1]) / len(seen[-1]) if seen else UNSEEN) * 1.1


def _is_ascii(plan: Plan, file: str) -> bool:
    """Whether as many bytes as characters are in the file, so that even escaped none takes more than two."""
    return plan.facts[file].size == plan.sizes.get(file)


def _weight(text: str) -> int:
    """UTF-8 bytes of a text inside a request."""
    return len(canonical(text).encode("utf-8", "surrogatepass")) - 2
