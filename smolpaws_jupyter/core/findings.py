"""What an examination of the surroundings found."""

from __future__ import annotations

from typing import Literal

from .base import Frozen, NonEmpty


class Finding(Frozen):
    """One thing that was looked at. `meaning` and `fix` are empty where all is well."""

    topic: NonEmpty
    state: Literal["ok", "attention", "problem"]
    found: str
    meaning: str = ""
    fix: str = ""
