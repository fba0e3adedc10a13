"""Consent: which call has to be asked about, what an approval covers, and when it ends (R-STOP-15)."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from typing import Literal

from ..core.errors import CommandRefused
from ..core.events import ApprovalEvent, Event
from ..core.wire import ApprovalRequest, Grant
from .log import mint
from .tools.base import Consent, Shown

Mode = Literal["ask", "allow", "read_only"]


@dataclass(frozen=True, slots=True)
class Rejected:
    """The person said no."""

    reason: str
    command_id: str | None


@dataclass(slots=True)
class _Waiting:
    request: ApprovalRequest
    answer: asyncio.Future[ApprovalEvent | Rejected]


class Approvals:
    """The calls that wait for a person, and the approvals "for this run" in force.

    Nothing of this is restored: a restart, a Stop and a condensation end every approval.
    """

    def __init__(self, mode: Mode) -> None:
        self.mode: Mode = mode
        self._waiting: dict[str, _Waiting] = {}
        self._granted: dict[str, ApprovalEvent] = {}

    @property
    def waiting(self) -> tuple[ApprovalRequest, ...]:
        return tuple(w.request for w in self._waiting.values())

    @property
    def granted(self) -> tuple[Grant, ...]:
        return tuple(Grant(action_id=event.action_id, covers=covers) for covers, event in self._granted.items())

    def judge(self, consent: Consent, effects: bool) -> Literal["allow", "ask", "refuse"]:
        """The policy table, the last word of the mode included."""
        if consent.verdict == "refuse":
            return "refuse"
        if self.mode == "read_only" and effects:
            return "refuse"
        if self.mode == "allow" and consent.verdict == "ask" and not consent.by_name:
            return "allow"
        return consent.verdict

    def covered(self, action_id: str, consent: Consent, digest: str) -> ApprovalEvent | None:
        """The record that an earlier approval "for this run" covers this call, or None."""
        earlier = self._granted.get(consent.covers) if consent.covers else None
        if earlier is None:
            return None
        return ApprovalEvent(
            **mint(), action_id=action_id, decision="covered", covered_by=earlier.id, shown_digest=digest
        )

    def ask(self, request: ApprovalRequest) -> asyncio.Future[ApprovalEvent | Rejected]:
        """Makes a call wait. The future gives what the person decided; nobody else ever sets it."""
        waiting = _Waiting(request, asyncio.get_running_loop().create_future())
        self._waiting[request.action_id] = waiting
        return waiting.answer

    def forget(self, action_id: str) -> None:
        """The call waits no longer, whatever the reason."""
        self._waiting.pop(action_id, None)

    def approve(self, action_id: str, scope: Literal["once", "run"], digest: str | None, command_id: str) -> None:
        """Decides for exactly the call that was shown. Raises `CommandRefused` for any other (F-56)."""
        waiting = self._find(action_id)
        if digest is not None and digest != waiting.request.digest:
            raise CommandRefused(
                "approval_outdated", "This is not the call that was shown.", detail="Look at it again."
            )
        if scope == "run" and waiting.request.covers is None:
            raise CommandRefused("approval_scope", "This call can only be approved once.", detail="Approve it once.")
        waiting.answer.set_result(
            ApprovalEvent(
                **mint(),
                command_id=command_id,
                action_id=action_id,
                decision=scope,
                shown_digest=waiting.request.digest,
            )
        )

    def reject(self, action_id: str, reason: str, command_id: str) -> None:
        self._find(action_id).answer.set_result(Rejected(reason, command_id))

    def revocation(self, action_id: str, command_id: str) -> ApprovalEvent:
        """The record that takes an approval "for this run" back."""
        event = next((e for e in self._granted.values() if e.action_id == action_id), None)
        if event is None:
            raise CommandRefused("approval_unknown", "No approval for this run was given with this call.")
        return ApprovalEvent(
            **mint(), command_id=command_id, action_id=action_id, decision="revoked", shown_digest=event.shown_digest
        )

    def fold(self, event: Event, covers: str | None = None) -> None:
        """Keeps what is in force in step with the log."""
        match event.kind:
            case "ApprovalEvent" if event.decision == "run" and covers is not None:
                self._granted[covers] = event
            case "ApprovalEvent" if event.decision == "revoked":
                self._granted = {k: e for k, e in self._granted.items() if e.action_id != event.action_id}
            case "InterruptEvent" | "Condensation":
                self._granted = {}
            case _:
                pass

    def _find(self, action_id: str) -> _Waiting:
        waiting = self._waiting.get(action_id)
        if waiting is None or waiting.answer.done():
            raise CommandRefused(
                "approval_unknown",
                "This call does not wait for an approval.",
                detail="It may have been stopped, or answered already.",
            )
        return waiting


def request_for(action_id: str, tool_name: str, consent: Consent, shown: Shown) -> ApprovalRequest:
    """What the person sees of a call, with the digest of exactly that."""
    digest = hashlib.sha256(
        "\0".join((action_id, tool_name, shown.title, shown.form, shown.text)).encode("utf-8", "replace")
    )
    return ApprovalRequest(
        action_id=action_id,
        tool_name=tool_name,
        title=shown.title,
        reason=consent.reason,
        form=shown.form,
        text=shown.text,
        covers=consent.covers,
        digest=digest.hexdigest(),
    )
