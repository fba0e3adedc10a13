"""Runs a job in the user's namespace, on the kernel's main thread, as IPython runs a cell.

Two ways lead here. Usually the kernel sends itself an execute request whose code is `request_code(...)`: it queues
behind the user's cells, and an interrupt reaches it. A cell that waits for the agent runs it inline, since the request
would wait for the cell and the cell for the request.

The request runs this wrapper instead of the code itself, so that a Stop that came first can skip it, a failure of the
agent's code does not abort the user's queued cells, and `_`, `In` and `Out` stay the user's.
"""

from __future__ import annotations

import sys
from collections.abc import Coroutine
from typing import Any

from .capture import Capture
from .job import Job, find
from .keeping import kept
from .latest_cell import LatestCell


def request_code(job: Job) -> str:
    """The code of the execute request that runs this job."""
    here = f'__import__("{__name__}", fromlist=["requested"])'
    return f'await {here}.requested_async("{job.id}")' if awaits(job) else f'{here}.requested("{job.id}")'


def awaits(job: Job) -> bool:
    """Whether IPython would await this code on the loop that runs already."""
    shell = this_shell()
    try:
        if not shell.autoawait or shell.loop_runner is not shell.loop_runner_map["asyncio"][0]:
            return False
        return bool(shell.should_run_async(job.code, transformed_cell=shell.transform_cell(job.code)))
    except Exception:  # noqa: BLE001 - odd code is for IPython to complain about when it runs
        return False


def requested(job_id: str) -> None:
    """What the request calls."""
    if (job := find(job_id)) is not None:
        LatestCell.of(this_shell()).speaks()
        run(job)


async def requested_async(job_id: str) -> None:
    """What the request calls for code that awaits."""
    if (job := find(job_id)) is not None:
        LatestCell.of(this_shell()).speaks()
        await run_async(job)


def run(job: Job) -> None:
    """Runs a job that awaits nothing."""
    job.run(lambda: _at_once(_cell(job)))


async def run_async(job: Job) -> None:
    """Runs a job with top-level awaits, on the kernel's own loop."""
    await job.run_async(lambda: _cell(job))


async def _cell(job: Job) -> None:
    # Not `run_cell`: that keeps what is printed in the history of the user's outputs, however much it is.
    shell = this_shell()
    quiet = job.code.rstrip().endswith(";")
    with Capture(shell, job.outputs, quiet=quiet).on(), kept(shell, job.outputs.text), job.code_runs():
        problem = result = None
        try:
            try:
                transformed = shell.transform_cell(job.code)
            except Exception:  # noqa: BLE001 - IPython shows it, whatever it is
                transformed, problem = job.code, sys.exc_info()
            result = await shell.run_cell_async(
                job.code, store_history=False, transformed_cell=transformed, preprocessing_exc_tuple=problem
            )
        except Exception:  # noqa: BLE001 - for the model, whatever it is
            shell.showtraceback()
        finally:
            shell.events.trigger("post_execute")  # shows the plots
            shell.events.trigger("post_run_cell", result)


def _at_once(work: Coroutine[Any, Any, None]) -> None:
    """Runs a coroutine that waits for nothing, so that its code may run loops of its own."""
    try:
        work.send(None)
    except StopIteration:
        return
    work.close()
    raise RuntimeError("The code awaits, and there is no loop for it.")


def this_shell() -> Any:
    """The kernel's IPython shell."""
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    if shell is None:
        raise RuntimeError("There is no IPython shell in this process, so run_python cannot run.")
    return shell
