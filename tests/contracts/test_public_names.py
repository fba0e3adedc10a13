"""The public surface is what it says it is (R-STR-9)."""

from __future__ import annotations

import inspect

import smolpaws_jupyter
import smolpaws_jupyter.testing
from smolpaws_jupyter import SmolPaws

FRONT_DOOR = [
    "tell",
    "ask",
    "wait",
    "stop",
    "pause",
    "resume",
    "approve",
    "reject",
    "revoke",
    "withdraw",
    "condense",
    "transcript",
    "next_request",
    "enter_key",
    "last_error",
    "load",
    "conversations",
]


def test_public_names_are_sorted_and_can_be_imported() -> None:
    for package in (smolpaws_jupyter, smolpaws_jupyter.testing):
        assert list(package.__all__) == sorted(package.__all__)
        for name in package.__all__:
            assert getattr(package, name) is not None


def test_t_stop_11_the_front_door_has_the_names_of_the_contract() -> None:
    for name in FRONT_DOOR:
        assert inspect.getdoc(getattr(SmolPaws, name)), name
    for name in ("send", "open", "run"):
        assert name not in vars(SmolPaws), f"ipywidgets owns {name}, or a notebook user would mistake it"


def test_the_signature_is_that_of_the_design() -> None:
    parameters = list(inspect.signature(SmolPaws.__init__).parameters)
    assert parameters[1:] == [
        "model", "max_input_tokens", "settings", "profiles", "workspace", "tools", "notes", "memory", "skills",
        "approvals", "conversation", "scope", "save",
    ]  # fmt: skip
