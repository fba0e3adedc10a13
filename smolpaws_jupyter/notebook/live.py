"""The sessions that live in this kernel: re-running a cell shows the same agent again."""

from __future__ import annotations

import atexit
import os

from ..core.profiles import is_practice
from ..runtime.conversation import Conversation
from ..runtime.library import conversations
from ..runtime.starting import Opener, Wish
from .python_tool import PythonTool
from .session import Session
from .worker import Worker

CLOSE_SECONDS = 1.0

_live: dict[tuple[int, str], Session] = {}


def live_session(worker: Worker, wish: Wish, conversation: str | None) -> Session:
    """The live session of equal arguments, or a new one. `conversation="new"` always makes another.

    A stored conversation that is open in this kernel is shown from there, whatever the other arguments (F-14).
    """
    key = (os.getpid(), f"{wish.key()} {conversation or ''}")
    if conversation == "new":
        return worker.start(_make(wish, None)).result()
    if conversation is not None:
        for (pid, _), session in _live.items():
            if pid == os.getpid() and session.conversation.id == conversation:
                return session
    if key not in _live:
        _live[key] = worker.start(_make(wish, conversation)).result()
    return _live[key]


async def _make(wish: Wish, conversation_id: str | None) -> Session:
    python = PythonTool() if in_kernel() else None

    def tools(settings: object) -> list[PythonTool]:
        return [python] if python is not None else []

    opener = Opener(wish, tools)
    conversation = opener.new() if conversation_id is None else opener.load(conversation_id)
    if python is not None:
        python.timeout_seconds = conversation.settings.python_timeout_seconds
    session = Session(conversation, opener, python)
    if conversation_id is None:
        session.resumable = next(iter(conversations(opener.folder, most=1)), None)
        await _prepare(conversation)
    return session


async def _prepare(conversation: Conversation) -> None:
    """Shows the limit of a model that is here already; looking up another one loads a large library."""
    binding = conversation.view.binding
    if binding is not None and is_practice(binding.model):
        await conversation.prepare()


def in_kernel() -> bool:
    """Whether this process is a Jupyter kernel that can send itself requests."""
    from IPython.core.getipython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None


@atexit.register
def _close() -> None:
    """A courtesy: correctness comes from the log alone. Never holds the kernel for long (I-31)."""
    sessions = [s for (pid, _), s in _live.items() if pid == os.getpid()]
    for session in sessions:
        try:
            Worker.shared().start(session.conversation.close()).result(CLOSE_SECONDS / len(sessions))
        except Exception:  # noqa: BLE001 - the process is ending; nobody is left to tell
            return
