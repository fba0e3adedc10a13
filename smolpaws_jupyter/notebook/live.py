"""The sessions that live in this kernel: re-running a cell shows the same agent again (F-14, F-34).

The list belongs to the worker's thread, which makes one session at a time.
"""

from __future__ import annotations

import atexit
import concurrent.futures
import contextlib
import os
from collections.abc import Callable

from ..core.errors import SmolPawsError
from ..core.profiles import Binding, is_practice
from ..runtime.conversation import Conversation
from ..runtime.keys import Keys
from ..runtime.library import conversations
from ..runtime.llm import LLM
from ..runtime.starting import Opener, Wish
from .execution import this_shell
from .latest_cell import LatestCell
from .python_tool import PythonTool
from .session import Session
from .worker import Worker

CLOSE_SECONDS = 0.8

ClientFor = Callable[[Binding, Keys], LLM]

_sessions: list[tuple[str | None, Session]] = []
"""Each with the wish that asks for it again; None where only its conversation's id does."""
_closing: list[concurrent.futures.Future[None]] = []


def live_session(worker: Worker, wish: Wish, conversation: str | None, client_for: ClientFor) -> Session:
    """The live session of equal arguments, or a new one. `conversation="new"` always makes another.

    A stored conversation that is open in this kernel is shown from there, whatever the other arguments.
    """
    if in_kernel() and not _sessions:
        LatestCell.of(this_shell())
        # A kernel that is asked to end sets this first, while its main thread may still run the agent's code.
        this_shell().observe(_begin_to_close, "exit_now")
    return worker.start(_session(wish, conversation, client_for)).result()


async def forked_session(source: Session, at: str | None, before: str | None, client_for: ClientFor) -> Session:
    """A session of its own for a fork of what another one shows, which goes on as if nothing had happened."""
    python, opener = _opener(source.opener.wish, client_for)
    conversation = source.conversation
    fork = await conversation.fork(at, before=before, tools=opener.tools(conversation.settings))
    session = Session(fork, opener, python, lambda id_: _showing(id_) is not None)
    _sessions.append((None, session))
    await _prepare(fork)
    return session


async def _session(wish: Wish, conversation: str | None, client_for: ClientFor) -> Session:
    key = wish.key()
    found = _made_for(key) if conversation is None else _showing(conversation)
    if found is not None:
        with contextlib.suppress(SmolPawsError):
            await found.become_writer()  # the other kernel that held it may be gone
        return found
    session = _make(wish, conversation, client_for)
    _sessions.append((key if conversation is None else None, session))
    if conversation in (None, "new"):
        await _prepare(session.conversation)
    return session


def _make(wish: Wish, conversation_id: str | None, client_for: ClientFor) -> Session:
    python, opener = _opener(wish, client_for)
    conversation = opener.new() if conversation_id in (None, "new") else opener.load(conversation_id)
    session = Session(conversation, opener, python, lambda id_: _showing(id_) is not None)
    if conversation_id is None:
        stored = conversations(opener.folder, most=len(_sessions) + 1)
        latest = next((info for info in stored if _showing(info.id) is None), None)
        # Traits are saved into notebooks, and a title may be the person's first words.
        session.resumable = latest and latest.model_copy(update={"title": ""})
    return session


def _opener(wish: Wish, client_for: ClientFor) -> tuple[PythonTool | None, Opener]:
    """The tool for Python, which belongs to one session alone, and what starts conversations with it."""
    python = PythonTool() if in_kernel() else None
    return python, Opener(wish, lambda _: [python] if python is not None else [], client_for)


def all_sessions() -> list[Session]:
    """A copy of the list, which may be taken from any thread."""
    return [session for _, session in _sessions]


def _made_for(key: str) -> Session | None:
    return next((session for wish, session in _sessions if wish == key), None)


def _showing(conversation_id: str) -> Session | None:
    return next((session for _, session in _sessions if session.conversation.id == conversation_id), None)


async def _prepare(conversation: Conversation) -> None:
    """Shows the limit of a model that is here already; looking up another one loads a large library."""
    binding = conversation.view.binding
    if binding is not None and is_practice(binding.model):
        await conversation.prepare()


def in_kernel() -> bool:
    """Whether this process is a Jupyter kernel that can send itself requests."""
    from IPython.core.getipython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None


def _begin_to_close(_change: object = None) -> None:
    """Closes all sessions, without waiting: the kernel is about to end, and may have to wait for the agent's code."""
    if not _closing:
        _closing.extend(Worker.shared().start(session.conversation.close()) for _, session in _sessions)


@atexit.register
def _close() -> None:
    """A courtesy: correctness comes from the log alone. Never holds the kernel for long (I-31)."""
    if _sessions:
        _begin_to_close()
        concurrent.futures.wait(_closing, CLOSE_SECONDS)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_sessions.clear)
