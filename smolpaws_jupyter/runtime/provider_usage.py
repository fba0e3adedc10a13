"""What a provider reported that a call used, kept apart from what nobody reported (R-BUD-5, R-BUD-6, R-ACC-3)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, cast

from ..core.base import Usage


def usage_of(reports: Iterable[object]) -> Usage:
    """The usage of one call from its reports: usage objects or mappings in the shape of chat completions, or None.

    A stream may report in parts, so of each figure the largest is taken. An object whose figures are all zero is how a
    client library fills a gap, so it counts as none (R-BUD-6).
    """
    merged = Usage()
    for report in reports:
        merged = _merge(merged, _one(report))
    counts = (merged.input, merged.output, merged.cache_read, merged.cache_write, merged.reasoning)
    return merged if any(counts) else Usage()


def _one(report: object) -> Usage:
    if report is None:
        return Usage()
    prompt = _field(report, "prompt_tokens_details")
    return Usage(
        input=_count(_field(report, "prompt_tokens")),
        output=_count(_field(report, "completion_tokens")),
        cache_read=_count(_first(_field(prompt, "cached_tokens"), _field(report, "cache_read_input_tokens"))),
        cache_write=_count(
            _first(_field(report, "cache_creation_input_tokens"), _field(prompt, "cache_creation_tokens"))
        ),
        reasoning=_count(_field(_field(report, "completion_tokens_details"), "reasoning_tokens")),
        cost=_cost(_field(report, "cost")),
    )


def _merge(one: Usage, other: Usage) -> Usage:
    figures = {name: _larger(getattr(one, name), getattr(other, name)) for name in Usage.model_fields}
    return Usage.model_validate(figures)


def _larger(one: float | None, other: float | None) -> float | None:
    known = [figure for figure in (one, other) if figure is not None]
    return max(known, default=None)


def _first(*values: object) -> object:
    return next((value for value in values if value is not None), None)


def _field(holder: object, name: str) -> object:
    if isinstance(holder, Mapping):
        return cast("Mapping[str, Any]", holder).get(name)
    return getattr(holder, name, None)


def _count(value: object) -> int | None:
    """A whole number of tokens; anything else, negative ones included, is unknown."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value


def _cost(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        return None
    return float(value)
