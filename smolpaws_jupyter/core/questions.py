"""What a page asks to know, and the answers: a question changes nothing, and may be asked as often as one likes.

An answer names its question by `id`. Where there is none, because what was asked about is gone, `Refused` says so.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Frozen, Many, NonEmpty, Sha256
from .budget import BudgetState, LimitFrom
from .findings import Finding
from .instruments.lines import Line, Lines
from .instruments.notes import NoteDiff, NoteFile, NotesAtReset
from .instruments.rehearsal import How
from .instruments.timeline import Mark
from .instruments.weight import Weighed
from .policies.base import Due


class CommandBase(Frozen):
    """A message of a page. The same `id` has one effect, however often it is sent (R-STOP-14)."""

    id: NonEmpty


class QuestionBase(CommandBase):
    """A command without any effect."""


class AnswerBase(Frozen):
    id: str


class NextRequest(QuestionBase):
    """Ask what the model would be sent now, and what a reset would leave of it.

    The lines of its messages from `start` on; without it the last ones.
    """

    kind: Literal["next_request"] = "next_request"
    start: int | None = Field(default=None, ge=0)
    count: int = Field(default=100, ge=1, le=500)


class ResetIs(Frozen):
    """What a reset now would do; `how`, `due` and `refused` as in `Rehearsal`.

    `gone` messages would be taken out, about `gone_tokens`. `after` is the request then, of about `tokens` in all; None
    where nobody can know it.
    """

    how: How
    due: Due | None
    refused: str
    gone: int
    gone_tokens: int
    after: Lines | None
    tokens: int | None


class NextRequestIs(AnswerBase):
    """Answer to `next_request`. `tokens` is an estimate of the whole; those of lines are shares of it."""

    kind: Literal["request"] = "request"
    fixed: Many[Line]
    messages: Lines
    tokens: int
    budget: BudgetState
    reset: ResetIs


DifferencePart = Literal["left", "stayed", "came"]


class Compare(QuestionBase):
    """Ask what changed from one request to a later one: requests of the log by their event ids, None for the next one.

    The lines of one `part` of the difference come with the answer, from `start` on.
    """

    kind: Literal["compare"] = "compare"
    older: NonEmpty | None
    newer: NonEmpty | None
    part: DifferencePart
    start: int = Field(default=0, ge=0)
    count: int = Field(default=100, ge=1, le=500)


class ComparisonIs(AnswerBase):
    """Answer to `compare`: how many messages left, stayed and came, and lines of one part.

    `changed` are the keys of lines that both left and came, with other words. `fixed` names what differs in the fixed
    context; `models` are the two that were asked.
    """

    kind: Literal["comparison"] = "comparison"
    left: int
    stayed: int
    came: int
    lines: Lines
    changed: Many[str]
    fixed: Many[str]
    models: Many[str]


class Show(QuestionBase):
    """Ask for all words of one line, by its key, or without a key for the whole request as canonical JSON.

    `request` is the event id of a request of the log, or `next`, or `rehearsed`.
    """

    kind: Literal["show"] = "show"
    request: NonEmpty
    key: str | None = None


class Shown(AnswerBase):
    """Answer to `show`: the text, which can be fetched by its `sha256` for a while."""

    kind: Literal["shown"] = "shown"
    sha256: Sha256
    chars: int


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


class State(QuestionBase):
    """Ask which model and which way to keep a context this conversation has, and which profiles are saved."""

    kind: Literal["state"] = "state"


class Choice(Frozen):
    """Something that a person may choose by its name, and what it is, in words.

    Of a profile that is its model, its limit and whether its key is there; never its base URL, its key or where that
    lies (R-BIND-7).
    """

    name: str
    about: str


class StateIs(AnswerBase):
    """Answer to `state`. `condenser` is the kind in force; `outlook` says in words what it does next.

    `kinds` are those that a new conversation can have.
    """

    kind: Literal["state"] = "state"
    condenser: str
    outlook: str
    profile: Choice
    saved: Many[Choice]
    kinds: Many[Choice]


class Conversations(QuestionBase):
    """Ask for the stored conversations of this workspace, the latest first."""

    kind: Literal["conversations"] = "conversations"
    most: int = Field(default=20, ge=1, le=10_000)


class ConversationInfo(Frozen):
    """A conversation of this workspace, for a list."""

    id: str
    title: str
    changed: str
    events: int


class ConversationsAre(AnswerBase):
    """Answer to `conversations`. `more`: there are others."""

    kind: Literal["conversations"] = "conversations"
    conversations: Many[ConversationInfo]
    more: bool


class Export(QuestionBase):
    """Ask for this conversation as a text. `Shown` answers, with which it can be fetched."""

    kind: Literal["export"] = "export"
    format: Literal["markdown", "html", "jsonl", "bare"]


class Examine(QuestionBase):
    """Ask what works here, and what to mend."""

    kind: Literal["examine"] = "examine"


class Examined(AnswerBase):
    """Answer to `examine`, the gravest first."""

    kind: Literal["examined"] = "examined"
    findings: Many[Finding]


Question = NextRequest | Compare | Show | Fetch | Timeline | Weight | Notes | State | Conversations | Export | Examine
Answer = (
    NextRequestIs
    | ComparisonIs
    | Shown
    | Chunk
    | TimelineIs
    | WeightIs
    | NotesAre
    | StateIs
    | ConversationsAre
    | Examined
)
