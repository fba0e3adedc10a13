"""What a page asks to know, and the answers: a question changes nothing, and may be asked as often as one likes.

An answer names its question by `id`. Where there is none, because what was asked about is gone, `Refused` says so.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Frozen, JsonObject, Many, NonEmpty, Sha256
from .budget import BudgetState


class CommandBase(Frozen):
    """A message of a page. The same `id` has one effect, however often it is sent (R-STOP-14)."""

    id: NonEmpty


class QuestionBase(CommandBase):
    """A command without any effect."""


class AnswerBase(Frozen):
    id: str


class NextRequest(QuestionBase):
    kind: Literal["next_request"] = "next_request"


class NextRequestIs(AnswerBase):
    """Answer to `next_request`: exactly what the model would be sent now."""

    kind: Literal["request"] = "request"
    messages: Many[JsonObject]
    tools: Many[JsonObject]
    budget: BudgetState


class Fetch(QuestionBase):
    """Ask for a piece of a large text that an update left out. Offsets count characters."""

    kind: Literal["fetch"] = "fetch"
    sha256: Sha256
    offset: int = Field(default=0, ge=0)
    length: int = Field(default=65_536, ge=1, le=1_000_000)


class Chunk(AnswerBase):
    """Answer to `fetch`; `total` is the whole text's length in characters."""

    kind: Literal["chunk"] = "chunk"
    sha256: Sha256
    offset: int
    text: str
    total: int


Question = NextRequest | Fetch
Answer = NextRequestIs | Chunk
