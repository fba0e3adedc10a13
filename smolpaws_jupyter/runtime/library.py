"""The list of stored conversations. Of a long log only the beginning and the end are read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ..core.events import Event, MessageEvent, TitleEvent
from ..core.records import UnknownEvent
from ..core.wire import ConversationInfo
from .blobs import Blobs
from .disk import Disk
from .record import Damage, parse

SPAN = 64 * 1024
"""Bytes that are read at the beginning of a long log, and at its end."""
READ_WHOLE = 32 * 1024 * 1024
"""Bytes of logs that are read whole in one listing, the latest first. Beyond, the number of events is an estimate."""
TITLE_LENGTH = 80

_IN_EVERY_EVENT = b'"command_id":'


def conversations(folder: Path, most: int | None = None) -> list[ConversationInfo]:
    """What lies in a folder `<workspace>/.smolpaws/conversations`, the latest change first; at most `most`.

    The title is the latest that was given, as far as the parts that were read show it; else the first words of the
    first message; else "". A damaged log is listed too. Nothing is locked, changed or repaired.
    """
    logs = sorted(_logs(folder), key=lambda log: log.changed_ns, reverse=True)[:most]
    spare, infos = READ_WHOLE, list[ConversationInfo]()
    for log in logs:
        whole = log.size <= max(spare, 2 * SPAN)
        infos.append(_info(log, whole=whole))
        spare -= log.size if whole else 0
    return infos


@dataclass(frozen=True, slots=True)
class _Log:
    folder: Path
    size: int
    changed_ns: int

    @property
    def changed(self) -> str:
        """ISO 8601, UTC."""
        return datetime.fromtimestamp(self.changed_ns // 10**9, UTC).isoformat().replace("+00:00", "Z")


def _logs(folder: Path) -> Iterator[_Log]:
    try:
        entries = os.scandir(folder)
    except OSError:
        return
    with entries:
        for entry in entries:
            try:
                status = os.lstat(os.path.join(entry.path, "log.jsonl"))
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode) and status.st_size:
                yield _Log(Path(entry.path), status.st_size, status.st_mtime_ns)


def _info(log: _Log, *, whole: bool) -> ConversationInfo:
    parts = _read(log, whole=whole)
    read = sum(len(part) for part in parts)
    events = sum(part.count(_IN_EVERY_EVENT) for part in parts)
    return ConversationInfo(
        id=log.folder.name,
        title=_title(log, parts),
        changed=log.changed,
        events=events if read >= log.size else events * log.size // max(read, 1),
    )


def _read(log: _Log, *, whole: bool) -> list[bytes]:
    """The whole log, or its beginning and its end without the lines that are cut; nothing where it cannot be read."""
    disk = Disk()
    try:
        fd = disk.open(log.folder / "log.jsonl")
    except OSError:
        return []
    try:
        if whole:
            return [disk.read(fd, log.size, 0)]
        head, tail = disk.read(fd, SPAN, 0), disk.read(fd, SPAN, log.size - SPAN)
        return [head[: head.rfind(b"\n") + 1], tail[tail.find(b"\n") + 1 :]]
    except OSError:
        return []
    finally:
        disk.close(fd)


def _title(log: _Log, parts: list[bytes]) -> str:
    for part in reversed(parts):
        for line in reversed(part.splitlines(keepends=True) if b'"TitleEvent"' in part else []):
            titles = [event.title for event in _events(log, line, b'"TitleEvent"') if isinstance(event, TitleEvent)]
            if titles:
                return titles[-1]
    for line in parts[0].splitlines(keepends=True) if parts else []:
        for event in _events(log, line, b'"MessageEvent"'):
            if isinstance(event, MessageEvent) and event.genuine:
                return " ".join(event.text.split())[:TITLE_LENGTH]
    return ""


def _events(log: _Log, line: bytes, kind: bytes) -> tuple[Event | UnknownEvent, ...]:
    """The events of a line that seems to hold one of this kind; none where it cannot be read."""
    if kind not in line:
        return ()
    try:
        return parse(line).decode(Blobs(Disk(), log.folder / "blobs").get)[0]
    except Damage:
        return ()
