"""The shapes of `state.json` and `models.json`, read from text and changed as plain objects (contract, section 2.1).

Reading gives checked values; changing keeps every key that is not ours. No file is touched here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from pydantic import ConfigDict, Field, field_validator

from .base import JsonObject, NonEmpty
from .errors import SettingsError
from .profiles import LLMProfile
from .settings import AgentSettings
from .validation import SettingsModel, checked, closest, refusal

STATE, MODELS = "state.json", "models.json"


class SettingsSection(SettingsModel):
    """The object under `settings`; what else it holds belongs to other programs."""

    model_config = ConfigDict(extra="ignore")

    agent_settings: AgentSettings | None = None
    """None when the file says nothing about the agent (R-SET-32)."""


class StateFile(SettingsModel):
    """`state.json`: agent options and saved profiles (R-SET-1)."""

    model_config = ConfigDict(extra="ignore")

    settings: SettingsSection = SettingsSection()
    profiles: dict[str, LLMProfile] = Field(default={}, validation_alias="llmProfiles")

    @field_validator("profiles", mode="before")
    @classmethod
    def _trimmed_names(cls, profiles: Any) -> Any:
        return _by_trimmed_name(cast("dict[Any, Any]", profiles)) if isinstance(profiles, dict) else profiles


class ModelsFile(SettingsModel):
    """`models.json`: which saved profile plays which role, and where. Names are checked when used (R-SET-2)."""

    model_config = ConfigDict(extra="ignore")

    roles: dict[str, str] = Field(default={})
    scopes: dict[NonEmpty, dict[str, str]] = Field(default={})


def _by_trimmed_name(profiles: dict[Any, Any]) -> dict[Any, Any]:
    trimmed: dict[Any, Any] = {}
    for name, profile in profiles.items():
        key = name.strip() if isinstance(name, str) else name
        if key == "":
            raise refusal("a name for every profile; one has a blank name")
        if key in trimmed:
            raise refusal(f"every profile once; {key!r} is there twice")
        trimmed[key] = profile
    return trimmed


def parse_object(text: str, *, source: str) -> JsonObject:
    """The JSON object in `text`. Raises SettingsError, also for a key that is there twice (R-PYD-5)."""
    try:
        value = json.loads(
            text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        problem = SettingsError(f"line {error.lineno}, column {error.colno}", f"JSON ({error.msg})", source=source)
    except _NotAccepted as error:
        problem = SettingsError(error.key, error.expected, source=source)
    except (ValueError, RecursionError):  # a number of thousands of digits; brackets thousands deep
        problem = SettingsError("", "JSON of a reasonable size", source=source)
    else:
        if isinstance(value, dict):
            return cast("JsonObject", value)
        problem = SettingsError("", "a JSON object", source=source)
    # Raised out here: the decoder's own error holds the whole text.
    raise problem


class _NotAccepted(Exception):
    """JSON that Python's reader would take and we do not."""

    def __init__(self, key: str, expected: str) -> None:
        super().__init__(key)
        self.key, self.expected = key, expected


def _without_duplicates(pairs: list[tuple[str, Any]]) -> JsonObject:
    found: JsonObject = {}
    for key, value in pairs:
        if key in found:
            raise _NotAccepted(key, "this key once in its object, and it is there twice")
        found[key] = value
    return found


def _refuse_constant(_: str) -> Any:
    raise _NotAccepted("", "JSON, which has no NaN and no Infinity")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _NotAccepted("", "numbers that a computer can hold")
    return number


def to_text(value: JsonObject) -> str:
    """The file's text: indented, letters as they are, a line break at the end."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError:  # an unpaired surrogate, in a key or value of another program
        return json.dumps(value, indent=2, allow_nan=False) + "\n"
    return text


def read_state(text: str, *, source: str = STATE) -> StateFile:
    """Agent options and saved profiles. Raises SettingsError with the path inside the file."""
    return checked(StateFile, parse_object(text, source=source), source=source)


def read_models(text: str, *, source: str = MODELS) -> ModelsFile:
    """Roles and scopes. Raises SettingsError with the path inside the file."""
    return checked(ModelsFile, parse_object(text, source=source), source=source)


class UnknownKey(NamedTuple):
    """A key under `agent_settings` that means nothing here, and the known name it may have been meant to be."""

    name: str
    closest: str | None

    def __str__(self) -> str:
        hint = f"; did you mean {self.closest!r}?" if self.closest else ""
        return f"agent_settings has an unknown key {self.name!r}, which does nothing{hint}"


def unknown_keys(settings: AgentSettings) -> tuple[UnknownKey, ...]:
    """What to tell the person: a mistyped key would otherwise do nothing without a word (R-SET-5)."""
    return tuple(UnknownKey(name, closest(name, AgentSettings.model_fields)) for name in settings.unknown)


def with_agent_settings(
    state: Mapping[str, Any], changes: AgentSettings | Mapping[str, Any], *, source: str = STATE
) -> JsonObject:
    """`state.json` with these agent options changed; all others keep their values (R-SET-4).

    `changes` are the fields that were given, each replaced as a whole; null takes an option away. Raises SettingsError
    when the outcome would contradict itself.
    """
    given = changes.model_dump(mode="json") if isinstance(changes, AgentSettings) else dict(changes)
    section = _object(state, "settings", source)
    merged = {**_object(section, "agent_settings", source), **given}
    checked(AgentSettings, merged, at="settings.agent_settings", source=source)
    return {**state, "settings": {**section, "agent_settings": merged}}


def with_profile(state: Mapping[str, Any], name: str, profile: LLMProfile, *, source: str = STATE) -> JsonObject:
    """`state.json` with this profile saved. Keys of an earlier one that this version does not know stay (R-PROF-1)."""
    profiles = dict(_object(state, "llmProfiles", source))
    name = _some_name(name, "profile name", source)
    spelled = next((key for key in profiles if key.strip() == name), name)
    ours = set(LLMProfile.model_fields) | {str(field.alias) for field in LLMProfile.model_fields.values()}
    kept = {key: value for key, value in _object(profiles, spelled, source).items() if key not in ours}
    profiles[spelled] = {**kept, **profile.model_dump(mode="json")}
    return {**state, "llmProfiles": profiles}


def with_role(
    models: Mapping[str, Any], role: str, profile_name: str, *, scope: str | None = None, source: str = MODELS
) -> JsonObject:
    """`models.json` with this role given to a saved profile, everywhere or in one scope."""
    change = {_some_name(role, "role", source): _some_name(profile_name, "profile name", source)}
    if scope == "":
        raise SettingsError("scopes", "a scope that is not empty, or none", source=source)
    if scope is None:
        return {**models, "roles": {**_object(models, "roles", source), **change}}
    scopes = _object(models, "scopes", source)
    return {**models, "scopes": {**scopes, scope: {**_object(scopes, scope, source), **change}}}


def _object(parent: Mapping[str, Any], key: str, source: str) -> JsonObject:
    value = parent.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise SettingsError(key, "an object", source=source)
    return cast("JsonObject", value)


def _some_name(name: str, what: str, source: str) -> str:
    if not name.strip():
        raise SettingsError("", f"a {what} that is not blank", source=source)
    return name.strip()
