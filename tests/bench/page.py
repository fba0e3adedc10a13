"""P10, and what a long conversation costs in the page: opening late, typing and reading while words stream, memory.

The built page in a real Chromium, without a kernel: what a kernel would send is made beforehand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, sync_playwright

from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.core.instruments.timeline import Timeline
from smolpaws_jupyter.core.wire import UPDATE, Traits
from smolpaws_jupyter.notebook.events_out import batch
from smolpaws_jupyter.notebook.instruments import timeline_answer
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from tests.bench.figures import Figure, middle
from tests.bench.long_log import stored
from tests.conftest import find_chromium

EVENTS = 10_000
SECONDS = 10
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FLAGS = ["--no-sandbox", "--js-flags=--expose-gc", "--enable-precise-memory-info"]
PAGE = '<!doctype html><link rel="stylesheet" href="/widget.css"><main></main><script type="module" src="/page.js"></script>'


def figures() -> Iterator[Figure]:
    """With 10,000 events; the bars of what a person feels are a frame of theirs, a tenth of a second."""
    with opened(told(EVENTS)) as page:
        yield Figure("P10 a page that opens late shows 10,000 events", page.evaluate("bench.open()") / 1000, "s", 1.0)
        page.evaluate("bench.stream(2, false)")
        yield from felt(page, "bench.stream(SECONDS, READS)", "P10")
        yield Figure("the timeline of 3,300 requests is drawn", page.evaluate("bench.drawTimeline()"), "ms", 500)


def felt(page: Page, streaming: str, name: str) -> Iterator[Figure]:
    """What a person feels while `streaming` runs: an expression of the page with `SECONDS` and `READS` in it."""
    before = page.evaluate("heap()")
    typing, reading = (
        page.evaluate(streaming.replace("SECONDS", str(SECONDS)).replace("READS", reads)) for reads in ("false", "true")
    )
    yield Figure(f"{name} a key until it is drawn, 100 tokens a second, median", middle(typing["keys"]), "ms", 50)
    slowest = sorted(typing["keys"])[-max(1, len(typing["keys"]) // 20)]
    yield Figure(f"{name} the same, the slowest of 20", slowest, "ms", 100)
    yield Figure(f"{name} the place of a reader moves meanwhile", reading["moved"], "px", 1)
    yield Figure(f"{name} the longest frame meanwhile", max(reading["frames"]), "ms", 250)
    grown = (page.evaluate("heap()") - before) / 2**20
    yield Figure(f"{name} memory after {2 * 100 * SECONDS:,} tokens, more than before", grown, "MB", 5)


def told(events: int) -> JsonObject:
    """What a kernel tells a page of a log of this length."""
    store = JsonlStore.open(stored(events), write=False)
    log = list(store.read())
    updates: list[JsonObject] = []
    timeline = Timeline()
    for event in log:
        timeline.add(event)
    sent = 0
    while sent < len(log):
        updates.append(batch("long", sent, log[sent:]))
        sent += len(updates[-1]["events"])
    traits = Traits(conversation_id="long", event_count=len(log), thresholds=(0.75, 0.8, 0.85, 0.9))
    answer = timeline_answer("", timeline.points, timeline.marks)
    return {
        "traits": traits.model_dump(mode="json"),
        "updates": updates,
        "timeline": UPDATE.dump_python(answer, mode="json"),
    }


@contextmanager
def opened(log: JsonObject) -> Iterator[Page]:
    """A browser that shows the built page."""
    static = ROOT / "smolpaws_jupyter/static"
    files = {
        "/": (PAGE, "text/html"),
        "/page.js": ((HERE / "page.js").read_text(), "text/javascript"),
        "/watch.js": ((HERE / "watch.js").read_text(), "text/javascript"),
        "/widget.js": ((static / "widget.js").read_text(), "text/javascript"),
        "/widget.css": ((static / "widget.css").read_text(), "text/css"),
        "/log.json": (json.dumps(log), "application/json"),
    }

    def serve(route: Route) -> Any:
        body, kind = files.get(route.request.url.removeprefix("http://page.test"), ("", "text/plain"))
        route.fulfill(body=body, headers={"Content-Type": kind})

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1000, "height": 900})
        page.route("**/*", serve)
        page.goto("http://page.test/")
        page.wait_for_function("() => window.bench !== undefined", timeout=60_000)
        yield page
        browser.close()
