"""Pure rules for path names: which a tool may use, and which need a person's word. Nothing here looks at the disk.

A path comes from the model. It is relative to the workspace and its parts are separated by `/`, on every system.
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
import unicodedata
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from ...core.errors import WorkspaceError
from ..text import reveal

ON_WINDOWS = os.name == "nt"

MAX_PART_BYTES = 255
MAX_PATH_BYTES = 4095

FORBIDDEN = (".smolpaws", ".git")
"""Our own store, and hooks and history of version control: no file tool touches them."""

PROTECTED = ("*.key", "*.pem", "id_rsa*", "*_key", ".env*", ".netrc")
"""Names that often hold secrets. Reading asks first; writing asks even where everything else is allowed."""

STARTUP = (
    *("*.pth", "sitecustomize.py", "usercustomize.py", "pyvenv.cfg"),
    *("ipython_config.*", "ipython_kernel_config.*", "jupyter_*config.*", ".ipython", ".jupyter", ".pythonrc*"),
    *(".bashrc", ".bash_*", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".kshrc", ".cshrc", ".tcshrc"),
    *(".inputrc", ".xinitrc", ".xprofile", ".vimrc", ".exrc", ".gdbinit", ".gitconfig", ".ssh", ".config", ".vscode"),
)
"""Names that run code, or decide which code runs, when a program starts. Writing always asks; reading does not."""

Kind = Literal["inside", "notes", "startup", "protected", "forbidden"]


@dataclass(frozen=True, slots=True)
class PathClass:
    """What a path's name alone says about it.

    `inside`: an ordinary file of the workspace; `notes`: below the notes folder; `startup` and `protected`: see
    `STARTUP` and `PROTECTED`; `forbidden`: refused, always. `path` is normalised, or as it came if it is not usable.
    `reason` is a sentence for people, empty for `inside` and `notes`.
    """

    path: str
    kind: Kind
    reason: str = ""


def classify(path: str, *, notes: str = "notes", windows: bool = ON_WINDOWS) -> PathClass:
    """What the policy table needs to know of a name; links and file types show only when the file is opened.

    Raises `WorkspaceError` if `notes` names no folder below the workspace.
    """
    notes_folder = parts_of(notes, windows=windows)
    if not notes_folder:
        raise _refused("invalid_path", notes, "cannot be the notes folder, since it is the whole workspace")
    try:
        parts = parts_of(path, windows=windows)
        refuse_forbidden(parts)
    except WorkspaceError as error:
        return PathClass(path, "forbidden", str(error))
    name = name_of(parts)
    for part in parts:
        if _matches(part, PROTECTED):
            return PathClass(name, "protected", f"{show(part)} may hold a secret, going by its name.")
    for part in parts:
        if _matches(part, STARTUP):
            return PathClass(name, "startup", f"{show(part)} can run code when a program starts.")
    below_notes = len(parts) > len(notes_folder) and parts[: len(notes_folder)] == notes_folder
    return PathClass(name, "notes" if below_notes else "inside")


def parts_of(path: str, *, windows: bool = ON_WINDOWS) -> tuple[str, ...]:
    """The parts of a path that stays inside, `.` and `..` resolved by name; empty for the workspace itself (F-48, O37).

    Raises `WorkspaceError`: `outside_workspace` if the path leaves, `invalid_path` if it is no usable name.
    """
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        raise _refused("invalid_path", path, "holds half of a surrogate pair, which no file name can") from None
    if not path.strip():
        raise _refused("invalid_path", path, "is empty")
    if size > MAX_PATH_BYTES:
        raise _refused("invalid_path", path, f"is {size} bytes long; at most {MAX_PATH_BYTES} are allowed")
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in path):
        raise _refused("invalid_path", path, "holds a control character or a line break")
    if "\\" in path:
        raise _refused("invalid_path", path, "holds a backslash; parts are separated by '/'")
    if path.startswith("/") or (windows and ntpath.splitdrive(path)[0]):
        raise _refused("outside_workspace", path, "is absolute")
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and not parts:
            raise _refused("outside_workspace", path, "leaves the workspace")
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    for part in parts:
        if problem := _problem(part, windows):
            raise _refused("invalid_path", path, problem)
    if parts and not name_of(tuple(parts)).strip():
        raise _refused("invalid_path", path, "names nothing but blanks")
    if any(re.match(r"[~$]|%\w+%", first) for first in (path, *parts[:1])):
        raise _refused("outside_workspace", path, "begins with '~' or a variable, and those are not expanded")
    return tuple(parts)


def name_of(parts: tuple[str, ...]) -> str:
    """The one spelling of a path; `.` for the workspace itself."""
    return "/".join(parts) or "."


def refuse_forbidden(parts: tuple[str, ...]) -> None:
    """Raises `WorkspaceError` (`forbidden_path`) if a part is `.smolpaws` or `.git`, however it is spelled (F-60)."""
    for part in parts:
        if is_forbidden(part):
            raise _refused("forbidden_path", name_of(parts), f"goes into {show(part)}, which file tools never touch")


def is_forbidden(part: str) -> bool:
    """Whether this one part of a path bars the way."""
    return _matches(part, FORBIDDEN)


def is_hidden(part: str) -> bool:
    """Whether a listing leaves this name out unless it is asked for."""
    return part.startswith(".")


def is_inside(root: str, resolved: str, *, windows: bool = ON_WINDOWS) -> bool:
    """Whether an absolute, resolved path is `root` or lies below it, by whole parts: `/ws-secrets` is not in `/ws`."""
    flavour = ntpath if windows else posixpath
    root, resolved = flavour.normcase(root), flavour.normcase(resolved)
    try:
        return flavour.commonpath([root, resolved]) == flavour.normpath(root)
    except ValueError:  # different drives
        return False


def show(name: str) -> str:
    """A name as it is put into sentences: quoted, invisible characters as escapes, at most 120 characters."""
    seen = reveal(name).replace("\n", "\\n").replace("\t", "\\t")
    return f"'{seen}'" if len(seen) <= 120 else f"'{seen[:80]}...{seen[-30:]}'"


def fold(part: str) -> str:
    """The form in which names are compared (F-51).

    Some disks ignore case, the spelling of accents, zero-width characters or final dots, and see one file where Python
    sees several names.
    """
    seen = "".join(char for char in part if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", seen).casefold()).rstrip(" .")


def _matches(part: str, patterns: tuple[str, ...]) -> bool:
    folded = fold(part)
    return any(fnmatchcase(folded, pattern) for pattern in patterns)


def _problem(part: str, windows: bool) -> str:
    size = len(part.encode())
    if size > MAX_PART_BYTES:
        return f"has a part of {size} bytes; at most {MAX_PART_BYTES} are allowed"
    return _windows_problem(part) if windows else ""


_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\..*)?", re.IGNORECASE)
_SHORT_NAME = re.compile(r"[^.]{1,6}~[0-9]+(\..{0,3})?")


def _windows_problem(part: str) -> str:
    """Why Windows would not take a name at its word (F-51)."""
    if any(char in '<>:"|?*' for char in part):
        return "holds a character that Windows does not allow in names, or names a stream"
    if part.endswith((".", " ")):
        return "has a part that ends with a dot or a blank, which Windows drops"
    if _DEVICE.fullmatch(part):
        return f"names the device {show(part)}"
    if _SHORT_NAME.fullmatch(part):
        return f"uses {show(part)}, which may be the short name of another file; use the long one"
    return ""


def _refused(code: str, path: str, what: str) -> WorkspaceError:
    detail = "Use a path relative to the workspace, such as 'notes/plan.md'."
    return WorkspaceError(f"The path {show(path)} {what}.", code=code, detail=detail)
