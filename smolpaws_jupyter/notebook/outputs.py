"""What a piece of Python printed and showed, collected within bounds and made into an observation (O29)."""

from __future__ import annotations

import base64
import itertools
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any

from ..core.base import ContentBlock, ImageBlock, TextBlock
from ..core.payloads import ToolObservation
from ..runtime.text import BOUND, bound, plain

KEPT = 2_000_000
"""Characters kept at the head and at the tail of an output; what lies between is counted and dropped."""
IMAGES = 4
IMAGE_BYTES = 3_000_000
TAIL = 2_000
BITMAPS = ("image/png", "image/jpeg", "image/gif", "image/webp")


class Outputs:
    """Collects the outputs of one run in bounded memory. Filled on the main thread, watched from the worker's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._start_over()
        self.failed = False

    def _start_over(self) -> None:
        self._head: list[str] = []
        self._tail: deque[str] = deque()
        self._head_size = self._tail_size = 0
        self._total_bytes = self._dropped_bytes = 0
        self._last = "\n"
        self._images: list[ImageBlock] = []
        self._dropped_images = 0

    @property
    def tail(self) -> str:
        """The latest text: what a person watches while the code runs."""
        with self._lock:
            pieces: list[str] = []
            size = 0
            for piece in itertools.chain(reversed(self._tail), reversed(self._head)):
                pieces.append(piece[-TAIL:])
                size += len(piece)
                if size >= TAIL:
                    break
        return collapse(plain("".join(reversed(pieces))))[-TAIL:]

    def text(self, text: str) -> None:
        """Adds printed text."""
        if not text:
            return
        with self._lock:
            self._add(text)

    def error(self, traceback: str) -> None:
        """Adds a traceback; the run has failed."""
        self.failed = True
        self._line(traceback)

    def rich(self, data: Mapping[str, Any]) -> None:
        """Adds a displayed value: its bitmap if it has one, else its plain text. Markup is never shown to the model."""
        for media_type in BITMAPS:
            image = data.get(media_type)
            if isinstance(image, bytes):
                image = base64.b64encode(image).decode()
            if isinstance(image, str):
                self._image(media_type, image)
                return
        if isinstance(text := data.get("text/plain"), str):
            self._line(text)
        elif data:
            self._line(f"[something without a text form was shown: {', '.join(sorted(data))}]")

    def clear(self) -> None:
        """`clear_output()`: what was shown so far is replaced by what follows."""
        with self._lock:
            self._start_over()

    def observation(self, action_id: str, note: str = "") -> ToolObservation:
        """What the model is shown: head and tail of the text, the images, and how to read the rest.

        What is kept is the text without escape sequences, so that the offsets that are named hold.
        """
        with self._lock:
            whole = collapse(plain(self._whole())).strip("\n")
            images, about, total = tuple(self._images), self._about_images(), self._total_bytes
        notes = [part for part in (about, note) if part]
        limit = BOUND - sum(len(part) + 1 for part in notes)
        shown = bound(whole, limit, rest=f'read_file("output:{action_id}")')
        said = "\n".join(part for part in (shown.shown, *notes) if part)
        content: tuple[ContentBlock, ...] = (TextBlock(text=said or "(no output)"), *images)
        if shown.left_out_chars == 0:
            return ToolObservation(content=content, is_error=self.failed)
        return ToolObservation(content=content, is_error=self.failed, output=whole, output_bytes=total)

    def _add(self, text: str) -> None:
        self._total_bytes += len(text.encode("utf-8", "surrogatepass"))
        self._last = text[-1]
        room = KEPT - self._head_size
        if room > 0:
            self._head.append(text[:room])
            self._head_size += len(self._head[-1])
            text = text[room:]
        if text:
            self._tail.append(text)
            self._tail_size += len(text)
            while self._tail_size > KEPT:
                self._shorten_tail()

    def _shorten_tail(self) -> None:
        first = self._tail.popleft()
        dropped = first[: self._tail_size - KEPT]
        self._tail_size -= len(dropped)
        self._dropped_bytes += len(dropped.encode("utf-8", "surrogatepass"))
        if len(dropped) < len(first):
            self._tail.appendleft(first[len(dropped) :])

    def _whole(self) -> str:
        dropped = self._dropped_bytes
        gap = f"\n[{dropped} bytes were dropped here: the output was too large to keep]\n" if dropped else ""
        return f"{''.join(self._head)}{gap}{''.join(self._tail)}"

    def _about_images(self) -> str:
        shown, dropped = len(self._images), self._dropped_images
        parts = [f"[{_counted(shown)} shown]"] if shown else []
        if dropped:
            parts.append(f"[{_counted(dropped)} left out: too large or too many]")
        return " ".join(parts)

    def _image(self, media_type: str, data: str) -> None:
        data = "".join(data.split())
        with self._lock:
            if len(self._images) < IMAGES and len(data) * 3 // 4 <= IMAGE_BYTES:
                self._images.append(ImageBlock.model_validate({"media_type": media_type, "data": data}))
            else:
                self._dropped_images += 1

    def _line(self, text: str) -> None:
        with self._lock:
            self._add(("" if self._last == "\n" else "\n") + text + "\n")


def _counted(images: int) -> str:
    return "1 image" if images == 1 else f"{images} images"


def collapse(text: str) -> str:
    """Progress bars rewrite their line with carriage returns; only what was left on the line is kept."""
    if "\r" not in text:
        return text
    return "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1] for line in text.split("\n"))
