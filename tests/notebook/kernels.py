"""A real kernel in a process of its own, driven as a front end drives it."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Result:
    """What one cell gave."""

    text: str = ""
    error: str = ""
    data: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    comms: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def value(self) -> str:
        """The text of the last displayed value."""
        return self.data[-1].get("text/plain", "") if self.data else ""


class Kernel:
    """One kernel and its client."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager = manager
        self.client = client
        self.comm_messages: list[dict[str, Any]] = []

    def start(self, code: str) -> str:
        """Sends a cell and does not wait."""
        return self.client.execute(code, allow_stdin=False)

    def finish(self, request: str, timeout: float = 60) -> Result:
        """Waits until a cell has finished."""
        result = Result()
        for message in self._messages(timeout):
            mine = message["parent_header"].get("msg_id") == request
            content = message["content"]
            kind = message["msg_type"]
            if kind.startswith("comm_"):
                self.comm_messages.append(message)
            if not mine:
                continue
            if kind == "stream":
                result.text += content["text"]
            elif kind == "error":
                result.error = ANSI.sub("", "\n".join(content["traceback"]))
            elif kind in ("execute_result", "display_data"):
                result.data.append(content["data"])
            elif kind == "status" and content["execution_state"] == "idle":
                return result
        raise TimeoutError(f"the cell did not finish; so far: {result}")

    def run(self, code: str, timeout: float = 60) -> Result:
        """Runs a cell to its end."""
        return self.finish(self.start(code), timeout)

    def value(self, expression: str, timeout: float = 60) -> Any:
        """The value of an expression, if its repr can be read back."""
        import ast

        result = self.run(f"print(repr({expression}))", timeout)
        assert not result.error, result.error
        return ast.literal_eval(result.text.strip())

    def interrupt(self) -> None:
        self.manager.interrupt_kernel()

    def send_to_widget(self, comm_id: str, content: dict[str, Any]) -> None:
        """A custom message, as the page sends it."""
        data = {"method": "custom", "content": content}
        message = self.client.session.msg("comm_msg", {"comm_id": comm_id, "data": data})
        self.client.shell_channel.send(message)

    def _messages(self, timeout: float) -> Iterator[dict[str, Any]]:
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            with contextlib.suppress(queue.Empty):
                yield self.client.get_iopub_msg(timeout=0.2)


@contextlib.contextmanager
def kernel(folder: Path, **env: str) -> Generator[Kernel]:
    """A kernel that works in this folder."""
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(folder), env={**os.environ, **env})
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        yield Kernel(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
