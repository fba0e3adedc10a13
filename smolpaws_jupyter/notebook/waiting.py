"""A cell that waits for the agent: it runs the agent's Python, and an interrupt ends its waiting (R-STOP-8)."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
import time
from collections.abc import Awaitable, Callable, Generator
from typing import TYPE_CHECKING, Self

from ..core.errors import ApprovalNeeded
from ..core.wire import ApprovalRequest
from .execution import awaits, run, run_async, this_shell
from .latest_cell import LatestCell

if TYPE_CHECKING:
    from .job import Job
    from .python_tool import PythonTool
    from .session import Now

TICK_SECONDS = 0.1
"""An interrupt of an awaiting cell is noticed only when its loop wakes."""
PAGE_SECONDS = 1.0
"""How long a call that needs approval waits for a sign of a page before the cell gives up (R-STOP-16)."""
NO_AWAIT = (
    "This code awaits at its top level, which cannot run while the user's cell blocks in paws.wait(). "
    "Avoid the top-level await, or ask the user to wait with `await paws.ask(...)`."
)


class WaitingCell:
    """The cell that waits now; everything here runs in its own thread, but for `wake`."""

    def __init__(
        self,
        now: Callable[[], Now],
        heard_at: Callable[[], float],
        python: PythonTool | None,
        timeout: float | None = None,
    ) -> None:
        """`heard_at` tells when a page was heard last; `python` has the jobs that this cell may run."""
        self._now = now
        self._heard_at = heard_at
        self._python = python if threading.current_thread() is threading.main_thread() else None
        self._timeout = timeout
        self._end = None if timeout is None else time.monotonic() + timeout
        self._began = LatestCell.of(this_shell()).began if python is not None else time.monotonic()
        self._asking_since: float | None = None
        self._something = threading.Event()
        self._waker: Callable[[], object] = lambda: None

    def __enter__(self) -> Self:
        if self._python is not None:
            self._python.cells.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self._python is not None:
            self._python.cells.remove(self)

    def wake(self) -> None:
        """Something changed that the cell may wait for. From any thread."""
        self._something.set()
        self._waker()

    def waits(self) -> bool:
        """Whether the agent still works. Raises `TimeoutError` and `ApprovalNeeded`."""
        now = self._now()
        if now.status not in ("running", "waiting"):
            return False
        self._check_approval(now.waiting)
        if self._end is not None and time.monotonic() > self._end:
            raise TimeoutError(f"The agent was still working after {self._timeout:g} seconds. It goes on; wait again.")
        return True

    def rest(self) -> None:
        """Blocks for a moment and runs what the agent wants to run. An interrupt of that ends the waiting too."""
        if self._something.wait(TICK_SECONDS):
            self._something.clear()
        job = self._job()
        if job is None:
            return
        if awaits(job):
            job.refuse(NO_AWAIT)
            return
        run(job)
        if _interrupted(job):
            raise KeyboardInterrupt

    async def rest_async(self) -> None:
        """As `rest`, in a cell that awaits."""
        woken = asyncio.Event()
        self._waker = functools.partial(asyncio.get_running_loop().call_soon_threadsafe, woken.set)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TICK_SECONDS):
                await woken.wait()
        job = self._job()
        if job is None:
            return
        if awaits(job):
            await run_async(job)
        else:
            run(job)
        if _interrupted(job):
            raise asyncio.CancelledError("interrupted")

    def _job(self) -> Job | None:
        job = self._python.job if self._python is not None else None
        return job if job is not None and job.state == "waiting" else None

    def _check_approval(self, call: ApprovalRequest | None) -> None:
        if call is None or self._heard_at() >= self._began:
            self._asking_since = None
            return
        now = time.monotonic()
        self._asking_since = self._asking_since or now
        if now - self._asking_since >= PAGE_SECONDS:
            raise ApprovalNeeded(
                call.action_id,
                call.tool_name,
                f"The agent waits for your approval of {call.tool_name}: {call.title}.",
                detail=(
                    "Approve or reject it in the widget, or with "
                    f'paws.approve("{call.action_id}") or paws.reject("{call.action_id}", "why"); then wait again.'
                ),
            )


def _interrupted(job: Job) -> bool:
    """Whether the kernel's interrupt ended it; the agent's own Stop is no reason to stop waiting."""
    return job.interrupted and not job.stopped


class Answer:
    """What `paws.ask(...)` gives: await it to send the message and get the agent's final words."""

    def __init__(self, work: Callable[[], Awaitable[str]]) -> None:
        self._work = work

    def __await__(self) -> Generator[object, None, str]:
        return self._work().__await__()

    def __repr__(self) -> str:
        return "Nothing was sent yet. Write `await paws.ask(...)`, or `paws.tell(...)` and then `paws.wait()`."
