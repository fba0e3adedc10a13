"""The thread in which agents live: a daemon with its own event loop, one for the whole kernel process.

The kernel's main thread stands still while a cell runs, and an interrupt may hit it anywhere; neither may touch an
agent.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from ..core.errors import CommandRefused

T = TypeVar("T")


class Worker:
    """An event loop in a daemon thread. `Worker.shared()` is the one that everything uses."""

    _shared: Worker | None = None
    _guard = threading.Lock()

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        # The default handler would print into whichever cell of the user's is the latest.
        self.loop.set_exception_handler(_note)
        self.thread = threading.Thread(target=self._live, name="smolpaws", daemon=True)
        self.thread.start()

    @classmethod
    def shared(cls) -> Worker:
        """The worker of this process; a forked child gets its own, since threads do not survive a fork."""
        with cls._guard:
            if cls._shared is None:
                cls._shared = cls()
            return cls._shared

    @classmethod
    def forget(cls) -> None:
        """In a forked child: the parent's thread is not here, and its lock may be held for ever."""
        cls._shared, cls._guard = None, threading.Lock()

    def _live(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    @property
    def is_current(self) -> bool:
        """Whether the caller runs in the worker's thread, which must never wait for itself."""
        return threading.current_thread() is self.thread

    def start(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Runs a coroutine there; the future can be waited for from any other thread."""
        try:
            self._check()
        except CommandRefused:
            work.close()
            raise
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def soon(self, act: Callable[..., object], *args: Any) -> None:
        """Calls a plain function there, soon. Never blocks and never raises: safe in a widget's callback."""
        if self.pid != os.getpid():
            return
        try:
            self.loop.call_soon_threadsafe(act, *args)
        except RuntimeError:
            # The loop is closed: the process is on its way out, and there is nobody left to tell.
            return

    def call(self, act: Callable[[], T]) -> T:
        """Calls a plain function there and gives its result; in the worker's own thread it is called directly.

        An interrupt ends the waiting, not the act: what was begun is done.
        """
        if self.is_current:
            return act()
        self._check()
        done: concurrent.futures.Future[T] = concurrent.futures.Future()

        def run() -> None:
            try:
                done.set_result(act())
            except BaseException as error:  # noqa: BLE001 - it belongs to the caller, whatever it is
                done.set_exception(error)

        try:
            self.loop.call_soon_threadsafe(run)
        except KeyboardInterrupt:
            # It may be queued already, with a loop that nobody has woken.
            self.loop.call_soon_threadsafe(lambda: None)
            raise
        return done.result()

    def _check(self) -> None:
        if self.pid != os.getpid():
            raise CommandRefused(
                "forked_process",
                "This process is a fork of the kernel; the agent lives in the kernel alone.",
                detail="Talk to it from the kernel's own cells.",
            )


def _note(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    logging.getLogger(__name__).debug("%s", context.get("message"), exc_info=context.get("exception"))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=Worker.forget)
