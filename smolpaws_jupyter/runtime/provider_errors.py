"""From an exception of a client library to a classified failure; the exception itself goes no further.

Client libraries wrap, rename and rewrite what a provider said, so the chain of causes is searched for the provider's
own status and words. What was made up on the way (statuses of broken connections, class names) is not taken for them.
"""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from ..core.failure_body import read_body
from ..core.failure_numbers import numbers_of
from ..core.failures import FailureClass, classify
from .llm import Failure
from .provider_usage import usage_of

_MOST_TEXT = 2_000

# Where no provider spoke, the class of the root cause says how the connection ended, and no more than that (R-FAIL-1).
_TIMEOUTS = re.compile(r"Timeout(?:Error)?$")
_BREAKS = re.compile(
    r"(?:Connect|Connection|Connector|Read|Write|Protocol|OS|Payload|JSONDecode|Disconnected|SSL|Certificate)Error$"
    r"|^ServerDisconnected|^StopAsyncIteration$|^gaierror$|^Connection\w*Error$"
)
_MADE_UP_STATUS = re.compile(r"^(?:APIConnection|MidStreamFallback)Error$|Timeout")
_PREFIXES = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception|Timeout)(?:: | - ))+")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A failed try, and what it means for another one.

    `was_sent`: whether anything left the process. `at_once`: the next try asks differently, so it need not wait,
    whatever the class.
    """

    failure: Failure
    was_sent: bool = True
    at_once: bool = False


def refusal_of(error: BaseException, redact: Callable[[str], str]) -> Refusal:
    """What this exception says, classified once, its text redacted and bounded (R-FAIL-1, R-FAIL-7)."""
    chain = list(_chain(error))
    status = next((s for e in reversed(chain) if (s := _status(e)) is not None), None)
    said = next((text for e in chain if (text := _body(e))), "")
    body = read_body(said or next((text for e in reversed(chain) if (text := _message(e))), ""))
    ended = None if said else _how_it_ended(chain)
    numbers = numbers_of(body)
    failure = Failure(
        kind=ended or classify(status, body.code, body.type, body.text),
        text=redact(body.text)[:_MOST_TEXT],
        status=None if ended else status,
        usage=usage_of([body.usage]),
        input_tokens=numbers.input_tokens,
        window=numbers.window,
        output_tokens=numbers.output_tokens,
        retry_after=next((seconds for e in chain if (seconds := _retry_after(e)) is not None), None),
    )
    return Refusal(failure, was_sent=type(error).__name__ != "UnsupportedParamsError")


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and what caused it, outermost first."""
    seen: set[int] = set()
    queue: list[object] = [error]
    while queue and len(seen) < 20:
        current = queue.pop(0)
        if isinstance(current, BaseException) and id(current) not in seen:
            seen.add(id(current))
            yield current
            context = None if current.__suppress_context__ else current.__context__
            queue += [getattr(current, "original_exception", None), current.__cause__, context]


def _how_it_ended(chain: list[BaseException]) -> FailureClass | None:
    """Whether the root of it all is a broken connection or a lapse of time, rather than words of the provider."""
    roots = [type(e).__name__ for e in chain if not type(e).__module__.startswith("litellm")]
    if any(map(_TIMEOUTS.search, roots)) or type(chain[0]).__name__ == "Timeout":
        return "timeout"
    return "transport" if any(map(_BREAKS.search, roots)) else None


def _status(error: BaseException) -> int | None:
    status = getattr(error, "status_code", None)
    made_up = getattr(error, "status_code_is_synthesized", False) or _MADE_UP_STATUS.search(type(error).__name__)
    return status if isinstance(status, int) and not made_up else None


def _body(error: BaseException) -> str:
    """What the provider itself wrote, if this exception still has it."""
    try:
        text = getattr(getattr(error, "response", None), "text", None)
    except Exception:  # noqa: BLE001 - a response that was not read cannot be read any more; each library says so differently
        text = None
    if isinstance(text, str) and text:
        return text
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        return json.dumps({"error": body}, default=str)
    if isinstance(body, str) and body:
        return body
    message = getattr(error, "message", None)
    return message.decode("utf-8", "replace") if isinstance(message, bytes) else ""


def _message(error: BaseException) -> str:
    message = getattr(error, "message", None)
    return _PREFIXES.sub("", message if isinstance(message, str) else str(error)).strip()


def _retry_after(error: BaseException) -> float | None:
    for holder in (getattr(error, "response", None), error):
        for name in ("headers", "litellm_response_headers"):
            headers = getattr(holder, name, None)
            if isinstance(headers, Mapping):
                wait = _seconds(cast("Mapping[str, Any]", headers))
                if wait is not None:
                    return wait
    return None


def _seconds(headers: Mapping[str, Any]) -> float | None:
    """`Retry-After` in seconds; it is a number, or a date of HTTP."""
    lower = {str(name).lower(): str(value).strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 1_000), ("retry-after", 1)):
        value = lower.get(name, "")
        if re.fullmatch(r"\d{1,9}(?:\.\d+)?", value):
            return float(value) / unit
        if value and unit == 1:
            return _until(value)
    return None


def _until(date: str) -> float | None:
    try:
        moment: datetime = email.utils.parsedate_to_datetime(date)
        return max(0.0, moment.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
