"""A conversation on disk: `log.jsonl`, one line a commit, and `blobs/` beside it (the format: docs/invariants.md).

Every append is durable before anything else learns of it. What cannot be trusted any more is opened again: opening
checks all, cuts a write that did not finish, and says so.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from collections.abc import Generator, Sequence
from functools import lru_cache
from pathlib import Path

from ..core.base import JsonObject
from ..core.errors import ConversationNotFound, StoreError
from ..core.events import Event
from . import lock, snapshot, writers
from .blobs import Doubtful
from .conversation_folder import ConversationFolder
from .disk import Disk
from .draft import Draft, draft
from .line_store import LineStore
from .log_file import LogFile
from .record import parse
from .scan import Findings

_AGAIN = "Open the conversation again."
_MAKE_ROOM = "Make room on this disk or change its rights, then try again."
_NO_LOCKS = (
    "This disk has no locks, so another kernel is not kept from opening this conversation. "
    "If both write, the log stops whoever comes second."
)


class JsonlStore(LineStore):
    """A `Store` in a folder of its own, whose name is the conversation's id. Made by `create` and `open`."""

    def __init__(self, folder: Path, disk: Disk | None = None) -> None:
        super().__init__()
        self.conversation_id = folder.name
        self.writer_id = writers.writer_id()
        self.last_writer_id: str | None = None
        self.recovered: tuple[str, ...] = ()
        self.kept_folds: tuple[int, JsonObject] | None = None
        self._folder = ConversationFolder(disk or Disk(), folder)
        self._log: LogFile | None = None
        self._reason = ""
        self._following = False  # somebody else may be writing
        self._later_from: int | None = None
        self._closed = False
        self._appending = threading.Lock()
        self._pid = os.getpid()

    @classmethod
    def create(cls, folder: Path, *, disk: Disk | None = None) -> JsonlStore:
        """A new conversation. Nothing is written before the first append; that makes the folder."""
        store = JsonlStore(folder, disk)
        if store._folder.has_log:
            raise _exists(folder)
        return store

    @classmethod
    def open(cls, folder: Path, *, write: bool = True, disk: Disk | None = None) -> JsonlStore:
        """What is stored in a folder; `read_only` says why if nothing can be added.

        Only with `write` is anything changed: a torn end is cut. Raises ConversationNotFound for a folder without a
        log, and StoreError for a log that is no regular file or cannot be read at all.
        """
        store = JsonlStore(folder, disk)
        if not store._folder.has_log:
            raise ConversationNotFound(f"There is no conversation in {folder}.")
        store._open(write=write)
        return store

    # Opening

    def _open(self, *, write: bool, from_other_host: bool = False) -> None:
        self._following, self._reason = True, "This conversation was opened for reading only."
        if write:
            self._take_role(from_other_host=from_other_host)
        self.recovered = ()
        try:
            log = self._open_log()
            self.kept_folds = snapshot.adopt(self._folder, log)
            findings = self._scan(log)
        except StoreError:
            self._folder.let_go()
            raise
        if not self._reason:
            try:
                self.recovered = tuple(log.mend(findings))
            except (OSError, StoreError) as error:
                self._reason = f"{log.path} could not be made ready for writing: {error}."
        if self._reason:
            self._folder.let_go()
            if findings.torn and not self._following:
                self._notice("The end of the log is not a whole record; it is not shown.")
        self.last_writer_id = log.index.last_writer_id
        before, self._log = self._log, log
        if before is not None:
            before.close()

    def _take_role(self, *, from_other_host: bool) -> None:
        """Afterwards this holds the lock, or does without it, or has a reason to read only."""
        self._following, self._reason = False, ""
        try:
            self._folder.hold()
        except lock.Held as owner:
            if not (from_other_host and owner.host not in ("", lock.this_host())):
                self._following, self._reason = True, f"Another writer has this conversation open: {owner}."
        except lock.Unsupported:
            self._notice(_NO_LOCKS)
        except OSError as error:
            self._reason = f"Nothing can be written to {self._folder.path}: {error.strerror}."

    def _open_log(self) -> LogFile:
        try:
            if not self._reason:
                try:
                    return self._folder.open_log(write=True)
                except OSError as error:
                    if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                        raise
                    self._reason = f"Nothing can be written to {self._folder.log_path}: {error.strerror}."
            return self._folder.open_log(write=False)
        except OSError as error:
            raise _unusable(self._folder.log_path, error) from error

    def _scan(self, log: LogFile) -> Findings:
        """Reads what is new in the file. Some of it may forbid to write."""

        @lru_cache(1000)
        def is_sound(sha256: str) -> bool:
            return self.get_blob(sha256) is not None

        try:
            findings = log.scan(is_sound, writer_gone=not self._following)
        except OSError as error:
            raise _unusable(log.path, error) from error
        self._reason = findings.forbids or self._reason
        if findings.later_version:
            self._later_from = findings.later_from
        if findings.damage:
            self._following = False
        return findings

    # Writing

    @property
    def read_only(self) -> str | None:
        broken = self._log.broken if self._log is not None else ""
        return self._dead() or broken or self._reason or None

    def append(self, events: Sequence[Event]) -> None:
        with self._writing() as log:
            commit = self._draft(len(log.index.starts), events)
            for data in commit.blobs.values():
                self._put(log, data)
            log.append(commit.line, self.writer_id, len(events), commit.blobs)

    def keep_folds(self, folds: JsonObject) -> None:
        log = self._log
        if self.read_only is None and log is not None and log.has_grown and not self._has_left_out:
            with self._appending:
                snapshot.keep(self._folder, log, folds)

    def put_blob(self, data: bytes) -> str:
        with self._writing() as log:
            return self._put(log, data)

    @contextlib.contextmanager
    def _writing(self) -> Generator[LogFile]:
        """The log, for one thread at a time. A broken one gives up the lock, so that it can be opened again."""
        self._check_writable()  # before waiting: in a forked child nobody lets go
        with self._appending:
            self._check_writable()
            if self._log is None:
                self._log = self._begin()
            try:
                yield self._log
            finally:
                if self._log.broken:
                    self._folder.let_go()

    def _check_writable(self) -> None:
        if (reason := self.read_only) is not None:
            raise StoreError(reason, code="read_only", detail=_AGAIN)

    def _begin(self) -> LogFile:
        try:
            self._folder.make()
            try:
                self._folder.hold()
            except lock.Unsupported:
                self._notice(_NO_LOCKS)
            return self._folder.make_log()
        except (lock.Held, FileExistsError) as error:
            raise _exists(self._folder.path) from error
        except OSError as error:
            raise _not_made(self._folder.path, error) from error

    def _draft(self, seq: int, events: Sequence[Event]) -> Draft:
        try:
            return draft(seq, self.writer_id, writers.utc_now(), events)
        except (ValueError, RecursionError) as error:
            raise StoreError(f"This cannot be stored: {error}.", code="unfit_to_store") from error

    def _put(self, log: LogFile, data: bytes) -> str:
        try:
            return self._folder.blobs.put(data)
        except Doubtful as error:
            log.broken = f"A large text could not be made durable in {self._folder.path}: {error.strerror}."
            raise StoreError(log.broken, code="unknown_outcome", detail=_AGAIN) from error
        except OSError as error:
            raise StoreError(f"Nothing was stored in {self._folder.path}: {error}.", detail=_MAKE_ROOM) from error

    # Reading

    def __len__(self) -> int:
        return self._log.index.length if self._log is not None else 0

    @property
    def _firsts(self) -> Sequence[int]:
        return self._log.index.firsts if self._log is not None else ()

    def _line(self, number: int) -> bytes:
        return self._usable().line(number)

    def _lines_up_to(self, number: int) -> Sequence[bytes]:
        return self._usable().lines_up_to(number)

    def get_blob(self, sha256: str) -> bytes | None:
        return self._folder.blobs.get(sha256)

    def refresh(self) -> int:
        if self._log is None or not self._following:
            return 0
        log, before = self._usable(), len(self)
        try:
            if not log.is_in_place or log.size < log.index.end:
                raise StoreError(f"{log.path} is not any more what was read here.", code="log_changed", detail=_AGAIN)
            if log.size > log.index.end:
                self._scan(log)
        except OSError as error:
            raise _unusable(log.path, error) from error
        return len(self) - before

    # The writer's role

    def take_over(self, *, from_other_host: bool = False) -> None:
        """Become the writer where nobody else is; raises StoreError while there is another.

        `from_other_host` is a person's word that a writer on another computer is gone, although its lock is not.
        """
        if self.read_only is None:
            return
        if not self._usable().broken:
            self._open(write=True, from_other_host=from_other_host)
        self._check_writable()

    def give_up(self, reason: str) -> None:
        self._following, self._reason = True, self.read_only or reason
        self._folder.let_go()

    def close(self) -> None:
        self._closed = True
        self._folder.let_go()
        if self._log is not None:
            self._log.close()

    def _dead(self) -> str | None:
        if os.getpid() != self._pid:
            return "This process is a fork of the one that has the conversation open, and cannot use it."
        return "This conversation was closed." if self._closed else None

    def _usable(self) -> LogFile:
        if (dead := self._dead()) or self._log is None:
            raise StoreError(dead or "Nothing has been stored yet.", code="closed", detail=_AGAIN)
        return self._log

    # Forking

    def fork(self, position: int, conversation_id: str, events: Sequence[Event]) -> JsonlStore:
        log = self._usable()
        if not 0 <= position < len(self):
            raise StoreError(f"There is no event at position {position}; the log has {len(self)}.")
        if self._later_from is not None and position >= self._later_from:
            raise StoreError(self._reason, detail="Only what stands before that can be forked.")
        number = self._commit_of(position)
        folder = self._folder.path.with_name(conversation_id)
        fork = JsonlStore(folder, self._folder.disk)
        if fork._folder.has_log:
            raise _exists(folder)
        commit = fork._draft(number + 1, events)
        try:
            fork._folder.make()
            fork._folder.copy_from(self._folder, log, number, commit)
        except OSError as error:
            raise _not_made(folder, error) from error
        fork._open(write=True)
        fork.last_writer_id = parse(log.line(number)).writer
        return fork


def _exists(folder: Path) -> StoreError:
    return StoreError(f"There is a conversation in {folder} already.", code="conversation_exists", detail="Open it.")


def _not_made(folder: Path, error: OSError) -> StoreError:
    return StoreError(f"{folder} could not be made: {error.strerror}.", detail=_MAKE_ROOM)


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(f"{path} cannot be used as a log: {error.strerror}.", code="log_unusable")
