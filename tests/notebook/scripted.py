"""For cells of a test's kernel: an agent whose model follows a script, and short looks at what came of it."""

from __future__ import annotations

import itertools
from typing import Any

from smolpaws_jupyter import SmolPaws
from smolpaws_jupyter.core.base import TextBlock
from smolpaws_jupyter.core.events import AgentErrorEvent, ObservationEvent
from smolpaws_jupyter.core.payloads import ToolObservation
from smolpaws_jupyter.core.profiles import Binding
from smolpaws_jupyter.runtime.keys import Keys
from smolpaws_jupyter.runtime.llm import LLM
from smolpaws_jupyter.testing import Gate, Move, ScriptedLLM, call, calls, reply

__all__ = [
    "Gate",
    "Scripted",
    "call",
    "calls",
    "code",
    "kinds",
    "model_of",
    "observations",
    "play",
    "reply",
    "results",
    "resume",
]

_models: dict[str, ScriptedLLM] = {}
_numbers = itertools.count(1)


class Scripted(SmolPaws):
    """The widget over the scripted model that its profile names."""

    def _client(self, binding: Binding, keys: Keys) -> LLM:
        return _models[binding.model]


def play(*moves: Move, name: str | None = None, **options: Any) -> Scripted:
    """A new agent whose model makes these moves, and which asks for no approval unless told to."""
    name = name or f"scripted/{next(_numbers)}"
    _models[name] = ScriptedLLM(moves)
    return Scripted(name, **{"max_input_tokens": 400_000, "approvals": "allow", **options})


def resume(conversation_id: str, *moves: Move, name: str, **options: Any) -> Scripted:
    """A stored conversation; from here on its model makes these moves."""
    _models[name] = ScriptedLLM(moves)
    loaded = Scripted.load(conversation_id, **{"approvals": "allow", **options})
    assert isinstance(loaded, Scripted)
    return loaded


def model_of(paws: SmolPaws) -> ScriptedLLM:
    """The scripted model, which knows what it was sent."""
    binding = paws.view.binding
    assert binding is not None
    return _models[binding.model]


def code(text: str) -> Move:
    """The model calls `run_python` with this code."""
    return call("run_python", code=text)


def observations(paws: SmolPaws) -> list[ToolObservation]:
    """What ordinary tools answered, in order."""
    found = [e.observation for e in paws.events if isinstance(e, ObservationEvent)]
    return [o for o in found if isinstance(o, ToolObservation)]


def results(paws: SmolPaws) -> list[str]:
    """The texts of all results of calls, in order: what the model is shown."""
    texts: list[str] = []
    for event in paws.events:
        if isinstance(event, ObservationEvent):
            texts.append("\n".join(b.text for b in event.observation.content if isinstance(b, TextBlock)))
        elif isinstance(event, AgentErrorEvent):
            texts.append(f"{event.code}: {event.error}")
    return texts


def kinds(paws: SmolPaws) -> list[str]:
    """The kinds of all events, in order."""
    return [e.kind for e in paws.events]
