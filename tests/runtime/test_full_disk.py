"""A disk that is really full: what is shown, what is kept, and that it goes on when there is room again (T6, F-9)."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from smolpaws_jupyter.core.errors import SmolPawsError, StoreError
from smolpaws_jupyter.core.events import MessageEvent, RecoveryEvent
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.log import EventLog
from smolpaws_jupyter.runtime.opening import repair
from smolpaws_jupyter.runtime.redaction import Redactor
from smolpaws_jupyter.testing import Gate, call, calls, reply
from tests.runtime.stored import message, texts_of
from tests.runtime.talks import Echo, Talk, genuine, talk
from tests.wire_rules import assert_lawful

LINE = 3_000
"""Characters of each message here."""


@dataclass
class SmallDisk:
    """512 kB of a file system of their own, which only root can make. `leave` fills it but for some bytes."""

    folder: Path

    def leave(self, size: int) -> None:
        self.free()
        space = os.statvfs(self.folder)
        (self.folder / "ballast").write_bytes(bytes(max(0, space.f_bavail * space.f_frsize - size)))

    def free(self) -> None:
        (self.folder / "ballast").unlink(missing_ok=True)


@dataclass
class SmallFiles(SmallDisk):
    """A limit on the size of every file, which anybody can set, in the place of a full disk."""

    def leave(self, size: int) -> None:
        log = self.folder / "c" / "log.jsonl"
        self._limit((log.stat().st_size if log.exists() else 0) + size)

    def free(self) -> None:
        self._limit(resource.RLIM_INFINITY)

    def _limit(self, size: int) -> None:
        most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))


@pytest.fixture(params=["tmpfs", "limit"])
def disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[SmallDisk]:
    """A disk that can be filled, by either way."""
    if request.param == "limit":
        files = SmallFiles(tmp_path)
        yield files
        files.free()
        return
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root can mount a small disk; a limit on files stands in")
    yield SmallDisk(tmp_path)
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def text(number: int) -> str:
    return f"{number} " + "x" * LINE


async def until_it_is_full(t: Talk) -> tuple[list[str], SmolPawsError]:
    """Tells until the disk is full: what was acknowledged, and what was shown."""
    acknowledged: list[str] = []
    for number in range(200):
        try:
            acknowledged.append(t.conversation.tell(text(number)))
            await t.conversation.settled()
        except SmolPawsError as error:
            return acknowledged, error
    raise AssertionError("this disk is too large")


@pytest.mark.parametrize("left", range(20_000, 36_000, 2_000))
async def test_t6_f_9_a_conversation_on_a_full_disk_says_so_and_goes_on_when_there_is_room(
    disk: SmallDisk, left: int
) -> None:
    """T6, F-9, I-1, I-2, I-11, R-LOG-2: whichever commit it was that found no room."""
    echo = Echo(effects=True)
    script = [move for _ in range(100) for move in (call("echo", text="y" * LINE), reply("z" * LINE))]
    t = talk(script, store=JsonlStore.create(disk.folder / "c"), tools=[echo])
    t.conversation.tell("Hi")
    await t.conversation.settled()
    disk.leave(left)

    acknowledged, error = await until_it_is_full(t)

    assert isinstance(error, StoreError)
    assert ("No space left" in str(error)) or ("File too large" in str(error))
    assert "Make room" in error.detail
    asked, ran = len(t.llm.requests), len(echo.ran)
    assert t.conversation.read_only is None
    log = (disk.folder / "c" / "log.jsonl").read_bytes()
    await asyncio.sleep(0)
    assert (len(t.llm.requests), len(echo.ran)) == (asked, ran), "nothing goes on behind a commit that failed"

    disk.free()
    assert await t.ask("And now?") == "z" * LINE

    assert (disk.folder / "c" / "log.jsonl").read_bytes().startswith(log)
    assert [m.id for m in t.of(MessageEvent) if m.genuine][1:-1] == acknowledged
    assert_lawful(t.llm.requests[-1].messages)
    found = list(t.events)
    await t.conversation.close()
    again = JsonlStore.open(disk.folder / "c")
    assert (list(again.read()), again.read_only, again.recovered) == (found, None, ())


async def test_t6_f_9_a_large_text_without_room_leaves_nothing_beside_the_log(disk: SmallDisk) -> None:
    """T6, F-9, R-LOG-11: neither a line that names a missing text nor half of a text."""
    t = talk([reply("One."), reply("Two.")], store=JsonlStore.create(disk.folder / "c"))
    await t.ask("Hi")
    disk.leave(90_000)

    with pytest.raises(StoreError, match="Nothing was stored"):
        t.conversation.tell("x" * 150_000)

    assert [path.name for path in (disk.folder / "c" / "blobs").iterdir()] == []
    assert genuine(t) == ["Hi"]
    disk.free()
    assert await t.ask("x" * 150_000) == "Two."
    assert texts_of(JsonlStore.open(disk.folder / "c")) == ["Hi", "One.", "x" * 150_000, "Two."]


async def test_t6_f_9_a_conversation_begins_when_there_is_room(disk: SmallDisk) -> None:
    """T6, F-9, R-LOG-2: a first message that finds no room begins nothing, and can be sent again."""
    t = talk([reply("Hello.")], store=JsonlStore.create(disk.folder / "c"))
    disk.leave(1)

    with pytest.raises(StoreError) as full:
        t.conversation.tell("Hi")

    assert "room" in full.value.detail
    disk.free()
    assert await t.ask("Hi") == "Hello."
    assert texts_of(JsonlStore.open(disk.folder / "c")) == ["Hi", "Hello."]


@pytest.mark.parametrize("torn", [b"", b'{"crc":"12345678","rec":{"v":1,"seq":'], ids=["whole", "torn"])
async def test_t6_f_9_f_12_a_full_disk_opens_a_conversation_for_reading(disk: SmallDisk, torn: bytes) -> None:
    """T6, F-9, F-12, R-LOG-5, R-REST-2: what opening has to record waits until there is room."""
    running, batch = (
        Gate(),
        calls(*[call("echo", text="slow")] * 15),
    )  # their closures fill more than a page of the disk
    t = talk([batch], store=JsonlStore.create(disk.folder / "c"), tools=[Echo(gate=running)])
    t.conversation.tell("Hi")
    await running.reached()
    t.store.close()  # the process is gone in the middle of a call
    log = disk.folder / "c" / "log.jsonl"
    with log.open("ab") as file:
        file.write(torn)
    before = log.read_bytes()
    disk.leave(0)

    full = EventLog(JsonlStore.open(disk.folder / "c"), Redactor())
    if full.read_only is None:
        repair(full)

    assert full.read_only is not None
    assert "No space left" in full.read_only or "File too large" in full.read_only
    assert [event.kind for event in full.read()][-1] == "ActionEvent"
    with pytest.raises(SmolPawsError):
        full.append(message("Never"))
    assert log.read_bytes() in (before, before.removesuffix(torn))

    disk.free()
    again = EventLog(JsonlStore.open(disk.folder / "c"), Redactor())
    assert again.read_only is None
    repair(again)
    kinds = [event.kind for event in again.read()]
    assert kinds.count("AgentErrorEvent") == 15
    assert not again.view.open_calls
    assert sum(isinstance(event, RecoveryEvent) for event in again.read()) == bool(torn)
    full.store.close()
    await t.conversation.close()
