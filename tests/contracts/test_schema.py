"""The page's vocabulary is the kernel's: schema, types and run-time shapes are in step with the pydantic models."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

from smolpaws_jupyter.core.events import Event
from smolpaws_jupyter.core.payloads import CondenseAction
from smolpaws_jupyter.core.wire import Command, Update


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = Path(__file__).parents[2] / "js/scripts/schema.py"
    spec = importlib.util.spec_from_file_location("schema_script", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_schema_is_that_of_the_models_and_the_sentences_are_those_of_the_practice_model(
    script: ModuleType,
):
    assert {file.name for file in script.FILES} == {"schema.json", "practice.json"}
    for file, make in script.FILES.items():
        assert file.read_text(encoding="utf-8") == make(), f"{file.name} is stale: run `make types`"


def test_every_event_command_and_update_is_in_the_schema(script: ModuleType):
    defined = json.loads(script.schema())["$defs"]
    for union in (Event, Command, Update):
        members = get_args(get_args(union)[0])
        assert len(members) > 5
        assert {member.__name__ for member in members} <= set(defined)


def test_every_field_that_is_sent_is_required(script: ModuleType):
    loose = {
        f"{name}.{field}"
        for name, shape in json.loads(script.schema())["$defs"].items()
        for field in set(shape.get("properties", {})) - set(shape.get("required", []))
    }
    assert loose == {"CondenseAction.message_to_future_self"}
    assert "message_to_future_self" not in CondenseAction().model_dump()


@pytest.mark.parametrize(("generator", "file"), [("types.mjs", "types.ts"), ("shapes.mjs", "shapes.json")])
def test_types_and_shapes_are_made_from_the_schema(root: Path, tmp_path: Path, generator: str, file: str):
    node = shutil.which("node")
    if node is None or not (root / "js/node_modules").exists():
        pytest.skip("needs node and the packages of js/ (make js)")
    subprocess.run([node, f"scripts/{generator}", str(tmp_path / file)], cwd=root / "js", check=True)
    assert (tmp_path / file).read_text(encoding="utf-8") == (root / "js/src/wire" / file).read_text(encoding="utf-8"), (
        "stale: run `make types`"
    )
