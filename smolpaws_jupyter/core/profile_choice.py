"""Which saved profile a conversation uses: for the agent itself, and for its summaries (R-SET-3, R-SET-28, R-SET-29).

Nothing is looked up that the settings do not ask for, and no profile stands in for a missing one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from .errors import ProfileError
from .policies.agent_reset import AgentResetSettings
from .policies.base import ProfiledSettings
from .policies.llm_summarizing import LLMSummarizingSettings
from .profiles import LLMProfile
from .settings import AgentSettings
from .settings_files import ModelsFile, StateFile
from .validation import checked, did_you_mean

Role = Literal["main", "condenser"]


def _nothing() -> dict[str, LLMProfile]:
    return {}


@dataclass(frozen=True)
class Catalogue:
    """The saved profiles and who plays which role, read once."""

    profiles: Mapping[str, LLMProfile] = field(default_factory=_nothing)
    models: ModelsFile = field(default_factory=ModelsFile)

    def in_role(self, role: Role, scope: str | None) -> str | None:
        """The profile name for a role: the scope's, else the global one."""
        scoped = self.models.scopes.get(scope, {}) if scope is not None else {}
        return scoped.get(role, self.models.roles.get(role))


class NamedProfile(NamedTuple):
    """A saved profile under its name."""

    name: str
    profile: LLMProfile


def profiles_of(given: Mapping[str, object], *, source: str = "") -> dict[str, LLMProfile]:
    """Profiles that were given in Python, as objects or plain dicts, under trimmed names. Raises SettingsError."""
    return checked(StateFile, {"llmProfiles": dict(given)}, source=source).profiles


def main_profile_name(settings: AgentSettings, catalogue: Catalogue, scope: str | None = None) -> str | None:
    """The name of the main profile, or None when nobody named one (R-SET-3)."""
    return settings.llm_profile_ref or catalogue.in_role("main", scope)


def main_profile(settings: AgentSettings, catalogue: Catalogue, scope: str | None = None) -> NamedProfile:
    """The main profile. Raises ProfileError: `main_profile_not_configured` or `profile_not_found`."""
    name = main_profile_name(settings, catalogue, scope)
    if name is None:
        raise ProfileError(
            "main_profile_not_configured",
            "No main profile is configured.",
            detail='Set "llm_profile_ref" under settings.agent_settings in state.json, or the role "main" in '
            f"models.json, to a saved profile ({_saved(catalogue)}).",
        )
    return _find(name, catalogue, "profile_not_found", "The main profile")


def summary_profile(settings: AgentSettings, catalogue: Catalogue, scope: str | None = None) -> NamedProfile | None:
    """The profile for paid summaries; None when there are none or the main binding makes them.

    Raises ProfileError: `hard_condenser_profile_not_found`, `profile_not_found` or `condenser_profile_not_configured`.
    """
    match settings.effective_condenser:
        case AgentResetSettings():
            if settings.hard_condenser is None:
                return None
            name = settings.hard_condenser.llm_profile_ref
            return _find(name, catalogue, "hard_condenser_profile_not_found", "The profile of hard_condenser")
        case LLMSummarizingSettings(llm_profile_ref=own):
            name = own or catalogue.in_role("condenser", scope)
            if name is None:
                raise ProfileError(
                    "condenser_profile_not_configured",
                    "The condenser llm_summarizing has no profile.",
                    detail='Set "llm_profile_ref" in the condenser, or the role "condenser" in models.json, '
                    f"to a saved profile ({_saved(catalogue)}).",
                )
            return _find(name, catalogue, "profile_not_found", "The profile of the condenser")
        case ProfiledSettings(llm_profile_ref=str(own)):
            return _find(own, catalogue, "profile_not_found", "The profile of the condenser")
        case _:
            return None


def _find(reference: str, catalogue: Catalogue, code: str, what: str) -> NamedProfile:
    name = reference.strip()
    profile = catalogue.profiles.get(name)
    if profile is None:
        raise ProfileError(
            code,
            f"{what} is not saved: {did_you_mean(name, catalogue.profiles)}.",
            detail=f'Save it under "llmProfiles" in state.json, or name another ({_saved(catalogue)}).',
        )
    return NamedProfile(name, profile)


def _saved(catalogue: Catalogue) -> str:
    return f"saved: {', '.join(sorted(catalogue.profiles))}" if catalogue.profiles else "none is saved yet"
