"""The contract as a toy, part three: when each kind of condenser wants a summary, and of what (sections 11, 14, 16, 17)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.base import JsonObject
from tests.recovery.facts import Fact, Place
from tests.recovery.reference import Reference, marker

NEEDED = {"condense": ("agent_reset",), "new_context": ("new_context",)}
"""The tools by which an agent forgets, and the kinds that have them."""


@dataclass(frozen=True)
class Plan:
    """A summary that is wanted: of these entries, placed behind `offset` of those that stay."""

    trigger: str
    entries: Sequence[Place]
    offset: int
    protected: tuple[Place, ...] = ()
    pins: frozenset[Place] = frozenset()
    attempts: int = 5
    notice: str | None = None
    heading: str = ""


@dataclass(frozen=True)
class Way:
    """One kind with its settings. Each answer is read off a log."""

    settings: JsonObject

    @property
    def kind(self) -> str:
        return self._condenser.get("condenser_kind", "no_op")

    @property
    def _condenser(self) -> dict[str, Any]:
        return self.settings.get("condenser") or {}

    @property
    def once(self) -> bool:
        """R-BOUND-4"""
        return self.kind != "summarizing_window"

    @property
    def refusal(self) -> int | None:
        """The status with which a person's summary is refused; None where it is offered (R-MAN-2, R-MAN-4)."""
        return {"agent_reset": 409, "no_op": 422}.get(self.kind)

    def advice(self, log: Reference) -> Fact | None:
        """R-WARN-1, R-NEW-14"""
        if self.kind == "agent_reset":
            return log.due_warning()
        tokens, limit = log.size(log.shown), log.input_limit
        due = tokens is not None and limit is not None and 0.8 * limit <= tokens < limit
        return Fact("reminder") if self.kind == "new_context" and due and not log.reminded else None

    def due(self, log: Reference) -> str | None:
        """Why a summary is wanted before a request is sent (R-NEW-16, R-WIN-11, R-ORD-1)."""
        tokens, limit = log.budget()[0], log.input_limit
        if self.kind == "new_context":
            return None if fits(log, log.shown) else "capacity"
        if log.routine is not None or self.kind not in ("summarizing_window", "llm_summarizing"):
            return None
        if self.kind == "summarizing_window":
            threshold = (self._condenser.get("proactive_compression") or {}).get("compression_threshold")
            crossed = threshold is not None and tokens is not None and limit is not None and tokens / limit >= threshold
            return "proactive" if crossed else None
        most = self._condenser.get("max_tokens", limit)
        if most is not None and tokens is not None and tokens > most:
            return "tokens"
        return "size" if len(log.shown) > self._condenser["max_size"] else None

    def plan(self, log: Reference, trigger: str) -> Plan | None:
        """What to summarise; None where nothing helps or nothing is offered."""
        plans: dict[str, Callable[[Reference, str], Plan | None]] = {
            "agent_reset": self._emergency,
            "new_context": self._rescue,
            "summarizing_window": self._oldest,
            "llm_summarizing": self._range,
        }
        plan = plans.get(self.kind)
        return plan(log, trigger) if plan is not None else None

    def refuses(self, log: Reference, plan: Plan) -> str | None:
        """R-NEW-20"""
        if self.kind != "new_context":
            return None
        left = [entry for entry in log.shown if entry not in plan.entries]
        before, after = log.size(log.shown), log.size(left)
        if before is not None and after is not None and after >= before:
            return "summary_not_smaller"
        return None if fits(log, left) else "summary_does_not_fit"

    def cuts(self, log: Reference) -> tuple[tuple[Place, int, int, int, int], ...]:
        """R-WIN-14 to 18"""
        if self.kind != "summarizing_window":
            return ()
        keep, pinned = self._condenser["truncate_preserve_chars"], self._pinned(log)
        found: list[tuple[Place, int, int, int, int]] = []
        for entry in log.shown:
            removed = len(log.text(entry)) - 2 * keep
            long = removed - len(marker(removed)) > keep
            if long and entry not in pinned and (entry, 0) not in log.cuts:
                found.append((entry, 0, keep, removed, keep))
        return tuple(found)

    # One kind each

    def _emergency(self, log: Reference, trigger: str) -> Plan | None:
        """Section 11"""
        if not self.settings.get("hard_condenser"):
            return None
        return Plan(trigger, list(log.read), 0, tuple(log.unread), notice=wording.EMERGENCY_NOTICE)

    def _rescue(self, log: Reference, trigger: str) -> Plan | None:
        """R-NEW-19, R-NEW-21, R-NEW-22"""
        chosen = [e for unit in units(log) for e in unit if not any(is_said(log, other) for other in unit)]
        if all(isinstance(entry, tuple) for entry in chosen):
            return None
        said = tuple(entry for entry in log.read if is_said(log, entry))
        left = [entry for entry in log.shown if entry not in chosen]
        protected = (*said, *log.unread) if trigger != "host" else ()
        return Plan(trigger, chosen, log.read.index(chosen[0]), protected) if fits(log, left) else None

    def _oldest(self, log: Reference, trigger: str) -> Plan | None:
        """R-WIN-1 to 7"""
        messages = [2 if len(unit) > 1 else 1 for unit in units(log)]
        in_all = sum(messages) + len(log.unread)
        wanted = max(1, math.floor(in_all * self._condenser["summary_ratio"]))
        wanted = min(wanted, in_all - self._condenser["preserve_recent_messages"], sum(messages))
        pinned, chosen, before, counted = self._pinned(log), list[Place](), 0, 0
        for unit, size in zip(units(log), messages, strict=True):
            if counted >= wanted:
                break
            counted += size
            before += sum(entry in pinned for entry in unit)
            chosen += [entry for entry in unit if entry not in pinned]
        if all(isinstance(entry, tuple) for entry in chosen):
            return None
        protected = tuple(log.unread) if trigger == "provider_context_window" else ()
        return Plan(trigger, chosen, before, protected, self._first(log), attempts=1)

    def _range(self, log: Reference, trigger: str) -> Plan | None:
        """R-ORD-2 to 4, R-ORD-9"""
        keep_first, in_all = self._condenser["keep_first"], len(log.shown)
        targets = [self._condenser["max_size"] // 2] * (in_all > self._condenser["max_size"])
        targets += [in_all // 2] * (trigger != "size")
        last = in_all - max(0, min(targets) - keep_first - 1)
        ends = [0]
        for unit in units(log):
            ends.append(ends[-1] + len(unit))
        start = next((end for end in ends if end >= keep_first), ends[-1])
        stop = next((end for end in ends if end >= last), ends[-1])
        lawful = stop - start >= 0.1 * in_all and any(isinstance(entry, int) for entry in log.read[start:stop])
        if not lawful:
            start, stop = 0, len(log.read)
            if trigger in ("size", "tokens") or all(isinstance(entry, tuple) for entry in log.read):
                return None
        protected = tuple(log.unread) if trigger == "provider_context_window" else ()
        return Plan(trigger, log.read[start:stop], start, protected, heading=wording.SUMMARY_HEADING)

    def _first(self, log: Reference) -> frozenset[Place]:
        """What the first reduction pins: each batch is two messages, its calls and its results (R-WIN-3)."""
        if log.pins:
            return frozenset()
        messages: list[Sequence[Place]] = []
        for unit in units(log):
            calls: list[Place] = [e for e in unit if isinstance(e, int) and log.log[e].what == "call"]
            messages += [calls, [entry for entry in unit if entry not in calls]] if calls else [list(unit)]
        messages += [[entry] for entry in log.unread]
        return frozenset(entry for message in messages[: self._condenser["pin_first"]] for entry in message)

    def _pinned(self, log: Reference) -> set[Place]:
        """The pins, those to come included, with the rest of their batches."""
        pins = log.pins | self._first(log)
        return set(pins) | {entry for unit in units(log) if not pins.isdisjoint(unit) for entry in unit}


def units(log: Reference) -> list[list[Place]]:
    """R-VIEW-10: the calls of one response with their results, and each other entry alone. No model here thinks."""
    found: list[list[Place]] = []
    response: object = None
    for entry in log.read:
        fact = log.log[entry] if isinstance(entry, int) else None
        if fact is not None and fact.what == "call":
            same, response = fact.details[0] == response, fact.details[0]
        elif fact is not None and fact.what in ("result", "closed", "rejected"):
            same = True
        else:
            same, response = False, None
        if same:
            found[-1].append(entry)
        else:
            found.append([entry])
    return found


def is_said(log: Reference, entry: Place) -> bool:
    """Whether a person said it."""
    return isinstance(entry, int) and log.log[entry].what == "user"


def fits(log: Reference, entries: Sequence[Place]) -> bool:
    """Whether a request with these entries is below the limit, as far as anybody knows."""
    tokens = log.size(entries)
    return tokens is None or log.input_limit is None or tokens < log.input_limit
