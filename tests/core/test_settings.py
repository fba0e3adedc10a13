"""What can be set about an agent, what is refused, and how it is written back (contract, sections 2.2 to 2.5)."""

from __future__ import annotations

import json
import math
import traceback
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from smolpaws_jupyter.core.errors import SettingsError
from smolpaws_jupyter.core.policies import CONDENSERS, HardCondenserSettings
from smolpaws_jupyter.core.policies.agent_reset import AgentResetSettings
from smolpaws_jupyter.core.policies.llm_summarizing import LLMSummarizingSettings
from smolpaws_jupyter.core.policies.no_op import NoOpSettings
from smolpaws_jupyter.core.policies.summarizing_window import SummarizingWindowSettings
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.core.validation import checked

NAN, INFINITY = math.nan, math.inf
FALLBACK = {"condenser_kind": "llm_summarizing", "llm_profile_ref": "summary"}
RESET = {"condenser_kind": "agent_reset"}


def settings(**given: Any) -> AgentSettings:
    return checked(AgentSettings, given)


def condenser(kind: str | None = None, **given: Any) -> Any:
    return settings(condenser={"condenser_kind": kind, **given} if kind else given).condenser


def written(value: AgentSettings) -> Any:
    return json.loads(value.model_dump_json())


def refusal_of(**given: Any) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        settings(**given)
    return caught.value


# Round trips


def test_t_set_01_agent_reset_alone_has_four_thresholds_and_no_fallback():
    """T-SET-01: R-SET-8, R-SET-24."""
    alone = settings(condenser=RESET)

    assert isinstance(alone.condenser, AgentResetSettings)
    assert alone.condenser.enabled
    assert alone.condenser.conversation_history
    assert alone.condenser.warning_thresholds == (0.75, 0.80, 0.85, 0.90)
    assert alone.hard_condenser is None
    assert "hard_condenser" not in alone.model_fields_set


def test_t_set_02_null_stays_null_and_omitted_stays_omitted():
    """T-SET-02: R-SET-24, R-SET-30, R-PYD-3."""
    assert written(settings(condenser=RESET, hard_condenser=None)) == {"condenser": RESET, "hard_condenser": None}
    assert written(settings(condenser=RESET)) == {"condenser": RESET}
    assert written(settings(condenser=AgentResetSettings())) == {"condenser": RESET}


def test_t_set_03_own_thresholds_and_fallback_numbers_are_equal_after_a_round_trip():
    """T-SET-03: R-SET-14, R-SET-22."""
    mine = {
        "condenser": {**RESET, "warning_thresholds": [0.5, 0.9, 1]},
        "hard_condenser": {
            **FALLBACK,
            "hard_context_reset_max_retries": 2,
            "hard_context_reset_context_scaling": 0.5,
        },
    }

    assert written(settings(**mine)) == mine
    assert settings(**written(settings(**mine))) == settings(**mine)


def test_t_set_08_an_untouched_settings_object_writes_no_default_but_the_kind():
    """T-SET-08: R-SET-30."""
    assert written(AgentSettings()) == {}
    for kind in CONDENSERS:
        assert written(settings(condenser={"condenser_kind": kind})) == {"condenser": {"condenser_kind": kind}}


def test_r_prof_1_references_are_trimmed():
    """R-SET-10, R-SET-22, R-PROF-1."""
    padded = settings(
        llm_profile_ref=" main\n", condenser=RESET, hard_condenser={**FALLBACK, "llm_profile_ref": "\tsummary "}
    )

    assert padded.llm_profile_ref == "main"
    assert padded.hard_condenser is not None
    assert padded.hard_condenser.llm_profile_ref == "summary"


# Thresholds


@pytest.mark.parametrize(
    "thresholds",
    [
        [],
        [0],
        [-0.1],
        [1.01],
        [75, 80],
        [0.9, 0.8],
        [0.8, 0.8],
        [NAN],
        [0.5, INFINITY],
        ["0.75"],
        [True],
        [None],
        [[0.5]],
        [10**400],
        None,
        0.75,
        "0.75",
        {"0.75": 1},
    ],
)
def test_t_set_04_these_warning_thresholds_are_refused(thresholds: Any):
    """T-SET-04: R-SET-14, R-SET-15, R-PYD-1."""
    error = refusal_of(condenser={**RESET, "warning_thresholds": thresholds})

    assert error.path.startswith("condenser.warning_thresholds")


@pytest.mark.parametrize("thresholds", [[1], [0.0001], [0.5, 1], (0.2, 0.3)])
def test_t_set_04_ascending_shares_up_to_one_are_accepted(thresholds: Any):
    """T-SET-04: R-SET-14."""
    assert condenser("agent_reset", warning_thresholds=thresholds).warning_thresholds == tuple(thresholds)


# Kinds


@pytest.mark.parametrize("key", ["max_size", "max_tokens", "keep_first", "llm_profile_ref", "warning_treshold", "hard"])
def test_t_set_05_agent_reset_refuses_the_fields_of_other_kinds(key: str):
    """T-SET-05: R-SET-6, R-SET-20."""
    error = refusal_of(condenser={**RESET, key: None})

    assert error.path == f"condenser.{key}"
    assert error.allowed == ("enabled", "condenser_kind", "warning_thresholds", "conversation_history")


@pytest.mark.parametrize("key", ["max_size", "warning_thresholds", "conversation_history", "llm_profile_ref", "x"])
def test_t_set_05_new_context_refuses_everything_but_enabled(key: str):
    """T-SET-05: R-SET-9, R-SET-20."""
    error = refusal_of(condenser={"condenser_kind": "new_context", key: 1})

    assert error.path == f"condenser.{key}"
    assert error.allowed == ("enabled", "condenser_kind")


@pytest.mark.parametrize("kind", CONDENSERS)
def test_r_set_6_a_typo_names_the_key_and_the_one_that_was_meant(kind: str):
    """R-SET-6."""
    error = refusal_of(condenser={"condenser_kind": kind, "enabld": True})

    assert error.path == "condenser.enabld"
    assert "'enabld' may be a slip for 'enabled'" in str(error)
    assert "Allowed: enabled, " in str(error)


def test_r_set_6_a_model_that_is_made_in_python_names_the_allowed_keys_too():
    """R-SET-6, R-PYD-6."""
    with pytest.raises(ValidationError, match=r"max_sise.*slip for 'max_size'.*allowed: .*max_size") as caught:
        LLMSummarizingSettings(max_sise="sk-canary")  # type: ignore[call-arg]

    assert "sk-canary" not in str(caught.value)


def test_t_set_13_a_missing_kind_is_llm_summarizing_and_noop_is_no_op():
    """T-SET-13: R-SET-13, R-PYD-2."""
    assert isinstance(condenser(), LLMSummarizingSettings)
    assert isinstance(condenser(max_size=50), LLMSummarizingSettings)
    assert isinstance(condenser("noop"), NoOpSettings)
    assert written(settings(condenser={"condenser_kind": "noop"})) == {"condenser": {"condenser_kind": "no_op"}}
    assert written(settings(condenser={})) == {"condenser": {"condenser_kind": "llm_summarizing"}}


@pytest.mark.parametrize("kind", ["reset", "", "AGENT_RESET", None, 5, True, [], {}, ["agent_reset"], {"a": 1}])
def test_t_set_13_another_kind_is_an_error_that_lists_the_five(kind: Any):
    """T-SET-13: R-SET-13, R-PYD-2."""
    error = refusal_of(condenser={"condenser_kind": kind})

    assert error.path == "condenser.condenser_kind"
    assert error.allowed == tuple(CONDENSERS)


@pytest.mark.parametrize("value", ["agent_reset", 5, True, [], [RESET], 0.5])
def test_t_set_13_a_condenser_that_is_no_object_is_an_error_that_lists_the_five(value: Any):
    """T-SET-13: R-SET-13, R-PYD-2."""
    error = refusal_of(condenser=value)

    assert error.path == "condenser"
    assert error.allowed == tuple(CONDENSERS)


def test_t_set_14_max_tokens_has_three_states_that_survive_a_round_trip():
    """T-SET-14: R-SET-16; the triggers are R-ORD-1's."""
    for given_, trigger in [({}, 400_000), ({"max_tokens": None}, None), ({"max_tokens": 1000}, 1000)]:
        once = condenser("llm_summarizing", **given_)
        again = condenser(**json.loads(once.model_dump_json()))

        assert json.loads(again.model_dump_json()) == {"condenser_kind": "llm_summarizing", **given_}
        assert again.token_trigger(400_000) == trigger
    assert condenser("llm_summarizing").token_trigger(None) is None


def test_t_set_15_a_size_that_leaves_no_room_for_a_cut_is_refused():
    """T-SET-15: R-SET-10, R-SET-17."""
    assert refusal_of(condenser={"max_size": 20, "keep_first": 9}).path == "condenser.keep_first"
    assert condenser(max_size=20, keep_first=8).keep_first == 8
    assert condenser(max_size=20).keep_first == 2
    assert refusal_of(condenser={"keep_first": 499}).path == "condenser.keep_first"


def test_t_set_16_a_ratio_is_held_within_a_tenth_and_eight_tenths():
    """T-SET-16: R-SET-11, R-SET-18."""
    for given_, stored in [(0.05, 0.1), (0.9, 0.8), (0.1, 0.1), (0.8, 0.8), (0.3, 0.3)]:
        made = settings(condenser={"condenser_kind": "summarizing_window", "summary_ratio": given_})
        assert written(made)["condenser"]["summary_ratio"] == stored


def test_t_set_17_proactive_compression_is_a_switch_or_a_threshold():
    """T-SET-17: R-SET-19."""
    for given_, threshold in [
        (True, 0.7),
        (False, None),
        (None, None),
        ({"compression_threshold": 1}, 1),
        ({"compression_threshold": 0.25}, 0.25),
    ]:
        made = settings(condenser={"condenser_kind": "summarizing_window", "proactive_compression": given_})
        assert isinstance(made.condenser, SummarizingWindowSettings)
        assert made.condenser.proactive_threshold == threshold
        assert written(made)["condenser"]["proactive_compression"] == given_
    assert condenser("summarizing_window").proactive_threshold is None


@pytest.mark.parametrize(
    "value",
    [0, 1, -1, 1.1, 0.7, "on", [], {}]
    + [{"compression_threshold": bad} for bad in (0, -1, 1.1, "0.7", True, None, NAN)]
    + [{"compression_threshold": 0.7, "extra": 1}, {"threshold": 0.7}],
)
def test_t_set_17_anything_else_is_an_error(value: Any):
    """T-SET-17: R-SET-19."""
    error = refusal_of(condenser={"condenser_kind": "summarizing_window", "proactive_compression": value})

    assert error.path.startswith("condenser.proactive_compression")


REFUSED: dict[tuple[str, str], list[Any]] = {
    ("agent_reset", "enabled"): [None, 0, 1, "true", []],
    ("agent_reset", "conversation_history"): [None, 0, "no"],
    ("new_context", "enabled"): [None, 1],
    ("no_op", "enabled"): [None, 1],
    ("llm_summarizing", "llm_profile_ref"): ["", "  ", 5, True, []],
    ("llm_summarizing", "max_size"): [19, 0, -1, 1000.0, 1.5, "1000", True, None, NAN, INFINITY],
    ("llm_summarizing", "max_tokens"): [0, -1, 5.0, 1.5, "1000", True, NAN],
    ("llm_summarizing", "keep_first"): [-1, 2.0, "2", True, None],
    ("llm_summarizing", "minimum_progress"): [0, 1, -0.1, 1.1, "0.1", True, None, NAN],
    ("llm_summarizing", "hard_context_reset_max_retries"): [0, -1, 1.5, 5.0, "5", True, None],
    ("llm_summarizing", "hard_context_reset_context_scaling"): [0, 1, 1.5, "0.8", True, None, INFINITY],
    ("summarizing_window", "llm_profile_ref"): ["", " ", 1],
    ("summarizing_window", "summary_ratio"): [0, 1, 75, -0.3, "0.3", True, None, NAN],
    ("summarizing_window", "preserve_recent_messages"): [-1, 10.0, 1.5, "10", True, None],
    ("summarizing_window", "pin_first"): [-1, 1.0, "1", False, None],
    ("summarizing_window", "truncate_preserve_chars"): [2000.0, 1.5, "2000", True, None],
}


@pytest.mark.parametrize(
    ("kind", "field", "value"), [(kind, field, bad) for (kind, field), values in REFUSED.items() for bad in values]
)
def test_r_set_15_numbers_are_never_coerced_and_bounds_hold(kind: str, field: str, value: Any):
    """R-SET-8 to R-SET-12, R-SET-15; T-SET-16 for the ratio."""
    assert refusal_of(condenser={"condenser_kind": kind, field: value}).path == f"condenser.{field}"


def test_r_set_8_to_12_the_defaults_of_every_kind():
    """R-SET-8 to R-SET-12, R-STR-8."""
    summarizing, window = condenser("llm_summarizing"), condenser("summarizing_window")

    assert summarizing.max_size == 1000
    assert (summarizing.keep_first, summarizing.minimum_progress, summarizing.llm_profile_ref) == (2, 0.1, None)
    assert summarizing.hard_context_reset_max_retries == 5
    assert summarizing.hard_context_reset_context_scaling == 0.8
    assert (window.summary_ratio, window.preserve_recent_messages, window.pin_first) == (0.3, 10, 0)
    assert (window.truncate_preserve_chars, window.llm_profile_ref) == (2000, None)
    assert all(condenser(kind).enabled for kind in CONDENSERS)


@pytest.mark.parametrize("chars", [0, -5, 1])
def test_r_win_17_a_truncation_of_nothing_is_lawful(chars: int):
    """R-SET-11, R-WIN-17."""
    assert condenser("summarizing_window", truncate_preserve_chars=chars).truncate_preserve_chars == chars


# Absent, null, disabled


@pytest.mark.parametrize("given_", [{}, {"condenser": None}])
def test_t_set_21_no_condenser_behaves_as_no_op(given_: dict[str, Any]):
    """T-SET-21: R-SET-7, R-SET-12."""
    assert settings(**given_).effective_condenser == NoOpSettings()
    assert written(settings(**given_)) == given_


@pytest.mark.parametrize("kind", CONDENSERS)
def test_t_set_10_a_disabled_condenser_behaves_as_no_op_and_stays_what_it_was(kind: str):
    """T-SET-10: R-SET-21."""
    disabled = settings(condenser={"condenser_kind": kind, "enabled": False})

    assert disabled.effective_condenser == NoOpSettings()
    assert written(disabled) == {"condenser": {"condenser_kind": kind, "enabled": False}}
    assert type(settings(condenser={"condenser_kind": kind}).effective_condenser) is CONDENSERS[kind]


# The hard condenser


@pytest.mark.parametrize(
    "beside",
    [
        {},
        {"condenser": None},
        {"condenser": {}},
        {"condenser": {"condenser_kind": "llm_summarizing"}},
        {"condenser": {"condenser_kind": "summarizing_window"}},
        {"condenser": {"condenser_kind": "new_context"}},
        {"condenser": {"condenser_kind": "no_op"}},
        {"condenser": {**RESET, "enabled": False}},
    ],
)
def test_t_set_06_a_fallback_is_valid_only_beside_an_enabled_agent_reset(beside: dict[str, Any]):
    """T-SET-06: R-SET-23."""
    error = refusal_of(**beside, hard_condenser=FALLBACK)

    assert error.path == "hard_condenser"
    assert '"agent_reset"' in error.expected
    assert settings(**beside, hard_condenser=None).hard_condenser is None


def test_t_set_06_the_order_of_the_keys_does_not_matter():
    """T-SET-06: R-SET-23."""
    assert settings(hard_condenser=FALLBACK, condenser=RESET).hard_condenser is not None
    assert refusal_of(hard_condenser=FALLBACK, condenser={"condenser_kind": "no_op"}).path == "hard_condenser"


def test_r_set_23_a_condenser_that_is_itself_wrong_is_the_only_error():
    """R-SET-23."""
    error = refusal_of(condenser={**RESET, "warning_thresholds": []}, hard_condenser=FALLBACK)

    assert error.path == "condenser.warning_thresholds"
    assert error.detail == ""


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"condenser_kind": ...}, "condenser_kind"),
        ({"condenser_kind": "agent_reset"}, "condenser_kind"),
        ({"condenser_kind": None}, "condenser_kind"),
        ({"llm_profile_ref": ...}, "llm_profile_ref"),
        ({"llm_profile_ref": ""}, "llm_profile_ref"),
        ({"llm_profile_ref": " \t"}, "llm_profile_ref"),
        ({"llm_profile_ref": None}, "llm_profile_ref"),
        ({"enabled": True}, "enabled"),
        ({"max_tokens": None}, "max_tokens"),
        ({"max_size": 100}, "max_size"),
        ({"keep_first": 2}, "keep_first"),
        ({"minimum_progress": 0.1}, "minimum_progress"),
        ({"api_key": "sk-canary"}, "api_key"),
        ({"apiKey": "sk-canary"}, "apiKey"),
        ({"apiKeyRef": "env:X"}, "apiKeyRef"),
        ({"hard_context_reset_max_retries": 0}, "hard_context_reset_max_retries"),
        ({"hard_context_reset_max_retries": 1.5}, "hard_context_reset_max_retries"),
        ({"hard_context_reset_max_retries": True}, "hard_context_reset_max_retries"),
        ({"hard_context_reset_max_retries": "5"}, "hard_context_reset_max_retries"),
        ({"hard_context_reset_context_scaling": 0}, "hard_context_reset_context_scaling"),
        ({"hard_context_reset_context_scaling": 1}, "hard_context_reset_context_scaling"),
        ({"hard_context_reset_context_scaling": "0.8"}, "hard_context_reset_context_scaling"),
    ],
)
def test_t_set_07_a_fallback_is_strict(change: dict[str, Any], path: str):
    """T-SET-07: R-SET-15, R-SET-22. `...` takes a key away."""
    fallback = {key: value for key, value in {**FALLBACK, **change}.items() if value is not ...}

    error = refusal_of(condenser=RESET, hard_condenser=fallback)

    assert error.path == f"hard_condenser.{path}"
    assert "sk-canary" not in str(error)


def test_r_set_25_a_fallback_has_five_attempts_and_a_scaling_of_eight_tenths():
    """R-SET-22, R-SET-25, R-STR-8."""
    fallback = settings(condenser=RESET, hard_condenser=FALLBACK).hard_condenser

    assert isinstance(fallback, HardCondenserSettings)
    assert fallback.hard_context_reset_max_retries == 5
    assert fallback.hard_context_reset_context_scaling == 0.8


# Limits


def test_t_set_25_without_limits_the_defaults_hold():
    """T-SET-25: R-SET-33."""
    default = AgentSettings()

    assert default.max_http_requests == 3
    assert default.retry_after_max_seconds == 60
    assert default.idle_timeout_seconds == 60
    assert default.call_timeout_seconds == 600
    assert default.max_steps_per_run == 200
    assert default.run_timeout_seconds is None
    assert default.python_timeout_seconds is None


SECONDS = (
    "retry_after_max_seconds",
    "idle_timeout_seconds",
    "call_timeout_seconds",
    "run_timeout_seconds",
    "python_timeout_seconds",
)


@pytest.mark.parametrize("value", [0, -1, "60", True, NAN, INFINITY])
@pytest.mark.parametrize("limit", ["max_http_requests", "max_steps_per_run", *SECONDS])
def test_t_set_25_a_limit_that_is_no_positive_number_is_refused(limit: str, value: Any):
    """T-SET-25: R-SET-33, R-SET-15."""
    assert refusal_of(**{limit: value}).path == limit


@pytest.mark.parametrize("limit", SECONDS)
def test_t_set_25_seconds_may_be_fractions_and_null_means_no_limit(limit: str):
    """T-SET-25: R-SET-33."""
    for lawful in (None, 0.5, 30):
        made = settings(**{limit: lawful})
        assert getattr(made, limit) == lawful
        assert written(made) == {limit: lawful}


@pytest.mark.parametrize("value", [None, 2.0, 1.5])
@pytest.mark.parametrize("limit", ["max_http_requests", "max_steps_per_run"])
def test_t_set_25_a_number_of_times_is_whole_and_never_null(limit: str, value: Any):
    """T-SET-25: R-SET-33."""
    assert refusal_of(**{limit: value}).path == limit


@pytest.mark.parametrize("value", ["", " ", 5, True, []])
def test_r_prof_1_an_empty_reference_is_an_error(value: Any):
    """R-PROF-1, R-SET-15."""
    assert refusal_of(llm_profile_ref=value).path == "llm_profile_ref"


# What other programs keep in the same place


def test_t_set_18_unknown_keys_are_kept_on_writing_and_stay_out_of_a_conversation():
    """T-SET-18: R-SET-4, R-SET-5."""
    shared = settings(condenser=RESET, hard_condensr=FALLBACK, theirs={"deep": [1, None, "x"]})

    assert written(shared) == {"condenser": RESET, "hard_condensr": FALLBACK, "theirs": {"deep": [1, None, "x"]}}
    assert set(shared.unknown) == {"hard_condensr", "theirs"}
    assert written(shared.without_unknown_keys()) == {"condenser": RESET}
    assert shared.without_unknown_keys() == settings(condenser=RESET)


@pytest.mark.parametrize("key", ["model_dump", "model_fields_set", "unknown", "__init__", "effective_condenser", ""])
def test_r_set_4_a_foreign_key_may_have_any_name(key: str):
    """R-SET-4."""
    assert written(settings(**{key: 1, "condenser": RESET})) == {key: 1, "condenser": RESET}


# Messages


def test_r_pyd_6_all_problems_are_told_at_once_with_their_paths():
    """R-PYD-6."""
    with pytest.raises(SettingsError) as caught:
        checked(
            AgentSettings,
            {"max_http_requests": 0, "condenser": {**RESET, "warning_thresholds": [0.5, "x"]}},
            at="settings.agent_settings",
            source="state.json",
        )

    assert str(caught.value) == (
        "state.json: settings.agent_settings.condenser.warning_thresholds[1]: expected a number. "
        "Also: settings.agent_settings.max_http_requests: expected a number of at least 1."
    )
    assert caught.value.source == "state.json"
    assert caught.value.code == "invalid_settings"


CANARY = "sk-canary-0123456789abcdef"
PLACES: list[dict[str, Any]] = [{field: CANARY} for field in AgentSettings.model_fields if field != "llm_profile_ref"]
PLACES += [{"condenser": {"condenser_kind": kind, field: CANARY}} for kind, field in REFUSED if "ref" not in field]
PLACES += [
    {"condenser": {"condenser_kind": CANARY}},
    {"condenser": {"condenser_kind": [CANARY]}},
    {"condenser": {**RESET, "warning_thresholds": [CANARY]}},
    {"condenser": {**RESET, "warning_thresholds": {"x": CANARY}}},
    {"condenser": {**RESET, "key": CANARY}},
    {"condenser": {"condenser_kind": "summarizing_window", "proactive_compression": {"compression_threshold": CANARY}}},
    {"condenser": RESET, "hard_condenser": {**FALLBACK, "condenser_kind": CANARY}},
    {"condenser": RESET, "hard_condenser": {**FALLBACK, "api_key": CANARY}},
    {"llm_profile_ref": [CANARY]},
    {"theirs": {"deep": object(), "key": CANARY}},
]


@pytest.mark.parametrize("given_", PLACES)
def test_r_pyd_6_no_message_repeats_a_value(given_: dict[str, Any]):
    """R-PYD-6, R-SEC-2."""
    error = refusal_of(**given_)

    assert error.path
    assert error.expected
    everything = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))
    assert CANARY not in everything
    assert error.__cause__ is None
    assert error.__context__ is None

    with pytest.raises(ValidationError) as caught:
        AgentSettings(**given_)
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("value", [None, 5, "x", []])
def test_r_pyd_6_settings_that_are_no_object_are_refused(value: Any):
    """R-PYD-6."""
    with pytest.raises(SettingsError, match="settings: expected an object"):
        checked(AgentSettings, value)


def test_r_pyd_6_a_value_that_contains_itself_is_refused():
    """R-PYD-6, I-40."""
    loop: dict[str, Any] = {}
    loop["again"] = loop

    assert refusal_of(theirs=loop).path.startswith("theirs")


# Any lawful settings at all

share = st.floats(0.01, 0.99)
thresholds = st.lists(st.floats(0.001, 1), min_size=1, max_size=5, unique=True).map(sorted)
name = st.text(min_size=1, max_size=6, alphabet="ab Ж\x1f\u2003").filter(str.strip)
whole = st.integers(0, 10**6)
attempts = {
    "hard_context_reset_max_retries": st.integers(1, 9),
    "hard_context_reset_context_scaling": share,
}
enabled = {"enabled": st.booleans()}


def kind_of(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"condenser_kind": st.just(kind)}, optional={**enabled, **fields})


condensers = st.one_of(
    kind_of("agent_reset", warning_thresholds=thresholds, conversation_history=st.booleans()),
    kind_of("new_context"),
    kind_of(
        "llm_summarizing",
        llm_profile_ref=name,
        max_size=st.integers(20, 10**6),
        max_tokens=st.none() | st.integers(1),
        keep_first=st.integers(0, 8),
        minimum_progress=share,
        **attempts,
    ),
    kind_of(
        "summarizing_window",
        llm_profile_ref=name,
        summary_ratio=st.floats(0.1, 0.8),
        preserve_recent_messages=whole,
        pin_first=whole,
        proactive_compression=st.none() | st.booleans() | st.fixed_dictionaries({"compression_threshold": share}),
        truncate_preserve_chars=st.integers(-10, 10**6),
    ),
    kind_of("no_op"),
)
foreign = st.dictionaries(st.sampled_from(["theirs", "x", "", "enabled"]), st.none() | st.integers() | st.lists(name))
lawful_settings = st.builds(
    lambda ours, theirs: {**ours, **theirs},
    st.fixed_dictionaries(
        {},
        optional={
            "llm_profile_ref": name,
            "condenser": st.none() | condensers,
            "hard_condenser": st.none(),
            "max_http_requests": st.integers(1, 9),
            "max_steps_per_run": st.integers(1),
            **{limit: st.none() | st.floats(0.1, 10**6) for limit in SECONDS},
        },
    )
    | st.fixed_dictionaries(
        {
            "condenser": kind_of("agent_reset", warning_thresholds=thresholds).filter(lambda c: c.get("enabled", True)),
            "hard_condenser": st.fixed_dictionaries(
                {"condenser_kind": st.just("llm_summarizing"), "llm_profile_ref": name}, optional=attempts
            ),
        }
    ),
    foreign,
)


def trimmed(value: Any) -> Any:
    """What was given, with the references trimmed: the only change that lawful settings see (R-SET-10)."""
    if not isinstance(value, dict):
        return value
    return {k: v.strip() if k == "llm_profile_ref" else trimmed(v) if "condenser" in k else v for k, v in value.items()}


@given(lawful_settings)
def test_r_set_30_settings_are_written_as_they_were_given(raw: dict[str, Any]):
    """R-SET-24, R-SET-30, R-PYD-3, T-SET-02, T-SET-03."""
    once = settings(**raw)

    assert written(once) == trimmed(raw)
    assert settings(**written(once)) == once
    assert AgentSettings.model_validate_json(once.model_dump_json()) == once
    assert once.model_dump(mode="json") == written(once)
