"""Deliberate mistakes in the kinds of condensers, for the mutants of T3."""

from __future__ import annotations

from tests.recovery.mistakes import MISTAKES, Mistake
from tests.recovery.mistakes_in_logs import MISTAKES_IN_LOGS

NEW_CONTEXT = [
    Mistake(
        "core/policies/new_context.py",
        "        calls = [call for call in view.open_calls if isinstance(call.action, NewContextAction)]\n        response",
        "        calls = [call for call in view.open_calls if isinstance(call.action, NewContextAction)][:1]\n        response",
        "Of several handoffs only the first is answered.",
    ),
    Mistake(
        "core/policies/new_context.py",
        'return None if _fits(view, gauge) else "capacity"',
        "return None",
        "A request that is known to be too large is sent.",
    ),
    Mistake(
        "runtime/condensing.py",
        '        if overflow.view.rescue is not None:\n            end(self.log, "context_rescue_blocked", wording',
        '        if False:\n            end(self.log, "context_rescue_blocked", wording',
        "A second rescue is bought before sending.",
    ),
    Mistake(
        "core/policies/new_context.py",
        "        if not any(isinstance(entry, MessageEvent) and entry.genuine for entry in entries):\n            chosen",
        "        if entries:\n            chosen",
        "A rescue summarises what the user said.",
    ),
    Mistake(
        "core/policies/new_context.py",
        "if view.reminded or tokens is None",
        "if tokens is None",
        "The agent is reminded before every request.",
    ),
    Mistake(
        "core/policies/new_context.py",
        '                return "summary_not_smaller"\n',
        "                return None\n",
        "A summary that is no smaller than what it replaces is accepted.",
    ),
    Mistake(
        "core/policies/new_context.py",
        "        if tokens is not None and limit is not None and tokens >= limit:\n            text",
        "        if tokens is None:\n            text",
        "A handoff that does not fit clears the history.",
    ),
    Mistake(
        "core/view.py",
        '        "reminded": False,\n        "count": None,\n',
        '        "count": None,\n',
        "A new context does not rearm the reminder.",
    ),
]

WINDOW = [
    Mistake(
        "runtime/summarizer.py",
        "pins = (PinEvent(**mint(), entry_ids=plan.pins),) if plan.pins else ()",
        "pins = ()",
        "A pin is not recorded.",
    ),
    Mistake(
        "core/view.py",
        'return {"pins": view.pins | set(event.entry_ids)}',
        "return {}",
        "A pin that was recorded is forgotten.",
    ),
    Mistake(
        "core/policies/summarizing_window.py",
        "chosen = tuple(entry for entry in before if entry.id not in pinned)",
        "chosen = tuple(before)",
        "A pinned message is summarised.",
    ),
    Mistake(
        "core/policies/summarizing_window.py",
        "wanted = min(wanted, in_all - self._settings.preserve_recent_messages, sum(sizes))",
        "wanted = min(wanted, sum(sizes))",
        "The latest messages are not preserved.",
    ),
    Mistake(
        "core/policies/summarizing_window.py",
        "            if (cut.entry_id, cut.block_index) not in view.cuts\n",
        "",
        "A text that was cut is cut again.",
    ),
    Mistake(
        "core/view.py",
        'return {"cuts": MappingProxyType(cuts), "count": None}',
        'return {"count": None}',
        "A cut is lost.",
    ),
    Mistake(
        "core/view.py",
        'return {"cuts": MappingProxyType(cuts), "count": None}',
        'return {"cuts": MappingProxyType(cuts)}',
        "A count from before a cut is used.",
    ),
    Mistake(
        "runtime/condensing.py",
        "            if self.policy.once or not none.overflowed:\n",
        "            if self.policy.once:\n",
        "A summary that was throttled is answered with a cut.",
    ),
    Mistake(
        "core/view.py",
        "if end >= (fact.summary_offset or 0)",
        "if end >= 0",
        "A summary stands before what is pinned.",
    ),
    Mistake(
        "core/policies/summarizing_window.py",
        "    once = False\n",
        "    once = True\n",
        "A window stops after one summary that did not suffice.",
    ),
]

ROUTINE = [
    Mistake(
        "runtime/condensing.py",
        "            self.log.append(none.record)\n\n    async def _over_capacity",
        "            pass\n\n    async def _over_capacity",
        "A routine summary that failed leaves its request outstanding.",
    ),
    Mistake(
        "core/view.py",
        'return {**asked, "routine": event.id}',
        "return asked",
        "A routine summary is tried again before the model has answered.",
    ),
    Mistake(
        "core/policies/llm_summarizing.py",
        "start = next((cut for cut in cuts if cut >= self._settings.keep_first), len(view.read))",
        "start = 0",
        "The first entries are not kept.",
    ),
    Mistake(
        "core/policies/llm_summarizing.py",
        'if trigger in ("size", "tokens") or not _worth',
        "if not _worth",
        "A routine summary takes everything where no range is lawful.",
    ),
    Mistake(
        "core/policies/llm_summarizing.py",
        "budget.tokens > most",
        "budget.tokens >= most",
        "A summary is made at its very number of tokens.",
    ),
    Mistake(
        "runtime/by_hand.py",
        "if command_id not in self._log.ledger.receipts:",
        "if command_id:",
        "A command that was sent twice buys two summaries.",
    ),
    Mistake(
        "runtime/summarizer.py",
        "self.log.append(*pins, request, command_id=self.command_id)",
        "self.log.append(*pins, request)",
        "The intent of a summary by hand does not name its command.",
    ),
]

EVERY_MISTAKE = [*MISTAKES_IN_LOGS, *MISTAKES, *NEW_CONTEXT, *WINDOW, *ROUTINE]
