"""Importing the package is quick and brings nothing heavy along; the model library waits until a model is asked."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import smolpaws_jupyter

PACKAGE = Path(smolpaws_jupyter.__file__).parent
HEAVY = ("litellm", "openai", "httpx", "aiohttp", "keyring", "xllamacpp", "boto3", "tiktoken")


def modules_of(floor: str) -> list[str]:
    names = (path.relative_to(PACKAGE.parent).with_suffix("").parts for path in sorted((PACKAGE / floor).rglob("*.py")))
    return [".".join(parts).removesuffix(".__init__") for parts in names]


@pytest.mark.slow
@pytest.mark.parametrize("floor", ["core", "runtime", "testing"])
def test_no_module_of_a_floor_loads_a_model_library(floor: str):
    script = f"""
import importlib, sys
for name in {modules_of(floor)!r}:
    importlib.import_module(name)
print(sorted(set({HEAVY!r}) & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=100)
    assert done.stdout.strip() == "[]"


def test_the_package_itself_loads_no_floor_above_what_it_names():
    script = f"import sys, smolpaws_jupyter; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=100)
    assert done.stdout.strip() == "[]"


def test_the_widget_is_imported_without_what_only_an_agent_needs():
    """It costs no more than a bare widget: `python -m tests.bench imports` measures it."""
    script = """
import sys
from smolpaws_jupyter import SmolPaws
print(sorted(name for name in sys.modules if name.startswith(("pydantic", "smolpaws_jupyter."))))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=100)
    assert ast.literal_eval(done.stdout) == [
        "smolpaws_jupyter.core",
        "smolpaws_jupyter.core.errors",
        "smolpaws_jupyter.notebook",
        "smolpaws_jupyter.notebook.widget",
        "smolpaws_jupyter.notebook.worker",
    ]


def test_f_62_a_release_of_litellm_that_was_made_by_an_attacker_is_not_loaded(tmp_path: Path):
    (info := tmp_path / "litellm-1.82.8.dist-info").mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: litellm\nVersion: 1.82.8\n")
    script = f"""
import asyncio, sys
sys.path.insert(0, {str(tmp_path)!r})
from smolpaws_jupyter.core.profiles import LLMProfile, bind
from smolpaws_jupyter.runtime.keys import Keys
from smolpaws_jupyter.runtime.litellm_client import LitellmLLM
from smolpaws_jupyter.runtime.llm import Limits, LLMFailure, Request

async def ask():
    llm = LitellmLLM(binding := bind("main", LLMProfile(model="openai/x")), Keys({{}}))
    try:
        print(await llm.window())
        await llm.complete(Request([], [], binding), Limits(), print, print)
    except LLMFailure as error:
        print(error.failure.text)
    await llm.aclose()
    print("litellm" in sys.modules)

asyncio.run(ask())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=100)
    window, text, loaded = done.stdout.splitlines()
    assert (window, loaded) == ("None", "False")
    assert "made by an attacker" in text


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_loading_litellm_asks_nobody_and_leaves_the_persons_own_choice(monkeypatch: pytest.MonkeyPatch):
    """With a price list or tokenizers to fetch it would go to the network; the hook reports any connection."""
    script = """
import os, sys
asked = []
sys.addaudithook(lambda event, args: asked.append(args) if event in ("socket.connect", "socket.getaddrinfo") else None)
from smolpaws_jupyter.runtime import litellm_client
litellm_client._import()
print(asked, os.environ["LITELLM_OFFLINE_MODE"], os.environ["LITELLM_LOCAL_MODEL_COST_MAP"])
"""
    monkeypatch.setenv("LITELLM_OFFLINE_MODE", "yes-mine")
    monkeypatch.delenv("LITELLM_LOCAL_MODEL_COST_MAP", raising=False)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=280)
    assert done.stdout.strip() == "[] yes-mine True"
    assert done.stderr == ""
