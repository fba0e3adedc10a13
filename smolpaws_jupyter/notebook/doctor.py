"""What works here, and how to mend what does not: `smolpaws_jupyter.doctor()`. It changes nothing and sends nothing."""

from __future__ import annotations

import html
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import SmolPawsError
from ..core.findings import Finding
from ..core.profile_choice import NamedProfile
from ..runtime.checkup import key_finding, litellm_finding, settings_finding, store_findings
from ..runtime.keys import Keys
from ..runtime.settings_store import SettingsStore
from ..runtime.starting import freeze, kernel_keys

if TYPE_CHECKING:
    from .session import Session

LEAST = {"ipywidgets": (8, 1), "anywidget": (0, 9, 21), "ipykernel": (6, 31)}
PACKAGES = ("smolpaws-jupyter", "anywidget", "ipywidgets", "ipykernel", "jupyterlab", "notebook")
STATIC = Path(__file__).parent.parent / "static"


GRAVEST_FIRST = ("problem", "attention", "ok")


class Report(tuple[Finding, ...]):
    """Findings; shows as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(
            f"{finding.state:<9}  {finding.topic}: {finding.found}"
            + "".join(f"\n{'':11}{text}" for text in (finding.meaning, finding.fix) if text)
            for finding in self
        )

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><th scope='row'>{html.escape(finding.topic)}</th><td>{finding.state}</td>"
            f"<td>{html.escape(' '.join(filter(None, (finding.found, finding.meaning, finding.fix))))}</td></tr>"
            for finding in self
        )
        return f"<table><tbody>{''.join(rows)}</tbody></table>"


def doctor(workspace: str = ".") -> Report:
    """Looks at versions, the front end, the kernel, the store, the keys, the model library; says what to mend.

    Sends nothing, shows no key, and changes nothing.
    """
    from .live import all_sessions

    return examine(Path(workspace).resolve(), kernel_keys(), all_sessions())


def examine(workspace: Path, keys: Keys, sessions: Sequence[Session]) -> Report:
    """What `doctor` tells, of these sessions. Takes a moment, and may ask the OS keyring: for a thread."""
    findings = [*versions(), page_files(), front_end(), subshells(), page_finding(sessions)]
    findings += [settings_finding(), litellm_finding(), *key_findings(keys, sessions), *store_findings(workspace)]
    for session in sessions:
        findings += notices(session)
    return Report(sorted(findings, key=lambda finding: GRAVEST_FIRST.index(finding.state)))


def versions() -> list[Finding]:
    """What is installed beside the kernel. The notebook server may live in another environment."""
    found = {name: _version(name) for name in PACKAGES}
    told = ", ".join(f"{name} {number}" for name, number in found.items() if number)
    findings = [Finding(topic="Versions", state="ok", found=f"Python {platform.python_version()}, {told}")]
    for name, least in LEAST.items():
        number = found[name]
        wanted = ".".join(map(str, least))
        if number and _parts(number) < least:
            findings.append(
                Finding(
                    topic=name,
                    state="problem",
                    found=f"version {number}",
                    meaning="The widget may not show, or Stop may not be heard.",
                    fix=f'Run: pip install --upgrade "{name}>={wanted}"',
                )
            )
    return findings


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _parts(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in number.split(".")[:3] if part.isdecimal())


def page_files() -> Finding:
    """Whether this package came with its built page."""
    if (STATIC / "widget.js").exists() and (STATIC / "widget.css").exists():
        return Finding(topic="Page", state="ok", found="built")
    return Finding(
        topic="Page",
        state="problem",
        found="the page was not built",
        meaning="The widget shows one line; everything else works from Python.",
        fix="In a source tree run: make build",
    )


def front_end() -> Finding:
    """Where a notebook server of this environment finds the front end of widgets."""
    from jupyter_core.paths import jupyter_path

    wanted = ("anywidget", "@jupyter-widgets/jupyterlab-manager")
    places = {name: [p for p in jupyter_path("labextensions") if (Path(p) / name).is_dir()] for name in wanted}
    missing = [name for name, found in places.items() if not found]
    if not missing:
        return Finding(topic="Front end", state="ok", found=f"found in {places['anywidget'][0]}")
    return Finding(
        topic="Front end",
        state="attention",
        found=f"not found in this environment: {', '.join(missing)}",
        meaning="A JupyterLab that runs in this environment cannot show the widget; one elsewhere needs them there.",
        fix="In the environment of JupyterLab run: pip install anywidget ipywidgets, then reload the page.",
    )


def subshells() -> Finding:
    """Whether the page is heard while a cell runs."""
    from IPython.core.getipython import get_ipython

    kernel = getattr(get_ipython(), "kernel", None)
    if kernel is None:
        return Finding(
            topic="Kernel",
            state="attention",
            found="this is no Jupyter kernel",
            meaning="The agent works, without the widget and without Python in your namespace.",
            fix="Run it in a notebook to see it.",
        )
    if getattr(kernel, "_supports_kernel_subshells", False):
        return Finding(topic="Subshells", state="ok", found="supported: Stop is heard while a cell runs")
    return Finding(
        topic="Subshells",
        state="attention",
        found="not supported by this kernel",
        meaning="While a cell runs, the page is not heard: Stop and approvals wait until it ends.",
        fix='Run: pip install --upgrade "ipykernel>=7.4", then restart the kernel; or interrupt the cell.',
    )


def page_finding(sessions: Sequence[Session]) -> Finding:
    """Whether a page has spoken to an agent of this kernel."""
    if any(session.heard_at > float("-inf") for session in sessions):
        return Finding(topic="Connection", state="ok", found="a page is connected")
    if not sessions:
        return Finding(topic="Connection", state="ok", found="no agent was made yet")
    return Finding(
        topic="Connection",
        state="attention",
        found="no page has spoken to this agent",
        meaning="Calls that need an approval cannot be asked about.",
        fix="Show the agent as the last line of a cell; if nothing appears, mend the front end and reload the page.",
    )


def key_findings(keys: Keys, sessions: Sequence[Session]) -> list[Finding]:
    """Of each profile that is saved or in use: whether its key is there. Never the key."""
    try:
        profiles = dict(SettingsStore().read().catalogue.profiles)
    except SmolPawsError:  # said as a finding of its own
        profiles = {}
    bindings = {name: freeze(NamedProfile(name, profile)) for name, profile in profiles.items()}
    for session in sessions:
        bindings |= {binding.profile: binding for binding in session.bindings()}
    return [key_finding(binding, keys) for binding in bindings.values()]


def notices(session: Session) -> list[Finding]:
    """What the store noticed on reading a conversation."""
    return [
        Finding(
            topic="Conversation",
            state="attention",
            found=notice,
            meaning=f"This was noticed in {session.conversation.id}; the log itself is unchanged.",
            fix="A field that was left out needs a newer version; for locks, choose a local disk.",
        )
        for notice in session.conversation.log.store.notices
    ]
