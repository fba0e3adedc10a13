"""Each text that the model or a person is shown says what it has to say (contract, section 25)."""

from __future__ import annotations

import pytest

from smolpaws_jupyter.core import wording

CONVEYS = {
    "R-WORD-1": (
        wording.RECOVERY,
        ["you started this reset", "gone", "notes", "history", "breath", "read", "user", "may not know", "choice"],
    ),
    "R-WORD-2": (
        wording.EMERGENCY_NOTICE,
        ["summary", "replaces", "incomplete", "pause", "read", "notes", "still waits", "may not know"],
    ),
    "R-WORD-3": (
        wording.warning(0.825, 330_000, 400_000, "measured", "notes"),
        ["82.5%", "330,000 of 400,000", "measured", "advice only", "you decide", "save", "condense alone", "message"],
    ),
    "R-WORD-5": (
        wording.CONDENSE_NOT_ALONE,
        ["only tool call", "nothing was cleared", "other calls", "ran", "again, alone"],
    ),
    "R-WORD-6": (
        wording.reset_invalid("condense", "message_to_future_self: at most 16,384 UTF-16 code units"),
        ["16,384", "nothing was cleared"],
    ),
    "R-WORD-6, outside": (wording.CONDENSE_OUTSIDE, ["only inside", "nothing was cleared"]),
    "R-WORD-7": (wording.MESSAGE_LABEL, ["your own", "earlier", "word for word"]),
    "R-WORD-8": (
        wording.CONDENSE_DESCRIPTION + wording.MESSAGE_DESCRIPTION,
        [
            "you choose",
            "save",
            "writes no notes itself",
            "only tool call",
            "optional",
            "16,384 utf-16 code units",
            "result",
        ],
    ),
    "R-WORD-10": (
        wording.MANUAL_REFUSED,
        ["agent decides", "ask it to save its notes", "condense", "nothing was changed"],
    ),
    "R-WORD-12, interrupted": (wording.INTERRUPTED, ["interrupted", "not repeated"]),
    "R-WORD-12, interrupted reset": (
        wording.INTERRUPTED_RESET + wording.NOTHING_CLEARED,
        ["interrupted", "nothing was cleared"],
    ),
    "R-WORD-12, not run": (wording.NOT_RUN, ["not run", "not repeated"]),
    "R-WORD-12, unknown": (wording.OUTCOME_UNKNOWN, ["unknown", "not repeated"]),
    "R-WORD-12, cut off": (wording.CUT_OFF, ["cut off", "not run"]),
    "R-WORD-12, rejected": (wording.rejected("No."), ["rejected", "not run", '"no."']),
    "R-WORD-14, blocked": (
        wording.rescue_blocked(),
        ["too large", "history is intact", "no further summary was bought", "larger window", "fork", "file"],
    ),
    "R-WORD-14, off": (
        wording.overflow_without_rescue(),
        ["too large", "history is intact", "no summary was bought", "off", "larger window"],
    ),
    "R-WORD-14, message": (
        wording.input_too_large(9_000, 8_000),
        ["pending message", "9,000", "8,000", "no summary was bought", "intact", "larger window", "fork", "file"],
    ),
    "R-WORD-14, fixed": (
        wording.fixed_context_too_large(9_000, 8_000),
        ["fixed part", "9,000", "8,000", "no summary was bought", "intact", "larger window"],
    ),
    "R-WORD-14, output": (
        wording.output_allowance_too_large(7_884, 131_072, 131_072),
        ["7,884", "131,072", "output allowance", "intact", "maxoutputtokens"],
    ),
    "R-WORD-16": (wording.NUDGE_EMPTY, ["not from the user", "empty", "answer again", "why"]),
    "R-WORD-16, content": (wording.NUDGE_CONTENT, ["not from the user", "content policy", "answer", "why"]),
    "R-WORD-18": (wording.RESET_NOT_DONE, ["ignore", "history is complete", "ask again"]),
    "R-WORD-19": (
        wording.NEW_KERNEL,
        ["restarted", "variables", "imports", "running work", "files", "notes", "conversation remain", "make again"],
    ),
}


@pytest.mark.parametrize("rule", CONVEYS)
def test_t_tool_10_each_text_conveys_its_points(rule: str) -> None:
    """R-WORD-1 to 3, R-WORD-5 to 8, R-WORD-10, R-WORD-12, R-WORD-14, R-WORD-16, R-WORD-18, R-WORD-19."""
    text, points = CONVEYS[rule]
    missing = [point for point in points if point not in text.lower()]
    assert not missing


@pytest.mark.parametrize(
    ("stage", "shown"), [(0.75, "75%"), (0.825, "82.5%"), (1.0, "100%"), (0.3333, "33.33%"), (0.9, "90%")]
)
def test_r_word_3_a_stage_has_at_most_two_decimals_and_no_zeros_behind(stage: float, shown: str) -> None:
    assert f" {shown} " in wording.warning(stage, 1, 2, "estimated", "notes")


def test_r_str_1_and_r_str_2_the_notices_are_the_words_of_the_contract() -> None:
    assert wording.RESET_NOTICE == "The agent triggered context condensation."
    assert wording.EMERGENCY_NOTICE.startswith(
        "The environment triggered emergency context condensation after the model provider returned a "
        "context-window error."
    )
