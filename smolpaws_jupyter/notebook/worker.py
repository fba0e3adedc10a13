"""The thread in which agents live: a daemon with its own event loop, one for the whole kernel process.

The kernel's main thread stands still while a cell runs, and an interrupt may hit it anywhere; neither may touch an
agent.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Worker:
    """An event loop in a daemon thread. `Worker.shared()` is the one that everything uses."""

    _shared: Worker | None = None
    _guard = threading.Lock()

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._live, name="smolpaws", daemon=True)
        self.thread.start()

    @classmethod
    def shared(cls) -> Worker:
        """The worker of this process; a forked child gets its own, since threads do not survive a fork."""
        with cls._guard:
            if cls._shared is None or cls._shared.pid != os.getpid():
                cls._shared = cls()
            return cls._shared

    def _live(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def start(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Runs a coroutine there; the future can be waited for from any other thread."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def soon(self, act: Callable[..., object], *args: Any) -> None:
        """Calls a plain function there, soon. Never blocks and never raises: safe in a widget's callback."""
        try:
            self.loop.call_soon_threadsafe(act, *args)
        except RuntimeError:
            # The loop is closed: the process is on its way out, and there is nobody left to tell.
            return

    def call(self, act: Callable[[], T]) -> T:
        """Calls a plain function there and gives its result; in the worker's own thread it is called directly."""
        if threading.current_thread() is self.thread:
            return act()
        done: concurrent.futures.Future[T] = concurrent.futures.Future()

        def run() -> None:
            try:
                done.set_result(act())
            except BaseException as error:  # noqa: BLE001 - it belongs to the caller, whatever it is
                done.set_exception(error)

        self.loop.call_soon_threadsafe(run)
        return done.result()
