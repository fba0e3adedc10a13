"""A saved profile (which model, where, with which key reference) and the binding that a conversation keeps of it.

Neither holds a secret: a key stands behind a reference, and what looks like a key is refused unrepeated (R-PROF-4).
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import re
from collections.abc import Iterator
from typing import Annotated, Any, Self, cast

from pydantic import AfterValidator, ConfigDict, Field, JsonValue, model_validator
from pydantic.alias_generators import to_camel

from .base import Frozen, NonEmpty
from .validation import Name, OpenSettings, refusal

_REFERENCE = re.compile(r"env:[A-Za-z_]\w*(\+[A-Za-z_]\w*)*|keyring:\S[^/]*/.*\S|prompt", re.ASCII)
_REFERENCES = ("env:NAME", "keyring:SERVICE/USER", "prompt")


def _is_reference(text: str) -> str:
    if not _REFERENCE.fullmatch(text):
        raise refusal("a reference to a key, never the key itself", allowed=_REFERENCES)
    return text


KeyRef = Annotated[str, AfterValidator(_is_reference)]
"""Where a key comes from: `env:NAME` (or `env:A+B`), `keyring:SERVICE/USER` or `prompt`."""

_URL = re.compile(r"https?://(?P<host>\[[0-9A-Fa-f:.%]+\]|[^\s\\/?#@:\[\]]+)(:\d{1,5})?(/[^\s\\?#]*)?", re.IGNORECASE)


def _is_plain_url(text: str) -> str:
    if not _URL.fullmatch(text):
        raise refusal("an http or https URL without user info, query or fragment, such as http://127.0.0.1:8000/v1")
    return text


BaseUrl = Annotated[str, AfterValidator(_is_plain_url)]
TokenLimit = Annotated[int, Field(gt=0)]
Params = dict[str, JsonValue]
"""Non-secret options that go along with every request, such as `temperature`."""

# Names are compared without case and punctuation: apiKey, api_key and X-Api-Key are one.
_SECRET_NAME = re.compile(
    r"(api|access|secret)key$|(api|access|auth|session|bearer|ad)token$|(secret|password|authorization)$"
    r"|^(token|bearer|cookie)$"
)
_SECRET_VALUE = re.compile(
    r"^\s*bearer\s+[\w.~+/=-]{8,}\s*$"  # a header
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|\b(sk-|AIza|gh[pousr]_|AKIA)[\w-]{16,}"  # shapes of well-known providers
    r"|://[^/?#\s:]*:[^/?#\s@]*@",  # user and password of a URL
    re.IGNORECASE,
)
# Options that would bypass the digest or the budget if they stood in params.
_OWN_FIELD = {
    "model": "model",
    "apibase": "baseUrl",
    "baseurl": "baseUrl",
    "maxtokens": "maxOutputTokens",
    "maxcompletiontokens": "maxOutputTokens",
    "maxoutputtokens": "maxOutputTokens",
}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _secrets(value: JsonValue, path: str, name: str = "") -> Iterator[str]:
    """The places at and below `path` that hold what looks like a secret."""
    if isinstance(value, str):
        if value and (_SECRET_NAME.search(_plain(name)) or _SECRET_VALUE.search(value)):
            yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _secrets(item, f"{path}.{key}".lstrip("."), key)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _secrets(item, f"{path}[{number}]", name)


class LLMProfile(OpenSettings):
    """A saved choice of model: snake_case in Python, camelCase in the file; unknown keys are kept (R-PROF-1)."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, validate_by_alias=True)

    model: Name
    """A litellm model name, `practice`, `practice/<habit>` or `local:<path of a GGUF file>`."""
    base_url: BaseUrl | None = None
    max_input_tokens: TokenLimit | None = None
    """The yardstick for warnings and capacity checks. Never sent (R-PROF-3)."""
    max_output_tokens: TokenLimit | None = None
    """Sent with every request (R-EMERG-7)."""
    api_key_ref: KeyRef | None = None
    params: Params | None = None

    @model_validator(mode="before")
    @classmethod
    def _spells_each_field_once(cls, value: Any) -> Any:
        if isinstance(value, dict):
            for name, field in cls.model_fields.items():
                if field.alias != name and name in value and field.alias in value:
                    raise refusal(f"only one of the spellings {field.alias!r} and {name!r}", at=name)
        return cast("Any", value)

    @model_validator(mode="after")
    def _holds_no_secret(self) -> Self:
        for path in _secrets({**self.unknown, "params": self.params}, ""):
            raise refusal("no key in plain text here, but a reference to it in apiKeyRef", allowed=_REFERENCES, at=path)
        for name in self.params or {}:
            if field := _OWN_FIELD.get(_plain(name)):
                raise refusal(f"this option in the profile's own field {field!r}", at=f"params.{name}")
        return self


class Binding(Frozen):
    """The frozen, secret-free copy of a profile that a conversation uses (R-BIND-3). All limits are in tokens."""

    model_config = ConfigDict(hide_input_in_errors=True)

    profile: NonEmpty
    model: NonEmpty
    base_url: BaseUrl | None = None
    max_input_tokens: TokenLimit | None = None
    max_output_tokens: TokenLimit | None = None
    params: Params | None = None
    api_key_ref: KeyRef | None = None
    digest: NonEmpty
    """Two bindings with one digest measure alike: same profile name, provider, model and base URL."""


def bind(profile_name: str, profile: LLMProfile, *, api_key_ref: str | None = None) -> Binding:
    """Freeze a profile. Reads no key and sends nothing (R-BIND-4).

    `api_key_ref` is the provider's own variable, such as `env:OPENAI_API_KEY`, for a profile without a reference; a
    model that needs no key gets none (R-PROF-6).
    """
    name = profile_name.strip()
    default_ref = None if needs_no_key(profile.model, profile.base_url) else api_key_ref
    return Binding(
        profile=name,
        model=profile.model,
        base_url=profile.base_url,
        max_input_tokens=profile.max_input_tokens,
        max_output_tokens=profile.max_output_tokens,
        params=profile.params,
        api_key_ref=profile.api_key_ref or default_ref,
        digest=binding_digest(name, profile.model, profile.base_url),
    )


def binding_digest(profile_name: str, model: str, base_url: str | None) -> str:
    """What tells bindings apart, as 64 hex digits; no secret and no limit takes part (R-BIND-3)."""
    parts = {"profile": profile_name, "provider": provider_of(model), "model": model, "base_url": base_url}
    return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def provider_of(model: str) -> str:
    """The provider that a model name begins with: "anthropic" in "anthropic/claude-sonnet-4-5", else ""."""
    provider, slash, _ = model.partition("/")
    return provider if slash else ""


def is_practice(model: str) -> bool:
    """Whether this is the built-in practice model, in one of its habits."""
    return provider_of(model) == "practice" or model == "practice"


def is_local(model: str) -> bool:
    """Whether this is a model file that runs in this process."""
    return model.startswith("local:")


def needs_no_key(model: str, base_url: str | None = None) -> bool:
    """Whether a model is asked without a key unless its profile names one: nothing leaves this machine."""
    return is_practice(model) or is_local(model) or (base_url is not None and is_loopback(base_url))


def is_loopback(base_url: str) -> bool:
    """Whether a base URL names this machine: localhost, 127.0.0.0/8 or ::1."""
    match = _URL.fullmatch(base_url)
    host = match["host"].strip("[]").rstrip(".").lower() if match else ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = cast("ipaddress.IPv4Address | None", getattr(address, "ipv4_mapped", None))
    return (mapped or address).is_loopback
