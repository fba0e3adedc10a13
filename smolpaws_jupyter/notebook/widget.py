"""The widget: an agent in the notebook's kernel. Small traits, one door in, one door out.

What an agent is made of is imported when the first one is made, so that importing the widget costs no more than a bare
one, and a notebook that only names it pays nothing.
"""

from __future__ import annotations

import contextvars
import logging
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import anywidget
import traitlets

from ..core.errors import RunError, SmolPawsError
from .worker import Worker

if TYPE_CHECKING:
    from ..core.base import JsonObject
    from ..core.events import Event
    from ..core.instruments.requests import SentRequest
    from ..core.profiles import Binding, LLMProfile
    from ..core.records import UnknownEvent
    from ..core.settings import AgentSettings
    from ..core.view import View
    from ..core.wire import ApprovalRequest, ConversationInfo
    from ..runtime.approvals import Mode
    from ..runtime.conversation import Conversation
    from ..runtime.keys import Keys
    from ..runtime.llm import LLM, Request
    from ..runtime.tools.base import Tool
    from .exporting import Format
    from .waiting import Answer, WaitingCell

STATIC = Path(__file__).parent.parent / "static"
NOT_BUILT = 'export default { render({ el }) { el.textContent = "The page was not built. Run: make build"; } };'
"""Shown from a source tree without its built page; everything else works without it."""


def _built(name: str, otherwise: str) -> Path | str:
    return STATIC / name if (STATIC / name).exists() else otherwise


class _OneForEachSession(traitlets.MetaHasTraits):
    """Asking again for what is there already gives the same widget, so re-running a cell adds no second one (F-34)."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        return made._session.widget  # noqa: SLF001 - of its own class


class SmolPaws(anywidget.AnyWidget, metaclass=_OneForEachSession):
    """An agent that works in this kernel and decides itself when to start with a fresh context.

    `tell` returns at once, `await ask` gives the answer, `wait` blocks; or type into the widget. Nothing runs and
    nothing is written before the first message.
    """

    _esm = _built("widget.js", NOT_BUILT)
    _css = _built("widget.css", "")

    status = traitlets.Unicode("idle").tag(sync=True)
    detail = traitlets.Unicode("").tag(sync=True)
    budget = traitlets.Dict().tag(sync=True)
    profile = traitlets.Unicode("").tag(sync=True)
    title = traitlets.Unicode("").tag(sync=True)
    read_only = traitlets.Unicode("").tag(sync=True)
    event_count = traitlets.Int(0).tag(sync=True)
    conversation_id = traitlets.Unicode("").tag(sync=True)
    thresholds = traitlets.List(traitlets.Float()).tag(sync=True)
    waiting_for = traitlets.Unicode("").tag(sync=True)
    notice = traitlets.Unicode("").tag(sync=True)
    resumable = traitlets.Dict(allow_none=True).tag(sync=True)

    def __init__(
        self,
        model: str | None = None,
        *,
        max_input_tokens: int | None = None,
        settings: AgentSettings | Mapping[str, Any] | None = None,
        profiles: Mapping[str, LLMProfile | Mapping[str, Any]] | None = None,
        workspace: str = ".",
        tools: Sequence[Tool] = (),
        notes: str = "notes",
        memory: Sequence[str] = (),
        skills: str | None = None,
        approvals: Mode = "ask",
        conversation: str | None = None,
        scope: str | None = None,
        save: bool = True,
    ) -> None:
        """Make an agent, or attach to the live one that was made with equal arguments.

        `model`: any litellm model name, `practice`, or `local:/path/model.gguf`; without it the main profile of the
        settings files, else the practice model. `max_input_tokens`: the input budget that warnings go by.
        `workspace`: the folder that the file tools stay in. `notes`: its folder for notes, which the agent may write
        without asking. `memory`: files whose text stands in every request. `skills`: a folder of Markdown files.
        `approvals`: `ask`, `allow` or `read_only`. `conversation`: `new`, or the id of a stored one. `save=False`
        keeps everything in memory only.

        Raises `SettingsError`, `ProfileError` or `StartError`, which say what to change.
        """
        from ..runtime.starting import Wish
        from .live import live_session

        wish = Wish(
            model=model,
            max_input_tokens=max_input_tokens,
            settings=settings,
            profiles=dict(profiles or {}),
            workspace=str(workspace),
            tools=tuple(tools),
            notes=notes,
            memory=tuple(memory),
            skills=skills,
            approvals=approvals,
            scope=scope,
            save=save,
        )
        self._kind = type(self)  # anywidget then gives each widget a class of its own
        self._worker = Worker.shared()
        self._session = session = live_session(self._worker, wish, conversation, self._client)
        for binding in session.bindings():
            if binding.api_key_ref == "prompt" and not session.opener.keys.has_entered(binding.profile):
                self.enter_key(binding.profile)
        if session.widget is not None and session.widget.comm is not None:
            self._settle()
            return  # the one that is there is what the caller gets
        super().__init__(**self._worker.call(session.traits).model_dump(mode="json"))
        self.on_msg(self._receive)
        session.widget = self
        context = contextvars.copy_context()
        self._worker.call(lambda: session.attach(self, context))

    @classmethod
    def load(cls, conversation_id: str, **options: Any) -> SmolPaws:
        """Open a stored conversation: same id, same view, nothing repeated. Options are those of `SmolPaws(...)`."""
        return cls(conversation=conversation_id, **options)

    @staticmethod
    def conversations(workspace: str = ".") -> list[ConversationInfo]:
        """The stored conversations of a workspace, the latest first."""
        from ..runtime.library import conversations

        return conversations(Path(workspace).resolve() / ".smolpaws" / "conversations")

    @staticmethod
    def delete(conversation_id: str, workspace: str = ".") -> None:
        """Remove a stored conversation of a workspace for good; never one that is open somewhere."""
        from ..runtime.deleting import delete

        delete(Path(workspace).resolve() / ".smolpaws" / "conversations", conversation_id)

    # What a person does

    def tell(self, text: str) -> None:
        """Send a message. Returns at once; the agent works on while other cells run."""
        self._worker.call(lambda: self._talk.tell(text))
        self._settle()

    def ask(self, text: str) -> Answer:
        """`await paws.ask(text)`: send a message, wait for the turn, and get the final text.

        Raises `RunError` where there is none, because the run failed, was stopped, or is paused, and `ApprovalNeeded`
        where a call waits for an approval and no page is there to ask. Cancelling the wait does not stop the agent.
        """
        from .waiting import Answer

        async def work() -> str:
            with self._waiting_cell() as cell:
                self.tell(text)
                while cell.waits():
                    await cell.rest_async()
            return self._outcome(answer_needed=True)

        return Answer(work)

    def wait(self, timeout: float | None = None) -> str:
        """Block until the agent rests, at most `timeout` seconds, and give its latest words.

        Raises `RunError` where the run failed, `TimeoutError`, or `ApprovalNeeded` where a call waits for an approval
        and no page is there to ask. An interrupt ends the waiting, not the agent.
        """
        with self._waiting_cell(timeout) as cell:
            self._settle()  # after all that was asked before
            while cell.waits():
                cell.rest()
        return self._outcome(answer_needed=False)

    def stop(self) -> None:
        """Stop the agent at once. What is recorded stays, and the next message goes on from there."""
        self._worker.call(lambda: self._talk.stop())

    def pause(self) -> None:
        """Let the step finish, then pause."""
        self._worker.call(lambda: self._talk.pause())

    def resume(self) -> None:
        """Go on with what is unfinished."""
        self._worker.call(lambda: self._talk.resume())

    def approve(self, action_id: str, scope: Literal["once", "run"] = "once") -> None:
        """Approve a call that waits, for this once or for this run."""
        self._worker.call(lambda: self._talk.approve(action_id, scope))

    def reject(self, action_id: str, reason: str = "") -> None:
        """Reject a call that waits; the agent is told the reason."""
        self._worker.call(lambda: self._talk.reject(action_id, reason))

    def revoke(self, action_id: str) -> None:
        """Take back an approval for this run."""
        self._worker.call(lambda: self._talk.revoke(action_id))

    def withdraw(self, message_id: str) -> None:
        """Take back a message that the model has not read yet."""
        self._worker.call(lambda: self._talk.withdraw(message_id))

    def condense(self) -> str:
        """Have the earlier history summarised now, after the running step; gives the receipt in words.

        Raises `CommandRefused` where that is not offered (under `agent_reset` the agent decides), where there is
        nothing to summarise, and where it failed; the history is then intact.
        """
        with self._waiting_cell() as cell:
            done = self._worker.start(self._talk.condense())
            while not done.done():
                cell.waits()
                cell.rest()
        return done.result()

    def rename(self, title: str) -> None:
        """Give this conversation a title."""
        self._worker.call(lambda: self._talk.set_title(title))
        self._settle()

    def fork(self, at: str | None = None, *, before: str | None = None) -> SmolPaws:
        """Another agent that goes on from here, or from an earlier event of this conversation, which stays as it is.

        `at` is the id of the last event that comes along, `before` that of the first that does not, such as a message
        of yours. Nothing of the fork runs before you act.
        """
        from .live import forked_session

        session = self._worker.start(forked_session(self._session, at, before, self._client)).result()
        return self._kind(conversation=session.conversation.id)

    def enter_key(self, profile: str) -> None:
        """Ask for a key without showing it, and keep it in memory only."""
        self._session.opener.keys.enter(profile, getpass(f"Key for {profile}: "))

    # What is

    @property
    def events(self) -> Sequence[Event | UnknownEvent]:
        """All events of the log, in order."""
        return list(self._talk.events())

    @property
    def view(self) -> View:
        """What the model may be shown now."""
        return self._talk.view

    @property
    def waiting(self) -> tuple[ApprovalRequest, ...]:
        """The calls that wait for an approval."""
        return self._talk.waiting

    @property
    def last_error(self) -> SmolPawsError | None:
        """Why the latest run ended early, or None.

        Holds the provider's own words, redacted; they are stored nowhere.
        """
        return self._talk.last_error

    def next_request(self) -> Request:
        """Exactly what the model will be sent if nothing happens before: messages and tools."""
        return self._worker.call(lambda: self._talk.next_request())

    def rehearse(self, message: str | None = None) -> Request:
        """What the model would be sent after a reset now, as if its latest reply had asked for it; nothing changes.

        `message` is what it would tell itself. Raises `CommandRefused` where nobody can know, as before a summary.
        """
        return self._worker.call(lambda: self._talk.rehearse(message))

    def requests(self) -> list[SentRequest]:
        """All main requests of the log, the oldest first, failed and stopped ones included."""
        return self._worker.start(self._session.requests.all()).result()

    def request_sent(self, event_id: str) -> Request:
        """A request of the log as it was sent, by its `event_id`; `paws.requests()` lists them."""
        return self._worker.start(self._session.requests.sent(event_id)).result()

    def timeline(self) -> list[JsonObject]:
        """How large every request was, and what happened between them: one record each, as for `pandas.DataFrame`.

        Tokens are `estimated` (a quarter of the bytes) and `measured` (the provider's count); None is unknown.
        """
        from .instruments import timeline_records

        return timeline_records(*self._worker.start(self._session.instruments.timeline()).result())

    def weight(self) -> list[JsonObject]:
        """What each event and each tool costs in estimated tokens, `now` and `summed` over all requests of the log.

        In a fork these include the requests that it inherited.
        """
        from .instruments import weight_records

        return weight_records(self._worker.start(self._session.instruments.weight()).result())

    def notes(self) -> JsonObject:
        """The note files as they are, and for each reset what they had gained and what the agent read again."""
        from .instruments import notes_record

        return notes_record(self._worker.start(self._session.instruments.notes()).result())

    def outlook(self) -> str:
        """What the way to keep this conversation's context does next, in a sentence."""
        return self._worker.call(lambda: self._talk.next_step)

    def export(self, format: Format = "markdown") -> str:  # noqa: A002 - what people call it
        """The conversation as `markdown`, `html`, `jsonl`, or `bare`: JSON lines with sizes and times, no contents."""
        from .exporting import export

        return export(self.events, format)

    def transcript(self) -> str:
        """The conversation as Markdown, for readers who have no kernel."""
        from .transcript import transcript

        return transcript(self.events)

    def __repr__(self) -> str:
        return f"SmolPaws({self.profile!r}, {self.status})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        if data is not None:
            data["text/plain"] = "SmolPaws agent"
            data["text/markdown"] = fallback(self._talk.id)
        return bundle

    # Inside

    @property
    def _talk(self) -> Conversation:
        return self._session.conversation

    def _client(self, binding: Binding, keys: Keys) -> LLM:
        """Makes the client of a model. A subclass for tests or lessons may give a stand-in."""
        from ..runtime.models import llm_for

        return llm_for(binding, keys)

    def _waiting_cell(self, timeout: float | None = None) -> AbstractContextManager[WaitingCell]:
        from .capture import agent_runs_here

        if self._worker.is_current or agent_runs_here():
            raise RuntimeError(
                "The agent cannot wait for itself: neither its own code nor a callback of the widget's traits may wait."
            )
        return self._session.waiting_cell(timeout)

    def _outcome(self, *, answer_needed: bool) -> str:
        """The agent's words at the end of a turn, or why there are none."""
        self._settle()
        if (error := self.last_error) is not None:
            raise error
        if answer_needed and self._session.now.status == "paused":
            if self.view.paused:
                raise RunError("paused", "The agent is paused; your message waits.", detail="Go on with paws.resume().")
            raise RunError("stopped", "The turn was stopped before it was done.", detail="Go on with another message.")
        return self._talk.final_text

    def _receive(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """One message of the page. May run anywhere, also in the middle of a cell: it only hands over."""
        self._worker.soon(self._session.receive, self, contextvars.copy_context(), content)

    def _settle(self) -> None:
        """Waits until the traits say what the conversation says."""
        self._worker.call(self._session.publisher.flush)

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """What a page claims about traits is ignored: each has one writing side, the kernel."""

    def set_traits(self, traits: JsonObject) -> None:
        """From the worker's thread, which alone writes the traits."""
        with self.hold_sync():
            for name, value in traits.items():
                try:
                    self.set_trait(name, value)
                except Exception as error:  # somebody's observer; the other traits must not suffer
                    logging.getLogger(__name__).debug("an observer of %s failed", name, exc_info=error)


def fallback(conversation_id: str) -> str:
    """The line that stands in a saved notebook for readers without a kernel."""
    return (
        "**SmolPaws agent.** Run this cell to see it; to open this conversation again: "
        f'`SmolPaws.load("{conversation_id}")`.'
    )
