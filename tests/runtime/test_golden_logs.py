"""Logs of every release mean for ever what they meant when they were written (T12, I-8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from smolpaws_jupyter import __version__
from smolpaws_jupyter.core.errors import StoreError
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from smolpaws_jupyter.runtime.log import EventLog
from smolpaws_jupyter.runtime.opening import repair, repairs
from smolpaws_jupyter.runtime.redaction import Redactor
from tests.core.every_event import KINDS
from tests.fixtures.golden_logs import FOREIGN, LATER, LOGS, expected, golden_logs, meaning, opened, ours
from tests.runtime.stored import message, texts_of

ALL = list(golden_logs())
golden = pytest.mark.parametrize("log", ALL, ids=lambda log: f"{log.parent.name}-{log.name}")


@golden
def test_i_8_a_golden_log_means_what_it_meant(log: Path, tmp_path: Path):
    """T12, I-8, R-VIEW-1: the next request, what waits, what was spent, and what opening makes of it."""
    assert meaning(opened(log, tmp_path)) == expected(log)


@golden
def test_i_7_a_golden_log_is_repaired_once(log: Path, tmp_path: Path):
    """T12, I-7: what opening appends can be read by the next opening, which appends nothing."""
    store = opened(log, tmp_path)
    before = EventLog(store, Redactor())
    reason = before.read_only
    if reason is None:
        repair(before)
    store.close()

    again = EventLog(JsonlStore.open(tmp_path / log.name), Redactor())

    assert again.view == before.view
    assert again.read_only == reason
    assert reason is not None or repairs(again) == []


def test_this_version_has_its_golden_logs_and_they_hold_every_kind_of_event(tmp_path: Path):
    """T12: if this fails, run `python -m tests.fixtures.golden_logs`, and keep what it writes."""
    names = {log.name for log in ALL if log.parent.name == __version__}
    assert names >= set(ours())
    assert {log.name for log in ALL if log.parent.name == LATER} >= set(FOREIGN)
    kinds = {
        event.kind
        for log in ALL
        if log.parent.name == __version__
        for event in opened(log, tmp_path).read()
        if not isinstance(event, UnknownEvent)
    }
    assert kinds == KINDS


def test_t_log_03_a_log_of_another_format_is_read_and_left_alone(tmp_path: Path):
    """T12, T-LOG-03, R-LOG-6, F-18: it opens read-only and says why; what stands in our format can be forked."""
    store = opened(LOGS / LATER / "another_format", tmp_path)

    assert store.read_only is not None
    assert "written by a later version (format 2" in store.read_only
    with pytest.raises(StoreError, match="later version"):
        store.append([message("X")])
    assert texts_of(store.fork(0, "fork", [message("from here")])) == ["from here"]
    assert _log(tmp_path / "another_format") == _log(LOGS / LATER / "another_format")


def test_t_log_03_unknown_kinds_and_fields_are_told_of_and_kept(tmp_path: Path):
    """T12, T-LOG-03, R-LOG-6, F-18"""
    store = opened(LOGS / LATER / "unknown_kinds_and_fields", tmp_path)

    unknown = [event for event in store.read() if isinstance(event, UnknownEvent)]
    assert [(event.kind, event.reason) for event in unknown] == [("CanvasEvent", "unknown"), ("ActionEvent", "unknown")]
    assert sorted(notice.split(": ")[1] for notice in store.notices) == [
        "unknown field content.0.language was left out",
        "unknown field mood was left out",
        "unknown field theme was left out",
    ]
    store.append([message("on")])
    assert _log(tmp_path / "unknown_kinds_and_fields").startswith(_log(LOGS / LATER / "unknown_kinds_and_fields"))


def test_f_18_impossible_fields_make_read_only_and_leave_the_rest_readable(tmp_path: Path):
    """T12, F-18"""
    store = opened(LOGS / LATER / "impossible_fields", tmp_path)

    log = EventLog(store, Redactor())

    assert log.read_only is not None
    assert "at event unreadable" in log.read_only
    assert texts_of(store) == ["hi"]


def _log(folder: Path) -> bytes:
    return (folder / "log.jsonl").read_bytes()
