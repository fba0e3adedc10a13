"""How the toy engine talks: generators that yield a commit or a wait, and end by an error or a person's Stop."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal

from tests.recovery.facts import Fact


@dataclass(frozen=True)
class Wait:
    """`model` and `summary` get a `Move`, `person` gets once, run or reject, `tool` gets ok, error or interrupted."""

    for_: Literal["model", "summary", "person", "tool"]
    about: int = -1
    """The call that waits, or the request whose summary is bought."""


Script = Generator[list[Fact] | Wait, Any, Any]


class Ended(Exception):
    """The run ended with an error that is in the log."""


class Stop(Exception):
    """A person stopped the run. `records` say what happened to the work in hand; `answered` is the call among them."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[Fact] = []
        self.last: list[Fact] = []
        self.answered: int | None = None
