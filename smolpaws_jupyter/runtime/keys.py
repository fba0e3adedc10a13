"""Where keys come from: the environment, the OS keyring, or a person who types one (R-PROF-4, R-PROF-6, R-BIND-8).

A key is read when it is needed and never written anywhere.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import NoReturn

from .redaction import Redactor, is_secret_name


class Secret:
    """A value that does not show itself. Only `reveal` gives it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself; for the one call that sends it."""
        return self._value

    def __repr__(self) -> str:
        return "Secret([hidden])"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not pickled or copied to another process")


class MissingKey(Exception):
    """A key could not be found. `reference` says where it was looked for; the text says the next step."""

    def __init__(self, reference: str, text: str) -> None:
        super().__init__(text)
        self.reference = reference


class Keys:
    """Resolves key references, keeps typed keys in memory, and tells its redactor about each key it hands out."""

    def __init__(self, environ: Mapping[str, str] | None = None, redactor: Redactor | None = None) -> None:
        self._environ = os.environ if environ is None else environ
        self._typed: dict[str, Secret] = {}
        self.redactor = redactor or Redactor()
        self.redactor.learn_environment(self._environ)

    def enter(self, profile: str, key: str) -> None:
        """Keep a typed key for a profile, in memory only; replaces an earlier one."""
        key = key.strip()
        if not key:
            raise ValueError(f"The key for profile {profile!r} is empty.")
        self.redactor.learn(key)
        self._typed[profile] = Secret(key)

    def has_entered(self, profile: str) -> bool:
        """Whether a key was typed for this profile."""
        return profile in self._typed

    def resolve(self, reference: str | None, profile: str) -> Mapping[str, Secret]:
        """The secrets behind a reference: none for None, `{"api_key": ...}` for one key, all variables for `env:A+B`.

        May block on the OS keyring. Raises `MissingKey`. A typed key wins over the reference.
        """
        found = self._resolve(reference, profile)
        self.redactor.learn_environment(self._environ)
        self.redactor.learn(*(s.reveal() for name, s in found.items() if name == "api_key" or is_secret_name(name)))
        return MappingProxyType(found)

    def _resolve(self, reference: str | None, profile: str) -> dict[str, Secret]:
        if profile in self._typed:
            return {"api_key": self._typed[profile]}
        if reference is None:
            return {}
        kind, _, rest = reference.partition(":")
        match kind:
            case "env":
                return self._from_environment(rest.split("+"), reference)
            case "keyring":
                return {"api_key": _from_keyring(*rest.split("/", 1), reference=reference)}
            case "prompt":
                step = f"Enter it with paws.enter_key({profile!r})."
                raise MissingKey(reference, f"No key was entered for profile {profile!r}. {step}")
            case _:
                raise MissingKey(reference, "A key reference is env:NAME, keyring:SERVICE/USER or prompt.")

    def _from_environment(self, names: list[str], reference: str) -> dict[str, Secret]:
        values = {name: self._environ.get(name, "").strip() for name in names}
        missing = [name for name, value in values.items() if not value]
        if missing:
            variables = " and ".join(missing)
            step = "Set it in the environment of the kernel, or name another apiKeyRef in the profile."
            raise MissingKey(reference, f"No key: the environment variable {variables} is not set. {step}")
        secrets = {name: Secret(value) for name, value in values.items()}
        return secrets if len(secrets) > 1 else {"api_key": secrets[names[0]]}


def _from_keyring(service: str, user: str, *, reference: str) -> Secret:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        step = "Install it with: pip install smolpaws-jupyter[keyring]"
        raise MissingKey(reference, f"The keyring package is not installed. {step}") from None
    try:
        value = keyring.get_password(service, user)
    except KeyringError as error:
        text = f"The OS keyring could not be read ({type(error).__name__}). Unlock it, or use env:NAME or prompt."
        raise MissingKey(reference, text) from None
    if not value:
        step = f"Store it with: keyring set {service} {user}"
        raise MissingKey(reference, f"The OS keyring has no key for {service}/{user}. {step}")
    return Secret(value)
