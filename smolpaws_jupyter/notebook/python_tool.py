"""The tool `run_python`: the agent's code in the user's kernel."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Protocol

from ..core.base import JsonObject, ToolSpec
from ..core.payloads import RunPythonAction, ToolObservation
from ..runtime.text import reveal
from ..runtime.tools.base import Consent, Interrupted, NotStarted, Shown, ToolContext, said
from .execution import request_code
from .job import Job
from .own_kernel import execute

SPEC = ToolSpec(
    name="run_python",
    description=(
        "Run Python in the user's own kernel: you see the user's variables, and the user sees yours. Code runs as a "
        "cell would, after the cells that are waiting; the value of the last line is shown. input() does not work, and "
        "the working directory stays as it is. Large outputs are shown in part. Images that the code shows are shown "
        "to you."
    ),
    parameters={
        "type": "object",
        "properties": {"code": {"type": "string", "description": "Python code, as in a notebook cell."}},
        "required": ["code"],
        "additionalProperties": False,
    },
)
WATCH_SECONDS = 0.2
"""How often a running call is looked at."""
STOP_SECONDS = 3.0
"""How long a stopped call may take to end before its result says that it has not. The first traceback takes long."""


class Cell(Protocol):
    """A cell that waits for the agent. It takes the tool's job by itself when it is woken."""

    def wake(self) -> None: ...


class PythonTool:
    """Runs code by an execute request that the kernel sends to itself, or inline in a waiting cell."""

    spec = SPEC
    effects = True

    def __init__(self, timeout_seconds: float | None = None) -> None:
        """`timeout_seconds`: None for no limit of its own (R-SET-33)."""
        self.timeout_seconds = timeout_seconds
        self.cells: list[Cell] = []
        """The cells of the kernel's main thread that wait for the agent now."""
        self.job: Job | None = None
        """The code that is to run, until it starts; a waiting cell may run it."""
        self.queued = False
        """Whether the code waits for a cell of the user's to end."""
        self.changed: Callable[[], None] = lambda: None
        """Called when `queued` changes."""

    def parse(self, arguments: JsonObject) -> RunPythonAction:
        return RunPythonAction.model_validate(arguments)

    def consent(self, action: RunPythonAction) -> Consent:
        shown = Shown("Run Python in your kernel", "code", reveal(action.code))
        return Consent("ask", "Python can do everything that you can do.", shown, covers="run_python")

    async def run(self, action: RunPythonAction, context: ToolContext) -> ToolObservation:
        """Runs the code to its end.

        Cancelling stops it. Raises `NotStarted` where it was stopped before it began, and `Interrupted` where it was
        broken off, by Stop or by an interrupt of the kernel (R-STOP-3, R-STOP-7).
        """
        self.job = job = Job(action.code)
        try:
            async with asyncio.timeout(self.timeout_seconds):
                refusal = await self._until_done(job, context)
        except TimeoutError:
            ended = await _stopped(job)
            job.outputs.failed = True
            return job.outputs.observation(context.action_id, f"[{_timed_out(self.timeout_seconds, job, ended)}]")
        except asyncio.CancelledError:
            ended = await _stopped(job)
            if job.state == "skipped":
                raise NotStarted from None
            note = "[interrupted: the user stopped this call]" if ended else f"[{STILL_RUNS}]"
            raise Interrupted(_failed(job, context, note)) from None
        finally:
            job.close()
            self.job = None
            self._queue(False)
        if refusal is not None:
            return said(refusal, is_error=True)
        if job.interrupted:
            raise Interrupted(_failed(job, context, "[interrupted: the code did not finish]"))
        return job.outputs.observation(context.action_id)

    async def _until_done(self, job: Job, context: ToolContext) -> str | None:
        """Returns when the job has run, or with the reason why it cannot.

        Who runs it may change while it waits: a cell may begin to wait for the agent, or give it up.
        """
        done = asyncio.ensure_future(job.done.wait())
        request: asyncio.Future[dict[str, Any]] | None = None
        shown = ""
        try:
            while not job.done.is_set():
                if request is None and not self.cells:
                    request = asyncio.ensure_future(execute(request_code(job)))
                for cell in tuple(self.cells):
                    cell.wake()
                await asyncio.wait(
                    {f for f in (done, request) if f is not None},
                    timeout=WATCH_SECONDS,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                self._queue(request is not None and job.state == "waiting")
                if shown != (shown := job.outputs.tail):
                    context.progress(shown)
                if request is not None and request.done():
                    reply, request = request.result(), None
                    if job.state == "waiting" and reply["status"] == "error":
                        return _why(reply, job, context)
            return None
        finally:
            for future in (done, request):
                if future is not None:
                    future.cancel()
                    with contextlib.suppress(asyncio.CancelledError, Exception):
                        await future

    def _queue(self, queued: bool) -> None:
        if queued is not self.queued:
            self.queued = queued
            self.changed()


STILL_RUNS = "asked to stop, but the code has not ended yet: it still runs in the kernel"


async def _stopped(job: Job) -> bool:
    """Stops the job, and says whether it has ended."""
    job.stop()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(STOP_SECONDS):
            await job.done.wait()
    return job.done.is_set()


def _timed_out(seconds: float | None, job: Job, ended: bool) -> str:
    if job.state == "skipped":
        return f"not run: the kernel was busy for {seconds:g} seconds"
    return f"stopped after {seconds:g} seconds" if ended else f"after {seconds:g} seconds {STILL_RUNS}"


def _failed(job: Job, context: ToolContext, note: str) -> ToolObservation:
    job.outputs.failed = True
    return job.outputs.observation(context.action_id, note)


def _why(reply: dict[str, Any], job: Job, context: ToolContext) -> str:
    """Why the kernel did not run the code."""
    if reply["ename"] == "KeyboardInterrupt":
        raise Interrupted(_failed(job, context, "[interrupted before it began: nothing ran]"))
    return f"The kernel did not run the code: {reply['ename']}: {reply['evalue']}. Nothing happened."
