"""`%paws` and `%%paws`: talk to the agent from a cell."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from .widget import SmolPaws


@magics_class
class PawsMagics(Magics):
    """`%paws text` or a `%%paws` cell sends a message to the notebook's agent and shows it.

    `%paws` alone only shows it.

    The agent is the variable `paws` if it is one, else a new one with default settings under that name.
    """

    @line_cell_magic
    def paws(self, line: str, cell: str | None = None) -> None:
        text = "\n".join(part for part in (line.strip(), (cell or "").strip()) if part)
        agent = self._agent()
        if text:
            agent.tell(text)
        display(agent)

    def _agent(self) -> SmolPaws:
        names: dict[str, Any] = self.shell.user_ns
        found = names.get("paws")
        if not isinstance(found, SmolPaws):
            found = names["paws"] = SmolPaws()
        return found


def load_ipython_extension(shell: Any) -> None:
    """For `%load_ext smolpaws_jupyter`."""
    shell.register_magics(PawsMagics)
