"""Timeline, weight and notes in a real kernel: what Python gets, what a page is told, and that the worker goes on."""

from __future__ import annotations

import pytest

from .kernels import Kernel
from .pages import Page, page_of

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def page(k: Kernel) -> Page:
    """An agent that wrote a note, began anew, read it again and answered; its page was told everything."""
    moves = [
        "scripted.call('write_file', path='notes/a.md', content='GOAL\\n')",
        "scripted.call('write_file', path='notes/b.md', content='FACT\\n')",
        "scripted.call('condense')",
        "scripted.call('read_file', path='notes/a.md')",
        "scripted.reply('Done.').using(input=321)",
    ]
    k.do(f"paws = scripted.play({', '.join(moves)})")
    k.do("await paws.ask('Go')")
    return page_of(k, "paws")


def test_the_timeline_is_plain_records_in_the_order_of_the_log(k: Kernel, page: Page):
    k.do("told = paws.timeline()")
    assert k.value("[r['what'] for r in told]") == ["request"] * 3 + ["voluntary"] + ["request"] * 2
    assert k.value("[r['measured'] for r in told][-1]") == 321
    assert k.value("all(r.keys() == told[0].keys() for r in told)")
    assert k.value("all(paws.events[r['position']].id == r['event_id'] for r in told)")
    assert k.value("{(r['limit'], r['limit_from']) for r in told if r['what'] == 'request'}") == {(400_000, "profile")}


def test_the_page_is_told_the_same_numbers(k: Kernel, page: Page):
    told = page.ask("timeline")
    requests = "[r for r in paws.timeline() if r['what'] == 'request']"
    assert told["estimated"] == k.value(f"[r['estimated'] for r in {requests}]")
    assert told["measured"] == k.value(f"[r['measured'] for r in {requests}]")
    assert [s["limit"] for s in told["stretches"]] == [400_000]
    assert [(m["kind"], m["after"]) for m in told["marks"]] == [("voluntary", 3)]


def test_the_weights_add_up_to_the_estimates(k: Kernel, page: Page):
    summed = k.value("sum(r['summed'] for r in paws.weight())")
    assert summed == k.value("sum(r['estimated'] or 0 for r in paws.timeline())")
    told = page.ask("weight", by="summed", most=2)
    parts = (*told["fixed"], *told["heaviest"], told["others"], told["rounding"])
    for column in ("now", "summed"):
        assert sum(part[column] for part in parts) == told["total"][column]
    assert told["total"]["summed"] == summed
    assert len(told["heaviest"]) == 2
    assert told["requests"] == 5


def test_the_notes_tell_what_was_read_again_and_what_was_not(k: Kernel, page: Page):
    k.do("import pathlib\npathlib.Path('notes/b.md').write_text('changed by hand')")
    told = page.ask("notes")
    assert [(file["path"], file["state"]) for file in told["files"]] == [
        ("notes/a.md", "left"),
        ("notes/b.md", "changed"),
    ]
    (reset,) = told["resets"]
    assert [(change["path"], change["added"]) for change in reset["changes"]] == [("notes/a.md", 1), ("notes/b.md", 1)]
    assert [(read["path"], read["characters"], read["total"]) for read in reset["read"]] == [("notes/a.md", 5, 5)]
    assert reset["unread"] == ["notes/b.md"]
    assert k.value("list(paws.notes()['resets'][0]['unread'])") == ["notes/b.md"]


def test_a_fork_tells_of_what_it_inherited(k: Kernel, page: Page):
    """R-FORK-3: its log is a copy, so its timeline begins with that of its source."""
    k.do("forked = paws.fork()")
    assert k.value("[r['what'] for r in forked.timeline()]")[-1] == "fork"
    same = "[r['estimated'] for r in {}.timeline() if r['what'] == 'request']"
    assert k.value(same.format("forked")) == k.value(same.format("paws"))
    assert k.value("forked.notes()['resets'][0]['changes']") == k.value("paws.notes()['resets'][0]['changes']")


def test_before_the_first_message_there_is_only_what_the_next_request_would_hold(k: Kernel):
    k.do("new = scripted.play()")
    assert k.value("new.timeline()") == []
    assert k.value("{r['what'] for r in new.weight()}") == {"system", "runtime", "tool", "rounding"}
    assert k.value("new.notes()['resets']") == []
