"""What the folds of a log gave, as JSON: a store may keep it, so that opening a long log folds only what came since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from pydantic import ConfigDict, TypeAdapter

from .base import JsonObject
from .entries import changed
from .events import Cut
from .ledger import Ledger
from .replay import Replay


@dataclass(frozen=True)
class Folds:
    """All folds of one log, of the same events."""

    __pydantic_config__: ClassVar = ConfigDict(defer_build=True)

    replay: Replay
    ledger: Ledger
    cuts: tuple[Cut, ...]
    """Those of the view, whose keys no JSON object can have."""


_FOLDS = TypeAdapter(Folds)
_APART = {"replay": {"view": {"cuts"}}}


def dump(replay: Replay, ledger: Ledger) -> JsonObject:
    """The folds as a JSON object."""
    folds = Folds(replay, ledger, tuple(replay.view.cuts.values()))
    # To pydantic the read-only mappings of folds are no dicts; it writes them as such when told to, and warns.
    return _FOLDS.dump_python(folds, mode="json", exclude=_APART, fallback=dict, warnings="none")


def load(data: JsonObject) -> tuple[Replay, Ledger]:
    """The folds that `dump` was given. Raises ValueError."""
    folds = _FOLDS.validate_python(data)
    cuts: Mapping[tuple[str, int], Cut] = {(cut.entry_id, cut.block_index): cut for cut in folds.cuts}
    view = changed(folds.replay.view, {"cuts": MappingProxyType(cuts)} if cuts else {})
    return changed(folds.replay, {"view": view}), folds.ledger
