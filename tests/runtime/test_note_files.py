"""The notes folder as it is now, and what became of notes in differences of texts."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from smolpaws_jupyter.core.instruments.notes import Notebook, NoteChange
from smolpaws_jupyter.runtime.note_files import MOST_BYTES, MOST_DIFFS, NoteDiffs, names_notes, notes_now
from smolpaws_jupyter.runtime.workspace import Workspace


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def test_a_note_is_as_it_was_left_or_changed_or_gone_or_never_the_agents(tmp_path: Path):
    notes = tmp_path / "notes"
    (notes / "deep").mkdir(parents=True)
    (notes / "a.md").write_text("mine\n")
    (notes / "b.md").write_text("changed\n")
    (notes / "deep/c.md").write_text("somebody's\n")
    left = {"notes/a.md": digest(b"mine\n"), "notes/b.md": digest(b"before\n"), "notes/d.md": digest(b"")}
    files, problem = notes_now(Workspace(tmp_path), "notes", left)
    assert [(file.path, file.state, file.text) for file in files] == [
        ("notes/a.md", "left", "mine\n"),
        ("notes/b.md", "changed", "changed\n"),
        ("notes/deep/c.md", "other", "somebody's\n"),
        ("notes/d.md", "gone", None),
    ]
    assert problem == ""


def test_without_a_folder_there_are_no_notes(tmp_path: Path):
    assert notes_now(Workspace(tmp_path), "notes", {}) == ([], "")


def test_nothing_outside_the_workspace_is_read(tmp_path: Path):
    """F-49, O37: a folder or a file that is a link is not followed, and what may hold a secret is only named."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    (outside / "secret.md").write_text("a secret")
    (inside / "notes").mkdir(parents=True)
    (inside / "notes/link.md").symlink_to(outside / "secret.md")
    (inside / "notes/my.key").write_text("a secret")
    files, _ = notes_now(Workspace(inside), "notes", {})
    assert [(file.path, file.text, file.state) for file in files] == [("notes/my.key", None, "other")]
    assert "may hold a secret" in files[0].why
    (inside / "linked").symlink_to(outside)
    files, problem = notes_now(Workspace(inside), "linked", {})
    assert files == []
    assert "link" in problem


def test_what_is_large_or_no_text_is_named_with_its_size(tmp_path: Path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/large.md").write_text("x" * (MOST_BYTES + 1))
    (tmp_path / "notes/plot.png").write_bytes(b"\x89PNG\xff")
    files, _ = notes_now(Workspace(tmp_path), "notes", {})
    assert [(file.text, file.bytes, file.why) for file in files] == [
        (None, MOST_BYTES + 1, f"It has {MOST_BYTES + 1} bytes."),
        (None, 5, "It is no UTF-8 text."),
    ]


def test_a_note_is_named_as_the_file_tools_name_it():
    name_of = names_notes("notes")
    assert [name_of(path) for path in ("notes/a.md", "./notes//a.md", "notes", "data/../notes/a.md", "/notes/a")] == [
        "notes/a.md",
        "notes/a.md",
        None,
        "notes/a.md",
        None,
    ]


def changed(*changes: NoteChange) -> Notebook:
    book = Notebook(names_notes("notes"))
    for number, change in enumerate(changes):
        book.stretches[-1].changes[f"notes/{number}.md"] = change
    return book


def test_a_difference_tells_its_lines():
    stored = {digest(text): text for text in (b"GOAL\nTODO a\n", b"GOAL\nDONE a\nTODO b\n")}
    before, after = stored
    book = changed(NoteChange(before, after, 1), NoteChange(None, after, 2, otherwise=True))
    _, (first, second) = NoteDiffs(stored.get).told(book)
    assert (first.added, first.removed, first.created, first.times) == (2, 1, False, 1)
    assert first.diff is not None
    assert first.diff.startswith("--- a/notes/0.md\n+++ b/notes/0.md\n@@")
    assert (second.added, second.removed, second.created, second.otherwise) == (3, 0, True, True)


def test_a_difference_that_cannot_be_made_is_unknown():
    """Bytes that are not stored any more, or no text."""
    book = changed(NoteChange("0" * 64, "1" * 64, 1), NoteChange(None, "2" * 64, 1))
    _, told = NoteDiffs({"2" * 64: b"\xff"}.get).told(book)
    assert [(d.added, d.removed, d.diff) for d in told] == [(None, None, None)] * 2


def test_more_differences_than_a_page_can_take_are_told_by_their_lines():
    text = b"a line of notes\n" * (MOST_DIFFS // 30)
    book = changed(*[NoteChange(None, digest(text), 1)] * 3)
    _, told = NoteDiffs({digest(text): text}.get).told(book)
    assert [d.diff is None for d in told] == [False, True, True]
    assert {d.added for d in told} == {MOST_DIFFS // 30}
