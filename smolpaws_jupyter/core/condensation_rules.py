"""What a `Condensation` must satisfy before it may clear anything: R-REPL-2 and R-REPL-4 to R-REPL-10.

Each function yields what is broken, the rule's id first. Nothing here changes or repairs anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from .base import JsonObject
from .events import ActionEvent, Condensation, CondensationRequest, ObservationEvent, RescueDetails, VoluntaryDetails
from .payloads import CondenseAction, CondenseObservation, NewContextObservation
from .units import Entry, units
from .view import View

Broken = tuple[str, str]
"""A rule's id, and a sentence for people."""


@dataclass(frozen=True, slots=True)
class Intent:
    """A request, and what was true when it was made."""

    request: CondensationRequest
    while_calls_were_open: bool
    unread_at_boundary: frozenset[str] | None
    """None where the boundary is unknown."""


def broken_by(fact: Condensation, intent: Intent | None, view: View, *, boundary_known: bool) -> Iterator[Broken]:
    """What is wrong with a fact that comes after `view`; `boundary_known` is about the latest response (R-REPL-11)."""
    if intent is None:
        yield (
            "R-REPL-2",
            "A condensation carries out a request that was made before, did not fail, and was not done yet.",
        )
        return
    read = {entry.id: entry for entry in view.read}
    if not read.keys() >= set(fact.forgotten_event_ids):
        yield "R-REPL-10", "It forgets something that the model has not read, or that does not exist."
    details = intent.request.details
    if isinstance(details, VoluntaryDetails) and _tool(read.get(details.action_id)) != "new_context":
        yield from _reset(fact, intent.request, details, view, read, boundary_known)
        return
    if intent.while_calls_were_open:
        yield "R-VIEW-9", "It was requested while a call was open, and nothing comes between a call and its result."
    if not fact.effective:
        return
    if isinstance(details, VoluntaryDetails):
        yield from _new_context(fact, details, view, read, boundary_known)
    elif isinstance(details, RescueDetails) and condenser_kind(view) == "agent_reset":
        yield from _emergency(fact, details, intent, read)
    else:
        yield from _summary(fact, view)


def condenser_kind(view: View) -> str:
    """The kind of condenser that the conversation was started with; `no_op` where there is none (R-SET-7, R-SET-21)."""
    condenser: Any = view.start.settings.get("condenser") if view.start else None
    if not isinstance(condenser, dict):
        return "no_op"
    settings = cast("JsonObject", condenser)
    return "no_op" if settings.get("enabled") is False else str(settings.get("condenser_kind", "llm_summarizing"))


def _tool(entry: Entry | None) -> str:
    return entry.tool_name if isinstance(entry, ActionEvent) else ""


def _blank(text: str | None) -> bool:
    return text is None or not text.strip()


def _reset(
    fact: Condensation,
    request: CondensationRequest,
    details: VoluntaryDetails,
    view: View,
    read: dict[str, Entry],
    boundary_known: bool,
) -> Iterator[Broken]:
    """The agent's `condense`: R-REPL-4, R-REPL-5, R-REPL-6."""
    action, observation = read.get(details.action_id), read.get(details.observation_id)
    response = view.last_response
    order = [response.id if response else None, details.action_id, details.observation_id, request.id]
    if [event_id for event_id in view.recent if event_id in order] != order:
        yield "R-REPL-5", "Response, call, result, request and reset do not follow each other in this order."
    elif response is None or not boundary_known or details.input_event_id != response.read_through:
        yield "R-REPL-5", "The request names another boundary than the response, or one that is not before it."

    if (
        not isinstance(action, ActionEvent)
        or not isinstance(action.action, CondenseAction)
        or _tool(action) != "condense"
    ):
        yield "R-REPL-4", "The call that asked is no call of condense."
        return
    siblings = [
        e for e in read.values() if isinstance(e, ActionEvent) and e.response_event_id == action.response_event_id
    ]
    if len(siblings) != 1:
        yield "R-REPL-4", "The call of condense is not the only call of its response."
    if not isinstance(observation, ObservationEvent) or not isinstance(observation.observation, CondenseObservation):
        yield "R-REPL-4", "The result is not that of condense."
        return
    result = observation.observation
    same_call = (action.id, action.tool_name, action.tool_call_id)
    if (observation.action_id, observation.tool_name, observation.tool_call_id) != same_call:
        yield "R-REPL-4", "The result belongs to another call."
    if result.is_error or result.request_id != request.id:
        yield "R-REPL-4", "The result is an error, or belongs to another request."
    if not action.action.message_to_future_self == result.message_to_future_self == _message(action.arguments):
        yield "R-REPL-4", "Arguments, call and result hold different messages."
    if fact.summary is not None or fact.summary_offset is not None or _blank(fact.notice):
        yield "R-REPL-4", "A reset has a notice and no summary."
    if set(fact.forgotten_event_ids) != read.keys() - {action.id, observation.id}:
        yield "R-REPL-6", "A reset forgets all that was read but its own call and result, no more and no less."


def _message(arguments: str) -> Any:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return cast("JsonObject", value).get("message_to_future_self") if isinstance(value, dict) else None


def _new_context(
    fact: Condensation, details: VoluntaryDetails, view: View, read: dict[str, Entry], boundary_known: bool
) -> Iterator[Broken]:
    """The agent's `new_context`: R-REPL-7."""
    action, observation = read[details.action_id], read.get(details.observation_id)
    if (
        not isinstance(observation, ObservationEvent)
        or observation.action_id != action.id
        or not isinstance(observation.observation, NewContextObservation)
        or observation.observation.is_error
    ):
        yield "R-REPL-7", "No call of new_context succeeded."
    response = view.last_response
    entries = list(view.read)
    call_at = entries.index(action)
    kept = {entries[at].id for unit in units(entries) if call_at in unit for at in unit}
    latest = response is not None and isinstance(action, ActionEvent) and action.response_event_id == response.id
    if not latest or not boundary_known or response is None or details.input_event_id != response.read_through:
        kept |= {entry.id for entry in entries if entry.kind == "MessageEvent" and entry.genuine}
    if read.keys() - set(fact.forgotten_event_ids) != kept:
        yield "R-REPL-7", "It keeps something else than the unit that asked (and the user's messages, if need be)."
    if fact.summary is not None or fact.summary_offset is not None or _blank(fact.notice):
        yield "R-REPL-7", "A new context has a notice and no summary."


def _emergency(fact: Condensation, details: RescueDetails, intent: Intent, read: dict[str, Entry]) -> Iterator[Broken]:
    """The fallback of `agent_reset`: R-REPL-8."""
    if _blank(fact.summary) or fact.summary_offset != 0 or _blank(fact.notice):
        yield "R-REPL-8", "An emergency has a notice and, right after it, a summary."
    if set(fact.forgotten_event_ids) != read.keys():
        yield "R-REPL-8", "An emergency forgets all that was read."
    if intent.unread_at_boundary is None or frozenset(details.protected_user_event_ids) != intent.unread_at_boundary:
        yield "R-REPL-8", "An emergency protects exactly the messages that were unread in the request that failed."


def _summary(fact: Condensation, view: View) -> Iterator[Broken]:
    """Every other summary: R-REPL-9."""
    forgotten = set(fact.forgotten_event_ids)
    if _blank(fact.summary):
        yield "R-REPL-9", "There is no summary of what is forgotten."
    if not forgotten.isdisjoint(view.pins):
        yield "R-REPL-9", "It forgets a pinned entry."
    places, kept = {0}, 0
    split = False
    for unit in units(view.read):
        stays = sum(view.read[at].id not in forgotten for at in unit)
        split = split or 0 < stays < len(unit)
        kept += stays
        places.add(kept)
    if split:
        yield "R-REPL-9", "It forgets a part of calls and results that belong together."
    if fact.summary_offset not in places:
        yield "R-REPL-9", "The summary has no place, or one inside calls and results that belong together."
    if condenser_kind(view) == "new_context" and any(
        entry.id in forgotten and entry.kind == "MessageEvent" and entry.genuine for entry in view.read
    ):
        yield "R-REPL-9", "It forgets a message of the user."
