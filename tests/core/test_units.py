"""What belongs together in `read`: batches, thinking loops, and where a cut may lie."""

from __future__ import annotations

import pytest
from hypothesis import given

from smolpaws_jupyter.core.units import groups, in_batch, message_count, safe_cuts, text_blocks, units
from tests.builders import PICTURE, History, call
from tests.histories import histories

THINKING = {"thinking_blocks": [{"type": "thinking", "thinking": "so", "signature": "c2ln"}]}
READ = call("read_file", path="a")


def spelled(history: History) -> list[str]:
    """The ids of each unit, joined."""
    read = history.view.read
    return [" ".join(read[at].id for at in unit) for unit in units(read)]


def test_t_view_06_a_batch_is_one_unit():
    """R-VIEW-10: parallel calls with results in any order, and each other entry by itself."""
    history = (
        History().user("go").calls(READ, READ).result(of="a2").result(of="a1").reply().user("more").call("x").reply()
    )
    assert spelled(history) == ["u1", "a1 a2 o1 o2", "m1", "u2", "a3 o3", "m2"]
    assert safe_cuts(history.view.read) == [0, 1, 5, 6, 7, 9, 10]


def test_t_view_06_a_thinking_loop_is_one_unit_up_to_the_next_other_entry():
    """R-VIEW-10: batches before the first one that carries reasoning stand alone; so does a loop after other words."""
    history = (
        History().user("go").call("x").calls(READ, reasoning=THINKING).results().call("y").call("z").reply().call("x")
    )
    assert spelled(history) == ["u1", "a1 o1", "a2 o2 a3 o3 a4 o4", "m1", "a5 o5"]


def test_empty_reasoning_makes_no_loop():
    history = History().user("go").calls(READ, reasoning={}).results().call("y")
    assert spelled(history) == ["u1", "a1 o1", "a2 o2"]


def test_r_view_11_a_batch_counts_as_two_messages():
    history = History().user("go").calls(READ, READ, READ).results().call("x").reply().condense()
    assert message_count(history.view.read) == 3  # notice, call, result
    history = History().user("go").calls(READ, READ, READ, reasoning=THINKING).results().call("x").reply()
    assert message_count(history.view.read) == 6


@given(histories())
def test_units_are_whole_groups_and_cover_everything_once(history: History):
    read = history.view.read
    for parts in (groups(read), units(read)):
        assert [at for part in parts for at in part] == list(range(len(read)))
    assert set(safe_cuts(read)) <= {0, *(group.stop for group in groups(read))}
    batch_of = {e.id: e.response_event_id for e in read if e.kind == "ActionEvent"}
    for group in groups(read):
        members = [read[at] for at in group]
        if in_batch(members[0]):
            calls = [e for e in members if e.kind == "ActionEvent"]
            assert len({batch_of[call.id] for call in calls}) == 1
            assert {e.action_id for e in members if e.kind not in ("ActionEvent",)} <= {e.id for e in calls}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("entry_id", "texts"),
    [
        ("u1", [(0, "look")]),  # and a picture, which is none
        ("a1", [(0, "thought")]),
        ("o1", [(0, "output")]),
        ("o2", [(0, "Not run.")]),
        ("o3", [(0, "No.")]),
        ("m1", [(0, "words")]),
    ],
)
def test_r_win_15_which_texts_a_cut_may_shorten(entry_id: str, texts: list[tuple[int, str]]):
    history = History("summarizing_window").user("look", PICTURE).calls(READ, READ, READ, thought="thought")
    history.result("output").error().reject("No.").reply("words")
    (entry,) = (e for e in history.view.read if e.id == entry_id)
    assert text_blocks(entry) == texts


def test_r_win_15_a_summary_may_be_cut_and_a_notice_or_reminder_not():
    history = History().user("go").remind().reply().user("big").emergency("So far.")
    notice, summary = history.view.read
    assert text_blocks(summary) == [(0, "So far.")]
    assert text_blocks(notice) == []
    reminder = History("new_context").user("go").remind().reply().view.read[1]
    assert text_blocks(reminder) == []
