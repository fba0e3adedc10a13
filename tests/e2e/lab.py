"""A private JupyterLab and a real browser on it, for tests that do what a person does.

`jupyter_lab(root)` runs a server with its own settings and folders; `LabPage` drives one page of it and keeps what the
page wrote to the console and which addresses it asked for.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import nbformat
from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

CHROMIUM_ARGS = [
    "--no-sandbox",  # the tests may run as root in a container
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # the page can reach this machine only
]

# A dialog about news would cover the page.
SETTINGS = {
    "@jupyterlab/apputils-extension/notification.jupyterlab-settings": (
        '{"fetchNews": "false", "checkForUpdates": false, "doNotDisturbMode": true}'
    ),
}


MODULES = {"lab": "jupyterlab", "notebook": "notebook"}
Theme = Literal["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"]


@dataclass(frozen=True)
class Server:
    """A running JupyterLab: `root` is the folder that it shows."""

    url: str
    token: str
    root: Path

    def stop_kernels(self) -> None:
        """Shut every kernel down, so that the next test meets none."""
        for kernel in self.kernels():
            self._ask("DELETE", f"/api/kernels/{kernel}")

    def kernels(self) -> list[str]:
        """The ids of all kernels that run."""
        return [kernel["id"] for kernel in json.loads(self._ask("GET", "/api/kernels"))]

    def _ask(self, method: str, path: str) -> bytes:
        request = urllib.request.Request(
            self.url + path, method=method, headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.read()


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def jupyter_lab(root: Path, home: Path, python: Path | str = sys.executable, app: str = "lab") -> Iterator[Server]:
    """A JupyterLab that shows `root` and keeps everything of its own in `home`; gone when the block ends.

    With `app="notebook"` it is a Notebook 7; `python` is the interpreter of whose environment it is.
    """
    env = dict(os.environ)
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        env[name] = str(home / name.lower())
    env["PYTHONPATH"] = str(Path(__file__).parents[2])  # kernels of any environment find the project
    env["JUPYTERLAB_SETTINGS_DIR"] = str(home / "settings")
    env["JUPYTERLAB_WORKSPACES_DIR"] = str(home / "workspaces")
    for name, text in SETTINGS.items():
        file = home / "settings" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    port, token, log = free_port(), "test", home / "server.log"
    command = [str(python), "-m", MODULES[app], "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    options = [
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={token}",
        f"--ServerApp.root_dir={root}",
        "--LabApp.extension_manager=readonly",
    ]
    server = Server(f"http://127.0.0.1:{port}", token, root)
    with (
        log.open("wb") as out,
        subprocess.Popen([*command, *options], env=env, stdout=out, stderr=subprocess.STDOUT) as process,
    ):
        try:
            _wait_until_up(server, process, log)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_until_up(server: Server, process: subprocess.Popen[bytes], log: Path, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        with contextlib.suppress(OSError):
            server._ask("GET", "/api/status")
            return
        time.sleep(0.1)  # there is nothing to wait for but the port
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")


def write_notebook(path: Path, *sources: str) -> None:
    """A notebook of code cells. Keep it short: cells out of view are not in the page."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)


class LabPage:
    """One page of a JupyterLab, and what a person does in it."""

    def __init__(self, page: Page, server: Server, folder: str, shots: Path) -> None:
        self.page = page
        self.server = server
        self.folder = folder
        self.console: list[str] = []
        self.requests: list[str] = []
        self.shots = shots
        page.on("console", lambda message: self.console.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.console.append(f"error: {error}"))
        page.on("request", lambda request: self.requests.append(request.url))

    # --- opening

    def open(self, name: str, *, fresh: bool = True) -> None:
        """Open a notebook of the folder and wait for its kernel. `fresh=False` keeps the layout, as a reload does."""
        reset = "&reset" if fresh else ""
        self.page.goto(f"{self.server.url}/lab/tree/{self.folder}/{name}?token={self.server.token}{reset}")
        expect(self.notebook.locator(".jp-Cell").first).to_be_visible(timeout=60_000)
        self.wait_for_kernels()
        self.wait_idle()

    def wait_for_kernels(self) -> None:
        """Wait until every kernel of the server is idle with a page connected: a cell that runs earlier is lost."""
        self.page.wait_for_function(
            """async ([url, token]) => {
                const kernels = await (await fetch(`${url}/api/kernels?token=${token}`)).json();
                return kernels.length > 0
                    && kernels.every(kernel => kernel.execution_state === "idle" && kernel.connections > 0);
            }""",
            arg=[self.server.url, self.server.token],
            polling=100,
            timeout=60_000,
        )

    def wait_idle(self) -> None:
        """Wait until the open notebook shows an idle kernel."""
        idle = self.notebook.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']")
        expect(idle).to_be_attached(timeout=60_000)

    # --- the notebook in front

    @property
    def notebook(self) -> Locator:
        """The panel of the notebook in front."""
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")

    def cell(self, index: int) -> Locator:
        """A cell by its place in the notebook, from 0."""
        return self.notebook.locator(f".jp-Cell[data-windowed-list-index='{index}']")

    def source(self, index: int) -> str:
        """What stands in a cell."""
        return "\n".join(self.cell(index).locator(".cm-line").all_inner_texts()).replace("\u200b", "")

    def output(self, index: int) -> Locator:
        """What a cell showed when it ran."""
        return self.cell(index).locator(".jp-OutputArea-output")

    def run_cell(self, index: int, *, wait: bool = True) -> None:
        """Run a cell as a person does; returns when it is done, or with `wait=False` when it has started."""
        prompt = self.cell(index).locator(".jp-InputPrompt")
        for last_try in (False, False, False, False, True):
            before = prompt.text_content()
            self.cell(index).locator(".cm-content").click()
            self.page.keyboard.press("Control+Enter")  # run, and stay in this cell
            try:
                # JupyterLab drops a run that comes before it is quite ready: without a word, or by clearing the prompt.
                self.page.wait_for_function(
                    "([prompt, before]) => prompt.textContent !== before && /[*0-9]/.test(prompt.textContent)",
                    arg=[prompt.element_handle(), before],
                    timeout=5_000,
                )
            except PlaywrightTimeout:
                if last_try:
                    raise
                continue
            if not wait:
                return
            expect(prompt).not_to_contain_text("*", timeout=60_000)
            if last_try or prompt.text_content() != "[ ]:":
                self.wait_done(index)
                return

    def wait_done(self, index: int, seconds: float = 60) -> None:
        """Wait until a cell has run to its end."""
        expect(self.cell(index).locator(".jp-InputPrompt")).to_have_text(
            re.compile(r"\[\d+\]"), timeout=seconds * 1_000
        )

    # --- the rest of the window

    def palette(self, label: str) -> None:
        """Run a command by its label in the command palette."""
        # By mouse: a shortcut that is pressed while JupyterLab moves the focus is lost.
        box = self.page.locator(".lm-CommandPalette-input:visible")
        for _ in range(3):  # and a busy JupyterLab may close the palette again as it opens
            self.page.get_by_role("menuitem", name="View").click()
            self.page.get_by_role("menuitem", name="Activate Command Palette").click()
            with contextlib.suppress(PlaywrightTimeout):
                box.wait_for(timeout=5_000)
                break
        box.fill(label)
        item = self.page.locator(".lm-CommandPalette-item").filter(has=self.page.get_by_text(label, exact=True))
        item.first.click()

    def save(self) -> None:
        """Save the notebook in front and wait until the server has it."""
        with self.page.expect_response(lambda r: r.request.method == "PUT" and "/api/contents/" in r.url):
            self.palette("Save Notebook")

    def restart_kernel(self) -> None:
        """Restart the kernel of the notebook in front, confirming the question."""
        self.palette("Restart Kernel…")
        with self.page.expect_response(
            lambda r: r.request.method == "POST" and r.url.split("?")[0].endswith("/restart")
        ):
            self.page.locator(".jp-Dialog .jp-mod-accept").click()
        expect(self.page.locator(".jp-Dialog")).to_have_count(0)
        self.wait_for_kernels()

    def use_theme(self, name: Theme) -> None:
        """Switch the colours of the window."""
        self.palette(f"Use Theme: {name}")
        expect(self.page.locator("body")).to_have_attribute("data-jp-theme-name", name, timeout=30_000)

    def screenshot(self, name: str) -> Path:
        """A picture of the window in tests/shots/, for people to look at."""
        file = self.shots / f"{name}.png"
        self.page.screenshot(path=file)
        return file

    @property
    def errors(self) -> list[str]:
        """What the page reported as an error so far."""
        return [line for line in self.console if line.startswith("error")]

    @property
    def off_machine(self) -> list[str]:
        """The addresses outside this machine that the page asked for."""
        here = urlsplit(self.server.url).netloc
        return sorted({url for url in self.requests if url.startswith("http") and urlsplit(url).netloc != here})
