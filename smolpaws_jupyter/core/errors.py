"""Every error of this package, ordered by what whoever catches it can do.

    SmolPawsError
    ├── mend the settings, then try again
    │   ├── SettingsError            a value or a file is wrong
    │   └── StartError               a conversation could not start
    │       └── ProfileError         it names no profile, or one that is not saved
    ├── ask for something else
    │   ├── CommandRefused           nothing was changed
    │   │   ├── ConversationNotFound
    │   │   └── ConversationReadOnly
    │   ├── ApprovalNeeded           a person has to decide about a call
    │   └── WorkspaceError           a path that may not be used
    ├── look at what happened, then go on with the conversation
    │   └── RunError                 a run ended; the history is intact
    └── look at the disk
        └── StoreError               something could not be stored
            └── LogDamaged           a stored log is not sound

A failed tool is no exception but an event: the model sees it. These are for the person and the program.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar


class SmolPawsError(Exception):
    """Catch this for all of them. `code` is for programs; `message` says what was wrong, `detail` the next step.

    Errors of many codes are made from a code and a message; those with a usual one, from the message.
    """

    def __init__(self, code: str, message: str, *, detail: str = "", status: int | None = None) -> None:
        """`status` is an HTTP-like number where the contract gives one (R-CODE-4)."""
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.detail = detail
        self.status = status

    def __str__(self) -> str:
        """What was wrong and the next step, as one text."""
        return f"{self.message} {self.detail}".strip()

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors cross process pools; the signatures below differ, so the parts are copied instead of made again."""
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(kind: type[SmolPawsError], args: tuple[Any, ...], state: dict[str, Any]) -> SmolPawsError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class SettingsError(SmolPawsError):
    """A setting or a settings file is wrong. Change what stands at `path` in `source` to what was `expected`.

    The wrong value itself is never part of this error: it may be a key (R-PYD-6).
    """

    def __init__(
        self, path: str, expected: str, *, allowed: Iterable[str] = (), source: str = "", detail: str = ""
    ) -> None:
        """`source` is the file, or empty for settings that were given in Python; `allowed` lists the lawful choices."""
        self.path = path
        self.expected = expected
        self.allowed = tuple(allowed)
        self.source = source
        place = ": ".join(part for part in (source, path) if part) or "settings"
        choices = f" Allowed: {', '.join(self.allowed)}." if self.allowed else ""
        super().__init__("invalid_settings", f"{place}: expected {expected}.{choices}", detail=detail)


class StartError(SmolPawsError):
    """A conversation could not start (R-CODE-1); no log was made. Change settings or tools, then start again."""


class ProfileError(StartError):
    """No profile is named, or the named one is not saved. Save it or name another; no other profile is borrowed."""


class CommandRefused(SmolPawsError):
    """A command was refused and changed nothing (R-CODE-4). Test `code`: several refusals share a status."""

    _STATUS: ClassVar = {
        "agent_controlled_condensation": 409,
        "condensation_failed": 502,
        "conversation_not_found": 404,
        "conversation_read_only": 409,
    }

    def __init__(self, code: str, message: str, *, detail: str = "", status: int | None = None) -> None:
        """Without `status` it is the contract's for this code, else 422."""
        super().__init__(code, message, detail=detail, status=status or self._STATUS.get(code, 422))


class ConversationNotFound(CommandRefused):
    """There is no conversation with this id. Choose one of `SmolPaws.conversations()`."""

    def __init__(self, message: str, *, detail: str = "") -> None:
        """`message` names the id and the folder that was searched."""
        super().__init__("conversation_not_found", message, detail=detail)


class ConversationReadOnly(CommandRefused):
    """This conversation can be read here but not continued. Close the other writer, take over, or fork it."""

    def __init__(self, message: str, *, detail: str = "") -> None:
        """`message` says why: another writer, a newer version, damage, a disk without write access."""
        super().__init__("conversation_read_only", message, detail=detail)


class ApprovalNeeded(SmolPawsError):
    """A call waits for approval and no page was there to ask (R-STOP-16). Approve or reject `action_id`."""

    def __init__(self, action_id: str, tool_name: str, message: str, *, detail: str = "") -> None:
        """`message` names the call; the agent stays `waiting`."""
        super().__init__("approval_needed", message, detail=detail)
        self.action_id = action_id
        self.tool_name = tool_name


class WorkspaceError(SmolPawsError):
    """A path may not be used: outside the workspace, protected, or not a regular file. Choose another path."""

    def __init__(self, message: str, *, code: str = "path_refused", detail: str = "") -> None:
        """`message` names the path as it was asked for."""
        super().__init__(code, message, detail=detail)


class RunError(SmolPawsError):
    """A run ended early (R-CODE-2). Nothing is lost: change what `detail` says, then go on with the conversation."""


class StoreError(SmolPawsError):
    """Something could not be stored, or its fate is unknown. Make room or mend the disk, then open it again."""

    def __init__(self, message: str, *, code: str = "not_stored", detail: str = "") -> None:
        """`message` names the file and what the system said."""
        super().__init__(code, message, detail=detail)


class LogDamaged(StoreError):
    """A stored log is not sound. Its sound part can be read and forked; the file is left as it is."""

    def __init__(self, message: str, *, code: str = "log_damaged", detail: str = "") -> None:
        """`message` names the file and the line."""
        super().__init__(message, code=code, detail=detail)
