"""Text for the model and for people is clean, bounded, comparable, and hides nothing."""

from __future__ import annotations

import json
import re
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from smolpaws_jupyter.runtime.text import BOUND, bound, clean, diff, plain, reveal, strip_ansi

CASES = json.loads((Path(__file__).parents[1] / "fixtures/cases/data/open_texts.json").read_text("utf-8"))
EMOJI = "\U0001f600"

any_text = st.text(st.characters(exclude_categories=()), max_size=300)
"""Halves of surrogate pairs included."""

joined = st.lists(
    st.sampled_from([EMOJI, "👩‍👩‍👧", "👍🏽", "🇩🇪", "e\u0301", "❤\ufe0f", "\r\n", "a", "\n", "\ud83d", "\ude00"]),
    max_size=60,
).map("".join)
"""Characters that are drawn as one, next to halves of pairs."""


# Clean


@pytest.mark.parametrize(
    ("given", "expected"),
    [*zip(CASES["O28-cut-pair"]["examples"], ["ok \ufffd end", "\ufffd start", f"{EMOJI} fine"], strict=True)],
)
def test_o28_a_lone_half_becomes_a_replacement_character_and_a_pair_its_emoji(given: str, expected: str):
    assert clean(given) == expected


@given(any_text | joined)
def test_o28_cleaned_text_encodes_and_cleaning_twice_changes_nothing(text: str):
    cleaned = clean(text)

    assert cleaned.encode().decode() == cleaned
    assert clean(cleaned) == cleaned
    assert [c for c in cleaned if c != "\ufffd"] == [
        c for c in text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore") if c != "\ufffd"
    ]


# Terminal escapes


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("\x1b[0;31mZeroDivisionError\x1b[0m: division by zero", "ZeroDivisionError: division by zero"),
        ("\x1b[38;5;241mgrey\x1b[39m", "grey"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;title\x07text", "text"),
        ("\x9b31mred", "red"),
        ("\x1b(Bplain\x1b=", "plain"),
        ("\x1b]never closed, so what follows stays", "never closed, so what follows stays"),
        ("cut off \x1b[", "cut off "),
        ("cut off \x1b", "cut off "),
        ("a [0m that is no escape", "a [0m that is no escape"),
    ],
)
def test_o29_terminal_escapes_vanish_and_the_text_stays(given: str, expected: str):
    assert strip_ansi(given) == expected


@given(
    st.lists(st.sampled_from(["\x1b", "[", "]", "m", "0;1", "\x07", "\\", "P", "\x9b", "text", "\n", " "])).map("".join)
)
def test_o29_no_escape_character_survives_and_every_line_break_does(text: str):
    stripped = strip_ansi(text)

    assert "\x1b" not in stripped
    assert stripped.count("\n") == text.count("\n")


def test_f_28_millions_of_marks_on_one_letter_are_cut_all_the_same():
    bounded = bound("a" + "\u0301" * 3_000_000)

    assert len(bounded.shown) <= BOUND
    assert bounded.left_out_chars > 2_900_000


@pytest.mark.parametrize(
    "hostile", ["\x1b]" * 500_000, "\x1b[" * 500_000, "\x1b]" + "x" * 1_000_000, "\x1b[0;" * 250_000]
)
def test_f_28_hostile_escapes_cost_linear_time(hostile: str):
    started = time.monotonic()

    strip_ansi(hostile)

    assert time.monotonic() - started < 5


# Bounds


def test_t_msg_07_a_large_output_shows_head_tail_what_is_missing_and_how_to_read_it():
    text = "first line\n" + "x" * 300_000 + "\nlast line"

    bounded = bound(text, rest='read_file("output:call-7")')

    assert len(bounded.shown) <= BOUND
    assert bounded.shown.startswith("first line\n")
    assert bounded.shown.endswith("\nlast line")
    assert bounded.total_chars == len(text)
    assert f"[{bounded.left_out_chars} of {len(text)} characters are left out here, from offset " in bounded.shown
    assert 'to read them: read_file("output:call-7")]' in bounded.shown


def test_r_msg_9_a_small_output_is_shown_whole():
    bounded = bound("x" * BOUND)

    assert (bounded.shown, bounded.left_out_chars) == ("x" * BOUND, 0)


def test_o29_five_million_characters_are_bounded_and_counted():
    bounded = bound("x" * 5_000_000)

    assert len(bounded.shown) <= BOUND
    assert bounded.total_chars == 5_000_000


@pytest.mark.parametrize("limit", [1, 100, 2_000, BOUND])
def test_o28_a_cut_next_to_an_emoji_keeps_or_drops_it_whole(limit: int):
    text = "a" * (limit - 1) + EMOJI + "b" * 100

    shown = bound(text, limit).shown

    shown.encode()
    assert shown.count(EMOJI) in (0, 1)
    assert "\ufffd" not in shown


@given(any_text | joined, st.integers(0, 400), st.sampled_from(["", 'read_file("output:a")']))
@example("🇩🇪" * 60, 200, "")
@example("👩‍👩‍👧" * 60, 200, "")
def test_r_msg_9_what_is_shown_and_what_is_left_out_are_the_whole_text(text: str, limit: int, rest: str):
    bounded = bound(text, limit, rest=rest)
    whole = plain(text)

    bounded.shown.encode()
    assert "\x1b" not in bounded.shown
    start, stop = bounded.left_out_at, bounded.left_out_at + bounded.left_out_chars
    head, tail = whole[:start], whole[stop:]
    assert bounded.shown.startswith(head)
    assert bounded.shown.endswith(tail)
    assert bounded.total_chars == len(whole)
    if bounded.left_out_chars:
        mark = bounded.shown[len(head) : len(bounded.shown) - len(tail)]
        assert f"{bounded.left_out_chars} of {len(whole)}" in mark
        assert f"from offset {start} to {stop}" in mark
        assert rest in mark
        assert len(bounded.shown) <= max(limit, len(mark))
    else:
        assert bounded.shown == whole


GROUPS = ["👩‍👩‍👧", "👍🏽", "🇩🇪", "e\u0301", "❤\ufe0f", "\r\n", EMOJI]


@given(st.lists(st.sampled_from(GROUPS), min_size=1, max_size=5), st.integers(150, 300))
def test_o28_no_group_that_is_drawn_as_one_is_cut(few: list[str], limit: int):
    groups = few * 300

    bounded = bound("".join(groups), limit)

    starts, at = {0}, 0
    for group in groups:
        at += len(group)
        starts.add(at)
    assert {bounded.left_out_at, bounded.left_out_at + bounded.left_out_chars} <= starts


# Differences


def test_a_diff_shows_what_changes():
    assert diff("a\nb\nc\n", "a\nB\nc\n", "notes/a.md") == (
        "--- a/notes/a.md\n+++ b/notes/a.md\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    )


def test_a_diff_of_a_new_file_has_nothing_before_it():
    assert diff(None, "a\n", "a.md") == "--- /dev/null\n+++ b/a.md\n@@ -0,0 +1 @@\n+a\n"


def test_f_52_a_diff_shows_a_missing_last_line_end_and_changed_line_ends():
    assert diff("a", "a\n", "x").endswith("-a\n\\ No newline at end of file\n+a\n")
    assert reveal(diff("a\r\n", "a\n", "x")).endswith("-a\\r\n+a\n")


def test_a_diff_of_a_long_file_is_one_stretch_and_quick():
    old = [f"line {i}\n" for i in range(30_000)]
    new = [*old[:100], "new\n", *old[101:20_000], *old[20_001:]]

    lines = diff("".join(old), "".join(new), "x").splitlines()

    assert lines[2] == "@@ -98,19907 +98,19906 @@"
    assert lines[3:8] == [" line 97", " line 98", " line 99", "-line 100", "-line 101"]
    assert lines[-4:] == ["+line 19999", " line 20001", " line 20002", " line 20003"]


text_of_lines = st.builds(
    lambda lines, end: "".join(lines) + end,
    st.lists(st.sampled_from(["a\n", "b\n", "\n", "c\r\n", "d\x0ce\u2028\n"]), max_size=8),
    st.sampled_from(["", "end"]),
)


@given(text_of_lines, text_of_lines)
def test_a_diff_turns_the_old_text_into_the_new(old: str, new: str):
    assert _patched(old, diff(old, new, "x")) == new


@settings(max_examples=25)
@given(text_of_lines, text_of_lines)
def test_a_diff_of_long_files_turns_the_old_text_into_the_new(old: str, new: str):
    long = "".join(f"{i}\n" for i in range(10_001))

    assert _patched(long + old, diff(long + old, long + new, "x")) == long + new
    assert _patched(old, diff(old, long + new, "x")) == long + new


def _patched(text: str, changes: str) -> str:
    """Applies a unified diff, checking what it says about the old text and about the sizes of its parts."""
    if not changes:
        return text
    old = re.findall(r"[^\n]*\n|[^\n]+", text)
    new: list[str] = []
    at = 0
    left = [0, 0]
    previous = ""
    for line in re.findall(r"[^\n]*\n", changes)[2:]:
        if hunk := re.fullmatch(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@\n", line):
            assert left == [0, 0]
            left = [int(hunk[2] or 1), int(hunk[3] or 1)]
            start = int(hunk[1]) - (1 if left[0] else 0)
            new += old[at:start]
            at = start
        elif line.startswith("\\"):
            if previous in "+ ":
                new[-1] = new[-1].removesuffix("\n")
        else:
            previous = line[0]
            if previous in " -":
                assert old[at].removesuffix("\n") == line[1:-1]
                at += 1
                left[0] -= 1
            if previous in " +":
                new.append(line[1:])
                left[1] -= 1
    assert left == [0, 0]
    return "".join(new + old[at:])


# Nothing hidden


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            "if access != 'user\u202e \u2066# admin\u2069 \u2066':",
            "if access != 'user\\u202e \\u2066# admin\\u2069 \\u2066':",
        ),
        ("pass\u200bword", "pass\\u200bword"),
        ("safe()\rdanger()", "safe()\\rdanger()"),
        ("\x1b[8mhidden\x00", "\\x1b[8mhidden\\x00"),
        ("a\u2028b\x85c", "a\\u2028b\\x85c"),
        ("\ud83d", "\\ud83d"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("\u3164 = 1", "\\u3164 = 1"),
        ("def f():\n\treturn 'naïve 猫 😀'\n", "def f():\n\treturn 'naïve 猫 😀'\n"),
    ],
)
def test_f_57_invisible_characters_are_shown(given: str, expected: str):
    assert reveal(given) == expected


def test_f_57_every_control_and_format_character_that_exists_is_shown():
    hidden = [
        char
        for char in map(chr, range(0x110000))
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in "\n\t"
    ]

    assert [char for char in hidden if reveal(char) == char] == []


@pytest.mark.parametrize("prefix", ["", "+", "-", " ", "\t  "])
def test_f_57_blank_lines_cannot_push_code_out_of_sight(prefix: str):
    text = "harmless()\n" + f"{prefix}\n" * 10_000 + "danger()\n"

    assert reveal(text) == "harmless()\n[10000 blank lines]\ndanger()\n"


def test_f_57_blanks_cannot_push_code_out_of_sight():
    assert reveal("harmless();" + " " * 5_000 + "danger()") == "harmless();[5000 blanks]danger()"
    assert reveal("x" + "\n" * 30 + " " * 100 + "y") == "x" + "\n" * 30 + " " * 100 + "y"


@given(any_text)
def test_f_57_what_is_shown_has_nothing_invisible_and_showing_it_again_changes_nothing(text: str):
    shown = reveal(text)

    assert all(char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in shown)
    assert reveal(shown) == shown
