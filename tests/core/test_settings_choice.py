"""Which saved profile is used, and what is never looked up (contract, R-SET-3 and sections 2.4 and 23)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from smolpaws_jupyter.core.errors import ProfileError, SettingsError, StartError
from smolpaws_jupyter.core.policies import CONDENSERS
from smolpaws_jupyter.core.profile_choice import (
    Catalogue,
    main_profile,
    main_profile_name,
    profiles_of,
    summary_profile,
)
from smolpaws_jupyter.core.profiles import LLMProfile
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.core.settings_files import ModelsFile
from smolpaws_jupyter.core.validation import checked

FALLBACK = {"condenser_kind": "llm_summarizing", "llm_profile_ref": "summary"}


class Watched(Mapping[str, LLMProfile]):
    """Saved profiles that remember every look at them."""

    def __init__(self, *names: str) -> None:
        self.saved = {name: LLMProfile(model=f"vendor/{name}", max_input_tokens=400_000) for name in names}
        self.looks: list[str] = []

    def __getitem__(self, name: str) -> LLMProfile:
        self.looks.append(name)
        return self.saved[name]

    def __iter__(self) -> Iterator[str]:
        self.looks.append("all")
        return iter(self.saved)

    def __len__(self) -> int:
        return len(self.saved)


def settings(**given: Any) -> AgentSettings:
    return checked(AgentSettings, given)


def catalogue(*names: str, roles: Any = None, scopes: Any = None) -> Catalogue:
    return Catalogue(Watched(*names), checked(ModelsFile, {"roles": roles or {}, "scopes": scopes or {}}))


def looks(where: Catalogue) -> list[str]:
    assert isinstance(where.profiles, Watched)
    return where.profiles.looks


ROLES = {"roles": {"main": "global", "condenser": "g-sum"}, "scopes": {"nb": {"main": "scoped", "condenser": "s-sum"}}}


def test_t_set_19_the_main_profile_is_the_own_reference_then_the_scopes_then_the_global():
    """T-SET-19: R-SET-3, R-SET-2."""
    saved = catalogue("own", "scoped", "global", **ROLES)

    assert main_profile(settings(llm_profile_ref="own"), saved, "nb").name == "own"
    assert main_profile(settings(), saved, "nb").name == "scoped"
    assert main_profile(settings(), saved, "other").name == "global"
    assert main_profile(settings(), saved).name == "global"
    assert main_profile(settings(llm_profile_ref=None), saved).profile.model == "vendor/global"


def test_t_set_19_the_condenser_role_follows_the_same_order():
    """T-SET-19: R-SET-29."""
    saved = catalogue("own", "s-sum", "g-sum", **ROLES)
    summarizing = {"condenser_kind": "llm_summarizing"}

    for given, scope, name in [
        ({**summarizing, "llm_profile_ref": "own"}, "nb", "own"),
        (summarizing, "nb", "s-sum"),
        (summarizing, "other", "g-sum"),
        (summarizing, None, "g-sum"),
    ]:
        found = summary_profile(settings(condenser=given), saved, scope)
        assert found is not None
        assert found.name == name


def test_t_set_19_a_scope_overrides_one_role_and_leaves_the_other():
    """T-SET-19: R-SET-2."""
    saved = catalogue("a", "b", roles={"main": "a", "condenser": "b"}, scopes={"nb": {"main": "b"}})

    assert main_profile(settings(), saved, "nb").name == "b"
    found = summary_profile(settings(condenser={"condenser_kind": "llm_summarizing"}), saved, "nb")
    assert found is not None
    assert found.name == "b"


def test_t_set_19_without_any_name_each_has_its_code():
    """T-SET-19: R-SET-3, R-SET-29, R-CODE-1."""
    saved = catalogue("lonely")

    assert main_profile_name(settings(), saved) is None
    with pytest.raises(ProfileError) as main:
        main_profile(settings(), saved)
    assert main.value.code == "main_profile_not_configured"
    assert "lonely" in main.value.detail
    assert isinstance(main.value, StartError)

    with pytest.raises(ProfileError) as summary:
        summary_profile(settings(condenser={"condenser_kind": "llm_summarizing"}), saved)
    assert summary.value.code == "condenser_profile_not_configured"

    with pytest.raises(ProfileError) as empty:
        main_profile(settings(), Catalogue())
    assert "none is saved yet" in empty.value.detail


@pytest.mark.parametrize("name", ["sumary", "nowhere", "Main"])
def test_r_set_3_a_name_without_a_profile_is_an_error_that_names_it(name: str):
    """R-SET-3, R-CODE-1."""
    for given, saved in [
        (settings(llm_profile_ref=name), catalogue("main", "summary")),
        (settings(), catalogue("main", "summary", roles={"main": name})),
    ]:
        with pytest.raises(ProfileError) as caught:
            main_profile(given, saved)
        assert caught.value.code == "profile_not_found"
        assert repr(name) in caught.value.message
        assert "main, summary" in caught.value.detail


def test_r_set_3_a_mistyped_name_is_told_with_the_closest_saved_one():
    """R-SET-3."""
    with pytest.raises(ProfileError, match="'sumary' may be a slip for 'summary'"):
        main_profile(settings(llm_profile_ref="sumary"), catalogue("main", "summary"))


def test_t_prof_03_a_padded_reference_finds_its_profile():
    """T-PROF-03: R-PROF-1."""
    saved = Catalogue(profiles_of({" main\t": {"model": "vendor/large", "theirs": 1}}))

    found = main_profile(settings(llm_profile_ref="  main "), saved)

    assert found.name == "main"
    assert found.profile.unknown == {"theirs": 1}
    padded_role = Catalogue(saved.profiles, ModelsFile(roles={"main": " main "}))
    assert main_profile(settings(), padded_role) == found


@pytest.mark.parametrize("kind", ["agent_reset", "new_context", "no_op"])
def test_t_set_09_these_kinds_look_up_nothing_for_a_summary(kind: str):
    """T-SET-09: R-SET-27, R-SET-26."""
    saved = catalogue("main", "summary", roles={"condenser": "summary"}, scopes={"nb": {"condenser": "nowhere"}})

    assert summary_profile(settings(condenser={"condenser_kind": kind}), saved, "nb") is None
    assert looks(saved) == []


def test_t_set_09_a_fallback_resolves_its_own_reference_once_and_nothing_else():
    """T-SET-09: R-SET-28."""
    saved = catalogue("main", "summary", "role", roles={"main": "main", "condenser": "role"})

    found = summary_profile(settings(condenser={"condenser_kind": "agent_reset"}, hard_condenser=FALLBACK), saved)

    assert found is not None
    assert found.name == "summary"
    assert looks(saved) == ["summary"]
    assert not hasattr(settings(condenser={"condenser_kind": "agent_reset"}, hard_condenser=FALLBACK).hard_condenser,
                       "max_tokens")  # fmt: skip


@pytest.mark.parametrize("kind", CONDENSERS)
def test_t_set_10_a_disabled_condenser_looks_up_nothing(kind: str):
    """T-SET-10: R-SET-21, R-SET-24."""
    saved = catalogue("main", roles={"condenser": "nowhere"})
    own = {"llm_profile_ref": "nowhere"} if kind in ("llm_summarizing", "summarizing_window") else {}

    disabled = settings(condenser={"condenser_kind": kind, "enabled": False, **own}, hard_condenser=None)

    assert summary_profile(disabled, saved) is None
    assert looks(saved) == []


@pytest.mark.parametrize("given", [{}, {"condenser": None}, {"condenser": None, "hard_condenser": None}])
def test_t_set_10_no_condenser_looks_up_nothing(given: dict[str, Any]):
    """T-SET-10: R-SET-7, R-SET-24."""
    saved = catalogue("main", roles={"condenser": "nowhere"})

    assert summary_profile(settings(**given), saved) is None
    assert looks(saved) == []


def test_t_set_11_a_missing_fallback_profile_fails_with_its_code_and_borrows_nobody():
    """T-SET-11, the lookup's part: R-SET-28, R-BIND-2, R-CODE-1."""
    saved = catalogue("main", "role", roles={"main": "main", "condenser": "role"})

    with pytest.raises(ProfileError) as caught:
        summary_profile(settings(condenser={"condenser_kind": "agent_reset"}, hard_condenser=FALLBACK), saved)

    assert caught.value.code == "hard_condenser_profile_not_found"
    assert "'summary'" in caught.value.message
    assert isinstance(saved.profiles, Watched)
    assert set(saved.profiles.looks) <= {"summary", "all"}  # "all": the names, for the message


@pytest.mark.parametrize("kind", ["llm_summarizing", "summarizing_window"])
def test_r_bind_2_a_missing_summary_profile_of_another_kind_is_profile_not_found(kind: str):
    """R-BIND-2, R-SET-29."""
    with pytest.raises(ProfileError) as caught:
        summary_profile(settings(condenser={"condenser_kind": kind, "llm_profile_ref": "gone"}), catalogue("main"))

    assert caught.value.code == "profile_not_found"
    assert "'gone'" in caught.value.message


def test_r_set_29_a_window_uses_its_own_profile_or_the_main_binding_of_the_moment():
    """R-SET-29."""
    saved = catalogue("main", "own", roles={"condenser": "main"})
    window = {"condenser_kind": "summarizing_window"}

    assert summary_profile(settings(condenser=window), saved) is None
    assert looks(saved) == []
    found = summary_profile(settings(condenser={**window, "llm_profile_ref": "own"}), saved)
    assert found is not None
    assert found.name == "own"


def test_r_prof_1_profiles_given_in_python_are_checked_like_saved_ones():
    """R-PROF-1, R-PROF-4."""
    made = LLMProfile(model="practice")

    assert profiles_of({" main ": made, "summary": {"model": "practice/late"}}) == {
        "main": made,
        "summary": LLMProfile(model="practice/late"),
    }
    with pytest.raises(SettingsError):
        profiles_of({"main": made, "main ": made})
    with pytest.raises(SettingsError):
        profiles_of({"main": "practice"})
