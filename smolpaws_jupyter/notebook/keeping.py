"""After the agent's code has run, the kernel is as the user had it, but for the names that the code made (I-26)."""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import getpass
import os
import signal
import sys
import warnings
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, NoReturn

RESULTS = ("_", "__", "___", "_i", "_ii", "_iii", "In", "Out", "_ih", "_oh", "_dh")


@contextlib.contextmanager
def kept(shell: Any, say: Callable[[str], None]) -> Generator[None]:
    """Puts back what the code changed, and says so where the agent might count on the change."""
    with contextlib.ExitStack() as undo:
        undo.enter_context(_results(shell))
        undo.enter_context(warnings.catch_warnings())
        undo.enter_context(_folder(say))
        undo.enter_context(_signals())
        undo.callback(_loop_again())
        for owner, name in (
            (sys, "stdout"),
            (sys, "stderr"),
            (sys, "displayhook"),
            (builtins, "input"),
            (getpass, "getpass"),
            (shell, "autoawait"),
            (shell, "loop_runner"),
        ):
            undo.callback(setattr, owner, name, getattr(owner, name))
        builtins.input = getpass.getpass = _refuse_input
        shell.ask_exit = _refuse_exit
        undo.callback(delattr, shell, "ask_exit")
        yield


@contextlib.contextmanager
def _results(shell: Any) -> Generator[None]:
    """`_`, `In`, `Out` and the counter; `%reset` empties them and a loop over `_` overwrites it."""
    names: dict[str, Any] = shell.user_ns
    before = {name: names[name] for name in RESULTS if name in names}
    inputs, outputs = before.get("In"), before.get("Out")
    had_in = list(inputs) if isinstance(inputs, list) else []
    had_out = dict(outputs) if isinstance(outputs, dict) else {}
    count = shell.execution_count
    try:
        yield
    finally:
        names.update(before)
        if isinstance(inputs, list) and inputs != had_in:
            inputs[:] = had_in
        if isinstance(outputs, dict) and outputs.keys() != had_out.keys():
            outputs.clear()
            outputs.update(had_out)
        if shell.execution_count != count:
            shell.execution_count = count


@contextlib.contextmanager
def _folder(say: Callable[[str], None]) -> Generator[None]:
    before = _cwd()
    try:
        yield
    finally:
        if before is not None and _cwd() != before:
            with contextlib.suppress(OSError):
                os.chdir(before)
                say("[the working directory was set back afterwards; use paths relative to it]")


def _cwd() -> Path | None:
    try:
        return Path.cwd()
    except OSError:
        return None


@contextlib.contextmanager
def _signals() -> Generator[None]:
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            # None: not set from Python, so it cannot be put back from Python either
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)


def _loop_again() -> Callable[[], None]:
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return lambda: None
    return lambda: asyncio.set_event_loop(loop)


def _refuse_input(prompt: object = "", *_args: Any, **_options: Any) -> NoReturn:
    raise RuntimeError("Nobody can answer here: ask the user in a message instead.")


def _refuse_exit() -> NoReturn:
    raise SystemExit("The kernel is the user's and stays.")
