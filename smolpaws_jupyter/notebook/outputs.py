"""What a piece of Python printed and showed, collected within bounds and made into an observation (O29)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.base import ContentBlock, ImageBlock, TextBlock
from ..core.payloads import ToolObservation
from ..runtime.text import bound, clean, strip_ansi

KEPT = 2_000_000
"""Characters kept at the head and at the tail of an output; what lies between is counted and dropped."""
IMAGES = 4
IMAGE_BYTES = 3_000_000
TAIL = 2_000
BITMAPS = ("image/png", "image/jpeg", "image/gif", "image/webp")


class Outputs:
    """Collects the outputs of one run. Bounded memory, whatever is printed."""

    def __init__(self) -> None:
        self._head: list[str] = []
        self._head_size = 0
        self._tail = ""
        self._total = 0
        self._images: list[ImageBlock] = []
        self._dropped_images = 0
        self.failed = False

    @property
    def tail(self) -> str:
        """The latest text: what a person watches while the code runs."""
        text = self._tail or "".join(self._head)[-TAIL:]
        return text[-TAIL:]

    def text(self, text: str) -> None:
        """Adds printed text. A carriage return rewrites its line, as a terminal would."""
        text = clean(text)
        self._total += len(text.encode())
        room = KEPT - self._head_size
        if room > 0:
            self._head.append(text[:room])
            self._head_size += len(text[:room])
            text = text[room:]
        if text:
            self._tail = (self._tail + text)[-KEPT:]

    def error(self, traceback: str) -> None:
        """Adds a traceback; the run has failed."""
        self.failed = True
        self._line(traceback)

    def rich(self, data: Mapping[str, Any]) -> None:
        """Adds a displayed value: its bitmap if it has one, else its plain text. Markup is left to the notebook."""
        for media_type in BITMAPS:
            if isinstance(image := data.get(media_type), str):
                self._image(media_type, image)
                return
        if isinstance(plain := data.get("text/plain"), str):
            self._line(plain)
        elif data:
            self._line(f"[shown in the notebook: {', '.join(sorted(data))}]")

    def observation(self, action_id: str, note: str = "") -> ToolObservation:
        """What the model is shown: head and tail of the text, the images, and how to read the rest."""
        whole = collapse(self._whole())
        rest = f'read_file("output:{action_id}")'
        shown = bound(whole.strip("\n"), rest=rest).shown
        said = "\n".join(part for part in (shown, self._about_images(), note) if part)
        content: tuple[ContentBlock, ...] = (TextBlock(text=said or "(no output)"), *self._images)
        kept = whole if strip_ansi(whole).strip("\n") != shown or whole != strip_ansi(whole) else None
        return ToolObservation(content=content, is_error=self.failed, output=kept, output_bytes=self._total)

    def _whole(self) -> str:
        head = "".join(self._head)
        dropped = self._total - len(head.encode()) - len(self._tail.encode())
        gap = f"\n[{dropped} bytes were dropped here: the output was too large to keep]\n" if dropped > 0 else ""
        return f"{head}{gap}{self._tail}"

    def _about_images(self) -> str:
        dropped = (
            f"{self._dropped_images} more images are left out: too large or too many." if self._dropped_images else ""
        )
        shown = f"[{len(self._images)} image(s) shown]" if self._images else ""
        return " ".join(part for part in (shown, dropped) if part)

    def _image(self, media_type: str, data: str) -> None:
        data = "".join(data.split())
        if len(self._images) < IMAGES and len(data) * 3 // 4 <= IMAGE_BYTES:
            self._images.append(ImageBlock.model_validate({"media_type": media_type, "data": data}))
        else:
            self._dropped_images += 1

    def _line(self, text: str) -> None:
        last = (self._tail or (self._head[-1] if self._head else "\n"))[-1:]
        self.text(("" if last == "\n" else "\n") + text + "\n")


def collapse(text: str) -> str:
    """Progress bars rewrite their line with carriage returns; only what was left on the line is kept."""
    if "\r" not in text:
        return text
    return "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1] for line in text.split("\n"))
