"""What stands in a request: words, and calls with their results, as a flat list.

Results belong to calls by their order, so ids play no part. What the environment says is known by `core.wording`, what
tools say by the formats of `runtime.tools.files`.
"""

from __future__ import annotations

import json
import re

from .. import wording
from ..base import Frozen, JsonObject
from ..messages import Message


def _shared(one: str, other: str) -> str:
    """What two samples of a sentence have in common at their start: the part that never changes."""
    differs = [a != b for a, b in zip(one, other, strict=False)]
    return one[: differs.index(True)]


_WARNING = _shared(wording.warning(0.5, 1, 2, ""), wording.warning(0.25, 1, 2, ""))
_REMINDER = _shared(wording.reminder(1, 2), wording.reminder(2, 1))
_REMARK = _shared(wording.NUDGE_EMPTY, wording.NEW_KERNEL)
_NOTICES = (wording.RESET_NOTICE, wording.NEW_CONTEXT_NOTICE)
_REJECTED = _shared(wording.rejected(""), wording.rejected("why"))
_RECOVERED = wording.recovery(None)
_UNDECIDED = (wording.INTERRUPTED, wording.INTERRUPTED_RESET, wording.NOT_RUN)
_HABIT = re.compile(re.escape(wording.CONTEXT_HABIT).replace(re.escape("{notes}"), "(?P<notes>.+?)"))

REMIND_PERCENT = 80.0

_PAGE = re.compile(r"path: (.*) · characters (\d+)-(\d+) of (\d+) · (?:end|next offset \d+)(?: · encoding .*)?")
_LISTING = re.compile(r"folder: (.*) · files (\d+) of (\d+)")
_FILE = re.compile(r"(.*)  (\d+) bytes")
_CUT = re.compile(r"\.\.\. \[truncated: \d+ chars removed\] \.\.\.|\n\[\d+ of \d+ characters are left out here")
_WRITTEN = re.compile(r"(created|replaced|unchanged) ")


class Page(Frozen):
    """A stretch of a file, in characters."""

    path: str
    start: int
    stop: int
    total: int
    text: str


def page(result: str) -> Page | None:
    """What `read_file` gave; None for an error, and for a page that was shortened: figures need all of it."""
    header, _, text = result.partition("\n")
    match = _PAGE.fullmatch(header)
    if match is None:
        return None
    start, stop, total = int(match[2]), int(match[3]), int(match[4])
    if len(text) != stop - start and _CUT.search(text):
        return None
    return Page(path=match[1], start=start, stop=stop, total=total, text=text)


class Listing(Frozen):
    """Files with their sizes in bytes; `found` may be more than are shown."""

    files: dict[str, int]
    found: int


def listing(result: str) -> Listing | None:
    """What `list_files` gave; None for an error."""
    header, *lines = result.split("\n")
    match = _LISTING.fullmatch(header)
    if match is None:
        return None
    files = [_FILE.fullmatch(line) for line in lines[: int(match[2])]]
    return Listing(files={file[1]: int(file[2]) for file in files if file}, found=int(match[3]))


class Said(Frozen):
    """Words. `by` is `system`, `user`, `environment`, `agent`, or `thought` for what an agent says beside its calls."""

    by: str
    text: str

    @property
    def is_notice(self) -> bool:
        """Whether it says that the context was emptied."""
        return self.by == "environment" and not self.text.startswith(_REMARK)

    @property
    def warned(self) -> float | None:
        """The stage of a warning or reminder, in percent."""
        if self.text.startswith(_REMINDER):
            return REMIND_PERCENT
        number = re.match(r"[\d.]+", self.text.removeprefix(_WARNING)) if self.text.startswith(_WARNING) else None
        return float(number[0]) if number else None

    @property
    def notes_folder(self) -> str | None:
        """The folder for notes that a system prompt names."""
        match = _HABIT.search(self.text)
        return match["notes"] if match else None


class Call(Frozen):
    """A tool call with its result, which is None while there is none."""

    tool: str
    arguments: JsonObject
    result: str | None = None

    @property
    def rejected(self) -> bool:
        return (self.result or "").startswith(_REJECTED)

    @property
    def done(self) -> bool:
        """Whether it did what was asked."""
        result = self.result or ""
        match self.tool:
            case "list_files":
                return listing(result) is not None
            case "read_file":
                return page(result) is not None
            case "write_file":
                return _WRITTEN.match(result) is not None
            case "condense":
                return result.startswith(_RECOVERED)
            case _:
                return self.result is not None

    @property
    def failed(self) -> bool:
        """Whether it did not. A call that the person interrupted did neither."""
        return self.result is not None and not self.result.startswith(_UNDECIDED) and not self.done


def entries(messages: list[Message]) -> list[Said | Call]:
    """The request as a flat list, oldest first."""
    found: list[Said | Call] = []
    waiting: list[int] = []
    for message in messages:
        texts = texts_of(message)
        match message["role"]:
            case "tool":
                if waiting:
                    place = waiting.pop(0)
                    found[place] = found[place].model_copy(update={"result": "\n".join(texts)})
            case "assistant":
                calls: list[JsonObject] = message.get("tool_calls") or []
                found += [Said(by="thought" if calls else "agent", text=text) for text in texts]
                waiting = list(range(len(found), len(found) + len(calls)))
                found += map(_call, calls)
            case "user":
                found += [Said(by=_speaker(text), text=text) for text in texts]
            case _:
                found += [Said(by="system", text=text) for text in texts]
    return found


def texts_of(message: Message) -> list[str]:
    """The text blocks of a message."""
    content: str | list[JsonObject] | None = message.get("content")
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content or [] if part.get("type") == "text"]


def _speaker(text: str) -> str:
    """Notices and remarks come in the user's role, but not from the user."""
    if text.startswith((_REMARK, wording.EMERGENCY_FIRST)) or text in (
        wording.RESET_NOTICE,
        wording.NEW_CONTEXT_NOTICE,
    ):
        return "environment"
    return "user"


def _call(call: JsonObject) -> Call:
    function = call["function"]
    try:
        arguments: JsonObject = json.loads(function["arguments"])
        return Call(tool=function["name"], arguments=arguments)
    except ValueError:  # no JSON, or no object
        return Call(tool=function["name"], arguments={})
