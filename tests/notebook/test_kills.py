"""T4: kernels are killed at random moments and from inside a tool; the next kernel finds all, and repeats nothing."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wire_rules import assert_lawful

from .conftest import SETUP
from .kernels import Kernel, kernel

pytestmark = [pytest.mark.kernel, pytest.mark.slow, pytest.mark.timeout(1_800)]

ROUNDS = {"check": 1, "test": 10, "all": 60}
EFFECT = "import os, time; f = open({path!r}, 'a'); print({number}, file=f, flush=True); {then}; time.sleep(0.02)"
DIE = "os.kill(os.getpid(), 9)"


def moves(effects: Path, deadly: int | None) -> str:
    """Eight calls with effects and two resets; the deadly one kills its kernel once its effect has happened."""
    calls = [
        f"scripted.code({EFFECT.format(path=str(effects), number=n, then=DIE if n == deadly else 'pass')!r})"
        for n in range(8)
    ]
    for place in (6, 3):
        calls.insert(place, "scripted.call('condense', message_to_future_self='Go on counting.')")
    return ", ".join([*calls, "scripted.reply('Counted.')"])


def begin(k: Kernel, name: str, effects: Path, chance: random.Random) -> str:
    """A conversation whose kernel dies while its agent works; gives the conversation's id."""
    deadly = chance.choice([None, chance.randrange(8)])
    k.do(f"paws = scripted.play({moves(effects, deadly)}, name={name!r})")
    conversation_id = k.value("paws.conversation_id")
    told = k.start("paws.tell('Count to eight.')")
    if deadly is None:
        k.finish(told)
        time.sleep(chance.uniform(0, 1))
        k.kill()
    else:  # it may die before it says that it told
        k.pump(lambda: not k.manager.is_alive())
    return conversation_id


def examine(k: Kernel, name: str, conversation_id: str, effects: Path) -> None:
    """The next kernel's findings."""
    k.do(f"paws = scripted.resume({conversation_id!r}, scripted.reply('Here.'), name={name!r})")
    done = effects.read_text().split() if effects.exists() else []
    assert len(done) == len(set(done)), "an effect happened twice"
    kinds = k.value("[e.kind for e in paws.events]")
    assert k.value("[e.text for e in paws.events if e.kind == 'MessageEvent' and e.genuine]") == ["Count to eight."]
    assert len(done) <= kinds.count("ToolStartEvent")
    assert kinds.count("ObservationEvent") - kinds.count("Condensation") <= len(done)
    assert kinds.count("CondensationRequest") == kinds.count("Condensation") <= 2
    assert k.value("[c.id for c in paws.view.open_calls]") == []
    assert k.value("paws.status") in ("paused", "idle")

    k.do(f"paws.close(); paws = scripted.resume({conversation_id!r}, scripted.reply('Here.'), name={name!r})")
    assert k.value("[e.kind for e in paws.events]") == kinds, "a second opening repaired again"
    assert k.do("print(await paws.ask('Are you there?'))").text == "Here.\n"
    sent = k.value("scripted.model_of(paws).requests[0].messages")
    assert_lawful(sent)
    assert json.dumps(sent).count("Are you there?") == 1
    assert (effects.read_text().split() if effects.exists() else []) == done, "something ran again"


def test_t4_i_1_i_9_i_10_a_killed_kernel_loses_and_repeats_nothing(
    tmp_path: Path, lane: str, count: Callable[[str, int], None]
) -> None:
    """T4, F-1, F-23, I-1, I-3, I-7, I-9 to I-11, I-22: each kernel examines what the one before left."""
    left: tuple[str, str, Path] | None = None
    for number in range(ROUNDS[lane] + 1):
        with kernel(tmp_path) as k:
            k.do(SETUP)
            if left is not None:
                examine(k, *left)
            if number < ROUNDS[lane]:
                name, effects = f"killed/{number}", tmp_path / f"effects-{number}"
                left = (name, begin(k, name, effects, random.Random(number)), effects)
    count("killed kernels", ROUNDS[lane])
