"""Weight: what each event cost, compared with counting request by request."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given

from smolpaws_jupyter.core.base import Skill, ToolSpec
from smolpaws_jupyter.core.instruments.parts import aside_parts, entry_parts, fixed_parts, quarters, tokens
from smolpaws_jupyter.core.instruments.timeline import Timeline
from smolpaws_jupyter.core.instruments.weight import Scales, Weighed, Weight
from smolpaws_jupyter.core.messages import json_bytes, messages_of, request_size, tool_definitions
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.core.view import View
from tests.builders import PICTURE, READ_FILE, History, call
from tests.histories import foreign_logs, histories


def scales_of(history: History) -> Scales:
    weight = Weight()
    for event in history.events:
        weight.add(event)
    return weight.scales(history.view)


def part(scales: Scales, event_id: str, what: str = "") -> Weighed:
    return next(p for p in scales.parts if p.event_id == event_id and what in ("", p.what))


def parts_of_view(view: View) -> list[tuple[str, int]]:
    assert view.start is not None
    said = (*entry_parts(view.read, view), *entry_parts(view.unread, view), *aside_parts(view.asides))
    return [*fixed_parts(view.start), *said]


def size_of(view: View) -> int:
    assert view.start is not None
    return quarters(request_size(messages_of(view), tool_definitions(view.start.tools)))


def test_an_output_that_was_sent_fourteen_times_counts_fourteen_times():
    history = History().user("Go").call("read_file", "x" * 9_000, path="a")
    for number in range(14):
        history.user(f"On {number}").reply()
    output = part(scales_of(history), "o1")
    assert (output.requests, output.summed) == (14, 14 * output.now)
    assert (output.what, output.name, output.about) == ("result", "read_file", "a")
    assert output.now > 9_000 / 4


def test_failed_and_stopped_requests_count_too():
    """R-ACC-1: what was sent was sent."""
    history = History().user("Go").fails("server").resume().fails("cancelled").interrupt().user("On").reply()
    assert part(scales_of(history), "u1").requests == 3


def test_a_reset_ends_what_an_entry_costs():
    """R-VIEW-6: what left the view is in no later request, and what it cost stays."""
    history = History().user("Go").call("read_file", "x" * 400, path="a").condense().reply().user("On").reply()
    output = part(scales_of(history), "o1")
    assert (output.requests, output.now) == (1, 0)
    assert output.summed > 100
    notice = part(scales_of(history), "c1", "notice")
    assert (notice.requests, notice.position) == (2, [e.id for e in history.events].index("c1"))


def test_a_cut_makes_an_entry_lighter_from_then_on():
    """R-VIEW-14."""
    text = "a longer text of several words" * 20
    history = History("summarizing_window").user(text).reply().user("On").reply()
    before = part(scales_of(history), "u1").now
    history.truncate("u1", text).user("On").reply()
    after = part(scales_of(history), "u1")
    assert after.now < before
    assert (after.requests, after.summed) == (3, 2 * before + after.now)


def test_each_tool_and_each_part_of_the_fixed_context_has_its_weight():
    """R-VOC-4."""
    search = ToolSpec(name="search_files", description="Searches.", parameters={"type": "object"})
    history = History(
        tools=(READ_FILE, search),
        memory_snapshot="Remember.",
        runtime_info="Python.",
        skills=(Skill(name="plots", description="How to plot", path="skills/plots.md"),),
    )
    scales = scales_of(history.user("Go").reply())
    fixed = [(p.what, p.name) for p in scales.parts if p.event_id is None]
    tools = [("tool", "read_file"), ("tool", "search_files")]
    assert fixed == [("system", ""), ("memory", ""), ("runtime", ""), ("skills", ""), *tools]
    sizes = {p.name: p.now for p in scales.parts if p.what == "tool"}
    assert sizes["read_file"] == json_bytes(tool_definitions([READ_FILE])[0]) / 4


def test_tools_that_are_not_installed_any_more_weigh_nothing_now():
    """R-MSG-1: and what they cost stays."""
    history = History().user("Go").reply()
    weight = Weight()
    for event in history.events:
        weight.add(event)
    (tool,) = [p for p in weight.scales(history.view, installed=()).parts if p.what == "tool"]
    assert (tool.now, tool.requests) == (0, 1)


def test_images_weigh_what_images_weigh():
    """A picture's bytes are not read as text."""
    history = History().user("Look", PICTURE).calls(call("read_file", path="a"), call("read_file", path="b"))
    history.result("", PICTURE, PICTURE).result("plain", PICTURE).user("And?").reply()
    scales = scales_of(history)
    assert 2_000 < part(scales, "o1").now < 2_100
    assert 1_000 < part(scales, "o2").now < 1_100
    assert 1_000 < part(scales, "u1").now < 1_100


@given(histories())
def test_a_request_taken_apart_is_the_whole_request(history: History):
    """No byte is lost or counted twice, for every policy."""
    for view in (*history.shown, history.view):
        assert sum(size for _, size in parts_of_view(view)) == size_of(view)


@given(histories())
def test_the_sums_are_those_of_counting_request_by_request(history: History):
    """Compared with a naive sum over every request and everything in it, cuts and failed requests included."""
    naive, times = Counter[str](), Counter[str]()
    estimates, weight, timeline = 0, Weight(), Timeline()
    for event in history.events:
        timeline.add(event)
        weight.add(event)
    for view in shown(history):
        parts = parts_of_view(view)
        for name, size in parts:
            naive[name] += size
        times.update({name for name, _ in parts})
        estimates += tokens(size_of(view))
    scales = weight.scales(history.view)
    found = {name_of(p): p for p in scales.parts}
    assert {name: p.summed for name, p in found.items() if p.requests} == {n: q / 4 for n, q in naive.items()}
    assert {name: p.requests for name, p in found.items() if p.requests} == dict(times)
    assert scales.total.summed == estimates == sum(p.estimated or 0 for p in timeline.points)
    assert scales.total.now == tokens(size_of(history.view))
    for column in ("now", "summed"):
        whole = sum(getattr(p, column) for p in scales.parts) + getattr(scales.rounding, column)
        assert whole == getattr(scales.total, column)
    assert scales.requests == len(timeline.points)


def shown(history: History) -> list[View]:
    """What each request of a history showed, failed ones included, by folding from the start each time."""
    views, events = [], history.events
    ids = [event.id for event in events]
    told = ""
    for at, event in enumerate(events):
        if isinstance(event, UnknownEvent):
            continue
        match event.kind:
            case "ResponseEvent":
                boundary: Any = event.read_through
            case "UsageEvent" if event.purpose == "main_failed":
                boundary = event.read_through
            case "CondensationRequest" if event.details.trigger == "provider_context_window":
                boundary = event.details.input_event_id
                if boundary == told:
                    continue
            case _:
                continue
        told = boundary
        stop = ids.index(boundary) + 1
        advice = [e for e in events[stop:at] if e.kind.startswith("ContextW") and hasattr(e, "text")]
        views.append(View.of(events[:stop]).with_asides(advice))  # type: ignore[arg-type]
    return views


def name_of(weighed: Weighed) -> str:
    if weighed.event_id is None:
        return f"fixed {weighed.what} {weighed.name}".strip()
    synthetic = weighed.what in ("notice", "summary")
    return f"{weighed.event_id}-{weighed.what}" if synthetic else weighed.event_id


@given(foreign_logs())
def test_a_log_of_somebody_else_adds_up_too(log: list[Any]):
    """I-10: requests whose content nobody knows are counted apart."""
    weight = Weight()
    for event in log:
        weight.add(event)
    scales = weight.scales(View.of(log))
    assert sum(p.summed for p in scales.parts) + scales.rounding.summed == scales.total.summed
    assert scales.rounding.summed >= 0
