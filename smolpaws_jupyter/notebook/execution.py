"""Runs a piece of Python in the user's namespace, on the kernel's main thread, as IPython would.

Two ways lead here. Usually the kernel sends itself an execute request whose code is `run(id)`: it queues behind the
user's cells, has its own output, and an interrupt reaches it. While a cell waits for the agent it runs inline in that
cell, since the request would wait for the cell and the cell for the request.

The request runs this wrapper instead of the code itself, so that a Stop that came first can skip it, a failure of the
agent's code does not abort the user's queued cells, and `_`, `In` and `Out` stay the user's.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
import uuid
from collections.abc import Generator
from typing import Any

from .outputs import Outputs

_jobs: dict[str, Job] = {}


class Job:
    """One piece of code, and how far it came."""

    def __init__(self, code: str) -> None:
        self.id = uuid.uuid4().hex
        self.code = code
        self.started = False
        self.finished = False
        self.interrupted = False
        """It was interrupted while it ran, by the agent's Stop or by the kernel's interrupt."""
        self.stopped = False
        """The agent's Stop asked for it to end or not to start."""
        self.error: BaseException | None = None
        self._running = False
        self._lock = threading.Lock()
        _jobs[self.id] = self

    def request_code(self, shell: Any) -> str:
        """The code of the execute request that runs this job."""
        runner = f'__import__("{__name__}", fromlist=["run"])'
        return f'await {runner}.run_async("{self.id}")' if is_async(shell, self.code) else f'{runner}.run("{self.id}")'

    def stop(self) -> None:
        """Interrupts the code if it runs now, and keeps it from starting. Never touches a cell of the user's."""
        with self._lock:
            self.stopped = True
            if self._running:
                _interrupt_main_thread()

    def close(self) -> None:
        _jobs.pop(self.id, None)

    @contextlib.contextmanager
    def on_main_thread(self) -> Generator[bool]:
        """Marks the job as running, so that a stop may interrupt the main thread. Gives False if it must not start."""
        with self._lock:
            go = not self.stopped
            self.started = self._running = go
        try:
            yield go
        finally:
            # An interrupt that was sent while the job ran may arrive only here; it is the job's, not the user's.
            with contextlib.suppress(KeyboardInterrupt):
                with self._lock:
                    self._running = False
                for _ in range(100):
                    pass
            self.finished = True


def is_async(shell: Any, code: str) -> bool:
    """Whether IPython would await this code."""
    try:
        return bool(shell.autoawait and shell.should_run_async(code, transformed_cell=shell.transform_cell(code)))
    except Exception:  # noqa: BLE001 - odd code is for IPython to complain about when it runs
        return False


def run(job_id: str) -> None:
    """Runs a job that awaits nothing."""
    job, shell = _jobs.get(job_id), _shell()
    if job is None:
        return
    with job.on_main_thread() as go, _user_results_kept(shell):
        if go:
            result = shell.run_cell(job.code, store_history=False)
            _note(job, result)


async def run_async(job_id: str) -> None:
    """Runs a job with top-level awaits, on the kernel's own loop."""
    job, shell = _jobs.get(job_id), _shell()
    if job is None:
        return
    with job.on_main_thread() as go, _user_results_kept(shell):
        if not go:
            return
        ticker = asyncio.ensure_future(_tick())
        try:
            transformed = shell.transform_cell(job.code)
            _note(job, await shell.run_cell_async(job.code, store_history=False, transformed_cell=transformed))
        except asyncio.CancelledError:
            job.interrupted = True
        finally:
            ticker.cancel()


async def run_inline(job: Job, outputs: Outputs, *, may_await: bool) -> None:
    """Runs a job in the cell that waits for the agent; its output goes to `outputs` and not to the cell."""
    from IPython.utils.capture import capture_output

    shell = _shell()
    if not may_await and is_async(shell, job.code):
        job.started = job.finished = True
        outputs.error(
            "This code awaits at its top level, which cannot run while the cell blocks in paws.wait(). "
            "Avoid the top-level await, or ask the user to wait with `await paws.ask(...)`."
        )
        return
    with _tracebacks_to(shell, outputs), capture_output() as captured:
        try:
            if is_async(shell, job.code):
                await run_async(job.id)
            else:
                run(job.id)
        except KeyboardInterrupt:
            job.interrupted = True
    outputs.text(captured.stdout)
    outputs.text(captured.stderr)
    for shown in captured.outputs:
        outputs.rich(shown.data)


def _note(job: Job, result: Any) -> None:
    job.error = result.error_before_exec or result.error_in_exec
    if isinstance(job.error, KeyboardInterrupt | asyncio.CancelledError):
        job.interrupted = True


@contextlib.contextmanager
def _user_results_kept(shell: Any) -> Generator[None]:
    """Keeps `_`, `__`, `___`, `Out` and the execution count as the user had them (I-26)."""
    names = ("_", "__", "___")
    before = {name: shell.user_ns[name] for name in names if name in shell.user_ns}
    hook = shell.displayhook
    hook_before = {name: getattr(hook, name) for name in names if hasattr(hook, name)}
    out = shell.user_ns.get("_oh")
    keys = set(out) if isinstance(out, dict) else set[Any]()
    count = shell.execution_count
    try:
        yield
    finally:
        for name, value in before.items():
            shell.user_ns[name] = value
        for name, value in hook_before.items():
            setattr(hook, name, value)
        if isinstance(out, dict):
            for key in set(out) - keys:
                del out[key]
                shell.user_ns.pop(f"_{key}", None)
        shell.execution_count = count


@contextlib.contextmanager
def _tracebacks_to(shell: Any, outputs: Outputs) -> Generator[None]:
    """IPython's kernel publishes a traceback past every capture; while code runs inline it is collected instead."""

    def collect(_type: Any, _value: Any, lines: list[str]) -> None:
        outputs.error("\n".join(lines))

    shell._showtraceback = collect  # noqa: SLF001
    try:
        yield
    finally:
        del shell._showtraceback  # noqa: SLF001


async def _tick() -> None:
    """Wakes the loop, so that an interrupt is seen while nothing else happens on it."""
    while True:  # noqa: ASYNC110 - nothing sets an event when a signal comes
        await asyncio.sleep(0.1)


def _interrupt_main_thread() -> None:
    main = threading.main_thread().ident
    if sys.platform == "win32" or main is None:
        import _thread

        _thread.interrupt_main()
    else:
        signal.pthread_kill(main, signal.SIGINT)


def _shell() -> Any:
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    if shell is None:
        raise RuntimeError("There is no IPython shell in this process, so run_python cannot run.")
    return shell
