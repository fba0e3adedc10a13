"""A real kernel in a process of its own, driven as a front end drives it."""

from __future__ import annotations

import ast
import contextlib
import os
import queue
import re
import time
from collections import defaultdict
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).parent.parent.parent
ANSI = re.compile(r"\x1b\[[0-9;]*m")
Message = dict[str, Any]


@dataclass
class Result:
    """What one cell gave."""

    text: str = ""
    error: str = ""
    data: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def value(self) -> str:
        """The text of the last displayed value."""
        return self.data[-1].get("text/plain", "") if self.data else ""


class Kernel:
    """One kernel and its client. Everything that the kernel publishes is kept, by the request that it answers."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient, folder: Path) -> None:
        self.manager = manager
        self.client = client
        self.folder = folder
        self.comm_messages: list[Message] = []
        self._published: dict[str, list[Message]] = defaultdict(list)

    # Cells

    def start(self, code: str, **options: Any) -> str:
        """Sends a cell and does not wait."""
        return self.client.execute(code, **{"allow_stdin": False, **options})

    def finish(self, request: str, timeout: float = 60) -> Result:
        """Waits until a cell has finished."""
        self.pump(lambda: self._is_idle(request), timeout)
        return self.result(request)

    def run(self, code: str, timeout: float = 60, **options: Any) -> Result:
        """Runs a cell to its end."""
        return self.finish(self.start(code, **options), timeout)

    def do(self, code: str, timeout: float = 60, *, history: bool = True) -> Result:
        """Runs a cell that must not fail. Without `history` it counts as no cell of the user's."""
        result = self.run(code, timeout, store_history=history)
        assert not result.error, result.error
        return result

    def value(self, expression: str, timeout: float = 60, *, history: bool = False) -> Any:
        """The value of an expression, if its repr can be read back."""
        return ast.literal_eval(self.do(f"print(repr({expression}))", timeout, history=history).text.strip())

    def result(self, request: str) -> Result:
        """What a cell gave so far."""
        result = Result()
        for message in self._published[request]:
            content = message["content"]
            match message["msg_type"]:
                case "stream":
                    result.text += content["text"]
                case "error":
                    result.error += ANSI.sub("", "\n".join(content["traceback"]))
                case "execute_result" | "display_data":
                    result.data.append(content["data"])
                case _:
                    pass
        return result

    def is_running(self, request: str) -> bool:
        """Whether a cell has not finished yet, as far as was heard."""
        return not self._is_idle(request)

    def interrupt(self) -> None:
        self.manager.interrupt_kernel()

    def kill(self) -> None:
        """As the out-of-memory killer does it."""
        self.manager.shutdown_kernel(now=True)

    # Waiting

    def pump(self, until: Callable[[], object], timeout: float = 60) -> None:
        """Takes in what the kernel publishes, until something holds."""
        end = time.monotonic() + timeout
        while not until():
            if time.monotonic() > end:
                raise TimeoutError(f"nothing came of it within {timeout:g} s")
            with contextlib.suppress(queue.Empty):
                self._take(self.client.get_iopub_msg(timeout=0.02))

    def wait_for_file(self, name: str, timeout: float = 30) -> str:
        """The content of a file that code in the kernel writes to say that it has come so far."""
        path = self.folder / name
        self.pump(lambda: path.exists() and path.read_text(), timeout)
        return path.read_text()

    def _take(self, message: Message) -> None:
        if message["msg_type"].startswith("comm_"):
            self.comm_messages.append(message)
        self._published[message["parent_header"].get("msg_id", "")].append(message)

    def _is_idle(self, request: str) -> bool:
        return any(
            m["msg_type"] == "status" and m["content"]["execution_state"] == "idle" for m in self._published[request]
        )

    # The page's side

    def subshell(self) -> str | None:
        """A new subshell, as JupyterLab makes one for each page; None where the kernel has none."""
        self.client.control_channel.send(self.client.session.msg("create_subshell_request"))
        reply = self.client.get_control_msg(timeout=20)
        return reply["content"].get("subshell_id")

    def run_in_subshell(self, code: str, subshell: str | None) -> None:
        """Runs code while the main shell is busy; does not wait for it."""
        message = self.client.session.msg("execute_request", {"code": code, "silent": True, "user_expressions": {}})
        message["header"]["subshell_id"] = subshell
        self.client.shell_channel.send(message)

    def send_to_widget(self, comm_id: str, content: Any, subshell: str | None = None) -> None:
        """A custom message, as the page sends it."""
        self.send_comm(comm_id, {"method": "custom", "content": content}, subshell)

    def send_comm(self, comm_id: str, data: Any, subshell: str | None = None) -> None:
        message = self.client.session.msg("comm_msg", {"comm_id": comm_id, "data": data})
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        self.client.shell_channel.send(message)


@contextlib.contextmanager
def kernel(folder: Path, **env: str) -> Generator[Kernel]:
    """A kernel that works in this folder and finds the package and its tests.

    $KERNEL_PYTHON names another interpreter than this one, with another ipykernel (test_kernel_matrix.py).
    """
    manager = KernelManager(kernel_name="python3")
    if python := os.environ.get("KERNEL_PYTHON"):
        assert manager.kernel_spec is not None
        manager.kernel_spec.argv[0] = python
    path = os.pathsep.join(filter(None, [env.pop("FIRST", ""), str(ROOT)]))
    # Where it finds this one, ipykernel does not take in what programs write to its stdout.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    manager.start_kernel(cwd=str(folder), env={**inherited, "PYTHONPATH": path, **env})
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        yield Kernel(manager, client, folder)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def let_run(k: Kernel, way: str, *codes: str, timeout: float = 40, history: bool = True) -> None:
    """Has the agent run pieces of code one after the other. `way`: by a request, or inline in `wait` or `ask`."""
    moves = ", ".join(f"scripted.code({code!r})" for code in codes)
    k.do(f"scripted.paws = scripted.play({moves}, scripted.reply('Done.'))", history=history)
    match way:
        case "request":
            k.do("scripted.paws.tell('Go.')", history=history)
            k.pump(lambda: k.value("scripted.paws.status", history=history) != "running", timeout)
        case "wait":
            k.do("scripted.paws.tell('Go.'); scripted.answer = scripted.paws.wait()", timeout, history=history)
        case _:
            k.do("scripted.answer = await scripted.paws.ask('Go.')", timeout, history=history)


def run_python(k: Kernel, way: str, *codes: str, timeout: float = 40) -> list[str]:
    """As `let_run`; gives what the model is shown of each."""
    let_run(k, way, *codes, timeout=timeout)
    return k.value("scripted.results(scripted.paws)")
