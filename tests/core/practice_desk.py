"""Builds requests by hand, as a model would see them: the given of most tests of the practice model's replies."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from smolpaws_jupyter.core import wording
from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.messages import Message
from smolpaws_jupyter.core.practice.reply import Overflow, Reply, reply

TOOLS = ("list_files", "read_file", "write_file", "condense", "conversation_history")


TASK = "In data/, total wind and find the largest rain; write the report to report.md"
FILES = {
    "data/a.csv": "day,wind,rain\n" + "".join(f"{n},{n}.5,{n % 7}\n" for n in range(1, 40)),
    "data/b.csv": "day,wind,rain\n" + "".join(f"{n},{n}.25,{n % 5}\n" for n in range(1, 40)),
    "data/read.me": "not a table",
}
NOTES = "notes/practice.md"


def tools(*names: str) -> list[JsonObject]:
    return [{"type": "function", "function": {"name": name, "description": "", "parameters": {}}} for name in names]


@dataclass
class Desk:
    """A request that grows, and files that its calls are answered from. Every method gives the desk again."""

    files: dict[str, str] = field(default_factory=dict[str, str])
    messages: list[Message] = field(default_factory=list[Message])
    offered: tuple[str, ...] = TOOLS
    habit: str = "diligent"
    window: int = 8_000
    made: int = 0

    def system(self, notes: str = "notes") -> Desk:
        habit = wording.CONTEXT_HABIT.format(notes=notes)
        return self.add("system", f"{wording.SYSTEM_PROMPT}\n\n{habit}\n\n# Runtime\n\nPython.")

    def add(self, role: str, text: str) -> Desk:
        self.messages.append({"role": role, "content": text})
        return self

    def user(self, text: str) -> Desk:
        return self.add("user", text)

    def warned(self, threshold: float) -> Desk:
        return self.user(wording.warning(threshold, 6_400, 8_000, "measured"))

    def call(self, tool: str, result: str, thought: str = "", **arguments: Any) -> Desk:
        self.made += 1
        function = {"name": tool, "arguments": json.dumps(arguments)}
        made = {"id": f"call_{self.made}", "type": "function", "function": function}
        self.messages.append({"role": "assistant", "content": thought or None, "tool_calls": [made]})
        self.messages.append({"role": "tool", "tool_call_id": made["id"], "content": result})
        return self

    def listed(self, path: str = "data") -> Desk:
        """The model listed a folder, or one file."""
        return self.call("list_files", self._listing(path), path=path)

    def read(self, path: str, start: int = 0, stop: int | None = None) -> Desk:
        """The model read a page."""
        return self.call("read_file", self._page(path, start, stop), path=path, offset=start)

    def wrote(self, path: str, content: str) -> Desk:
        self.files[path] = content
        return self.call("write_file", f"created {path} · {len(content.encode())} bytes", path=path, content=content)

    def reset(self, message: str | None = None) -> Desk:
        """A fresh context: only the system message is left, the notice, the call and its result."""
        self.messages = [m for m in self.messages if m["role"] == "system"]
        arguments = {} if message is None else {"message_to_future_self": message}
        return self.user(wording.RESET_NOTICE).call("condense", wording.recovery(message), **arguments)

    def ask(self) -> Reply:
        """The model's reply."""
        said = reply(self.messages, tools(*self.offered), self.habit, self.window)
        assert isinstance(said, Reply), said
        return said

    def overflow(self) -> Overflow:
        said = reply(self.messages, tools(*self.offered), self.habit, self.window)
        assert isinstance(said, Overflow), said
        return said

    def go(self, steps: int = 1) -> Desk:
        """The model makes calls, and they succeed."""
        for _ in range(steps):
            said = self.ask()
            assert said.tool is not None, said.text
            self.call(said.tool, self._result(said.tool, said.arguments), said.text, **said.arguments)
        return self

    def finish(self) -> str:
        """Lets the model work until it answers."""
        for _ in range(200):
            said = self.ask()
            if said.tool is None:
                return said.text
            self.go()
        raise AssertionError("it does not come to an end")

    def _result(self, tool: str, arguments: JsonObject) -> str:
        path = str(arguments.get("path", "."))
        match tool:
            case "list_files":
                return self._listing(path)
            case "read_file":
                start = arguments.get("offset", 0)
                return self._page(path, start, start + arguments.get("limit", 20_000))
            case "write_file":
                self.files[path] = arguments["content"]
                return f"created {path} · {len(arguments['content'].encode())} bytes"
            case _:
                raise AssertionError(f"this desk does not play {tool}")

    def _listing(self, path: str) -> str:
        found = sorted(f for f in self.files if path == "." or f == path or f.startswith(f"{path}/"))
        if not found:
            return f"{path!r} does not exist. List the files to see what is there."
        lines = [f"{file}  {len(self.files[file].encode())} bytes" for file in found]
        return "\n".join([f"folder: {path} · files {len(found)} of {len(found)}", *lines])

    def _page(self, path: str, start: int, stop: int | None) -> str:
        text = self.files[path]
        stop = len(text) if stop is None else min(stop, len(text))
        then = "end" if stop == len(text) else f"next offset {stop}"
        return f"path: {path} · characters {start}-{stop} of {len(text)} · {then}\n{text[start:stop]}"


def desk(task: str = TASK, **how: object) -> Desk:
    """A task over two tables, at its start."""
    return Desk(files=dict(FILES), **how).system().user(task)  # type: ignore[arg-type]
