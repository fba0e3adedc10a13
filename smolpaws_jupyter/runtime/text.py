"""Text on its way to the model and to people: cleaned, bounded, compared, and with invisible characters made visible.

All functions are pure and take any Python string, also one with halves of surrogate pairs in it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import unified_diff

BOUND = 30_000
"""Characters of a tool output that the model is shown at most (R-MSG-9)."""

# Each alternative stops at the next ESC or line break, so hostile input costs linear time, and a sequence without
# its end loses only its first characters instead of hiding the rest of the text.
_ANSI = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"  # CSI: colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b\x9c\n]*+(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, SOS, PM, APC with their text
    r"|\x1b[ -/]*+[0-~]?"  # two-character escapes, and whatever ESC is left
)


def strip_ansi(text: str) -> str:
    """`text` without terminal escape sequences; no ESC character is left (O29)."""
    return _ANSI.sub("", text)


def clean(text: str) -> str:
    """`text` as something that encodes to UTF-8 (O28).

    Two halves of a surrogate pair become their character, a lone half becomes U+FFFD.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def plain(text: str) -> str:
    """`clean` and `strip_ansi`: the form in which outputs are stored, so that the offsets that `bound` names hold."""
    return strip_ansi(clean(text))


_LONGEST_GROUP = 100
"""Characters of what is drawn as one, at most; only hostile text has more."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """A text as the model is shown it. All sizes in characters (code points) of the plain text."""

    shown: str
    left_out_chars: int
    total_chars: int
    left_out_at: int
    """Where the part that was left out begins; equal to `total_chars` when nothing was."""


def bound(text: str, limit: int = BOUND, *, rest: str = "") -> Bounded:
    """Head and tail of `text` around a mark, together at most `limit` characters (or the mark alone).

    `rest` says how to read what was left out, for example `read_file("output:<action id>")`; the mark ends with it.
    No emoji and no other group of characters that is drawn as one is cut (R-MSG-9, O28, O29).
    """
    text = plain(text)
    total = len(text)
    if total <= limit:
        return Bounded(text, 0, total, total)
    room = max(0, limit - len(_mark(0, total, total, rest)) - len(str(total)))
    head = _cut(text, room - room // 2, -1)
    tail = _cut(text, total - room // 2, +1)
    return Bounded(text[:head] + _mark(head, tail, total, rest) + text[tail:], tail - head, total, head)


def _mark(start: int, stop: int, total: int, rest: str) -> str:
    how = f"; to read them: {rest}" if rest else ""
    return f"\n[{stop - start} of {total} characters are left out here, from offset {start} to {stop}{how}]\n"


def _cut(text: str, at: int, step: int) -> int:
    """The nearest place from `at` on, in the direction of `step`, that splits nothing drawn as one."""
    for _ in range(_LONGEST_GROUP):
        if not (0 < at < len(text) and _is_one(text, at)):
            break
        at += step
    return at


def _is_one(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if _is_flag_letter(before) and _is_flag_letter(after):
        run = at
        while run and _is_flag_letter(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 1
    joined = before == "\u200d" or after == "\u200d" or before + after == "\r\n"
    return joined or "\U0001f3fb" <= after <= "\U0001f3ff" or unicodedata.category(after) in ("Mn", "Me")


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


_MOST_LINES = 10_000


def diff(old: str | None, new: str, path: str) -> str:
    r"""A unified diff of two texts, `old` None for a new file; "" when they are the same.

    Lines end at `\n` alone, so that a changed `\r` is a change. In texts of more than 10,000 lines the whole stretch
    from the first to the last difference is one hunk, since matching its lines could take minutes.
    """
    names = ("/dev/null" if old is None else f"a/{path}", f"b/{path}")
    before, after = _lines(old or ""), _lines(new)
    if max(len(before), len(after)) <= _MOST_LINES:
        lines = list(unified_diff(before, after, *names))
    else:
        lines = _one_hunk(before, after, *names)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    """Not `splitlines`, which also splits at form feeds, U+2028 and others."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _one_hunk(before: list[str], after: list[str], old_name: str, new_name: str) -> list[str]:
    shorter = min(len(before), len(after))
    start = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    same = next((i for i in range(shorter - start) if before[-1 - i] != after[-1 - i]), shorter - start)
    old_stop, new_stop = len(before) - same, len(after) - same
    if start == old_stop and start == new_stop:
        return []
    above, below = before[max(0, start - 3) : start], before[old_stop : old_stop + 3]
    context = len(above) + len(below)
    old_range = _range(start - len(above), old_stop - start + context)
    new_range = _range(start - len(above), new_stop - start + context)
    return [
        f"--- {old_name}\n",
        f"+++ {new_name}\n",
        f"@@ -{old_range} +{new_range} @@\n",
        *(" " + line for line in above),
        *("-" + line for line in before[start:old_stop]),
        *("+" + line for line in after[start:new_stop]),
        *(" " + line for line in below),
    ]


def _range(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"


# Everything that is drawn as nothing or changes how its neighbours are drawn.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"  # controls, line separators, halves of pairs
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # format
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0]"  # fillers, variation selectors
)
_GAP = re.compile(r"^(?:[-+]?[ \t]*+\n){41,}+|(?<![ \t])[ \t]{401,}+", re.MULTILINE)


def reveal(text: str) -> str:
    """`text` for an approval screen: control, bidi, zero-width and other invisible characters become escapes (F-57).

    Newline and tab stay. More than 40 blank lines (in a diff, too) or 400 blanks in a row become a mark that counts
    them, so that nothing can be pushed out of sight.
    """
    return _GAP.sub(_count, _INVISIBLE.sub(_escape, text))


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def _count(found: re.Match[str]) -> str:
    blank_lines = found[0].count("\n")
    return f"[{blank_lines} blank lines]\n" if blank_lines else f"[{len(found[0])} blanks]"
