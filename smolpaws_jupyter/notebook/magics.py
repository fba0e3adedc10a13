"""`%paws` and `%%paws`: talk to the agent from a cell."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.display import display

from .widget import SmolPaws


@magics_class
class PawsMagics(Magics):
    """`%paws text` or a `%%paws` cell sends a message to the notebook's agent and shows it.

    `%paws` alone only shows it.

    The agent is the variable `paws` if it is one, else the one with default settings, which becomes `paws` if that name
    is free.
    """

    @no_var_expand  # "$5" and "{x}" are words of the message
    @line_cell_magic
    def paws(self, line: str, cell: str | None = None) -> None:
        """Send the text of the line and the cell to the agent, and show it."""
        text = "\n".join(part for part in (line.strip(), (cell or "").strip()) if part)
        agent = self._agent()
        if text:
            agent.tell(text)
        display(agent)

    def _agent(self) -> SmolPaws:
        shell: Any = self.shell
        names = shell.user_ns
        found = names.get("paws")
        if isinstance(found, SmolPaws):
            return found
        agent = SmolPaws()
        names.setdefault("paws", agent)
        return agent


def load_ipython_extension(shell: Any) -> None:
    """For `%load_ext smolpaws_jupyter`."""
    shell.register_magics(PawsMagics)
