"""The thread in which agents live."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from smolpaws_jupyter.core.errors import SettingsError
from smolpaws_jupyter.notebook.worker import Worker


@pytest.fixture(scope="module")
def worker() -> Worker:
    return Worker()


def test_a_call_runs_in_the_workers_thread_and_gives_its_result(worker: Worker):
    assert worker.call(threading.current_thread) is worker.thread
    assert worker.call(lambda: worker.call(lambda: worker.is_current))


def test_an_error_reaches_the_caller_as_it_is(worker: Worker):
    error = SettingsError("path", "something else")

    def fail() -> None:
        raise error

    with pytest.raises(SettingsError) as caught:
        worker.call(fail)
    assert caught.value is error


def test_a_coroutine_is_started_there(worker: Worker):
    async def where() -> threading.Thread:
        await asyncio.sleep(0)
        return threading.current_thread()

    assert worker.start(where()).result(10) is worker.thread


def test_a_failing_callback_is_noted_and_printed_nowhere(
    worker: Worker, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
):
    def fail() -> None:
        raise ValueError("of a callback")

    with caplog.at_level(logging.DEBUG, logger="smolpaws_jupyter"):
        worker.soon(fail)
        worker.call(lambda: None)
    assert "of a callback" in caplog.text
    assert capfd.readouterr() == ("", "")


def test_a_closed_loop_is_not_an_error_for_a_callback():
    worker = Worker()
    worker.call(worker.loop.stop)
    worker.thread.join(10)
    worker.loop.close()
    worker.soon(lambda: None)
