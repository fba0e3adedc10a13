"""The settings files on disk: `state.json` and `models.json` in $SMOLPAWS_HOME, else `~/.smolpaws` (R-SET-31).

Files are replaced whole: a reader sees the old text or the new one, and a death in between loses neither.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.base import JsonObject
from ..core.errors import SettingsError, StoreError
from ..core.profile_choice import Catalogue
from ..core.profiles import LLMProfile
from ..core.settings import AgentSettings
from ..core.settings_files import (
    MODELS,
    STATE,
    UnknownKey,
    parse_object,
    read_models,
    read_state,
    to_text,
    unknown_keys,
    with_agent_settings,
    with_profile,
    with_role,
)


@dataclass(frozen=True)
class SavedSettings:
    """What the files say, each read once."""

    agent_settings: AgentSettings | None
    """None when no file has any (R-SET-32)."""
    catalogue: Catalogue
    unknown_keys: tuple[UnknownKey, ...]
    """Keys to tell the person about (R-SET-5)."""


def home_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the settings files lie: $SMOLPAWS_HOME, else `~/.smolpaws`."""
    return Path(environ.get("SMOLPAWS_HOME") or "~/.smolpaws").expanduser()


class SettingsStore:
    """Reads and changes the settings files of one home folder. A file that is missing is an empty one."""

    def __init__(self, home: Path | None = None) -> None:
        """`home` defaults to `home_folder()`. Nothing is read or made yet."""
        self.home = home if home is not None else home_folder()

    def read(self) -> SavedSettings:
        """Both files. Raises SettingsError, which names the file and the path inside it."""
        state = read_state(self._text(STATE), source=self._source(STATE))
        models = read_models(self._text(MODELS), source=self._source(MODELS))
        settings = state.settings.agent_settings
        return SavedSettings(
            agent_settings=settings,
            catalogue=Catalogue(state.profiles, models),
            unknown_keys=unknown_keys(settings) if settings is not None else (),
        )

    def save_agent_settings(self, changes: AgentSettings | Mapping[str, Any]) -> None:
        """Change agent options in `state.json`; all others keep their values (R-SET-4)."""
        self._change(STATE, lambda state: with_agent_settings(state, changes, source=self._source(STATE)))

    def save_profile(self, name: str, profile: LLMProfile) -> None:
        """Save a profile in `state.json`, in place of an earlier one of that name."""
        self._change(STATE, lambda state: with_profile(state, name, profile, source=self._source(STATE)))

    def save_role(self, role: str, profile_name: str, *, scope: str | None = None) -> None:
        """Give a role to a saved profile in `models.json`, everywhere or in one scope (R-SET-2)."""
        source = self._source(MODELS)
        self._change(MODELS, lambda models: with_role(models, role, profile_name, scope=scope, source=source))

    def _source(self, name: str) -> str:
        return str(self.home / name)

    def _text(self, name: str) -> str:
        path = self.home / name
        try:
            return path.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            return "{}"
        except UnicodeDecodeError:
            problem = SettingsError("", "a text file in UTF-8", source=str(path))
        except OSError as error:
            problem = SettingsError("", f"a readable file ({error.strerror})", source=str(path))
        # Raised out here: the decoder's error holds the bytes of the file.
        raise problem

    def _change(self, name: str, change: Callable[[JsonObject], JsonObject]) -> None:
        while True:
            before = self._text(name)
            old = parse_object(before, source=self._source(name))
            new = change(old)
            if new == old:
                return
            # Another program may have written meanwhile; its change is then merged, too.
            if self._replace(name, to_text(new), unless=lambda before=before: self._text(name) != before):
                return

    def _replace(self, name: str, text: str, *, unless: Callable[[], bool]) -> bool:
        """Replace the file by `text`, durably. False, with the file untouched, when `unless` says so just before."""
        path = (self.home / name).resolve()  # a link to a file that is kept elsewhere stays a link
        try:
            self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=path.parent)  # made with mode 0600
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(text.encode())
                    file.flush()
                    os.fsync(file.fileno())
                if unless():
                    return False
                Path(temporary).replace(path)
            finally:
                Path(temporary).unlink(missing_ok=True)
            _sync_folder(path.parent)
        except OSError as error:
            raise StoreError(
                f"{path} could not be written: {error.strerror}.",
                code="settings_not_saved",
                detail="The file is as it was. Make room or give write access, then try again.",
            ) from error
        return True


def _sync_folder(folder: Path) -> None:
    """Make a rename durable. Windows cannot open a folder; there the rename is as durable as it gets."""
    with contextlib.suppress(PermissionError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
