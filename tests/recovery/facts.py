"""A log in plain words: each event as a small fact that names other events by their position (R-VOC-3).

What a model of the contract predicts and what a conversation wrote are both told in these facts, so that the two can
be compared with `==`. Random ids, times and the wording of remarks are not part of that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from smolpaws_jupyter.core.base import ContentBlock, ImageBlock, TextBlock
from smolpaws_jupyter.core.events import Event
from smolpaws_jupyter.core.records import UnknownEvent

Place = int | tuple[str, int]
"""A position; of what a condensation left behind, ("notice", its position) or ("summary", its position)."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What happened, with the details that the contract determines; `said` is text that the model was shown by it."""

    what: str
    details: tuple[Any, ...] = ()
    said: str = field(default="", compare=False)
    pictures: int = 0
    by: str | None = None
    """The command of the person who asked for a summary; every fact of that summary carries it (R-MAN-7)."""

    def __str__(self) -> str:
        return f"{self.what}{self.details}"


Commit = tuple[Fact, ...]


class Facts:
    """Translates a log, commit by commit. It remembers where each id stands."""

    def __init__(self) -> None:
        self._place: dict[str, Place] = {}
        self._by_hand: set[str] = set()
        self.length = 0

    @classmethod
    def of(cls, commits: Iterable[Sequence[Event | UnknownEvent]]) -> list[Commit]:
        """A whole log."""
        facts = cls()
        return [facts.commit(commit) for commit in commits]

    def commit(self, events: Sequence[Event | UnknownEvent]) -> Commit:
        """The next commit."""
        return tuple([self._fact(event) for event in events])

    def _fact(self, event: Event | UnknownEvent) -> Fact:
        position, self.length = self.length, self.length + 1
        assert event.id not in self._place, f"the id of event {position} is not unique (R-EV-2)"
        self._place[event.id] = position
        assert not isinstance(event, UnknownEvent), f"event {position} cannot be read: {event}"
        if event.kind == "Condensation":
            self._place[f"{event.id}-notice"] = ("notice", position)
            self._place[f"{event.id}-summary"] = ("summary", position)
        if event.kind == "CondensationRequest" and event.details.trigger == "host":
            self._by_hand.add(event.id)
        fact = _fact(event, self._place.get)
        if not self._by_hand.isdisjoint((event.id, getattr(event, "request_id", None))):
            fact = replace(fact, by=event.command_id)
        return fact


def _fact(event: Event, at: Any) -> Fact:
    match event.kind:
        case "MessageEvent":
            source = {"user": "user", "agent": "reply", "environment": "remark"}[event.source]
            return Fact(source, (words(event.content),), words(event.content), pictures(event.content))
        case "ResponseEvent":
            consumed = frozenset(map(at, event.consumed_warning_ids))
            return Fact("response", (at(event.read_through), consumed, event.usage.input))
        case "ActionEvent":
            return Fact("call", (at(event.response_event_id), event.tool_name, event.arguments), event.thought)
        case "ToolStartEvent":
            return Fact("started", (at(event.action_id),))
        case "ApprovalEvent":
            return Fact("approval", (at(event.action_id), event.decision, at(event.covered_by)))
        case "ObservationEvent":
            observation = event.observation
            shown = (words(observation.content), pictures(observation.content))
            return Fact("result", (at(event.action_id), observation.is_error), *shown)
        case "AgentErrorEvent":
            return Fact("closed", (at(event.action_id), event.code), event.error)
        case "UserRejectObservation":
            return Fact("rejected", (at(event.action_id),), event.rejection_reason)
        case "ContextWarningEvent":
            numbers = (event.threshold, event.input_tokens, event.input_limit, event.counted)
            return Fact("warning", (at(event.cycle), *numbers), event.text)
        case "CondensationRequest":
            details = event.details
            ids = [getattr(details, name, None) for name in ("action_id", "observation_id")]
            others = tuple(map(at, filter(None, ids))) or tuple(
                map(at, getattr(details, "protected_user_event_ids", ()))
            )
            return Fact("request", (details.trigger, at(details.input_event_id), others))
        case "Condensation":
            forgotten = frozenset(map(at, event.forgotten_event_ids))
            left = (event.notice, event.summary, event.summary_offset)
            return Fact("condensation", (at(event.request_id), forgotten, *left))
        case "CondensationFailureEvent":
            return Fact("failure", (at(event.request_id), at(event.action_id), event.code))
        case "PinEvent":
            return Fact("pin", (frozenset(map(at, event.entry_ids)),))
        case "TruncationEvent":
            cuts = [(at(c.entry_id), c.block_index, c.head_chars, c.removed_chars, c.tail_chars) for c in event.cuts]
            return Fact("cut", (tuple(cuts),))
        case "ContextWindowReminderEvent":
            return Fact("reminder", (), event.text)
        case "UsageEvent":
            about = (at(event.read_through), at(event.request_id), event.attempt)
            return Fact("usage", (event.purpose, event.outcome, *about))
        case "ConversationErrorEvent":
            return Fact("error", (event.code,))
        case "MessageWithdrawnEvent":
            return Fact("withdrawn", (at(event.message_id),))
        case "ThresholdsChangedEvent":
            return Fact("thresholds", (event.warning_thresholds,))
        case "ProfileBoundEvent":
            return Fact("bound", (event.binding.profile, event.binding.max_input_tokens))
        case "TitleEvent":
            return Fact("title", (event.title,))
        case "ConversationStartEvent":
            return Fact("start")
        case "InterruptEvent" | "PauseEvent" | "ResumeEvent" | "RecoveryEvent":
            return Fact(event.kind.removesuffix("Event").lower())
        case _:
            raise AssertionError(f"this version writes no {event.kind}")


def words(content: Sequence[ContentBlock]) -> str:
    """The text of a message or a result."""
    return "\n".join(block.text for block in content if isinstance(block, TextBlock))


def pictures(content: Sequence[ContentBlock]) -> int:
    """How many images a message or a result holds."""
    return sum(isinstance(block, ImageBlock) for block in content)
