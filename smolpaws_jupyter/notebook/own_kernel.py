"""Requests that the kernel sends to itself: they queue behind the user's cells, and interrupts reach them."""

from __future__ import annotations

from typing import Any

import zmq.asyncio

_contexts: dict[object, zmq.asyncio.Context] = {}


async def execute(code: str) -> dict[str, Any]:
    """The content of the reply, whenever it comes. The code leaves no trace in the history and cannot ask for input.

    `status` is `ok`, `error`, or `aborted` where a cell of the user's failed before it: then nothing ran.
    """
    from ipykernel.connect import get_connection_file
    from jupyter_client.asynchronous.client import AsyncKernelClient

    try:
        connection = get_connection_file()
    except RuntimeError:
        raise RuntimeError(
            "This kernel cannot send requests to itself, so run_python works only while a cell waits for the agent: "
            "ask the user to run `await paws.ask(...)` or `paws.wait()`."
        ) from None
    client: Any = AsyncKernelClient(connection_file=connection, context=_context())
    client.load_connection_file()
    client.start_channels(shell=True, iopub=False, stdin=False, hb=False, control=False)  # noqa: S604 - a channel
    try:
        request = client.execute(code, silent=True, allow_stdin=False, stop_on_error=False)
        while True:
            reply = await client.get_shell_msg()
            if reply["parent_header"].get("msg_id") == request:
                return reply["content"]
    finally:
        client.stop_channels()


def _context() -> zmq.asyncio.Context:
    """One for each loop: a context costs a thread, and a client that makes its own leaves it behind."""
    import asyncio

    loop = asyncio.get_running_loop()
    if loop not in _contexts:
        _contexts[loop] = zmq.asyncio.Context()
    return _contexts[loop]
