"""Deliberate mistakes, as small patches of the source: the tests of T1 and T2 must notice every one of them (T3)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """In `file` of the package, `old` occurs once; with `new` in its place the sentence `breaks` is what goes wrong."""

    file: str
    old: str
    new: str
    breaks: str

    @property
    def name(self) -> str:
        return self.breaks.removesuffix(".").replace(" ", "_").replace(",", "").replace("'", "")


RESET = [
    Mistake(
        "runtime/agent.py",
        "                commit = self.policy.not_possible(batch, self.log.view, mint)\n            self.log.append(*commit)",
        "                commit = self.policy.not_possible(batch, self.log.view, mint)\n"
        "            for event in commit:\n                self.log.append(event)",
        "A reset is three commits.",
    ),
    Mistake(
        "core/policies/agent_reset.py",
        "        if len(batch) > 1:\n",
        "        if len(calls) > 1:\n",
        "A reset beside another call clears the history.",
    ),
    Mistake(
        "runtime/agent.py",
        '        if finish_reason == "length" or not batch:\n            return\n',
        "        if not batch:\n            return\n",
        "A reset of a reply that was cut off clears the history.",
    ),
    Mistake(
        "runtime/runner.py",
        'if finish_reason == "length":',
        'if finish_reason == "too_long":',
        "A call of a reply that was cut off runs.",
    ),
    Mistake(
        "core/policies/agent_reset.py",
        "for entry in view.read if entry.id != call.id)",
        'for entry in view.read if entry.id != call.id and entry.kind != "CondensationNotice")',
        "A second reset keeps the notice of the first.",
    ),
    Mistake(
        "core/view.py",
        '        "read": Entries(kept),\n',
        '        "read": Entries(kept),\n        "unread": (),\n',
        "A reset forgets what no request has carried.",
    ),
    Mistake(
        "core/view.py",
        '        "asides": tuple(a for a in view.asides if a.kind == "MessageEvent"),\n',
        "",
        "A warning is shown after the reset that answered it.",
    ),
    Mistake("core/view.py", '        "stage": 0.0,\n', "", "A reset does not rearm the warnings."),
    Mistake(
        "core/view.py",
        '        "reminded": False,\n        "count": None,\n',
        '        "reminded": False,\n',
        "A count of the old context is used after a reset.",
    ),
]

SUMMARY = [
    Mistake(
        "runtime/condensing.py",
        "        if self.policy.once and overflow.view.rescue is not None:\n",
        "        if False:\n",
        "A second summary is bought before the model has answered.",
    ),
    Mistake(
        "core/view.py",
        '            return {"outstanding": tuple(r for r in view.outstanding if r.id != event.request_id)}',
        '            return {"outstanding": tuple(r for r in view.outstanding if r.id != event.request_id), "rescue": None}',
        "A failed summary opens the bound.",
    ),
    Mistake(
        "core/view.py",
        '        return {"unread": (*view.unread, message), "error": None,',
        '        return {"unread": (*view.unread, message), "rescue": None, "error": None,',
        "A new message opens the bound.",
    ),
    Mistake(
        "runtime/agent.py",
        '            case "overflow":\n',
        '            case "overflow" | "rate_limit":\n',
        "A rate limit is answered with a summary.",
    ),
    Mistake(
        "runtime/summarizer.py",
        "            elif failure.kind not in AGAIN:\n                break\n",
        "",
        "A summary is tried again where that cannot help.",
    ),
    Mistake(
        "runtime/summarizer.py",
        "range(1, plan.attempts + 1)",
        "range(1, plan.attempts + 2)",
        "A summary is tried once too often.",
    ),
    Mistake(
        "runtime/summarizer.py",
        'return response if response.text.strip() else NoSummary(request_id, "summary_blank")',
        "return response",
        "A blank summary replaces the history.",
    ),
    Mistake(
        "runtime/summarizer.py",
        "            self.log.append(record(error.failure.kind, error.failure), command_id=self.command_id)\n",
        "",
        "A failed attempt at a summary leaves no record.",
    ),
    Mistake(
        "runtime/summarizer.py",
        '            stopped.records = (*stopped.records, _failure(request.id, "cancelled"))\n',
        "",
        "A stop leaves the request of its summary outstanding.",
    ),
    Mistake(
        "core/policies/agent_reset.py",
        "details(trigger, view, protected=view.unread)",
        "details(trigger, view)",
        "An emergency does not say which messages it protects.",
    ),
]

WARNINGS = [
    Mistake(
        "core/budget.py", "budget.fraction >= t", "budget.fraction > t", "A stage is not crossed at its very number."
    ),
    Mistake(
        "core/budget.py", "max(crossed, default=0.0)", "min(crossed, default=0.0)", "A jump warns of the lowest stage."
    ),
    Mistake(
        "core/budget.py",
        "if highest > view.stage",
        "if highest >= view.stage > 0 or highest > view.stage",
        "A stage warns twice.",
    ),
    Mistake(
        "core/budget.py",
        "    if current is not None and view.binding",
        "    if current is not None and current.tokens is not None and view.binding",
        "An unknown count is replaced by an estimate.",
    ),
    Mistake(
        "core/view.py",
        '"count": view.count if same else None',
        '"count": view.count',
        "Switching back to a profile revives its old count.",
    ),
    Mistake(
        "runtime/agent.py",
        "        shown = snapshot.with_asides(advice)\n",
        "        shown = snapshot\n",
        "A warning is recorded and not shown.",
    ),
    Mistake(
        "runtime/agent.py",
        "self.record(response, snapshot.boundary, shown)",
        "self.record(response, self.log.view.boundary, shown)",
        "A message that came during a request counts as carried by it.",
    ),
    Mistake(
        "core/view.py",
        "asides=tuple(w for w in warnings if w.id not in consumed)",
        "asides=tuple(warnings)",
        "A warning is shown in every request.",
    ),
]

PEOPLE = [
    Mistake(
        "runtime/approvals.py",
        '            case "InterruptEvent" | "Condensation":\n',
        '            case "InterruptEvent":\n',
        "An approval for this run survives a reset.",
    ),
    Mistake(
        "runtime/approvals.py",
        '            case "InterruptEvent" | "Condensation":\n',
        '            case "Condensation":\n',
        "An approval for this run survives a stop.",
    ),
    Mistake(
        "runtime/approvals.py",
        '            case "ApprovalEvent" if event.decision == "revoked":\n',
        '            case "ApprovalEvent" if event.decision == "taken back":\n',
        "An approval cannot be revoked.",
    ),
    Mistake(
        "runtime/approvals.py",
        'if event.decision == "run" and covers',
        'if event.decision in ("once", "run") and covers',
        "An approval of one call covers the next.",
    ),
    Mistake(
        "runtime/runner.py",
        "            self.log.append(_rejection(action, consented), command_id=consented.command_id)\n            return\n",
        "            consented = ()\n",
        "A rejected call runs.",
    ),
    Mistake(
        "runtime/conversation.py",
        "        if not self.view.paused:\n            self._go()\n",
        "        self._go()\n",
        "A message ends a pause.",
    ),
    Mistake(
        "runtime/conversation.py",
        " or message_id in self.agent.in_flight:",
        ":",
        "A message is taken back while a request carries it.",
    ),
    Mistake(
        "runtime/run.py",
        "        records = [*stopped.records, *closures(self.log.view, answered=answered, stopped=True)]\n",
        "        records = [*stopped.records]\n",
        "A stop leaves calls open.",
    ),
    Mistake(
        "core/view.py",
        '            return {"unread": tuple(m for m in view.unread if m.id != event.message_id)}\n',
        "            return {}\n",
        "A message that was taken back is sent.",
    ),
    Mistake(
        "core/view.py",
        '"paused": False, "error": None, "empty_replies"',
        '"paused": False, "empty_replies"',
        "An error stays after the person went on.",
    ),
]

MISTAKES = [*RESET, *SUMMARY, *WARNINGS, *PEOPLE]
