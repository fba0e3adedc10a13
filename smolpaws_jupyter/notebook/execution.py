"""Runs a job in the user's namespace, on the kernel's main thread, as IPython runs a cell.

Two ways lead here. Usually the kernel sends itself an execute request whose code is `request_code(...)`: it queues
behind the user's cells, and an interrupt reaches it. A cell that waits for the agent runs it inline, since the request
would wait for the cell and the cell for the request.

The request runs this wrapper instead of the code itself, so that a Stop that came first can skip it, a failure of the
agent's code does not abort the user's queued cells, and `_`, `In` and `Out` stay the user's.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

from .capture import Capture
from .job import Job, find
from .keeping import kept
from .latest_cell import LatestCell


def request_code(job: Job) -> str:
    """The code of the execute request that runs this job."""
    here = f'__import__("{__name__}", fromlist=["run"])'
    return f'await {here}.run_async("{job.id}")' if awaits(job) else f'{here}.run("{job.id}")'


def awaits(job: Job) -> bool:
    """Whether IPython would await this code on the loop that runs already."""
    shell = this_shell()
    try:
        if not shell.autoawait or shell.loop_runner is not shell.loop_runner_map["asyncio"][0]:
            return False
        return bool(shell.should_run_async(job.code, transformed_cell=shell.transform_cell(job.code)))
    except Exception:  # noqa: BLE001 - odd code is for IPython to complain about when it runs
        return False


def run(job_id: str) -> None:
    """Runs a job that awaits nothing."""
    job = find(job_id)
    if job is not None:
        job.run(lambda: _run_cell(job))


async def run_async(job_id: str) -> None:
    """Runs a job with top-level awaits, on the kernel's own loop."""
    job = find(job_id)
    if job is not None:
        await job.run_async(lambda: _run_cell_async(job))


def _run_cell(job: Job) -> None:
    shell = this_shell()
    with _around(shell, job), job.code_runs():
        shell.run_cell(job.code, store_history=False)


async def _run_cell_async(job: Job) -> None:
    shell = this_shell()
    with _around(shell, job), job.code_runs():
        try:
            transformed = shell.transform_cell(job.code)
            await shell.run_cell_async(job.code, store_history=False, transformed_cell=transformed)
        finally:
            shell.events.trigger("post_execute")  # what shows the plots; `run_cell` does this itself


@contextlib.contextmanager
def _around(shell: Any, job: Job) -> Generator[None]:
    LatestCell.of(shell).speaks()
    with Capture(shell, job.outputs, quiet=job.code.rstrip().endswith(";")).on(), kept(shell, job.outputs.text):
        yield


def this_shell() -> Any:
    """The kernel's IPython shell."""
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    if shell is None:
        raise RuntimeError("There is no IPython shell in this process, so run_python cannot run.")
    return shell
