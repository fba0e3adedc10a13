"""P10 once more, in JupyterLab: a burst of 10,000 events, and a hundred tokens a second, through a default Jupyter Server.

The figures hold the whole way: the agent's thread, the kernel's channels, the server, the browser and JupyterLab around.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.sync_api import WebSocket, sync_playwright

from tests.bench.figures import Figure
from tests.bench.long_log import stored
from tests.bench.page import EVENTS, FLAGS, HERE, felt
from tests.conftest import find_chromium
from tests.e2e.desk import Desk
from tests.e2e.lab import CHROMIUM_ARGS, LabPage, jupyter_lab

STREAM = """
import asyncio
from smolpaws_jupyter.runtime.llm import Delta
from smolpaws_jupyter.testing import ScriptedLLM
from tests.notebook import scripted

class Steady(ScriptedLLM):
    async def complete(self, request, limits, on_delta, on_send):
        for beat in range(600):  # a minute, unless it is stopped
            on_delta(Delta("text", ("word and **more** " * 5)[:45] + ("" if beat % 9 else "\\n\\n")))
            await asyncio.sleep(0.1)
        return await super().complete(request, limits, on_delta, on_send)

scripted._models["vendor/large"] = Steady([reply("Done.")] * 9)
"""
SHOWN = """(async () => {
    const busy = () => document.querySelector(".paws-app [role=log]")?.getAttribute("aria-busy") ?? "true";
    while (busy() === "true") await frame();
})()"""


def figures() -> Iterator[Figure]:
    """What arrives of a burst and how, then what a person feels while words stream."""
    source = stored(EVENTS)
    with desk() as (it, arrived):
        shutil.copytree(source, it.folder / ".smolpaws/conversations" / source.name)
        it.run(STREAM)
        it.page.evaluate((HERE / "watch.js").read_text())
        arrived.clear()
        began = time.monotonic()
        it.run(f"paws = Scripted.load({source.name!r}); paws")
        it.page.evaluate(SHOWN)
        yield Figure("P10 behind a server: 10,000 stored events are opened and shown", time.monotonic() - began, "s")
        wanted = int(it.value("len(paws.events)"))
        seen = {place for _, start, count in arrived for place in range(start, start + count)}
        yield Figure("P10 behind a server: events that are missing in the end", wanted - len(seen), "", 0)
        seconds = max(1.0, arrived[-1][0] - arrived[0][0])
        yield Figure("P10 behind a server: messages a second that bring them", len(arrived) / seconds, "", 60)
        yield Figure("P10 behind a server: from the first of them to the last", seconds, "s", 1.0)
        it.say("Stream.")
        it.page.wait_for_function("() => document.querySelector('.paws-streaming') !== null")
        page = "document.querySelector('.paws-app')"
        yield from felt(it.page, f"watch({page}, SECONDS, READS)", "P10 behind a server:")


@contextmanager
def desk() -> Iterator[tuple[Desk, list[tuple[float, int, int]]]]:
    """A notebook in a JupyterLab of its own, and what came of events: when, from which position on, how many."""
    arrived: list[tuple[float, int, int]] = []

    def came(payload: str | bytes) -> None:
        update = update_in(payload) if isinstance(payload, bytes) and b'"events"' in payload else None
        if update is not None and update.get("kind") == "events":
            arrived.append((time.monotonic(), update["start"], len(update["events"])))

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", came)

    with (
        tempfile.TemporaryDirectory() as root,
        tempfile.TemporaryDirectory() as home,
        jupyter_lab(Path(root), Path(home)) as server,
        sync_playwright() as playwright,
    ):
        folder = server.root / "desk"
        folder.mkdir()
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=[*CHROMIUM_ARGS, *FLAGS])
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.on("websocket", listen)
        it = Desk(LabPage(page, server, folder.name, folder), folder)
        it.ready()
        yield it, arrived
        browser.close()
        server.stop_kernels()


def update_in(payload: bytes) -> Any:
    """What a frame of Jupyter's WebSocket protocol v1 says to a widget; None for anything else."""
    count = int.from_bytes(payload[:8], "little")
    places = [int.from_bytes(payload[8 * n : 8 * n + 8], "little") for n in range(1, count + 1)]
    parts = [payload[start:end] for start, end in pairwise(places)]
    if json.loads(parts[1])["msg_type"] != "comm_msg":
        return None
    return json.loads(parts[4])["data"].get("content")
