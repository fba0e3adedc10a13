"""The golden form of a log is the same for ever, and says what changes."""

from __future__ import annotations

import json

from hypothesis import given

from smolpaws_jupyter.core.records import UnknownEvent, decode, encode
from tests.builders import History
from tests.core.every_event import every_event
from tests.golden import folded, text
from tests.histories import histories


@given(histories())
def test_i_8_a_log_that_went_to_disk_has_the_golden_form_of_the_live_one(history: History):
    """I-8, T12"""
    stored = [
        [e if isinstance(e, UnknownEvent) else decode(encode(e))[0] for e in commit] for commit in history.commits
    ]
    golden = text(folded(stored))
    assert golden == text(folded(history.commits))
    assert text(json.loads(golden)) == golden


def test_the_golden_form_tells_apart_what_is_shown_pending_spent_and_wrong():
    """Each further event of a log that holds all kinds changes it, and so does a violation."""
    events = every_event()
    forms = [text(folded([events[:length]])) for length in range(1, len(events) + 1)]
    assert len(set(forms)) == len(forms)
    assert folded([events])["violation"] is None
    assert folded([events[1:]])["violation"] == ["z1", "R-REPL-1"]
