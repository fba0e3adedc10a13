"""What can be set about an agent: its condenser, its fallback, its limits (contract, sections 2.2 to 2.5).

"Absent" and "null" differ for some fields, so a model remembers which of its fields were given and writes only those.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal, Self, cast

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, field_validator
from pydantic import ValidationInfo as Info

from .base import Many
from .validation import Name, OpenSettings, SettingsModel, refusal

CONDENSER_KINDS = ("agent_reset", "new_context", "llm_summarizing", "summarizing_window", "no_op")

Attempts = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(gt=0, lt=1)]
Seconds = Annotated[float, Field(gt=0)]


def _ascending(thresholds: tuple[float, ...]) -> tuple[float, ...]:
    if not thresholds or any(low >= high for low, high in pairwise(thresholds)):
        raise refusal("at least one number, each larger than the one before")
    return thresholds


WarningThresholds = Annotated[Many[Annotated[float, Field(gt=0, le=1)]], AfterValidator(_ascending)]
"""Shares of the input limit at which the agent is warned: above 0, at most 1, strictly ascending (R-SET-14)."""


class CondenserSettings(SettingsModel):
    """What every condenser kind has. `enabled: false` builds nothing and behaves as `no_op` (R-SET-21)."""

    enabled: bool = True


class AgentResetSettings(CondenserSettings):
    """The agent resets its own context with the tool `condense`; warnings advise it (R-SET-8)."""

    condenser_kind: Literal["agent_reset"] = "agent_reset"
    warning_thresholds: WarningThresholds = (0.75, 0.80, 0.85, 0.90)
    conversation_history: bool = True
    """Offer the tool that searches the stored record."""


class NewContextSettings(CondenserSettings):
    """The agent starts a new context with the tool `new_context` and a handoff (R-SET-9)."""

    condenser_kind: Literal["new_context"] = "new_context"


class LLMSummarizingSettings(CondenserSettings):
    """The harness summarises a range by size or tokens, with a profile of its own (R-SET-10)."""

    condenser_kind: Literal["llm_summarizing"] = "llm_summarizing"
    llm_profile_ref: Name | None = None
    """The summary's profile; else the role `condenser` (R-SET-29)."""
    max_size: int = Field(default=1000, ge=20)
    """Entries of the view above which a summary is made."""
    max_tokens: Annotated[int, Field(gt=0)] | None = None
    """Ask `token_trigger`: absent and null differ (R-SET-16)."""
    keep_first: int = Field(default=2, ge=0)
    minimum_progress: Share = 0.1
    """The least share of all entries that a summary has to replace."""
    hard_context_reset_max_retries: Attempts = 5
    """All attempts at one summary, the first included (R-SET-25)."""
    hard_context_reset_context_scaling: Share = 0.8
    """How much of the longest preview is left at the next attempt."""

    @field_validator("keep_first")
    @classmethod
    def _leaves_room(cls, keep_first: int, info: Info) -> int:
        max_size = info.data.get("max_size")
        if max_size is not None and max_size // 2 - keep_first - 1 <= 0:
            raise refusal("at most max_size // 2 - 2, or no cut could make room")
        return keep_first

    def token_trigger(self, input_limit: int | None) -> int | None:
        """Tokens above which a summary is made, given the main input limit; None for no token trigger (R-SET-16)."""
        return self.max_tokens if "max_tokens" in self.model_fields_set else input_limit


class ProactiveSettings(SettingsModel):
    """At which share of the input limit a window is summarised before it overflows."""

    compression_threshold: float = Field(gt=0, le=1)


def _switch_or_object(value: Any) -> str:
    return "switch" if isinstance(value, bool) else "object"


Proactive = Annotated[
    Annotated[bool, Tag("switch")] | Annotated[ProactiveSettings, Tag("object")], Discriminator(_switch_or_object)
]


class SummarizingWindowSettings(CondenserSettings):
    """The harness summarises the oldest messages, then cuts long texts (R-SET-11)."""

    condenser_kind: Literal["summarizing_window"] = "summarizing_window"
    llm_profile_ref: Name | None = None
    """The summary's profile; else the main binding of the moment (R-SET-29)."""
    summary_ratio: Annotated[Share, AfterValidator(lambda ratio: min(max(ratio, 0.1), 0.8))] = 0.3
    """The share of messages that one reduction replaces, held within 0.1 and 0.8 (R-SET-18)."""
    preserve_recent_messages: int = Field(default=10, ge=0)
    pin_first: int = Field(default=0, ge=0)
    proactive_compression: Proactive | None = None
    """Ask `proactive_threshold` (R-SET-19)."""
    truncate_preserve_chars: int = 2000
    """Characters kept at each end of a cut text; 0 or less: nothing is cut (R-WIN-17)."""

    @field_validator("proactive_compression", mode="before")
    @classmethod
    def _is_switch_or_object(cls, value: Any) -> Any:
        if value is not None and not isinstance(value, bool | dict | ProactiveSettings):
            raise refusal('true, false, null or {"compression_threshold": a number above 0, at most 1}')
        return cast("Any", value)

    @property
    def proactive_threshold(self) -> float | None:
        """The share of the input limit at which to summarise ahead; None when that is off."""
        match self.proactive_compression:
            case ProactiveSettings(compression_threshold=threshold):
                return threshold
            case True:
                return 0.7
            case _:
                return None


class NoOpSettings(CondenserSettings):
    """Nothing is condensed; the context only grows (R-SET-12)."""

    condenser_kind: Literal["no_op"] = "no_op"


class HardCondenserSettings(SettingsModel):
    """The fallback of `agent_reset`: a summary by its own profile, after a real overflow (R-SET-22)."""

    condenser_kind: Literal["llm_summarizing"]
    llm_profile_ref: Name
    hard_context_reset_max_retries: Attempts = 5
    hard_context_reset_context_scaling: Share = 0.8


def _with_kind(value: Any) -> Any:
    """Name the kind before the union looks at it: pydantic's discriminator can read, not rewrite (R-PYD-2)."""
    if isinstance(value, CondenserSettings):
        return value
    if not isinstance(value, dict):
        raise refusal("an object with a condenser_kind, or null", allowed=CONDENSER_KINDS)
    given = cast("dict[Any, Any]", value)
    kind = given.get("condenser_kind", "llm_summarizing")
    kind = "no_op" if kind == "noop" else kind
    if not isinstance(kind, str) or kind not in CONDENSER_KINDS:
        raise refusal("one of the five kinds", allowed=CONDENSER_KINDS, at="condenser_kind")
    return {**given, "condenser_kind": kind}


AnyCondenser = (
    AgentResetSettings | NewContextSettings | LLMSummarizingSettings | SummarizingWindowSettings | NoOpSettings
)
Condenser = Annotated[Annotated[AnyCondenser, Field(discriminator="condenser_kind")], BeforeValidator(_with_kind)]


class AgentSettings(OpenSettings):
    """What stands under `settings.agent_settings`; frozen into a conversation when it starts (R-BIND-1).

    Other programs share the file, so unknown keys are kept here; `settings_files.unknown_keys` reports them (R-SET-5).
    """

    llm_profile_ref: Name | None = None
    """The main profile; else the role `main` (R-SET-3)."""
    condenser: Condenser | None = None
    """Absent, null, or disabled: ask `effective_condenser` (R-SET-7)."""
    hard_condenser: HardCondenserSettings | None = None

    max_http_requests: int = Field(default=3, ge=1)
    """HTTP requests in all for one main request, repeats included."""
    retry_after_max_seconds: Seconds | None = 60
    """A longer Retry-After ends the repeats. Here and below null means no limit."""
    idle_timeout_seconds: Seconds | None = 60
    call_timeout_seconds: Seconds | None = 600
    """For every model call, from its start to its last byte."""
    max_steps_per_run: int = Field(default=200, ge=1)
    run_timeout_seconds: Seconds | None = None
    python_timeout_seconds: Seconds | None = None

    @field_validator("hard_condenser")
    @classmethod
    def _only_beside_agent_reset(
        cls, fallback: HardCondenserSettings | None, info: Info
    ) -> HardCondenserSettings | None:
        condenser = info.data.get("condenser")
        lawful = isinstance(condenser, AgentResetSettings) and condenser.enabled
        # A condenser that is itself wrong is missing here, and has its own error.
        if fallback is not None and not lawful and "condenser" in info.data:
            raise refusal('null, or a condenser of kind "agent_reset" beside it that is enabled')
        return fallback

    @property
    def effective_condenser(self) -> AnyCondenser:
        """The condenser in force: `no_op` when there is none or it is disabled (R-SET-7, R-SET-21)."""
        return self.condenser if self.condenser is not None and self.condenser.enabled else NoOpSettings()

    def without_unknown_keys(self) -> Self:
        """These settings as a conversation freezes them: what other programs keep in the file stays out of the log."""
        return type(self)(
            **{name: getattr(self, name) for name in self.model_fields_set & set(type(self).model_fields)}
        )
