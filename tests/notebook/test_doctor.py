"""The doctor: what works here, and how to mend what does not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import smolpaws_jupyter
from smolpaws_jupyter.core.findings import Finding
from smolpaws_jupyter.core.profile_choice import NamedProfile
from smolpaws_jupyter.core.profiles import LLMProfile
from smolpaws_jupyter.core.validation import checked
from smolpaws_jupyter.notebook.doctor import Report, doctor
from smolpaws_jupyter.runtime.checkup import file_system, key_finding, store_findings
from smolpaws_jupyter.runtime.keys import Keys
from smolpaws_jupyter.runtime.starting import freeze

KEY = "sk-doctor-7f3a-9c1e-secret"


def by_topic(report: Any) -> dict[str, Finding]:
    return {finding.topic: finding for finding in report}


def test_the_doctor_is_a_public_name():
    assert smolpaws_jupyter.doctor is doctor


def test_whatever_is_not_well_has_a_meaning_and_a_fix(tmp_path: Path):
    report = doctor(str(tmp_path))

    assert {"Versions", "Store", "Locks", "Free space", "Model library", "Settings files"} <= set(by_topic(report))
    for finding in report:
        assert (finding.state == "ok") == (not finding.fix) == (not finding.meaning)
    states = [finding.state for finding in report]
    assert states == sorted(states, key=("problem", "attention", "ok").index)


def test_it_says_whether_a_key_is_there_and_never_the_key():
    """R-SEC-2."""
    keys = Keys(environ={"DOCTOR_TEST_KEY": KEY})
    profile = {"model": "openai/gpt-4o", "apiKeyRef": "env:DOCTOR_TEST_KEY"}
    bindings = [
        freeze(NamedProfile("with", checked(LLMProfile, profile))),
        freeze(NamedProfile("without", checked(LLMProfile, {**profile, "apiKeyRef": "env:NOT_THERE"}))),
        freeze(NamedProfile("practice", LLMProfile(model="practice"))),
    ]

    found, missing, none = report = Report(key_finding(binding, keys) for binding in bindings)

    assert (found.state, missing.state, none.state) == ("ok", "attention", "ok")
    assert "NOT_THERE" in missing.found
    assert "none needed" in none.found
    assert KEY not in repr(report) + report._repr_html_()


def test_it_leaves_the_workspace_as_it_was(tmp_path: Path):
    (tmp_path / ".smolpaws").mkdir()

    doctor(str(tmp_path))

    assert list(tmp_path.rglob("*")) == [tmp_path / ".smolpaws"]


def test_a_folder_that_cannot_be_written_is_a_problem():
    """On Linux, where even root writes nothing to /proc; elsewhere the root of the system is as closed to a person."""
    store = by_topic(store_findings(Path("/proc" if sys.platform == "linux" else "/")))["Store"]

    assert store.state == "problem"
    assert store.fix


def test_a_folder_that_is_not_there_yet_is_judged_by_what_is_above_it(tmp_path: Path):
    assert by_topic(store_findings(tmp_path / "not" / "yet"))["Store"].state == "ok"
    assert not (tmp_path / "not").exists()


def test_a_report_shows_text_as_text():
    """R-SEC-3."""
    report = Report([Finding(topic="<b>", state="ok", found="<script>")])

    assert "<script>" not in report._repr_html_()
    assert "&lt;script&gt;" in report._repr_html_()


def test_the_file_system_of_a_folder_is_that_of_the_nearest_mount():
    assert file_system(Path("/proc")) == ("proc" if sys.platform == "linux" else None)
