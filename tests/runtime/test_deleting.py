"""Deleting a conversation takes its own folder, and nothing else (F-61)."""

from __future__ import annotations

from pathlib import Path

import pytest

from smolpaws_jupyter.core.errors import CommandRefused, ConversationNotFound
from smolpaws_jupyter.runtime.deleting import delete
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.library import conversations
from tests.runtime.stored import message


def stored(folder: Path, name: str) -> JsonlStore:
    store = JsonlStore.create(folder / name)
    store.append([message("hi")])
    store.put_blob(b"a large text")
    return store


def test_a_deleted_conversation_is_gone_and_the_others_stay(tmp_path: Path):
    for name in ("one", "two"):
        stored(tmp_path, name).close()

    delete(tmp_path, "one")

    assert [info.id for info in conversations(tmp_path)] == ["two"]
    assert not (tmp_path / "one").exists()
    with pytest.raises(ConversationNotFound):
        delete(tmp_path, "one")


def test_a_conversation_that_somebody_writes_is_not_deleted(tmp_path: Path):
    writer = stored(tmp_path, "one")

    with pytest.raises(CommandRefused, match="open elsewhere"):
        delete(tmp_path, "one")

    before = len(writer)
    writer.append([message("more")])
    assert len(writer) > before
    writer.close()
    assert len(JsonlStore.open(tmp_path / "one")) == before + 1


@pytest.mark.parametrize("name", ["", ".", "..", "../outside", "one/../../outside", "/etc"])
def test_only_a_plain_name_of_a_conversation_can_be_deleted(tmp_path: Path, name: str):
    folder, outside = tmp_path / "conversations", tmp_path / "outside"
    stored(folder, "one").close()
    stored(tmp_path, "outside").close()

    with pytest.raises(ConversationNotFound):
        delete(folder, name)

    assert (outside / "log.jsonl").is_file()
    assert (folder / "one" / "log.jsonl").is_file()


def test_a_link_in_the_place_of_a_conversation_is_refused(tmp_path: Path):
    folder = tmp_path / "conversations"
    stored(tmp_path, "outside").close()
    folder.mkdir()
    (folder / "one").symlink_to(tmp_path / "outside")

    with pytest.raises(ConversationNotFound):
        delete(folder, "one")

    assert (tmp_path / "outside" / "log.jsonl").is_file()


def test_links_inside_go_without_what_they_name(tmp_path: Path):
    folder, treasure = tmp_path / "conversations", tmp_path / "treasure"
    stored(folder, "one").close()
    treasure.mkdir()
    (treasure / "kept.txt").write_text("kept")
    (folder / "one" / "a-link").symlink_to(treasure)
    (folder / "one" / "blobs" / "a-link").symlink_to(treasure / "kept.txt")

    delete(folder, "one")

    assert (treasure / "kept.txt").read_text() == "kept"


def test_a_folder_without_a_log_is_no_conversation(tmp_path: Path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "data.csv").write_text("1")

    with pytest.raises(ConversationNotFound):
        delete(tmp_path, "mine")

    assert (tmp_path / "mine" / "data.csv").is_file()
