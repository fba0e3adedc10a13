"""A piece of the agent's Python: run at most once, on the kernel's main thread, and stopped without touching the user.

Whoever comes first runs it: the request that the kernel sends to itself, or a cell that waits for the agent.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable, Coroutine, Generator
from types import FrameType
from typing import Any, Literal

from .outputs import Outputs

State = Literal["waiting", "running", "finished", "skipped"]

_jobs: dict[str, Job] = {}
_running: Job | None = None
"""The one that runs now. Code that awaits lets others come to the main thread, and they have to wait (I-25)."""


def find(job_id: str) -> Job | None:
    """The job of this id, unless it is over."""
    return _jobs.get(job_id)


class Job:
    """One piece of code, how far it came, and what it put out. Made in the worker, run on the main thread."""

    def __init__(self, code: str) -> None:
        self.id = uuid.uuid4().hex
        self.code = code
        self.outputs = Outputs()
        self.state: State = "waiting"
        self.done = asyncio.Event()
        """Set in the worker's loop when the job is finished or skipped."""
        self.interrupted = False
        """It was interrupted while it ran, by the agent's Stop or by the kernel's interrupt."""
        self.stopped = False
        """The agent's Stop asked for it to end, or not to start."""
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._signals_sent = self._signals_seen = 0
        self._hears_signals = False
        self._interruptible = False
        self._task: asyncio.Task[Any] | None = None
        _jobs[self.id] = self

    def stop(self) -> None:
        """Interrupts the code if it runs now, and keeps it from starting. Never touches a cell of the user's."""
        with self._lock:
            if self.stopped:
                return
            self.stopped = True
            if self.state == "waiting":
                self.state = "skipped"
                self.done.set()
            elif self._hears_signals:
                self._signals_sent += 1
                _interrupt_main_thread()

    def close(self) -> None:
        """Nobody asks for this job any more; a request for it that is still queued does nothing."""
        _jobs.pop(self.id, None)

    def run(self, act: Callable[[], object]) -> None:
        """On the main thread: calls `act`, which runs the code, unless it was run or skipped, or another job runs."""
        with self._handling_sigint():
            if not self._claim():
                return
            try:
                act()
            finally:
                self._finish()

    async def run_async(self, act: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """As `run`, for code that awaits. It gets a task of its own, so that it can be cancelled and nothing else."""
        with self._handling_sigint():
            if not self._claim():
                return
            try:
                self._task = asyncio.ensure_future(act())
                await _to_its_end(self._task)
            finally:
                self._task = None
                self._finish()

    @contextlib.contextmanager
    def code_runs(self) -> Generator[None]:
        """The part of a run that an interrupt may break off: the code itself, and nothing that is done around it."""
        try:
            self._interruptible = True
            yield
        except KeyboardInterrupt:
            # It goes no further: out of a task it would end the kernel's loop.
            self.interrupted = True
        finally:
            self._interruptible = False

    def refuse(self, why: str) -> None:
        """Ends the job unrun, with this as its result."""
        if self._claim():
            self.outputs.error(why)
            self._finish()

    def _claim(self) -> bool:
        global _running
        with self._lock:
            if self.state != "waiting" or _running is not None:
                return False
            self.state = "running"
            self._hears_signals = threading.current_thread() is threading.main_thread()
            _running = self
            return True

    def _finish(self) -> None:
        global _running
        with self._lock:
            self.state = "finished"
            self._hears_signals = False
            _running = None
            sent = self._signals_sent
        # A signal that was sent while the code ran must not hit what the user runs next.
        deadline = time.monotonic() + 1
        while self._signals_seen < sent and time.monotonic() < deadline:
            time.sleep(0.001)
        with contextlib.suppress(RuntimeError):  # the loop is closed when the process ends
            self._loop.call_soon_threadsafe(self.done.set)

    @contextlib.contextmanager
    def _handling_sigint(self) -> Generator[None]:
        """Turns an interrupt into a KeyboardInterrupt in the code, and in nothing else of what happens around it.

        The kernel's own handler, in a cell that awaits, would not even interrupt a `time.sleep`.
        """
        if threading.current_thread() is not threading.main_thread():
            yield  # a host whose cells run elsewhere: nothing can be interrupted there
            return
        before = signal.signal(signal.SIGINT, self._on_sigint)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _on_sigint(self, _signal: int, _frame: FrameType | None) -> None:
        self._signals_seen += 1
        if self.state != "running":
            return
        self.interrupted = True
        if self._task is not None and asyncio.current_task() is not self._task:
            # The code awaits something, and what runs now is the loop or somebody else's task.
            self._task.get_loop().call_soon_threadsafe(self._task.cancel)
        elif self._interruptible:
            raise KeyboardInterrupt


async def _to_its_end(task: asyncio.Task[Any]) -> None:
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait([task])
        raise
    if not task.cancelled():
        task.result()  # a mistake of ours, if anything: what the code raises is one of its outputs


def _interrupt_main_thread() -> None:
    main = threading.main_thread().ident
    if sys.platform == "win32" or main is None:
        import _thread

        _thread.interrupt_main()
    else:
        signal.pthread_kill(main, signal.SIGINT)
