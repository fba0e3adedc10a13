"""Settings models, and one way from what pydantic found wrong to what a person can act on.

An error names the path, what was expected and what is allowed, never the value, which may be a key (R-PYD-6).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NamedTuple, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from .base import Frozen
from .errors import SettingsError


class SettingsModel(Frozen):
    """A piece of the settings: names the keys it does not know, and is written back as it was given (R-SET-30)."""

    model_config = ConfigDict(hide_input_in_errors=True, serialize_by_alias=True)

    @model_validator(mode="before")
    @classmethod
    def _knows_its_keys(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and cls.model_config.get("extra") == "forbid":
            known = list(cls.model_fields)
            unknown = [str(key) for key in cast("Mapping[Any, Any]", value) if key not in known]
            if unknown:
                slips = "; ".join(did_you_mean(key, known) for key in unknown)
                raise refusal(f"only known keys; {slips}", allowed=known, at=unknown[0])
        return cast("Any", value)

    # No return annotation: with one, the JSON schema would forget the fields.
    @model_serializer(mode="wrap")
    def _as_given(self, handler: SerializerFunctionWrapHandler):
        written: dict[str, Any] = handler(self)
        absent = set(type(self).model_fields) - self.model_fields_set - {"condenser_kind"}
        hidden = absent | {type(self).model_fields[name].alias for name in absent}
        return {key: value for key, value in written.items() if key not in hidden}


class OpenSettings(SettingsModel):
    """Settings that other programs add to: keys that mean nothing here are kept and written back."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, JsonValue] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def unknown(self) -> dict[str, JsonValue]:
        """The keys that mean nothing here, with their values."""
        return self.__pydantic_extra__


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` was most likely meant to be."""
    return next(iter(difflib.get_close_matches(name, sorted(known), n=1)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A mistyped name and the likely one: "'max_sise' may be a slip for 'max_size'"."""
    match = closest(name, known)
    return f"{name!r} may be a slip for {match!r}" if match else f"{name!r} is not known"


def refusal(expected: str, *, allowed: Iterable[str] = (), at: str = "") -> PydanticCustomError:
    """What a validator raises. `expected` is a phrase after "expected"; `at` a place below the value's own."""
    listed = tuple(allowed)
    choices = f" (allowed: {', '.join(listed)})" if listed else ""
    return PydanticCustomError(
        "refused",
        "{place}expected {expected}{choices}",
        {"place": f"{at}: " if at else "", "expected": expected, "choices": choices, "allowed": listed, "at": at},
    )


def _trimmed(text: str) -> str:
    if not text.strip():
        raise refusal("text that is not blank")
    return text.strip()


Name = Annotated[str, AfterValidator(_trimmed)]
"""A name or reference: trimmed, not empty."""

M = TypeVar("M", bound=BaseModel)


def checked(model: type[M], value: object, *, at: str = "", source: str = "") -> M:
    """`value` as a `model`. Raises SettingsError; `at` is the path of `value` itself, `source` the file it is from."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problems = problems_of(error, value)
    # Raised out here, so that the exception that knows the value is nowhere in this one's chain.
    raise settings_error(problems, at=at, source=source)


class Problem(NamedTuple):
    """One thing that is wrong: where, what was expected there, and which choices there are."""

    path: str
    expected: str
    allowed: tuple[str, ...] = ()


def settings_error(problems: list[Problem], *, at: str = "", source: str = "") -> SettingsError:
    """One error for all problems: the first in full, the others as its detail."""

    def place(problem: Problem) -> str:
        return f"{at}.{problem.path}".strip(".").replace(".[", "[")

    first, *others = problems
    also = "; ".join(f"{place(other)}: expected {other.expected}" for other in others)
    return SettingsError(
        place(first), first.expected, allowed=first.allowed, source=source, detail=f"Also: {also}." if also else ""
    )


def problems_of(error: ValidationError, value: object) -> list[Problem]:
    """What is wrong with `value`, for a person. No input value gets in here."""
    return [_problem(one, value) for one in error.errors(include_url=False, include_input=False)]


_EXPECTED = {
    "missing": "a value, and there is none",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "text",
    "string_too_short": "text that is not blank",
    "string_unicode": "text without unpaired surrogates",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "a number of at least {ge:g}",
    "less_than": "a number below {lt:g}",
    "less_than_equal": "a number of at most {le:g}",
    "literal_error": "{expected}",
    "invalid-json-value": "a value that JSON can hold",
    "recursion_loop": "a value that does not contain itself",
}


def _problem(one: ErrorDetails, value: object) -> Problem:
    context = one.get("ctx", {})
    steps = _steps(one["loc"], value, keep_last=one["type"] == "missing")
    if one["type"] == "refused":
        steps += [context["at"]] if context["at"] else []
        return Problem(_path(steps), context["expected"], context["allowed"])
    # Only phrases of this table: pydantic's own sentences may quote the value.
    return Problem(_path(steps), _EXPECTED.get(one["type"], "another value").format(**context))


def _steps(loc: tuple[int | str, ...], value: object, *, keep_last: bool) -> list[int | str]:
    """The steps of `loc` that exist in `value`. The tags of unions stand in a location too, but in nobody's file."""
    steps: list[int | str] = []
    for number, step in enumerate(loc, start=1):
        if isinstance(value, Mapping) and step in value:
            value = cast("Mapping[Any, Any]", value)[step]
        elif isinstance(value, list | tuple) and isinstance(step, int):
            value = cast("list[Any] | tuple[Any, ...]", value)[step]
        elif not (keep_last and number == len(loc)):
            continue
        steps.append(step)
    return steps


def _path(steps: Iterable[int | str]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).lstrip(".")
