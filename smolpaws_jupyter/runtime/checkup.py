"""What can be said of a disk and of a key before they are needed: for `doctor`. Changes nothing that stays."""

from __future__ import annotations

import errno
import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Literal

from ..core.errors import SettingsError
from ..core.findings import Finding
from ..core.profiles import Binding
from . import lock
from .keys import Keys, MissingKey
from .settings_store import SettingsStore

FEW_BYTES = 100 * 1024 * 1024
TOO_FEW_BYTES = 5 * 1024 * 1024

KeyState = Literal["found", "missing", "not needed"]

_NETWORK_DISKS = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "lustre", "afs", "ceph", "glusterfs", "beegfs", "gpfs")


def key_state(binding: Binding, keys: Keys) -> KeyState:
    """Whether the key of a binding can be found. May block on the OS keyring; gives away nothing of the key."""
    if binding.api_key_ref is None and not keys.has_entered(binding.profile):
        return "not needed"
    try:
        keys.resolve(binding.api_key_ref, binding.profile)
    except MissingKey:
        return "missing"
    return "found"


def key_finding(binding: Binding, keys: Keys) -> Finding:
    """The same, in words, with the reference where the key is looked for."""
    topic = f"Key of {binding.profile}"
    match key_state(binding, keys):
        case "found":
            return Finding(topic=topic, state="ok", found=f"found ({binding.api_key_ref or 'entered'})")
        case "not needed":
            return Finding(topic=topic, state="ok", found="none needed or known")
        case "missing":
            return Finding(
                topic=topic,
                state="attention",
                found=f"not found ({binding.api_key_ref})",
                meaning="A run with this profile stops before anything is sent.",
                fix="Set it in the environment of the kernel and restart the kernel, or run paws.enter_key("
                f"{binding.profile!r}).",
            )


def settings_finding() -> Finding:
    """Whether the settings files can be read."""
    store = SettingsStore()
    try:
        saved = store.read()
    except SettingsError as error:
        return Finding(
            topic="Settings files",
            state="problem",
            found=str(error),
            meaning="No agent can be made from them.",
            fix="Mend the file at the place that is named.",
        )
    if saved.unknown_keys:
        return Finding(
            topic="Settings files",
            state="attention",
            found=", ".join(str(key) for key in saved.unknown_keys),
            meaning="These settings are not known here, and have no effect.",
            fix="Look for a slip of the pen, or install a newer version.",
        )
    return Finding(topic="Settings files", state="ok", found=f"{len(saved.catalogue.profiles)} saved profiles")


def litellm_finding() -> Finding:
    """Whether the model library is there. It is not imported, which would take seconds."""
    if importlib.util.find_spec("litellm") is not None:
        return Finding(topic="Model library", state="ok", found="litellm is installed")
    return Finding(
        topic="Model library",
        state="problem",
        found="litellm is not installed",
        meaning="Only the practice model and local files can be asked.",
        fix="Run: pip install litellm",
    )


def store_findings(workspace: Path) -> list[Finding]:
    """Whether conversations can be stored in a workspace: its rights, locks, disk and room."""
    folder = next(
        place
        for place in (workspace / ".smolpaws" / "conversations", workspace / ".smolpaws", workspace, *workspace.parents)
        if place.is_dir()
    )
    return [*_writing(folder), *_disk(folder)]


def _writing(folder: Path) -> list[Finding]:
    """Tries it, with a file that is gone at once."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".smolpaws-doctor-") as file:
            writable = Finding(topic="Store", state="ok", found=f"{folder} can be written to")
            try:
                lock.hold(file.fileno())
            except lock.Unsupported:
                return [writable, _NO_LOCKS]
            except lock.Held:  # by nobody: the file is new
                return [writable, _NO_LOCKS]
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        return [
            Finding(
                topic="Store",
                state="problem",
                found=f"{folder} cannot be written to: {reason}",
                meaning="A message cannot be stored, so the agent cannot begin.",
                fix="Make room on this disk." if full else "Change the rights, or use SmolPaws(save=False).",
            )
        ]
    return [writable, Finding(topic="Locks", state="ok", found="supported")]


_NO_LOCKS = Finding(
    topic="Locks",
    state="attention",
    found="this disk has no locks",
    meaning="Another kernel is not kept from opening the same conversation; if both write, the second is stopped.",
    fix="Open a conversation in one kernel at a time, or choose a workspace on a local disk.",
)


def _disk(folder: Path) -> list[Finding]:
    free = shutil.disk_usage(folder).free
    room = Finding(topic="Free space", state="ok", found=f"{free // 1024**2:,} MB")
    if free < FEW_BYTES:
        room = Finding(
            topic="Free space",
            state="problem" if free < TOO_FEW_BYTES else "attention",
            found=f"{free // 1024**2:,} MB",
            meaning="A full disk ends a run; what was stored before stays.",
            fix="Make room on this disk.",
        )
    kind = file_system(folder)
    if kind is None or (kind not in _NETWORK_DISKS and not kind.startswith("fuse.sshfs")):
        return [room, Finding(topic="Disk", state="ok", found=kind or "not known")]
    return [
        room,
        Finding(
            topic="Disk",
            state="attention",
            found=f"a network disk ({kind})",
            meaning="Each record waits for the network, and locks may not reach other computers.",
            fix="Choose a workspace on a local disk where runs are slow.",
        ),
    ]


def file_system(folder: Path) -> str | None:
    """The kind of file system that holds a folder, where the system tells it (Linux); else None."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    here = str(folder.resolve())
    best, kind = "", None
    for line in lines:
        _, place, type_, *_ = [*line.split(" "), "", "", ""]
        place = place.replace("\\040", " ")
        inside = here == place or here.startswith(place.rstrip("/") + "/")
        if inside and len(place) >= len(best):
            best, kind = place, type_
    return kind
