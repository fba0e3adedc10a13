"""Keeps the output of the agent's code apart from the user's, at its source and on every kernel alike.

The agent's are the context that runs the code, the tasks and threads that the code starts, and what programs write to
the kernel's own stdout meanwhile. What anything else prints goes where it would go without us.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

from .outputs import Outputs

_here: contextvars.ContextVar[Outputs | None] = contextvars.ContextVar("smolpaws_outputs", default=None)
OURS = f"smolpaws_jupyter{os.sep}notebook{os.sep}"
"""Marks the frames of a traceback that are ours; they say nothing about the code."""
DRAIN_SECONDS = 0.2
READ_SECONDS = 0.003


def agent_runs_here() -> bool:
    """Whether the caller is code of the agent's."""
    return _here.get() is not None


_streams: list[Any] = []


def kernel_streams() -> tuple[Any, ...]:
    """The kernel's own stdout and stderr, also while the user has put something else in their place."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "set_parent") and stream not in _streams:
            _streams.append(stream)
    return tuple(_streams)


class Capture:
    """What one run of code prints, shows and raises, on its way to `outputs`."""

    def __init__(self, shell: Any, outputs: Outputs, *, quiet: bool) -> None:
        """`quiet`: the value of the last line is not shown, because it ends with a semicolon."""
        self._shell = shell
        self._outputs = outputs
        self._quiet = quiet
        self._pid = os.getpid()
        self._streams = kernel_streams()
        self._threads_before = set(threading.enumerate())
        self._watchers = {getattr(s, "watch_fd_thread", None) for s in self._streams}

    @contextlib.contextmanager
    def on(self) -> Generator[None]:
        """Captures while the block runs."""
        token = _here.set(self._outputs)
        with contextlib.ExitStack() as undo:
            undo.callback(_here.reset, token)
            for owner, name, ours in self._doors():
                undo.enter_context(_instead(owner, name, ours(getattr(owner, name))))
            undo.callback(self._drain)
            # IPython sets its own hook at the outermost of nested runs only, so ours stays.
            undo.enter_context(self._shell.display_trap)
            undo.callback(setattr, sys, "displayhook", sys.displayhook)
            sys.displayhook = self._value
            yield

    def _is_mine(self) -> bool:
        if os.getpid() != self._pid:
            return False
        thread = threading.current_thread()
        return _here.get() is self._outputs or thread in self._watchers or thread not in self._threads_before

    def _doors(self) -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
        """Every method by which outputs leave the kernel, and what makes ours from it."""
        for stream in self._streams:
            yield stream, "write", self._write
        yield self._shell, "_showtraceback", self._show_traceback
        yield self._shell.display_pub, "publish", self._publish
        yield self._shell.display_pub, "clear_output", self._clear_output

    def _write(self, otherwise: Any) -> Any:
        def write(text: str) -> int:
            if not isinstance(text, str) or not self._is_mine():
                return otherwise(text)
            self._outputs.text(text)
            return len(text)

        return write

    def _show_traceback(self, otherwise: Any) -> Any:
        def showtraceback(kind: Any, value: Any, lines: list[str]) -> None:
            if not self._is_mine():
                otherwise(kind, value, lines)
                return
            self._drain()
            self._outputs.error("\n".join(line for line in lines if OURS not in line))

        return showtraceback

    def _publish(self, otherwise: Any) -> Any:
        def publish(data: Mapping[str, Any], *args: Any, update: bool = False, **options: Any) -> None:
            if not self._is_mine():
                otherwise(data, *args, update=update, **options)
            elif not update:
                self._outputs.rich(data)

        return publish

    def _clear_output(self, otherwise: Any) -> Any:
        def clear_output(*args: Any, **options: Any) -> None:
            if self._is_mine():
                self._outputs.clear()
            else:
                otherwise(*args, **options)

        return clear_output

    def _value(self, value: object) -> None:
        if value is not None and not self._quiet:
            data, _ = self._shell.display_formatter.format(value)
            self._drain()
            self._outputs.rich(data)

    def _drain(self) -> None:
        """Waits until the kernel has taken in what programs wrote to its stdout, as far as it tells."""
        pipes = [pipe for s in self._streams if isinstance(pipe := getattr(s, "_fid", None), int)]
        end = time.monotonic() + DRAIN_SECONDS
        while pipes and time.monotonic() < end:
            empty = not any(map(_waiting_bytes, pipes))
            # Even then the last of it may be in the hands of the thread that reads.
            time.sleep(READ_SECONDS)
            if empty:
                return


@contextlib.contextmanager
def _instead(owner: Any, name: str, replacement: Any) -> Generator[None]:
    """The instance's own attribute hides that of its class. It stands aside for what somebody hid it with before."""
    hidden = vars(owner).get(name)
    setattr(owner, name, replacement)
    try:
        yield
    finally:
        if hidden is None:
            delattr(owner, name)
        else:
            setattr(owner, name, hidden)


def _waiting_bytes(pipe: int) -> int:
    if sys.platform == "win32":
        return 0
    import fcntl
    import termios

    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4), sys.byteorder)
