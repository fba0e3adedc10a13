"""What can be set about an agent: its condenser, its fallback, its limits (contract, sections 2.2 to 2.5).

"Absent" and "null" differ for some fields, so a model remembers which of its fields were given and writes only those.
"""

from __future__ import annotations

from typing import Annotated, Any, Self, cast

from pydantic import Field, PlainValidator, SerializeAsAny, field_validator
from pydantic import ValidationInfo as Info

from .policies import CONDENSERS, CondenserSettings, HardCondenserSettings
from .policies.agent_reset import AgentResetSettings
from .policies.no_op import NoOpSettings
from .validation import Name, OpenSettings, refusal

Seconds = Annotated[float, Field(gt=0)]


def _of_its_kind(value: Any) -> CondenserSettings:
    """The settings of a condenser, read by the class of its kind (R-SET-13, R-PYD-2)."""
    if isinstance(value, CondenserSettings):
        return value
    if not isinstance(value, dict):
        raise refusal("an object with a condenser_kind, or null", allowed=CONDENSERS)
    given = cast("dict[Any, Any]", value)
    kind = given.get("condenser_kind", "llm_summarizing")
    kind = "no_op" if kind == "noop" else kind
    if not isinstance(kind, str) or kind not in CONDENSERS:
        raise refusal("one of these kinds", allowed=CONDENSERS, at="condenser_kind")
    return CONDENSERS[kind].model_validate({**given, "condenser_kind": kind})


Condenser = Annotated[SerializeAsAny[CondenserSettings], PlainValidator(_of_its_kind)]


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
    def effective_condenser(self) -> CondenserSettings:
        """The condenser in force: `no_op` when there is none or it is disabled (R-SET-7, R-SET-21)."""
        return self.condenser if self.condenser is not None and self.condenser.enabled else NoOpSettings()

    def without_unknown_keys(self) -> Self:
        """These settings as a conversation freezes them: what other programs keep in the file stays out of the log."""
        return type(self)(
            **{name: getattr(self, name) for name in self.model_fields_set & set(type(self).model_fields)}
        )
