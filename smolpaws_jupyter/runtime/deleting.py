"""Deleting a stored conversation: its own folder, and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

from ..core.errors import CommandRefused, ConversationNotFound, StoreError
from . import lock
from .conversation_folder import ConversationFolder
from .disk import Disk


def delete(conversations: Path, conversation_id: str) -> None:
    """Removes a conversation from a folder `<workspace>/.smolpaws/conversations`, for good.

    Never one that somebody writes: its lock is taken first. Links are not followed: one in the conversation's place is
    refused, and one inside it goes without what it names. The log goes last, so that after a death in between the
    conversation is still listed, as a damaged one, and can be deleted again. Raises `ConversationNotFound`,
    `CommandRefused` or `StoreError`.
    """
    path = conversations / conversation_id
    is_name = conversation_id not in ("", ".", "..") and Path(conversation_id).name == conversation_id
    if not is_name or path.is_symlink() or not (path / "log.jsonl").is_file():
        raise ConversationNotFound(f"There is no conversation {conversation_id!r} in {conversations}.")
    folder = ConversationFolder(Disk(), path)
    try:
        _hold(folder, conversation_id)
        try:
            for entry in path.iterdir():
                if entry.name not in ("log.jsonl", "lock"):
                    _remove(entry)
            folder.disk.remove(folder.log_path)
            folder.disk.sync_folder(path)
        finally:
            folder.let_go()
        shutil.rmtree(path)
        folder.disk.sync_folder(conversations)
    except OSError as error:
        raise StoreError(
            f"The conversation {conversation_id} could not be deleted: {error.strerror}.",
            code="not_deleted",
            detail="Give write access to its folder, then try again.",
        ) from error


def _hold(folder: ConversationFolder, conversation_id: str) -> None:
    try:
        folder.hold()
    except lock.Held as owner:
        raise CommandRefused(
            "conversation_open",
            f"The conversation {conversation_id} is open elsewhere: {owner}.",
            detail="Close it there, then delete it.",
            status=409,
        ) from None
    except lock.Unsupported:
        pass  # on this disk nobody can know; the person was asked


def _remove(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink()
