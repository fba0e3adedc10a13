"""One version: the npm package that is inside the wheel says the same as the Python package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import smolpaws_jupyter


@pytest.mark.parametrize("name", ["package.json", "package-lock.json"])
def test_the_npm_package_has_the_version_of_the_python_package(root: Path, name: str):
    assert json.loads((root / "js" / name).read_text(encoding="utf-8"))["version"] == smolpaws_jupyter.__version__
