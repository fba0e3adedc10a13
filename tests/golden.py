"""What a log means, as JSON that can be kept beside it and compared for ever (I-8, T12).

`folded(commits)` says what the next request would be, what waits, what was spent and which rule is broken, if any. It
uses public names of the view and the ledger only, so a golden file survives what changes inside them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.events import Event
from smolpaws_jupyter.core.ledger import Ledger, Totals
from smolpaws_jupyter.core.messages import messages_of
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.core.replay import Replay, Violation
from smolpaws_jupyter.core.view import View


def folded(commits: Iterable[Sequence[Event | UnknownEvent]]) -> JsonObject:
    """View, totals and pending work of a log, and its first violation; plain JSON values."""
    log = [tuple(commit) for commit in commits]
    events = [event for commit in log for event in commit]
    replay = Replay.of(log)
    return {
        "events": len(events),
        "unknown": [[event.id, event.kind, event.reason] for event in events if isinstance(event, UnknownEvent)],
        "violation": [replay.event_id, replay.rule] if isinstance(replay, Violation) else None,
        "view": _view(View.of(events)),
        "ledger": _ledger(Ledger.of(events)),
    }


def text(value: JsonObject) -> str:
    """The text of a golden file."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _view(view: View) -> JsonObject:
    return {
        "request": messages_of(view),
        "read": [[entry.id, entry.kind] for entry in view.read],
        "unread": [message.id for message in view.unread],
        "asides": [aside.id for aside in view.asides],
        "pending": {
            "open_calls": [[call.id, call.id in view.started] for call in view.open_calls],
            "requests": [request.id for request in view.outstanding],
            "rescue": view.rescue,
            "unfinished": view.unfinished,
            "paused": view.paused,
            "error": view.error.code if view.error else None,
        },
        "cycle": view.cycle,
        "stage": view.stage,
        "reminded": view.reminded,
        "count": [view.count.tokens, view.count.binding_digest] if view.count else None,
        "binding": view.binding.digest if view.binding else None,
        "thresholds": list(view.thresholds) if view.thresholds else None,
        "empty_replies": view.empty_replies,
        "refusals": view.refusals,
        "pins": sorted(view.pins),
        "cuts": [[*at, cut.removed_chars] for at, cut in sorted(view.cuts.items())],
    }


def _ledger(ledger: Ledger) -> JsonObject:
    return {
        "conversation_id": ledger.conversation_id,
        "title": ledger.title,
        "first_user_text": ledger.first_user_text,
        "totals": _totals(ledger.totals),
        "inherited": _totals(ledger.inherited),
        "condensations": dict(ledger.condensations),
        "receipts": dict(ledger.receipts),
    }


def _totals(totals: Mapping[str, Totals]) -> dict[str, Any]:
    return {usage_id: asdict(spent) for usage_id, spent in totals.items()}
