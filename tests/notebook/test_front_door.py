"""The names of the front door, and the traits that stand for what is (R-STR-9, T-STOP-11)."""

from __future__ import annotations

import inspect

from smolpaws_jupyter import SmolPaws
from smolpaws_jupyter.core.wire import Traits

NAMES = {
    *("tell", "ask", "wait", "stop", "pause", "resume", "approve", "reject", "revoke", "withdraw", "condense", "fork"),
    *("transcript", "next_request", "enter_key", "last_error", "load", "conversations"),
    *("events", "view", "budget", "status"),
}


def own_names() -> set[str]:
    """The public names that the widget adds to those of any widget."""
    return {name for name in vars(SmolPaws) if not name.startswith("_")}


def test_t_stop_11_the_front_door_has_the_names_of_the_contract():
    assert own_names() >= NAMES
    assert not {"send", "open", "run"} & own_names()


def test_each_synced_fact_is_a_trait_and_each_trait_of_ours_such_a_fact():
    ours = {name for name, trait in SmolPaws.class_own_traits(sync=True).items() if not name.startswith("_")}
    assert ours == set(Traits.model_fields)
    defaults = Traits().model_dump(mode="json")
    assert {name: SmolPaws.class_traits()[name].default() or None for name in ours} == {
        name: (None if name == "budget" else value or None) for name, value in defaults.items()
    }


def test_every_public_method_says_what_it_does():
    for name in own_names():
        member = inspect.getattr_static(SmolPaws, name)
        if callable(member) or isinstance(member, property | classmethod | staticmethod):
            assert inspect.getdoc(getattr(SmolPaws, name)), name
