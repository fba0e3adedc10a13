"""The agent's tools by name: reading a call, and running it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, cast

from pydantic import ValidationError

from ...core import wording
from ...core.base import JsonObject, ToolSpec
from ...core.errors import StartError
from ...core.payloads import Action, CondenseAction, NewContextAction
from .base import Tool
from .history import HistoryTool

RESETS = {"condense": CondenseAction, "new_context": NewContextAction}
"""The policies' own tools: read here, answered by the policy."""

DEPTH = 100
"""Levels of lists and objects that the arguments of a call may have; the log takes 200 for a whole event."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """A call that cannot run, and what the model is told about it (R-STEP-6)."""

    code: Literal["unknown_tool", "invalid_arguments"]
    text: str


class Toolbox:
    """Tools that run, and the policy's own tools, which are only read here.

    Of those that a policy lists, `conversation_history` is the one that runs: it has nothing to do with a reset.
    """

    def __init__(self, tools: Iterable[Tool], policy_tools: Sequence[ToolSpec] = ()) -> None:
        """Raises `StartError` (`reserved_tool_name`) where two tools share a name (R-TOOL-2)."""
        self.tools = tuple(tools)
        """The tools that were given."""
        self._tools: dict[str, Tool] = {}
        self._policy_tools = {spec.name for spec in policy_tools}
        for tool in self.tools:
            name = tool.spec.name
            if name in self._policy_tools or name in self._tools:
                raise StartError(
                    "reserved_tool_name",
                    f"There is a tool named {name!r} already.",
                    detail="Give your tool another name.",
                )
            self._tools[name] = tool
        self._specs = (*(tool.spec for tool in self.tools), *policy_tools)
        if HistoryTool.spec in policy_tools:
            self._tools[HistoryTool.spec.name] = HistoryTool()

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return self._specs

    def get(self, name: str) -> Tool | None:
        """The tool that runs calls of this name; None for a policy's own tool and for an unknown name."""
        return self._tools.get(name)

    def read(self, name: str, arguments: str) -> Action | Unusable:
        """The checked input of a call, or why there is none. Nothing is guessed."""
        if name not in self._tools and name not in self._policy_tools:
            return Unusable("unknown_tool", wording.unknown_tool(name, sorted({*self._tools, *self._policy_tools})))
        value = _object(arguments)
        if isinstance(value, Unusable):
            why = value.text
        else:
            try:
                return cast(
                    "Action",
                    self._tools[name].parse(value) if name in self._tools else RESETS[name].model_validate(value),
                )
            except ValidationError as error:
                why = explain(error, self._parameters(name))
        text = wording.reset_invalid(name, why) if name in RESETS else wording.invalid_arguments(name, why)
        return Unusable("invalid_arguments", text)

    def _parameters(self, name: str) -> list[str]:
        spec = next(s for s in self._specs if s.name == name)
        return list(cast("JsonObject", spec.parameters.get("properties", {})))


def _object(arguments: str) -> JsonObject | Unusable:
    try:
        value = json.loads(arguments, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return Unusable("invalid_arguments", "the arguments are not valid JSON")
    if not isinstance(value, dict):
        return Unusable("invalid_arguments", "the arguments must be a JSON object")
    if _depth(value) > DEPTH:
        return Unusable("invalid_arguments", f"the arguments are nested more than {DEPTH} levels deep")
    return cast("JsonObject", value)


def _depth(value: Any) -> int:
    if not isinstance(value, dict | list):
        return 0
    inner = cast("list[Any]", list(value.values()) if isinstance(value, dict) else value)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return 1 + max(map(_depth, inner), default=0)


def _finite(number: str) -> float:
    value = float(number)
    return value if isfinite(value) else _refuse(number)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def explain(error: ValidationError, allowed: Sequence[str]) -> str:
    """What was wrong with each argument, and the names that are allowed; never the values."""
    parts: list[str] = []
    for problem in error.errors(include_url=False, include_input=False, include_context=False):
        where = ".".join(str(part) for part in problem["loc"])
        message = problem["msg"]
        if problem["type"] == "extra_forbidden":
            message = f"unknown argument (allowed: {', '.join(allowed) or 'none'})"
        parts.append(f"{where}: {message[:1].lower()}{message[1:]}" if where else message[:1].lower() + message[1:])
    return "; ".join(parts)
