"""The tool `run_python`: the agent's code in the user's kernel."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from queue import Empty
from typing import Any, Protocol

from ..core.base import JsonObject, ToolSpec
from ..core.payloads import RunPythonAction, ToolObservation
from ..runtime.text import reveal
from ..runtime.tools.base import Consent, Interrupted, Shown, ToolContext, said
from .execution import Job
from .outputs import Outputs

SPEC = ToolSpec(
    name="run_python",
    description=(
        "Run Python in the user's own kernel: you see the user's variables, and the user sees yours. Code runs as a "
        "cell would, after the cells that are waiting; the value of the last line is shown. input() does not work. "
        "Large outputs are shown in part. Images that the code shows are shown to you."
    ),
    parameters={
        "type": "object",
        "properties": {"code": {"type": "string", "description": "Python code, as in a notebook cell."}},
        "required": ["code"],
        "additionalProperties": False,
    },
)


class Cell(Protocol):
    """A cell that waits for the agent and can run code inline meanwhile."""

    async def run(self, job: Job, outputs: Outputs) -> None:
        """Runs the job on the main thread, in that cell; returns when it has finished or the cell gave up waiting."""
        ...


class PythonTool:
    """Runs code by an execute request that the kernel sends to itself, or inline in a waiting cell."""

    spec = SPEC
    effects = True

    def __init__(self, timeout_seconds: float | None = None) -> None:
        """`timeout_seconds`: None for no limit of its own (R-SET-33)."""
        self.timeout_seconds = timeout_seconds
        self.cell: Cell | None = None
        """The cell that waits for the agent now, if any."""

    def parse(self, arguments: JsonObject) -> RunPythonAction:
        return RunPythonAction.model_validate(arguments)

    def consent(self, action: RunPythonAction) -> Consent:
        shown = Shown("Run Python in your kernel", "code", reveal(action.code))
        return Consent("ask", "Python can do everything that you can do.", shown, covers="run_python")

    async def run(self, action: RunPythonAction, context: ToolContext) -> ToolObservation:
        """Runs the code to its end. Cancelling stops it; a kernel interrupt raises `Interrupted`."""
        job, outputs = Job(action.code), Outputs()
        try:
            async with asyncio.timeout(self.timeout_seconds):
                if self.cell is not None:
                    await self.cell.run(job, outputs)
                else:
                    await _request(job, outputs, context)
        except TimeoutError:
            job.stop()
            outputs.failed = True
            return outputs.observation(context.action_id, f"[stopped after {self.timeout_seconds:g} seconds]")
        except asyncio.CancelledError:
            job.stop()
            raise
        finally:
            job.close()
        if job.interrupted:
            outputs.failed = True
            raise Interrupted(outputs.observation(context.action_id, "[interrupted: the code did not finish]"))
        if not job.finished:
            return said("The kernel did not run the code. Nothing happened; try again.", is_error=True)
        return outputs.observation(context.action_id)


async def _request(job: Job, outputs: Outputs, context: ToolContext) -> None:
    """Sends the code as an execute request and collects what comes of it.

    A request is aborted unrun when a cell of the user's fails before it; it is sent again, since it never started.
    """
    async with _own_kernel() as (client, shell):
        while not job.started and not job.stopped:
            request_id = client.execute(
                job.request_code(shell), store_history=False, allow_stdin=False, stop_on_error=False
            )
            await _collect(client, request_id, outputs, context)


async def _collect(client: Any, request_id: str, outputs: Outputs, context: ToolContext) -> None:
    shown = 0.0
    while True:
        message = await client.get_iopub_msg()
        if message["parent_header"].get("msg_id") != request_id:
            continue
        content = message["content"]
        match message["msg_type"]:
            case "stream":
                outputs.text(content["text"])
            case "error":
                outputs.error("\n".join(content["traceback"]))
            case "execute_result" | "display_data":
                outputs.rich(content["data"])
            case "status" if content["execution_state"] == "idle":
                return
            case _:
                continue
        now = asyncio.get_running_loop().time()
        if now - shown > 0.2:
            shown = now
            context.progress(outputs.tail)


@contextlib.asynccontextmanager
async def _own_kernel() -> AsyncGenerator[tuple[Any, Any]]:
    """A client of the kernel that this code runs in, and its shell."""
    from ipykernel.connect import get_connection_file
    from IPython.core.getipython import get_ipython
    from jupyter_client.asynchronous.client import AsyncKernelClient

    shell: Any = get_ipython()
    client: Any = AsyncKernelClient(connection_file=get_connection_file())
    client.load_connection_file()
    client.start_channels(shell=True, iopub=True, stdin=False, hb=False, control=True)  # noqa: S604 - a channel
    try:
        await _subscribed(client)
        yield client, shell
    finally:
        client.stop_channels()


async def _subscribed(client: Any) -> None:
    """Waits until the kernel's messages reach this client, so that none of the code's is missed.

    The control channel answers while cells run, and its answers are published too.
    """
    for _ in range(100):
        client.control_channel.send(client.session.msg("kernel_info_request"))
        with contextlib.suppress(Empty):
            await client.get_iopub_msg(timeout=0.1)
            return
    raise RuntimeError("The kernel's messages cannot be heard from inside it, so run_python cannot run here.")
