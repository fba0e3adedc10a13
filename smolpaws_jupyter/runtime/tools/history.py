"""The tool `conversation_history`: the agent searches and reads the record of its own conversation (section 15)."""

from __future__ import annotations

import json

from ...core.base import JsonObject
from ...core.history import CONVERSATION_HISTORY, Misuse
from ...core.payloads import ConversationHistoryAction, ToolObservation
from .base import Consent, ToolContext, said
from .file_tools import in_thread


class HistoryTool:
    """Answers from the record as it was before the tools of its batch started (R-HIST-10). Changes and asks nothing."""

    spec = CONVERSATION_HISTORY
    effects = False

    def parse(self, arguments: JsonObject) -> ConversationHistoryAction:
        return ConversationHistoryAction.model_validate(arguments)

    def consent(self, action: ConversationHistoryAction) -> Consent:
        return Consent("allow")

    async def run(self, action: ConversationHistoryAction, context: ToolContext) -> ToolObservation:
        try:
            return said(await in_thread(lambda: context.history.answer(action)))
        except Misuse as misuse:
            return said(json.dumps({"error": str(misuse)}), is_error=True)
