"""The page of one widget, without its drawing: it sends commands, and keeps what it is told."""

from __future__ import annotations

import itertools
from typing import Any

from .kernels import Kernel, Message

_numbers = itertools.count(1)


class Page:
    """Shows the widget that a cell displayed. In a subshell of its own it is heard while cells run, as in JupyterLab."""

    def __init__(self, kernel: Kernel, comm_id: str, *, subshell: bool = False) -> None:
        self.kernel = kernel
        self.comm_id = comm_id
        self.subshell = kernel.subshell() if subshell else None

    # In

    def send(self, kind: str, **fields: Any) -> str:
        """Sends a command; gives its id."""
        command_id = f"command-{next(_numbers)}"
        self.send_raw({"kind": kind, "id": command_id, **fields})
        return command_id

    def send_raw(self, content: Any) -> None:
        self.kernel.send_to_widget(self.comm_id, content, self.subshell)

    def ask(self, kind: str, timeout: float = 20, **fields: Any) -> Message:
        """Sends a command and gives the answer."""
        return self.answer(self.send(kind, **fields), timeout)

    def answer(self, command_id: str, timeout: float = 20) -> Message:
        """The answer to a command: its receipt, or what it asked for."""
        return self.hear(lambda update: update.get("id") == command_id, timeout)

    def hear(self, wanted: Any, timeout: float = 20) -> Message:
        """The first update of which `wanted` holds, whenever it came."""
        found: list[Message] = []

        def look() -> bool:
            found[:] = [u for u in self.updates if wanted(u)]
            return bool(found)

        self.kernel.pump(look, timeout)
        return found[0]

    # What came

    @property
    def _messages(self) -> list[Message]:
        contents = [(m["msg_type"], m["content"]) for m in self.kernel.comm_messages]
        return [{"type": kind, **c["data"]} for kind, c in contents if c["comm_id"] == self.comm_id]

    @property
    def updates(self) -> list[Message]:
        """The custom messages, in order."""
        return [m["content"] for m in self._messages if m.get("method") == "custom"]

    @property
    def traits(self) -> dict[str, Any]:
        """The traits as they are now."""
        traits: dict[str, Any] = {}
        for message in self._messages:
            if message["type"] == "comm_open" or message.get("method") == "update":
                traits.update(message["state"])
        return traits

    @property
    def records(self) -> list[Message]:
        """The log as this page has it: numbered batches, put together."""
        records: dict[int, Message] = {}
        for update in self.updates:
            if update["kind"] == "events" and update["conversation_id"] == self.traits["conversation_id"]:
                records.update(enumerate(update["events"], update["start"]))
        return [records[position] for position in sorted(records)]

    def wait_for(self, timeout: float = 20, **traits: Any) -> None:
        """Waits until the traits are these."""
        self.kernel.pump(lambda: traits.items() <= self.traits.items(), timeout)


def page_of(kernel: Kernel, expression: str, *, subshell: bool = False) -> Page:
    """The page of a widget, mounted: it has asked for the log."""
    page = Page(kernel, kernel.value(f"{expression}.comm.comm_id"), subshell=subshell)
    page.ask("replay", since=0)
    return page
