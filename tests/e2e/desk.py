"""A notebook that stays open while one story after the other is played in it: what takes long is done once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import FloatRect, Locator, expect

from tests.e2e.lab import LabPage, write_notebook

SECONDS = 1_000
MINUTE = 60 * SECONDS
ROOT = Path(__file__).parents[2]

PREPARE = f"""
import sys, time
sys.path.insert(0, {str(ROOT)!r})
from smolpaws_jupyter import SmolPaws
from tests.notebook.scripted import *
"""
"""`play(*moves)` makes an agent whose model makes these moves."""


class Desk:
    """Two cells: in the first one the agent of the story, in the second what else its person runs."""

    def __init__(self, lab: LabPage, folder: Path) -> None:
        self.lab = lab
        self.page = lab.page
        self.folder = folder
        self._open = False
        # On a busy machine JupyterLab sometimes asks for the kernel that the notebook names already; the answer is yes.
        asked = self.page.locator(".jp-Dialog").filter(has_text="Select Kernel")
        self.page.add_locator_handler(asked, lambda dialog: dialog.locator(".jp-mod-accept").first.click())

    def ready(self) -> None:
        """Opens the notebook, unless the story before left it open."""
        if not self._open or not self.lab.server.kernels():
            self.lab.server.stop_kernels()
            write_notebook(self.folder / "desk.ipynb", "prepared = 0", "mine = 1")
            self.lab.open("desk.ipynb")
            self.run(PREPARE)
            self._open = True

    def leave(self) -> None:
        """The next story opens its notebook anew."""
        self._open = False

    def reload(self) -> None:
        """Loads the window again; once more where a busy JupyterLab gave up looking for its widgets."""
        for last_try in (False, False, True):
            self.lab.open("desk.ipynb", fresh=False)
            lost = self.lab.cell(0).get_by_text("Error displaying widget")
            expect(self.agent.or_(lost).first).to_be_visible(timeout=30 * SECONDS)
            if last_try or lost.count() == 0:
                return

    def run(self, source: str, cell: int = 0, *, wait: bool = True) -> None:
        """Puts code into a cell and runs it."""
        self.lab.cell(cell).locator(".cm-content").click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(source.strip())
        self.lab.run_cell(cell, wait=wait)

    def show(self, source: str) -> Locator:
        """Runs code that ends in an agent, and gives its page."""
        self.run(source)
        expect(self.agent).to_be_visible(timeout=30 * SECONDS)
        return self.agent

    @property
    def agent(self) -> Locator:
        """The page of the agent in the first cell."""
        return self.lab.cell(0).locator(".paws-app")

    @property
    def state(self) -> Locator:
        """The state in the agent's head."""
        return self.agent.locator(".paws-state")

    @property
    def box(self) -> Locator:
        """Where one writes to the agent."""
        return self.agent.get_by_label("Message to the agent")

    def button(self, name: str) -> Locator:
        """A button of the agent by its whole name."""
        return self.agent.get_by_role("button", name=name, exact=True)

    def tab(self, name: str) -> Locator:
        """Goes to a tab of the agent, and gives its panel."""
        self.agent.get_by_role("tab", name=name, exact=True).click()
        return self.agent.get_by_role("tabpanel", name=name, exact=True)

    def say(self, text: str) -> None:
        """Sends a message."""
        self.box.fill(text)
        self.box.press("Enter")

    def value(self, expression: str) -> str:
        """What an expression is in the kernel, as its cell prints it."""
        self.run(f"print({expression})", 1)
        return self.lab.output(1).inner_text().strip()

    def place_of(self, thing: Locator) -> FloatRect:
        """Where something stands on the screen."""
        thing.scroll_into_view_if_needed()
        box = thing.bounding_box()
        assert box is not None
        return box

    def evaluate(self, script: str, argument: Any = None) -> Any:
        """Runs JavaScript in the page."""
        return self.page.evaluate(script, argument)
