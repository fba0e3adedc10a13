"""A cell that waits for the agent: it runs the agent's Python, and an interrupt ends its waiting (R-STOP-8)."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Awaitable, Callable, Generator

from ..core.errors import ApprovalNeeded
from ..runtime.conversation import Conversation
from .execution import Job, run_inline
from .outputs import Outputs

TICK_SECONDS = 0.1
"""An interrupt of an awaiting cell is noticed only when its loop wakes."""
PAGE_SECONDS = 1.0
"""How long a call that needs approval waits for a sign of a page before the cell gives up (R-STOP-16)."""


class WaitingCell:
    """The cell that waits now. The worker hands it jobs; it runs them on its own thread."""

    def __init__(
        self,
        worker_loop: asyncio.AbstractEventLoop,
        conversation: Callable[[], Conversation],
        timeout: float | None = None,
    ) -> None:
        self.page_heard = False
        """Whether a page's message came during this cell."""
        self._loop = worker_loop
        self._conversation = conversation
        self._timeout = timeout
        self._end = None if timeout is None else time.monotonic() + timeout
        self._asking_since: float | None = None
        self._jobs: queue.SimpleQueue[tuple[Job, Outputs, asyncio.Event]] = queue.SimpleQueue()
        self._something = threading.Event()
        self._gone = threading.Event()

    # In the worker

    async def run(self, job: Job, outputs: Outputs) -> None:
        """Runs a job in the cell; returns when it has finished, or unrun when the cell stopped waiting."""
        done = asyncio.Event()
        self._jobs.put((job, outputs, done))
        self.wake()
        while not done.is_set() and (job.started or not self._gone.is_set()):
            try:
                async with asyncio.timeout(TICK_SECONDS):
                    await done.wait()
            except TimeoutError:
                continue

    def wake(self) -> None:
        """Something changed that the cell may wait for."""
        self._something.set()

    # In the cell

    def waits(self) -> bool:
        """Whether the agent still works. Raises `TimeoutError` and `ApprovalNeeded`."""
        conversation = self._conversation()
        if conversation.status not in ("running", "waiting"):
            return False
        self._check_approval(conversation)
        if self._end is not None and time.monotonic() > self._end:
            raise TimeoutError(f"The agent was still working after {self._timeout:g} seconds. It goes on; wait again.")
        return True

    def sleep(self, seconds: float) -> None:
        """Blocks until something changed, at most this long."""
        if self._something.wait(seconds):
            self._something.clear()

    async def serve(self, *, may_await: bool = True) -> None:
        """Runs the jobs that wait. An interrupt of a job ends the waiting too (R-STOP-8)."""
        while True:
            try:
                job, outputs, done = self._jobs.get_nowait()
            except queue.Empty:
                return
            try:
                await run_inline(job, outputs, may_await=may_await)
            finally:
                job.finished = True
                self._loop.call_soon_threadsafe(done.set)
            if job.interrupted and not job.stopped:
                raise KeyboardInterrupt

    def serve_blocking(self) -> None:
        """Runs the jobs that wait, none of which may await."""
        work = self.serve(may_await=False)
        try:
            work.send(None)
        except StopIteration:
            return
        work.close()
        raise RuntimeError("a blocking cell cannot await")

    def leave(self) -> None:
        """The cell waits no longer."""
        self._gone.set()

    def _check_approval(self, conversation: Conversation) -> None:
        waiting = conversation.waiting
        if not waiting or self.page_heard:
            self._asking_since = None
            return
        now = time.monotonic()
        self._asking_since = self._asking_since or now
        if now - self._asking_since >= PAGE_SECONDS:
            call = waiting[0]
            raise ApprovalNeeded(
                call.action_id,
                call.tool_name,
                f"The agent waits for your approval of {call.tool_name}: {call.title}.",
                detail=(
                    "Approve or reject it in the widget, or with "
                    f'paws.approve("{call.action_id}") or paws.reject("{call.action_id}", "why"); then wait again.'
                ),
            )


class Answer:
    """What `paws.ask(...)` gives: await it to send the message and get the agent's final words."""

    def __init__(self, work: Callable[[], Awaitable[str]]) -> None:
        self._work = work

    def __await__(self) -> Generator[object, None, str]:
        return self._work().__await__()

    def __repr__(self) -> str:
        return "Nothing was sent yet. Write `await paws.ask(...)`, or `paws.tell(...)` and then `paws.wait()`."
