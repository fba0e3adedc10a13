"""An agent in your notebook that manages its own context, and shows you how.

Nothing heavy is imported here: the package opens fast, and no model library is loaded until a model is asked.
"""

from __future__ import annotations

__version__ = "0.1.0"


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Where JupyterLab finds the prebuilt extension, relative to this package."""
    return [{"src": "labextension", "dest": "smolpaws-jupyter"}]
