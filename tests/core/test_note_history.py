"""What a log says of the notes: changed before a reset, read again after it."""

from __future__ import annotations

from smolpaws_jupyter.core import payloads as pay
from smolpaws_jupyter.core.base import TextBlock
from smolpaws_jupyter.core.instruments.notes import Notebook
from tests.builders import History, call


def name_of(path: str) -> str | None:
    return path if path.startswith("notes/") else None


def book_of(history: History) -> Notebook:
    book = Notebook(name_of)
    for event in history.events:
        book.add(event)
    return book


def wrote(history: History, path: str, before: str | None, after: str | None) -> History:
    """A call of `write_file` that worked."""
    change = pay.FileChange(path=path, before=sha(before), after=sha(after))
    history.calls(call("write_file", path=path, content="words"))
    return history.commit(history.observed(pay.ToolObservation(content=(TextBlock(text="done"),), change=change)))


def sha(letter: str | None) -> str | None:
    return None if letter is None else letter * 64


def read(history: History, path: str, start: int = 0, stop: int = 10, total: int = 10) -> History:
    then = "end" if stop == total else f"next offset {stop}"
    return history.call("read_file", f"path: {path} · characters {start}-{stop} of {total} · {then}\nwords", path=path)


def test_what_the_notes_gained_before_a_reset_and_what_was_read_after_it():
    """R-WORD-1: find and read your notes."""
    history = wrote(History().user("Go"), "notes/a.md", None, "a")
    wrote(history, "notes/a.md", "a", "b")
    wrote(history, "notes/c.md", None, "c")
    wrote(history, "report.md", None, "d")
    history.condense()
    read(history, "notes/a.md").reply()
    first, second = book_of(history).stretches
    assert {path: (c.before, c.after, c.times) for path, c in first.changes.items()} == {
        "notes/a.md": (None, sha("b"), 2),
        "notes/c.md": (None, sha("c"), 1),
    }
    assert not any(change.otherwise for change in first.changes.values())
    assert second.began is not None
    assert (second.began.cause, history.events[second.began.position].id) == ("voluntary", second.began.event_id)
    assert second.known == {"notes/a.md": sha("b"), "notes/c.md": sha("c")}
    assert list(second.reads) == ["notes/a.md"]
    assert second.changes == {}


def test_the_second_difference_begins_where_the_first_one_ended():
    history = wrote(History().user("Go"), "notes/a.md", None, "a").condense()
    wrote(history, "notes/a.md", "a", "b").condense()
    stretches = book_of(history).stretches
    changes = [stretch.changes.get("notes/a.md") for stretch in stretches]
    assert [c and (c.before, c.after) for c in changes] == [(None, sha("a")), (sha("a"), sha("b")), None]


def test_a_change_by_other_means_is_noticed_where_the_bytes_before_are_others():
    """The difference then holds that change too, from what the agent had left."""
    history = wrote(History().user("Go"), "notes/a.md", None, "a").condense()
    wrote(history, "notes/a.md", "e", "b")
    change = book_of(history).stretches[1].changes["notes/a.md"]
    assert (change.before, change.after, change.otherwise) == (sha("a"), sha("b"), True)


def test_a_note_that_was_there_before_begins_with_what_was_there():
    change = book_of(wrote(History().user("Go"), "notes/a.md", "e", "b")).stretches[0].changes["notes/a.md"]
    assert (change.before, change.otherwise) == (sha("e"), False)


def test_pages_of_a_note_add_up_and_overlapping_ones_count_once():
    history = read(History().user("Go"), "notes/a.md", 0, 40, 100)
    read(history, "notes/a.md", 20, 60, 100)
    page = book_of(history).stretches[0].reads["notes/a.md"]
    assert (page.characters, page.total) == (60, 100)


def test_failed_calls_and_other_files_leave_no_trace():
    history = History().user("Go").calls(call("read_file", path="notes/a.md")).error()
    history.calls(call("read_file", path="notes/a.md")).result("notes/a.md does not exist.", is_error=True)
    read(history, "data.csv")
    book = book_of(history)
    assert (book.stretches[0].reads, book.known) == ({}, {})


def test_every_condensation_that_changed_the_view_begins_a_stretch():
    """R-VIEW-7: summaries too, whatever the policy."""
    history = History("llm_summarizing").user("Go").reply().intend("size").attempt()
    history.summarized("In short.", [entry.id for entry in history.view.read]).user("On").reply()
    began = [stretch.began for stretch in book_of(history).stretches]
    assert [reset and reset.cause for reset in began] == [None, "routine"]
