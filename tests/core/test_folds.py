"""The folds of a log as JSON are the folds of that log."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core import folds
from smolpaws_jupyter.core.ledger import Ledger
from smolpaws_jupyter.core.replay import Replay
from tests.builders import History
from tests.histories import histories


def unordered(value: object) -> str:
    """JSON whose lists are sorted: sets have no order of their own, and what has one was compared as folds."""
    if isinstance(value, dict):
        return json.dumps({key: unordered(item) for key, item in value.items()}, sort_keys=True)
    return json.dumps(sorted(map(unordered, value)) if isinstance(value, list) else value)


@given(histories(), st.data())
def test_i_7_folds_that_were_written_and_read_go_on_as_if_they_had_not(history: History, data: st.DataObject):
    at = data.draw(st.integers(0, len(history.commits)))
    whole = Replay.of(history.commits[:at])
    assert isinstance(whole, Replay)
    ledger = Ledger.of(event for commit in history.commits[:at] for event in commit)
    text = json.dumps(folds.dump(whole, ledger))
    read = folds.load(json.loads(text))
    assert read == (whole, ledger)
    again = json.dumps(folds.dump(*read))
    assert unordered(json.loads(again)) == unordered(json.loads(text))  # a whole number is no fraction afterwards
    replay, ledger_read = read
    for commit in history.commits[at:]:
        whole, replay = whole.after(commit), replay.after(commit)
        assert isinstance(whole, Replay)
        assert isinstance(replay, Replay)
        assert replay == whole
        for event in commit:
            ledger, ledger_read = ledger.add(event), ledger_read.add(event)
        assert ledger_read == ledger
