"""A short cut beside a log: where its commits stand and what their folds gave, up to some commit.

The log alone is the truth, and a snapshot may be lost at any time. It counts only while the log still begins with the
very bytes that it is of, so damage is noticed as without one (I-5), and while the code that folded them is the same.
"""

from __future__ import annotations

import contextlib
import sys
import zlib
from array import array
from base64 import b64decode, b64encode
from functools import cache
from pathlib import Path

from ..core.base import Frozen, JsonObject, Many
from .conversation_folder import ConversationFolder
from .log_file import LogFile
from .record import Damage, frame, unframe
from .scan import Index


class Snapshot(Frozen):
    """The index of the beginning of a log, and the folds of its events. The file is one line like those of a log."""

    code: str
    end: int
    crc: int
    lines: int
    length: int
    last_writer_id: str | None
    late_writers: Many[str]
    blobs: Many[str]
    starts: str
    firsts: str
    folds: JsonObject


def keep(folder: ConversationFolder, log: LogFile, folds: JsonObject) -> None:
    """Puts a snapshot of the whole log beside it. Where that fails, the next opening takes longer."""
    with contextlib.suppress(OSError):
        folder.write_snapshot(frame(_of(log.index, folds).model_dump(mode="json")))


def _of(index: Index, folds: JsonObject) -> Snapshot:
    return Snapshot(
        code=code(),
        end=index.end,
        crc=index.crc,
        lines=index.lines,
        length=index.length,
        last_writer_id=index.last_writer_id,
        late_writers=tuple(sorted(index.late_writers)),
        blobs=tuple(sorted(index.blobs)),
        starts=b64encode(index.starts.tobytes()).decode(),
        firsts=b64encode(index.firsts.tobytes()).decode(),
        folds=folds,
    )


def adopt(folder: ConversationFolder, log: LogFile) -> tuple[int, JsonObject] | None:
    """Gives a log the index of its snapshot, if that is of this very log; then only what came since has to be read.

    The number of events in the snapshot, and their folds.
    """
    try:
        snapshot = Snapshot.model_validate_json(unframe(folder.read_snapshot()))
        index = _index(snapshot)
        same = snapshot.code == code() and log.begins_with(index)
    except (OSError, Damage, ValueError):
        return None
    # With a blob that is not sound, reading all finds out which commit lacks its text.
    if not same or any(folder.blobs.get(sha256) is None for sha256 in index.blobs):
        return None
    log.index = index
    return snapshot.length, snapshot.folds


def _index(snapshot: Snapshot) -> Index:
    starts, firsts = (array("Q", b64decode(places)) for places in (snapshot.starts, snapshot.firsts))
    if not len(starts) == len(firsts) > 0:
        raise ValueError("every commit has a place in the file and one in the conversation")
    return Index(
        starts=starts,
        firsts=firsts,
        lines=snapshot.lines,
        end=snapshot.end,
        crc=snapshot.crc,
        length=snapshot.length,
        last_writer_id=snapshot.last_writer_id,
        late_writers=set(snapshot.late_writers),
        blobs=set(snapshot.blobs),
    )


@cache
def code() -> str:
    """Names the code that reads and folds a log, by its content: other code may do it otherwise."""
    here = Path(__file__).parent
    files = [*here.with_name("core").glob("*.py"), *(here / f"{name}.py" for name in ("record", "scan", "snapshot"))]
    return f"{sys.byteorder} {zlib.crc32(b''.join(file.read_bytes() for file in sorted(files))):08x}"
