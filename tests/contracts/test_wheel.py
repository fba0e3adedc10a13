"""One wheel holds the package, the built page and the JupyterLab extension, each once; it is built without Node."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import smolpaws_jupyter

pytestmark = pytest.mark.slow

VERSION = smolpaws_jupyter.__version__
EXTENSION = f"smolpaws_jupyter-{VERSION}.data/data/share/jupyter/labextensions/smolpaws-jupyter"


@pytest.fixture(scope="module")
def dist(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source archive, and the wheel that was built from it where there is no Node."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, root]
    bare = {**os.environ, "PATH": str(Path(sys.executable).parent)}
    result = subprocess.run(command, env=bare, capture_output=True, text=True, timeout=110, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


@pytest.fixture
def wheel(dist: Path) -> zipfile.ZipFile:
    """The opened wheel."""
    return zipfile.ZipFile(dist / f"smolpaws_jupyter-{VERSION}-py3-none-any.whl")


def test_the_wheel_holds_the_page_as_it_was_built(wheel: zipfile.ZipFile, root: Path):
    for name in ("widget.js", "widget.css", "widget.licenses.txt"):
        path = f"smolpaws_jupyter/static/{name}"
        assert wheel.read(path) == (root / path).read_bytes()


def test_the_wheel_holds_the_extension_once_where_jupyterlab_looks_for_it(wheel: zipfile.ZipFile):
    names = wheel.namelist()
    package = json.loads(wheel.read(f"{EXTENSION}/package.json"))
    assert package["jupyterlab"]["_build"]["load"].startswith("static/remoteEntry.")
    assert f"{EXTENSION}/{package['jupyterlab']['_build']['load']}" in names
    assert json.loads(wheel.read(f"{EXTENSION}/install.json"))["packageName"] == "smolpaws-jupyter"
    assert [name for name in names if "remoteEntry" in name and not name.startswith(EXTENSION)] == []


def test_the_wheel_holds_every_module_and_nothing_else(wheel: zipfile.ZipFile, root: Path):
    modules = {path.relative_to(root).as_posix() for path in (root / "smolpaws_jupyter").rglob("*.py")}
    inside = {name for name in wheel.namelist() if name.startswith("smolpaws_jupyter/") and "/static/" not in name}
    assert modules <= inside
    assert [name for name in inside - modules if not name.endswith((".md", ".txt", "py.typed"))] == []
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert tops == {"smolpaws_jupyter", f"smolpaws_jupyter-{VERSION}.data", f"smolpaws_jupyter-{VERSION}.dist-info"}


def test_the_source_archive_holds_sources_and_built_files_but_nothing_installed(dist: Path):
    with tarfile.open(dist / f"smolpaws_jupyter-{VERSION}.tar.gz") as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    wanted = {"js/src/index.ts", "js/package-lock.json", "smolpaws_jupyter/static/widget.js", "LICENSE"}
    assert wanted | {"smolpaws_jupyter/labextension/package.json"} <= names
    assert [name for name in names if "node_modules" in name or name.startswith((".venv", "dist/", "js/lab-lib"))] == []
