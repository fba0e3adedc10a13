"""An agent in your notebook that manages its own context, and shows you how.

Nothing heavy is imported here: the package opens fast, and no model library is loaded until a model is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core.errors import ApprovalNeeded, RunError, SettingsError, SmolPawsError, StartError
    from .core.profiles import LLMProfile
    from .core.settings import AgentSettings
    from .notebook.doctor import doctor
    from .notebook.widget import SmolPaws
    from .runtime.conversation import Conversation

__version__ = "0.1.0"

_HOMES = {
    "AgentSettings": "core.settings",
    "ApprovalNeeded": "core.errors",
    "Conversation": "runtime.conversation",
    "LLMProfile": "core.profiles",
    "RunError": "core.errors",
    "SettingsError": "core.errors",
    "SmolPaws": "notebook.widget",
    "SmolPawsError": "core.errors",
    "StartError": "core.errors",
    "doctor": "notebook.doctor",
}

__all__ = [
    "AgentSettings",
    "ApprovalNeeded",
    "Conversation",
    "LLMProfile",
    "RunError",
    "SettingsError",
    "SmolPaws",
    "SmolPawsError",
    "StartError",
    "doctor",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, so that the core can be used where no widget can."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


def load_ipython_extension(shell: Any) -> None:
    """For `%load_ext smolpaws_jupyter`: the magics `%paws` and `%%paws`."""
    from .notebook.magics import load_ipython_extension as load

    load(shell)


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Where JupyterLab finds the prebuilt extension, relative to this package."""
    return [{"src": "labextension", "dest": "smolpaws-jupyter"}]
