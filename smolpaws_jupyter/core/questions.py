"""What a page asks to know, and the answers: a question changes nothing, and may be asked as often as one likes.

An answer names its question by `id`. Where there is none, because what was asked about is gone, `Refused` says so.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Frozen, JsonObject, Many, NonEmpty, Sha256
from .budget import BudgetState, LimitFrom
from .instruments.notes import NoteDiff, NoteFile, NotesAtReset
from .instruments.timeline import Mark
from .instruments.weight import Weighed


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


class Timeline(QuestionBase):
    """Ask how large every main request was, and what happened between them."""

    kind: Literal["timeline"] = "timeline"


class Stretch(Frozen):
    """The requests from number `start` on, counted from 0, had this limit and these warning stages."""

    start: int
    limit: int | None
    limit_from: LimitFrom
    thresholds: Many[float]
    profile: str


class TimelineIs(AnswerBase):
    """Answer to `timeline`: the requests as columns, since there may be thousands.

    A position is that of the record that tells of the request. A reason is a failure class, `cancelled` for a request
    that was stopped, and empty for one that was answered.
    """

    kind: Literal["timeline"] = "timeline"
    positions: Many[int]
    reasons: Many[str]
    estimated: Many[int | None]
    measured: Many[int | None]
    stretches: Many[Stretch]
    marks: Many[Mark]


class Weight(QuestionBase):
    """Ask what the heaviest events cost: in the next request, or in all so far."""

    kind: Literal["weight"] = "weight"
    by: Literal["now", "summed"]
    most: int = Field(default=10, ge=1, le=1_000)


class TokenSums(Frozen):
    """Estimated input tokens of the next request, and of all requests so far."""

    now: float
    summed: float


class WeightIs(AnswerBase):
    """Answer to `weight`: the parts of the fixed context, the heaviest events, and all others as one sum.

    These, `others` and `rounding` add up to `total`, the sum of the requests' estimates. `unknown` counts requests that
    are in no sum, because nobody knows what they held.
    """

    kind: Literal["weight"] = "weight"
    fixed: Many[Weighed]
    heaviest: Many[Weighed]
    others: TokenSums
    count: int
    """How many events there are in all."""
    rounding: TokenSums
    total: TokenSums
    requests: int
    unknown: int


class Notes(QuestionBase):
    """Ask for the note files, and what became of them at each reset."""

    kind: Literal["notes"] = "notes"


class NotesAre(AnswerBase):
    """Answer to `notes`. `problem` is a sentence on files that are not told.

    `since` is what changed after the latest reset.
    """

    kind: Literal["notes"] = "notes"
    folder: str
    files: Many[NoteFile]
    problem: str
    resets: Many[NotesAtReset]
    since: Many[NoteDiff]


Question = NextRequest | Fetch | Timeline | Weight | Notes
Answer = NextRequestIs | Chunk | TimelineIs | WeightIs | NotesAre
