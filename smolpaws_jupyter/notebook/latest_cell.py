"""The cell that the user ran last: when it began, and where what its threads print later belongs."""

from __future__ import annotations

import time
from typing import Any

from .capture import agent_runs_here, kernel_streams


class LatestCell:
    """Watches the cells of a shell. The agent's own code is no cell of the user's."""

    _latest: LatestCell | None = None

    def __init__(self, shell: Any) -> None:
        self.began = time.monotonic()
        self._shell = shell
        self._parent: Any = shell.get_parent()
        shell.events.register("pre_run_cell", self._begins)
        kernel_streams()

    @classmethod
    def of(cls, shell: Any) -> LatestCell:
        """The one watcher of this kernel."""
        if cls._latest is None:
            cls._latest = cls(shell)
        return cls._latest

    def speaks(self) -> None:
        """Gives the outputs of other threads back to the user's cell; the kernel gave them to the agent's request."""
        self._shell.set_parent(self._parent)

    def _begins(self, _info: object) -> None:
        if not agent_runs_here():
            self.began = time.monotonic()
            self._parent = self._shell.get_parent()
