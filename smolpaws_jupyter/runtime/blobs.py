"""Large texts and images beside a log: a folder of files, each named by the SHA-256 of what is in it.

A blob is whole or not there: it is written under another name, made durable, and then given its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
from pathlib import Path

from .disk import Disk, write_all

LARGEST = 1 << 30
"""Bytes. A larger file in a blob's place is not read into memory."""

_PIECE = 1 << 20
_REMEMBERED = 1000
_NAME = re.compile("[0-9a-f]{64}")


class Doubtful(OSError):
    """The disk took a blob but would not say that it is durable. What it says afterwards cannot be believed."""


class Blobs:
    """The blobs of one conversation. The folder is made with the first one."""

    def __init__(self, disk: Disk, folder: Path) -> None:
        self._disk = disk
        self._folder = folder
        self._durable: set[str] = set()

    def put(self, data: bytes) -> str:
        """Keeps bytes, durably, and gives their SHA-256 in hex. Raises OSError; after `Doubtful` nothing is certain."""
        if len(data) > LARGEST:
            raise OSError(f"a blob may have {LARGEST} bytes; this one has {len(data)}")
        sha256 = hashlib.sha256(data).hexdigest()
        if sha256 in self._durable:
            return sha256
        self._disk.make_folder(self._folder)
        if self.get(sha256) is None:
            self._write(sha256, data)
        try:  # also for one that was there: whoever wrote it may have died before this
            self._disk.sync_folder(self._folder)
        except OSError as error:
            raise Doubtful(error.errno, error.strerror) from error
        if len(self._durable) >= _REMEMBERED:
            self._durable.clear()
        self._durable.add(sha256)
        return sha256

    def _write(self, sha256: str, data: bytes) -> None:
        part = self._folder / f"{sha256}.{secrets.token_hex(4)}.part"
        try:
            fd = self._disk.open(part, write=True, create=True)
            try:
                write_all(self._disk, fd, data)
                self._disk.sync(fd)
            finally:
                self._disk.close(fd)
            self._disk.replace(part, self._folder / sha256)
        except OSError:
            with contextlib.suppress(OSError):
                self._disk.remove(part)
            raise

    def get(self, sha256: str) -> bytes | None:
        """The bytes with this SHA-256; None where they are missing or no longer the same."""
        if not _NAME.fullmatch(sha256):
            return None
        try:
            fd = self._disk.open(self._folder / sha256)
        except OSError:
            return None
        try:
            data = self._read(fd)
        except OSError:
            return None
        finally:
            self._disk.close(fd)
        return data if hashlib.sha256(data).hexdigest() == sha256 else None

    def _read(self, fd: int) -> bytes:
        data = bytearray()
        while len(data) <= LARGEST and (piece := self._disk.read(fd, _PIECE, len(data))):
            data += piece
        return bytes(data)
