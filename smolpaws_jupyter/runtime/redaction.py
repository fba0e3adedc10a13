"""Takes keys out of text: the one way into log, events, errors and messages leads through here (R-SEC-2).

Known secrets are found in whatever form they come; unknown ones by the common shapes of keys. The kernel is no sandbox:
code that means to can still disguise a key. This guards against accidents.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, cast
from urllib.parse import quote, quote_plus

HIDDEN = "[hidden]"

_SHORTEST = 8
"""Shorter values, such as a local server's key "none", would blank out ordinary words."""

_WORD = r"(?<![\w-])"
_PREFIXES = (
    *("sk-", "AIza", "ya29.", "github_pat_", "glpat-", "hf_", "gsk_", "xai-", "pplx-", "nvapi-", "r8_", "AKIA", "ASIA"),
    *(f"gh{kind}_" for kind in "pousr"),
    *(f"xox{kind}-" for kind in "abeprs"),
)

_SHAPES = re.compile(
    rf"{_WORD}(?:{'|'.join(map(re.escape, _PREFIXES))})(?=[\w.-]*\d)[\w.-]{{12,}}"
    rf"|{_WORD}eyJ[\w-]{{10,}}\.[\w-]{{10,}}\.[\w-]{{5,}}"  # JWT
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|(?P<keep>\b(?:bearer|basic)\s+|\bx-api-key['\"]?\s*[:=]\s*['\"]?)(?=[^\s'\"]*\d)[\w.~+/=-]{12,}"
    r"|(?P<keep2>[?&;](?:api[_-]?key|key|(?:access_|auth_)?token|secret|signature|sig|password)=)[^&\s'\"<>]+"
    r"|(?P<keep3>\w://)[^\s/?#@'\"<>]+(?=@)",
    re.IGNORECASE | re.DOTALL,
)
_HINTS = (
    *(prefix.lower() for prefix in _PREFIXES if not prefix.startswith("xox")),
    *("xox", "eyj", "private key", "bearer", "basic", "x-api-key", "://"),
    *("key=", "token=", "secret=", "signature=", "sig=", "password="),
)
"""One of these stands in every text that `_SHAPES` matches. Looking for them first is twenty times as fast."""
_UNFINISHED = re.compile(
    r"(?:(?:bearer|basic|x-api-key['\"]?\s*[:=])\s*\S*|\S*(?:://|[?&;]\w+=)\S*|-----BEGIN [A-Z ]*PRIVATE KEY-----.*)\Z"
    rf"|{_WORD}(?:{'|'.join(map(re.escape, (*_PREFIXES, 'eyJ')))})[\w.-]*\Z",
    re.IGNORECASE | re.DOTALL,
)

T = TypeVar("T")


class Redactor:
    """Hides secrets: those it has learned plain, escaped, URL-encoded and in base64; others by their shape."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._forms: set[str] = set()
        self._beginnings = _beginnings((*_PREFIXES, "Bearer ", "Basic ", "-----BEGIN "))
        self._known: re.Pattern[str] | None = None
        self.learn(*secrets)

    def learn(self, *secrets: str) -> None:
        """Hide these from now on. Values under 8 characters are left out: they would blank out ordinary words."""
        forms = {form for secret in secrets if len(secret) >= _SHORTEST for form in _forms(secret)}
        if not forms <= self._forms:
            self._forms |= forms
            self._beginnings |= _beginnings(forms)
            self._known = re.compile("|".join(map(re.escape, sorted(self._forms, key=len, reverse=True))))

    def learn_environment(self, environ: Mapping[str, str]) -> None:
        """Hide the values of all variables that are named like secrets."""
        self.learn(*(value for name, value in environ.items() if is_secret_name(name)))

    def redact(self, text: str) -> str:
        """`text` with every secret replaced by `[hidden]`; the same object if there is none."""
        if self._known is not None:
            text = self._known.sub(HIDDEN, text)
        small = text.lower()
        return _SHAPES.sub(_hide, text) if any(map(small.__contains__, _HINTS)) else text

    def redact_json(self, value: T) -> T:
        """The same JSON value with every string in it redacted, names of fields included."""
        return cast("T", self._redact_json(value))

    def _redact_json(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, dict):
            items = cast("dict[Any, Any]", value).items()
            return {self._redact_json(key): self._redact_json(item) for key, item in items}
        if isinstance(value, (list, tuple)):
            return [self._redact_json(item) for item in cast("Iterable[Any]", value)]
        return value

    def unfinished(self, text: str) -> int:
        """Where in `text` a secret may have begun that is not whole yet; its length if nowhere."""
        start = match.start() if (match := _UNFINISHED.search(text)) else len(text)
        longest = max(map(len, self._beginnings))
        begun = (at for at in range(max(0, len(text) - longest), len(text)) if text[at:] in self._beginnings)
        return min(start, next(begun, start))


class StreamRedactor:
    """Redacts text that comes in pieces: holds back what may turn out to be the beginning of a secret."""

    _MOST = 8_192

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""

    def feed(self, piece: str) -> str:
        """What may be shown after this piece; perhaps nothing yet."""
        text = self._held + piece
        cut = self._redactor.unfinished(text) if len(text) < self._MOST else len(text)
        self._held = text[cut:]
        return self._redactor.redact(text[:cut])

    def flush(self) -> str:
        """The rest, when no more pieces come."""
        text, self._held = self._held, ""
        return self._redactor.redact(text)


_SECRET_NAME = re.compile(r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:_|$|\d)")


def is_secret_name(name: str) -> bool:
    """Whether an environment variable is named like a secret."""
    return _SECRET_NAME.search(name.upper()) is not None


def _beginnings(forms: Iterable[str]) -> set[str]:
    return {form[:length] for form in forms for length in range(1, len(form))}


def _hide(match: re.Match[str]) -> str:
    return (match["keep"] or match["keep2"] or match["keep3"] or "") + HIDDEN


def _forms(secret: str) -> Iterator[str]:
    yield from (secret, quote(secret, safe="", errors="replace"), quote_plus(secret, errors="replace"))
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    raw = secret.encode("utf-8", "surrogatepass")
    for shift in range(3):
        # Inside a longer text, base64 of the secret depends on where it stands, and its edges mix with the neighbours.
        coded = base64.b64encode(b"\0" * shift + raw)
        core = coded[-(-shift * 8 // 6) : (shift + len(raw)) * 8 // 6].decode()
        yield from (core, core.replace("+", "-").replace("/", "_"))
