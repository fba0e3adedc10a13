"""What is known of the practice model before it is asked: its habits, how it counts, and the least window for work."""

from __future__ import annotations

HABITS = ("diligent", "late", "careless", "stubborn")
"""`diligent` saves and resets at any warning; `late` only at 90% and above; `careless` resets without notes; `stubborn`
never resets and reads on until a request is refused."""

AFTER_RESET = 1_200
"""Tokens for task, notice, listings, a few notes and a small page, with the calls that get them."""

SAVED = 400
"""Tokens for notes about a few files."""

RESERVE = 500
"""Tokens that a page leaves free: for its call, for the smallest page after it (a warning comes one request late), for
the warning, and for the frame of the notes."""


def tokens(size: int) -> int:
    """Tokens of so many UTF-8 bytes: the one rule for estimate, usage and window."""
    return -(-size // 4)


def least_window(fixed: int) -> int:
    """The smallest window in which work can go on, in tokens, where system message and tools take `fixed`.

    Three quarters have to hold what is there after a reset, and a page. In the last quarter warnings come and notes are
    written: the first default stage is 75%.
    """
    return max((fixed + AFTER_RESET) * 4 // 3 + 1, (RESERVE + SAVED) * 4)
