"""Logs for tests, told in sentences: `History().user("hi").call("read_file", path="a").reply("Done.")`.

Each method appends one commit, as a conversation would, and gives the history back. Ids count by kind: u1 is the first
message of the user, m1 of the agent, e1 of the environment; r, a, o, w, q, c, f stand for response, action, outcome of
a call, warning, request, condensation, failure; the rest stands in `tests.log_builder.PREFIXES`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from smolpaws_jupyter.core import events as ev
from smolpaws_jupyter.core import payloads as pay
from smolpaws_jupyter.core.base import ImageBlock, JsonObject, TextBlock, ToolSpec, Usage
from smolpaws_jupyter.core.profiles import LLMProfile, bind
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.core.units import units
from smolpaws_jupyter.core.view import Aside, View
from smolpaws_jupyter.core.wording import EMERGENCY_NOTICE, RESET_NOTICE, recovery
from tests.log_builder import Call, Log, call, words

__all__ = ["BINDING", "PICTURE", "READ_FILE", "Call", "History", "call"]

BINDING = bind("main", LLMProfile(model="practice", max_input_tokens=400_000))
READ_FILE = ToolSpec(name="read_file", description="Reads a file.", parameters={"type": "object"})
PICTURE = ImageBlock(media_type="image/png", data="iVBORw0KGgo=")


class History(Log):
    """A log that grows by sentences. `events`, `commits` and `view` are what it holds so far."""

    def __init__(self, kind: str = "agent_reset", **start: Any) -> None:
        """`kind` is the condenser's; `start` replaces fields of the start event."""
        super().__init__()
        self.shown: list[View] = []
        """What each successful request showed, oldest first."""
        self._asked: View | None = None
        self._advice: list[Aside] = []
        fields: JsonObject = {
            "conversation_id": "conversation-1",
            "settings": {"condenser": {"condenser_kind": kind}},
            "bindings": ev.Bindings(main=BINDING),
            "system_prompt": "You help.",
            "tools": (READ_FILE,),
        }
        self._add(ev.ConversationStartEvent, **{**fields, **start})

    @property
    def free(self) -> list[ev.MessageEvent]:
        """The unread messages that no request under way contains: those that may be withdrawn (R-VIEW-16)."""
        under_way = self._asked.unread if self._asked is not None else ()
        return [message for message in self.view.unread if message not in under_way]

    # What a person does

    def user(self, text: str = "", *images: ImageBlock) -> Self:
        return self._add(ev.MessageEvent, source="user", role="user", content=words(text, *images))

    def withdraw(self, message_id: str) -> Self:
        return self._add(ev.MessageWithdrawnEvent, message_id=message_id)

    def pause(self) -> Self:
        return self._add(ev.PauseEvent)

    def resume(self) -> Self:
        return self._add(ev.ResumeEvent)

    def interrupt(self) -> Self:
        return self._add(ev.InterruptEvent)

    def title(self, title: str) -> Self:
        return self._add(ev.TitleEvent, title=title)

    def thresholds(self, *thresholds: float) -> Self:
        return self._add(ev.ThresholdsChangedEvent, warning_thresholds=thresholds)

    def bind(self, name: str, model: str = "practice", **profile: Any) -> Self:
        return self._add(ev.ProfileBoundEvent, binding=bind(name, LLMProfile(model=model, **profile)))

    def approve(self, decision: str = "once", of: str | None = None, **fields: Any) -> Self:
        action_id = self._open(of).id
        return self._add(ev.ApprovalEvent, action_id=action_id, decision=decision, shown_digest="0" * 64, **fields)

    def fork(self, conversation_id: str = "conversation-2") -> Self:
        ids = {"conversation_id": conversation_id, "source_conversation_id": "conversation-1"}
        return self._add(ev.ForkEvent, at_event_id=self.last.id, **ids)

    # A main request. `ask` takes its boundary: what comes between it and the reply is late

    def ask(self) -> Self:
        self._asked, self._advice = self.view, []
        return self

    def warn(self, threshold: float = 0.75, tokens: int = 300_000, limit: int = 400_000, text: str = "") -> Self:
        fields = {"threshold": threshold, "input_tokens": tokens, "input_limit": limit, "counted": "measured"}
        text = text or f"{threshold:.0%} is used."
        return self._advise(self.make(ev.ContextWarningEvent, cycle=self.view.cycle, text=text, **fields))

    def remind(self, text: str = "80% is used.") -> Self:
        return self._advise(self.make(ev.ContextWindowReminderEvent, text=text))

    def _advise(self, advice: Any) -> Self:
        if self._asked is None:
            self.ask()
        self._advice.append(advice)
        return self.commit(advice)

    def remark(self, text: str = "The kernel is new.") -> Self:
        """What the environment says outside of requests."""
        return self._add(ev.MessageEvent, source="environment", role="user", content=words(text))

    def reply(self, text: str = "Done.", **success: Any) -> Self:
        """A success whose reply is words: it ends a turn. Keywords replace fields of the response."""
        response = self._response(success)
        fields: JsonObject = {"source": "agent", "role": "assistant", "response_event_id": response.id}
        return self.commit(response, self.make(ev.MessageEvent, content=words(text), **fields))

    def empty(self, **success: Any) -> Self:
        """A success without words and calls, and the nudge that joins it."""
        response = self._response(success)
        nudge = self.make(ev.MessageEvent, source="environment", role="user", content=words("Your reply was empty."))
        return self.commit(response, nudge)

    def calls(self, *calls: Call, thought: str = "", reasoning: JsonObject | None = None, **success: Any) -> Self:
        """A success whose reply is calls: all of them are open then."""
        response = self._response(success)
        actions = [
            self.make(
                ev.ActionEvent,
                response_event_id=response.id,
                tool_name=made.tool,
                tool_call_id=made.call_id or f"call-{self.next_id('a')}",
                arguments=made.arguments,
                action=made.action,
                thought=thought if made is calls[0] else "",
                reasoning=reasoning if made is calls[0] else None,
            )
            for made in calls
        ]
        return self.commit(response, *actions)

    def _response(self, fields: JsonObject) -> Any:
        asked, binding = self._asked or self.view, self.view.binding
        assert binding is not None
        shown = asked.with_asides(self._advice)
        self.shown.append(shown)
        self._asked, self._advice = None, []
        usual: JsonObject = {
            "read_through": asked.boundary,
            "consumed_warning_ids": tuple(a.id for a in shown.asides if a.kind == "ContextWarningEvent"),
            "llm_response_id": "provider-response",
            "usage_id": f"profile:{binding.profile}",
            "binding_digest": binding.digest,
            "model": binding.model,
            "usage": Usage(input=100, output=10),
            "http_requests": 1,
            "latency_ms": 900,
            "finish_reason": "stop",
        }
        return self.make(ev.ResponseEvent, **{**usual, **fields})

    def fails(self, outcome: str = "server", *, stops: bool = False, **fields: Any) -> Self:
        """A main request that failed; with `stops`, so did the run."""
        self._failed = self._asked or self.view
        self._asked, self._advice = None, []
        usage = self._usage("main_failed", outcome, {"read_through": self._failed.boundary, **fields})
        detail = {"code": outcome, "detail": "It failed.", "recoverable": True}
        return self.commit(usage, *([self.make(ev.ConversationErrorEvent, **detail)] if stops else ()))

    def _usage(self, purpose: str, outcome: str, fields: JsonObject) -> Any:
        binding = self.view.binding
        assert binding is not None
        usual: JsonObject = {
            "usage_id": f"profile:{binding.profile}" if purpose == "main_failed" else "condenser",
            "binding_digest": binding.digest,
            "model": binding.model,
            "usage": Usage(),
            "http_requests": 1,
            "latency_ms": 100,
        }
        return self.make(ev.UsageEvent, purpose=purpose, outcome=outcome, **{**usual, **fields})

    # Calls: `of` is the action's id; without it, the first open call

    def start(self, of: str | None = None) -> Self:
        return self._add(ev.ToolStartEvent, action_id=self._open(of).id)

    def result(self, text: str = "ok", *images: ImageBlock, of: str | None = None, is_error: bool = False) -> Self:
        return self.commit(self.observed(pay.ToolObservation(content=words(text, *images), is_error=is_error), of))

    def observed(self, observation: pay.Observation, of: str | None = None) -> Any:
        """An observation of an open call, not appended."""
        return self.make(ev.ObservationEvent, observation=observation, **self._answers(of))

    def error(self, code: str = "not_run", text: str = "Not run.", of: str | None = None) -> Self:
        return self._add(ev.AgentErrorEvent, code=code, error=text, **self._answers(of))

    def reject(self, reason: str = "Not that file.", of: str | None = None) -> Self:
        return self._add(ev.UserRejectObservation, rejection_reason=reason, **self._answers(of))

    def results(self) -> Self:
        """An ordinary result for every open call, in order."""
        while self.view.open_calls:
            self.result()
        return self

    def call(self, tool: str, result: str = "ok", **arguments: Any) -> Self:
        """A reply of one call, and its result."""
        return self.calls(call(tool, **arguments)).result(result)

    def _open(self, action_id: str | None) -> ev.ActionEvent:
        return self.view.open_calls[0] if action_id is None else self[action_id]

    def _answers(self, action_id: str | None) -> JsonObject:
        action = self._open(action_id)
        return {"action_id": action.id, "tool_name": action.tool_name, "tool_call_id": action.tool_call_id}

    # Condensations

    def condense(self, message: str | None = None, **reply: Any) -> Self:
        """The agent asks for a reset and gets it."""
        arguments = {} if message is None else {"message_to_future_self": message}
        return self.calls(call("condense", **arguments), **reply).reset()

    def reset(self) -> Self:
        """The commit that answers an open call of `condense`."""
        action = self._open(None)
        assert isinstance(action.action, pay.CondenseAction)
        message = action.action.message_to_future_self
        observation = pay.CondenseObservation(
            content=(TextBlock(text=recovery(message)),), request_id=self.next_id("q"), message_to_future_self=message
        )
        return self._clear(action, observation, {action.id}, RESET_NOTICE)

    def new_context(self, *others: Call, handoff: str = "", **reply: Any) -> Self:
        """The agent asks for a new context, beside other calls, which get their results first."""
        self.calls(*others, call("new_context", handoff=handoff), **reply)
        action = self.view.open_calls[-1]
        while len(self.view.open_calls) > 1:
            self.result()
        assert self.view.last_response is not None
        content = (TextBlock(text=f"Cleared. {handoff}"),)
        observation = pay.NewContextObservation(content=content, input_event_id=self.view.last_response.read_through)
        read = list(self.view.read)
        unit = next(unit for unit in units(read) if read.index(action) in unit)
        return self._clear(action, observation, {read[at].id for at in unit}, "A new context begins.")

    def _clear(self, action: ev.ActionEvent, observation: pay.Observation, keep: set[str], notice: str) -> Self:
        assert self.view.last_response is not None
        observed = self.observed(observation, action.id)
        ids = {"action_id": action.id, "observation_id": observed.id}
        details = ev.VoluntaryDetails(input_event_id=self.view.last_response.read_through, **ids)
        request = self.make(ev.CondensationRequest, source="agent", details=details)
        forgotten = tuple(entry.id for entry in self.view.read if entry.id not in keep)
        fact = self.make(ev.Condensation, request_id=request.id, forgotten_event_ids=forgotten, notice=notice)
        return self.commit(observed, request, fact)

    def intend(self, trigger: Any = "size") -> Self:
        """A request for a paid summary; a rescue stands after the main request that failed."""
        boundary: JsonObject = {"trigger": trigger, "input_event_id": self.view.boundary}
        if trigger == "provider_context_window":
            protected = tuple(message.id for message in self._failed.unread)
            details: Any = ev.RescueDetails(
                trigger=trigger, input_event_id=self._failed.boundary, protected_user_event_ids=protected
            )
        elif trigger == "host":
            details = ev.ManualDetails(**boundary)
        else:
            details = ev.RoutineDetails(**boundary)
        return self._add(ev.CondensationRequest, source="environment", details=details)

    def attempt(self, outcome: str = "ok", **fields: Any) -> Self:
        """An attempt at the summary that was asked for last."""
        return self.commit(self._usage("summary", outcome, {"request_id": self._wanted, "attempt": 1, **fields}))

    def summarized(self, text: str, forget: Iterable[str], offset: int = 0, notice: str | None = None) -> Self:
        """The fact that carries out the request that was made last."""
        fields = {"forgotten_event_ids": tuple(forget), "summary": text, "summary_offset": offset, "notice": notice}
        return self._add(ev.Condensation, request_id=self._wanted, **fields)

    def failure(self, code: str = "summary_failed") -> Self:
        """The summary that was asked for last did not come."""
        return self._add(ev.CondensationFailureEvent, request_id=self._wanted, code=code, error="No summary.")

    @property
    def _wanted(self) -> str:
        return self.view.outstanding[-1].id

    def emergency(self, summary: str = "What happened so far.") -> Self:
        """An overflow, and the summary of all that was read."""
        self.fails("overflow").intend("provider_context_window").attempt()
        return self.summarized(summary, [entry.id for entry in self.view.read], notice=EMERGENCY_NOTICE)

    def truncate(self, entry_id: str, text: str, keep: int = 5, block: int = 0) -> Self:
        """One cut: of `text`, the first and the last `keep` characters stay."""
        kept = {"head_chars": keep, "tail_chars": keep, "removed_chars": len(text) - 2 * keep}
        return self._add(ev.TruncationEvent, cuts=(ev.Cut(entry_id=entry_id, block_index=block, **kept),))

    def pin(self, *entry_ids: str) -> Self:
        return self._add(ev.PinEvent, entry_ids=entry_ids)

    def unknown(self, kind: str = "CanvasEvent", reason: Any = "unknown") -> Self:
        """A record that this version cannot act on."""
        stamp = self.stamp("z")
        return self.commit(UnknownEvent(kind=kind, id=stamp["id"], reason=reason, raw={"kind": kind, **stamp}))
