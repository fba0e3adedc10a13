"""A reset rehearsed: what the policy would make of the conversation now, without a trace in it.

For a policy whose agent resets, the call is made up and the policy answers it as it would a real one. For one that buys
summaries, only what a summary would replace is known: its text is not, and nobody invents one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ..base import Mint, Stamp, Usage, text_of
from ..budget import Gauge
from ..entries import changed
from ..errors import CommandRefused
from ..events import ActionEvent, Event, ResponseEvent
from ..payloads import CondenseAction, NewContextAction
from ..policies import Policy
from ..policies.base import Due
from ..view import View

How = Literal["condense", "new_context", "summary", "nothing"]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a reset would do now.

    `how`: the agent's own `condense` or `new_context`, a bought `summary`, or `nothing`. `after` is the view then, None
    where nobody can know it. `gone` are the ids of the entries that would no longer be shown. `due` says why a summary
    is wanted before the very next request. `refused` is why the policy would not do it now, in its own words.
    """

    how: How
    after: View | None
    gone: frozenset[str]
    due: Due | None = None
    refused: str = ""


def rehearse(view: View, policy: Policy, gauge: Gauge, message: str | None = None) -> Rehearsal:
    """What a reset would do, as if the agent's latest reply had asked for it: what it has not read stays unread.

    `message` is what the agent would tell itself: its message to its future self, or its handoff.
    """
    due = policy.due(view, gauge)
    if policy.kind in ("agent_reset", "new_context"):
        return _voluntary(view, policy, gauge, message, due)
    plan = policy.plan(view, due or "host", gauge)
    if plan is None:
        return Rehearsal("nothing", None, frozenset(), due)
    return Rehearsal("summary", None, frozenset(entry.id for entry in plan.entries), due)


def _voluntary(view: View, policy: Policy, gauge: Gauge, message: str | None, due: Due | None) -> Rehearsal:
    how: How = "condense" if policy.kind == "agent_reset" else "new_context"
    mint = throwaway_mint()
    # What came after the latest reply has no part in a reset that this reply asked for (R-RESET-5).
    asked = changed(view, {"unread": (), "asides": tuple(a for a in view.asides if a.kind != "MessageEvent")})
    response = _response(asked, mint)
    call = _call(how, message, response, mint)
    view_then = asked.add(response).add(call)
    commits = policy.settle((call,), view_then, gauge, mint)
    for event in (event for commit in commits for event in commit):
        view_then = view_then.add(event)
    if view_then.cycle == view.cycle:
        return Rehearsal(how, None, frozenset(), due, refused=_refusal(commits))
    late = tuple(a for a in view.asides if a.kind == "MessageEvent")
    after = changed(view_then, {"unread": view.unread, "asides": (*view_then.asides, *late)})
    kept = {entry.id for entry in after.read} | {aside.id for aside in after.asides}
    gone = frozenset(entry.id for entry in (*view.read, *view.asides) if entry.id not in kept)
    return Rehearsal(how, after, gone, due)


def _response(view: View, mint: Mint) -> ResponseEvent:
    assert view.binding is not None, "every conversation has a start, and a start has a binding"
    return ResponseEvent(
        **mint(),
        read_through=view.boundary,
        usage_id="rehearsal",
        binding_digest=view.binding.digest,
        model=view.binding.model,
        usage=Usage(),
        http_requests=0,
        latency_ms=0,
    )


def _call(how: How, message: str | None, response: ResponseEvent, mint: Mint) -> ActionEvent:
    if how == "condense":
        fields = {} if message is None else {"message_to_future_self": message}
        action = CondenseAction.model_validate(fields)
    else:
        fields = {} if message is None else {"handoff": message}
        action = NewContextAction.model_validate(fields)
    return ActionEvent(
        **mint(),
        response_event_id=response.id,
        tool_name=how,
        tool_call_id="call_rehearsed",
        arguments=json.dumps(fields, ensure_ascii=False),
        action=action,
    )


def _refusal(commits: list[tuple[Event, ...]]) -> str:
    """What the policy answered instead of doing it."""
    results = [event for commit in commits for event in commit if event.kind == "ObservationEvent"]
    return text_of(results[0].observation.content) if results else ""


def throwaway_mint() -> Mint:
    """Ids and times for events that are only imagined."""

    def stamps() -> Iterator[Stamp]:
        number = 0
        while True:
            number += 1
            yield {"id": f"rehearsed-{number}", "timestamp": "1970-01-01T00:00:00Z"}

    made = stamps()
    return lambda: next(made)


def request_view(rehearsal: Rehearsal) -> View:
    """The view after the reset. Raises `CommandRefused` where there is none to know."""
    if rehearsal.after is not None:
        return rehearsal.after
    if rehearsal.refused:
        raise CommandRefused("no_reset", f"A reset would be refused now: {rehearsal.refused}")
    if rehearsal.how == "summary":
        raise CommandRefused(
            "no_reset",
            "This conversation's context is kept small by summaries, and nobody knows the words of one beforehand.",
            detail="The page shows what a summary would replace now.",
        )
    raise CommandRefused("no_reset", "Nothing would be taken out of this conversation's context now.")
