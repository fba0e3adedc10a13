"""The instruments of a log of 10,000 events: the worker is heard meanwhile, and what was read once is not read again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterator
from pathlib import Path

import pytest

from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.notebook.instruments import Instruments
from smolpaws_jupyter.runtime.conversation import Conversation
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.log import EventLog
from smolpaws_jupyter.runtime.redaction import Redactor
from smolpaws_jupyter.runtime.workspace import Workspace
from smolpaws_jupyter.testing import ScriptedLLM
from tests.bench.long_log import condensed_log

pytestmark = pytest.mark.slow

SILENCE = 0.3
"""Seconds that the worker may be silent; asserted at ten times that."""


@pytest.fixture(scope="module")
def conversation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversation]:
    folder = condensed_log(tmp_path_factory.mktemp("long") / "log", 10_000)
    log = EventLog(JsonlStore.open(folder, write=False), Redactor())
    yield Conversation(log, settings=AgentSettings(), llm_for=lambda _: ScriptedLLM(()), tools=())
    log.store.close()


async def silence(work: Awaitable[object]) -> float:
    """The longest time for which the loop did nothing else while this was waited for."""
    longest, running = 0.0, asyncio.ensure_future(work)
    while not running.done():
        began = time.perf_counter()
        await asyncio.sleep(0.005)
        longest = max(longest, time.perf_counter() - began)
    await running
    return longest


async def test_the_worker_is_heard_while_a_long_log_is_read(conversation: Conversation, tmp_path: Path):
    """Stop waits for no instrument (R-STOP-1)."""
    instruments = Instruments(lambda: conversation, Workspace(tmp_path), "notes")
    for ask in (instruments.timeline, instruments.weight, instruments.notes):
        assert await silence(ask()) < 10 * SILENCE


async def test_what_was_read_is_not_read_again(conversation: Conversation, tmp_path: Path):
    instruments = Instruments(lambda: conversation, Workspace(tmp_path), "notes")
    began = time.process_time()
    first = await instruments.timeline()
    once = time.process_time() - began
    began = time.process_time()
    assert await instruments.timeline() == first
    assert time.process_time() - began < once / 5
    assert len(first[0]) > 3_000
