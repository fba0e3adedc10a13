"""List, read, search, write and edit: fixed formats, exact pages, and no silent damage (F-52, F-54, R-STR-10)."""

from __future__ import annotations

import re
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.errors import WorkspaceError
from smolpaws_jupyter.runtime.text import BOUND
from smolpaws_jupyter.runtime.tools.edits import replace_text
from smolpaws_jupyter.runtime.tools.files import (
    FileWrite,
    apply_write,
    edit_file,
    list_files,
    plan_edit,
    plan_write,
    read_file,
    write_file,
)
from smolpaws_jupyter.runtime.tools.patterns import Pattern
from smolpaws_jupyter.runtime.tools.search import search_files
from smolpaws_jupyter.runtime.tools.text_files import page_of
from smolpaws_jupyter.runtime.workspace import LARGE_FILE, Workspace

HEADER = re.compile(
    r"path: (?P<path>.*) · characters (?P<start>\d+)-(?P<stop>\d+) of (?P<all>\d+)"
    r" · (?:end|next offset (?P<next>\d+))(?: · encoding (?P<encoding>.*))?"
)


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def workspace(ws: Path) -> Workspace:
    return Workspace(ws)


def put(ws: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (ws / name).parent.mkdir(parents=True, exist_ok=True)
        (ws / name).write_bytes(data)


def taken_apart(page: str) -> tuple[dict[str, str | None], str]:
    """The header's fields and the text, as a program would read them."""
    header, text = page.split("\n", 1)
    found = HEADER.fullmatch(header)
    assert found, header
    return found.groupdict(), text


def all_pages(workspace: Workspace, path: str, limit: int) -> str:
    text, offset = "", 0
    while True:
        fields, page = taken_apart(read_file(workspace, path, offset, limit).text)
        assert (fields["start"], fields["stop"]) == (str(offset), str(offset + len(page)))
        text += page
        if fields["next"] is None:
            assert len(text) == int(fields["all"] or -1)
            return text
        assert len(page) == limit
        offset = int(fields["next"])


def refusal(action: object, *arguments: object, **options: object) -> WorkspaceError:
    with pytest.raises(WorkspaceError) as caught:
        action(*arguments, **options)  # type: ignore[operator]
    assert caught.value.detail
    return caught.value


# Reading


def test_a_page_says_where_it_is_and_how_to_go_on(workspace: Workspace, ws: Path):
    put(ws, {"data/a.csv": b"0123456789"})

    assert (
        read_file(workspace, "data/a.csv", 2, 4).text == "path: data/a.csv · characters 2-6 of 10 · next offset 6\n2345"
    )
    assert read_file(workspace, "./data/a.csv", 6).text == "path: data/a.csv · characters 6-10 of 10 · end\n6789"


@pytest.mark.parametrize("offset", [0, 3])
def test_the_end_of_a_file_and_an_empty_file_are_pages_too(workspace: Workspace, ws: Path, offset: int):
    put(ws, {"a.txt": b"x" * offset})

    assert (
        read_file(workspace, "a.txt", offset).text == f"path: a.txt · characters {offset}-{offset} of {offset} · end\n"
    )


def test_a_path_that_looks_like_a_header_does_not_confuse(workspace: Workspace, ws: Path):
    name = "a · characters 0-1 of 1 · end"
    put(ws, {name: b"text"})

    fields, text = taken_apart(read_file(workspace, name).text)

    assert (fields["path"], text) == (name, "text")


def test_a_page_has_a_usual_and_a_largest_size_that_fit_into_a_bounded_output(workspace: Workspace, ws: Path):
    name = "/".join(["d" * 250] * 15) + "/x"
    put(ws, {name: b"y" * 100_000})

    assert len(taken_apart(read_file(workspace, name).text)[1]) == 20_000
    assert len(taken_apart(read_file(workspace, name, 0, 90_000).text)[1]) == 25_000
    assert len(read_file(workspace, name, 0, 90_000).text) < BOUND


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"a\r\nb\rc\n", "a\r\nb\rc\n", None),
        ("naïve 猫 😀".encode(), "naïve 猫 😀", None),
        (b"\xef\xbb\xbfid,x\n", "id,x\n", "utf-8-sig"),
        ("id,é\n".encode("utf-16"), "id,é\n", "utf-16"),
        (b"\xfe\xff" + "id,é😀\n".encode("utf-16-be"), "id,é😀\n", "utf-16"),
        (b"caf\xe9,1\n", "caf\ufffd,1\n", "not utf-8 (U+FFFD stands for what is not)"),
        (b"half \xf0\x9f\x98", "half \ufffd", "not utf-8 (U+FFFD stands for what is not)"),
    ],
)
def test_f_52_each_encoding_is_read_and_named(
    workspace: Workspace, ws: Path, data: bytes, text: str, encoding: str | None
):
    put(ws, {"a.txt": data})

    fields, page = taken_apart(read_file(workspace, "a.txt").text)

    assert (page, fields["encoding"]) == (text, encoding)
    assert all_pages(workspace, "a.txt", 1) == text


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n\0\0", b"text, then \0", "a\0b".encode("utf-16"), "x".encode("utf-32")]
)
def test_f_52_a_binary_file_is_no_text(workspace: Workspace, ws: Path, data: bytes):
    put(ws, {"a.bin": data})

    error = refusal(read_file, workspace, "a.bin")

    assert error.code == "not_text"
    assert "'a.bin' holds NUL characters" in str(error)


def test_an_offset_past_the_end_is_an_error_that_names_the_size(workspace: Workspace, ws: Path):
    put(ws, {"a.txt": b"0123456789"})

    assert "has 10 characters. Use an offset of at most 10." in str(refusal(read_file, workspace, "a.txt", 11))
    assert refusal(read_file, workspace, "a.txt", -1).code == "invalid_range"
    assert refusal(read_file, workspace, "a.txt", 0, -5).code == "invalid_range"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), st.integers(1, 7), st.booleans())
def test_f_52_all_pages_of_a_file_joined_are_its_text(
    tmp_path_factory: pytest.TempPathFactory, text: str, limit: int, marked: bool
):
    ws = tmp_path_factory.getbasetemp()
    text = text.removeprefix("\ufeff")
    (ws / "pages.txt").write_bytes(b"\xef\xbb\xbf" * marked + text.encode())

    assert all_pages(Workspace(ws), "pages.txt", limit) == text


def test_pages_cut_where_a_piece_of_the_file_ends_are_exact(workspace: Workspace, ws: Path):
    text = "😀" * (2**20 // 4 - 1) + "äöü" + "z" * 2**20
    put(ws, {"a.txt": text.encode()})

    assert all_pages(workspace, "a.txt", 25_000) == text


def test_t_msg_07_pages_of_a_stored_output_join_to_the_original():
    output = "".join(f"line {i} 😀\r\n" for i in range(20_000))
    joined, offset = "", 0
    while offset < len(output):
        fields, text = taken_apart(page_of(output, "output:call-7", offset, 20_000).headed("output:call-7"))
        joined += text
        offset = int(fields["stop"] or 0)

    assert joined == output
    assert refusal(page_of, output, "output:call-7", len(output) + 1, 1).code == "past_the_end"


def test_f_52_a_file_of_2_gb_is_read_only_with_a_persons_word_and_never_held_in_memory(workspace: Workspace, ws: Path):
    """The rest of the file is a hole, which reads as NUL and takes no room on the disk."""
    with (ws / "huge.csv").open("wb") as file:
        file.write(b"x" * 2**25)
        file.truncate(2 * 2**30)

    assert refusal(read_file, workspace, "huge.csv").code == "needs_approval"
    tracemalloc.start()
    assert refusal(read_file, workspace, "huge.csv", approved=True).code == "not_text"
    assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    tracemalloc.stop()


def test_a_large_text_file_is_paged_in_constant_memory(workspace: Workspace, ws: Path):
    with (ws / "big.csv").open("wb") as file:
        for _ in range(40):
            file.write(b"0123456789abcde\n" * 2**16)
    tracemalloc.start()

    fields, text = taken_apart(read_file(workspace, "big.csv", 30 * 2**20, 32, approved=True).text)

    assert text == "0123456789abcde\n" * 2
    assert fields["all"] == str(40 * 2**20)
    assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    tracemalloc.stop()


# Listing


def test_a_listing_has_one_line_for_each_file(workspace: Workspace, ws: Path):
    put(ws, {"b.txt": b"12", "data/a.csv": b"x" * 10_234, "data/deep/c.csv": b""})

    assert list_files(workspace).text == (
        "folder: . · files 3 of 3\nb.txt  2 bytes\ndata/a.csv  10234 bytes\ndata/deep/c.csv  0 bytes"
    )
    assert list_files(workspace, "data/").text.startswith("folder: data · files 2 of 2\ndata/a.csv  10234 bytes\n")
    assert list_files(workspace, "data/a.csv").text == "folder: data/a.csv · files 1 of 1\ndata/a.csv  10234 bytes"
    assert list_files(workspace, pattern="*.md").text == "folder: . · files 0 of 0"


def test_a_listing_says_what_it_left_out(workspace: Workspace, ws: Path):
    put(ws, {"a.txt": b"", ".env": b"", ".cache/x": b"", "node_modules/x": b"", ".git/x": b"", ".smolpaws/x": b""})
    (ws / "link").symlink_to("a.txt")

    assert list_files(workspace).text.splitlines() == [
        "folder: . · files 1 of 1",
        "a.txt  0 bytes",
        "note: hidden names left out: 2; a pattern with a dot in front, such as '.*', shows them.",
        "note: folders such as node_modules left out: 1; name one as path to look into it.",
        "note: links, special files and names that no tool can use left out: 1.",
    ]
    assert list_files(workspace, pattern=".*").text.splitlines()[:2] == ["folder: . · files 1 of 1", ".env  0 bytes"]
    assert list_files(workspace, pattern=".cache/*").text.splitlines()[1] == ".cache/x  0 bytes"
    assert ".git" not in list_files(workspace, pattern=".*/**").text


def test_a_long_listing_is_cut_and_says_so(workspace: Workspace, ws: Path):
    put(ws, {f"{i:04}.txt": b"" for i in range(700)})

    lines = list_files(workspace).text.splitlines()

    assert lines[0] == "folder: . · files 500 of 700"
    assert lines[500] == "0499.txt  0 bytes"
    assert lines[501:] == ["note: 200 more files match; name a folder or a pattern to see them."]
    assert list_files(workspace, pattern="06*").text.startswith("folder: . · files 100 of 100\n")


def test_a_listing_of_long_names_fits_into_a_bounded_output(workspace: Workspace, ws: Path):
    put(ws, {"d" * 250 + f"/{i:03}" + "x" * 240: b"" for i in range(100)})

    assert len(list_files(workspace).text) < BOUND


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.csv", "a.csv", True),
        ("*.csv", "deep/er/a.csv", True),
        ("*.csv", "a.csv/b", False),
        ("data/*.csv", "data/a.csv", True),
        ("data/*.csv", "data/deep/a.csv", False),
        ("data/**/*.csv", "data/a.csv", True),
        ("data/**/*.csv", "data/deep/er/a.csv", True),
        ("**/a.csv", "a.csv", True),
        ("./a.csv", "a.csv", True),
        ("./a.csv", "data/a.csv", False),
        ("data/**", "data/x/y", True),
        ("data/**", "other/x", False),
        ("a?c[0-9].txt", "abc5.txt", True),
        ("A.csv", "a.csv", False),
        ("caf\u00e9.txt", "cafe\u0301.txt", True),
    ],
)
def test_patterns_match_names_or_paths(pattern: str, path: str, matches: bool):
    assert Pattern.of(pattern).matches(tuple(path.split("/"))) is matches


@pytest.mark.parametrize("pattern", ["", "/", "../*.csv", "a/../../b", "x" * 1_001])
def test_a_pattern_that_means_nothing_below_the_folder_is_refused(workspace: Workspace, pattern: str):
    assert refusal(list_files, workspace, ".", pattern).code == "invalid_pattern"


@pytest.mark.parametrize("pattern", ["**/" * 300 + "x", "*a" * 400 + "b"])
def test_f_40_hostile_patterns_cost_little_time(pattern: str):
    started = time.monotonic()

    Pattern.of(pattern).matches(("a" * 200,) * 40)

    assert time.monotonic() - started < 5


# Searching


def test_a_search_finds_lines_and_names_their_places(workspace: Workspace, ws: Path):
    put(ws, {"a.txt": b"one\r\nTwo\r\nthree\r\n", "data/b.csv": b"zwei, two\n", "c.md": b"none\n"})

    assert search_files(workspace, "two").text == (
        "search: lines 2 of 2 · files searched 3\na.txt:2: Two\ndata/b.csv:1: zwei, two"
    )
    assert search_files(workspace, "two", "data", "*.csv").text.startswith("search: lines 1 of 1 · files searched 1\n")
    assert search_files(workspace, "t.o").text == "search: lines 0 of 0 · files searched 3"


def test_a_search_passes_over_secrets_and_binaries_and_says_so(workspace: Workspace, ws: Path):
    put(ws, {"server.key": b"two\n", "x.bin": b"two\0", "a.txt": b"two\n", ".env": b"two\n"})
    (ws / "hard.txt").hardlink_to(ws / "server.key")

    lines = search_files(workspace, "two").text.splitlines()

    assert lines[:2] == ["search: lines 1 of 1 · files searched 1", "a.txt:1: two"]
    assert "note: files passed over because they need a person's word: 2." in lines
    assert "note: files passed over because they hold no text: 1." in lines
    assert "two" not in search_files(workspace, "two", pattern=".env").text


def test_a_search_shows_long_lines_in_part_and_many_lines_in_part(workspace: Workspace, ws: Path):
    put(ws, {"long.txt": b"x" * 50_000 + b"\x1b[1mneedle" + b"y" * 50_000, "many.txt": b"hit\n" * 3_000})

    (line,) = search_files(workspace, "needle").text.splitlines()[1:]
    assert line.startswith("long.txt:1: ...xxx")
    assert "needle" in line
    assert line.endswith("yyy...")
    assert "\x1b" not in line
    assert len(line) < 300
    lines = search_files(workspace, "hit").text.splitlines()
    assert lines[0] == "search: lines 500 of 3000 · files searched 2"
    assert lines[-1].startswith("note: 2500 more lines hold it")


@pytest.mark.parametrize("query", ["", "  ", "a\nb"])
def test_a_search_needs_text_of_one_line(workspace: Workspace, query: str):
    assert refusal(search_files, workspace, query).code == "invalid_query"


# Writing


def test_a_new_file_is_created_with_its_folders_and_exactly_its_content(workspace: Workspace, ws: Path):
    written = write_file(workspace, "notes/./plan.md", "a\r\nb")

    assert written == FileWrite("notes/plan.md", None, b"a\r\nb", "created notes/plan.md · 4 bytes")
    assert (ws / "notes" / "plan.md").read_bytes() == b"a\r\nb"


def test_replacing_a_file_gives_its_old_bytes_back(workspace: Workspace, ws: Path):
    put(ws, {"a.bin": b"\0\xff"})

    written = write_file(workspace, "a.bin", "text")

    assert (written.before, written.after, written.replaces_binary) == (b"\0\xff", b"text", True)
    assert written.text == "replaced a.bin · 2 -> 4 bytes"
    assert written.diff().endswith("-(2 bytes that are not UTF-8 text)\n+text\n\\ No newline at end of file\n")
    assert write_file(workspace, "a.bin", "text").text == "unchanged a.bin · 4 bytes, the same as before"


def test_a_plan_shows_the_change_and_changes_nothing(workspace: Workspace, ws: Path):
    put(ws, {"a.txt": b"one\ntwo\n"})

    plan = plan_edit(workspace, "a.txt", "two", "three")

    assert plan.diff() == "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"
    assert plan_write(workspace, "new.txt", "x\n").diff() == "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+x\n"
    assert [path.name for path in ws.iterdir()] == ["a.txt"]
    assert (ws / "a.txt").read_bytes() == b"one\ntwo\n"


def test_f_52_a_plan_is_refused_when_the_file_has_changed_since(workspace: Workspace, ws: Path):
    put(ws, {"a.txt": b"one\n"})
    edit, new = plan_edit(workspace, "a.txt", "one", "two"), plan_write(workspace, "b.txt", "mine")
    put(ws, {"a.txt": b"ONE\n", "b.txt": b"theirs"})

    for plan in (edit, new):
        error = refusal(apply_write, workspace, plan)
        assert error.code == "changed"
        assert "nothing was written" in str(error)
    assert (ws / "a.txt").read_bytes() == b"ONE\n"
    assert (ws / "b.txt").read_bytes() == b"theirs"


@pytest.mark.parametrize("content", ["half \ud83d", "nul \0"])
def test_o28_text_that_no_file_can_hold_is_refused(workspace: Workspace, ws: Path, content: str):
    assert refusal(write_file, workspace, "a.txt", content).code == "not_text"
    assert list(ws.iterdir()) == []


def test_a_change_that_makes_a_file_too_large_is_refused(workspace: Workspace, ws: Path):
    put(ws, {"a.txt": b"ab" * 1_000})

    assert refusal(edit_file, workspace, "a.txt", "a", "x" * (LARGE_FILE // 500), replace_all=True).code == "too_large"
    assert (ws / "a.txt").read_bytes() == b"ab" * 1_000


# Editing


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\r\nb\r\nc", "b", "x\ny", b"a\r\nx\r\ny\r\nc"),
        (b"a\r\nb\r\n", "a\r\nb", "x\r\ny", b"x\r\ny\r\n"),
        (b"a\nb\r\nc\n", "a\nb", "x\ny", b"x\ny\r\nc\n"),
        (b"a\nb", "b", "c", b"a\nc"),
        (b"\xef\xbb\xbfa\nb\n", "a\n", "c\n", b"\xef\xbb\xbfc\nb\n"),
        ("é猫\n".encode(), "猫", "😀", "é😀\n".encode()),
        (b"a\x0cb\n", "b", "c", b"a\x0cc\n"),
    ],
)
def test_f_52_an_edit_keeps_line_ends_the_mark_and_the_missing_last_line_end(
    workspace: Workspace, ws: Path, before: bytes, old: str, new: str, after: bytes
):
    put(ws, {"a.txt": before})

    assert edit_file(workspace, "a.txt", old, new).after == after
    assert (ws / "a.txt").read_bytes() == after


def test_f_52_text_that_stands_twice_is_refused_with_its_lines_or_replaced_everywhere(workspace: Workspace, ws: Path):
    put(ws, {"a.txt": b"x\ny\nx\n"})

    error = refusal(edit_file, workspace, "a.txt", "x", "z")
    assert error.code == "text_found_often"
    assert "stands 2 times in 'a.txt', at lines 1, 3; nothing was changed." in str(error)
    assert (ws / "a.txt").read_bytes() == b"x\ny\nx\n"
    assert edit_file(workspace, "a.txt", "x", "z", replace_all=True).text == (
        "edited a.txt · 2 places, from line 1 on · 6 -> 6 bytes"
    )
    assert (ws / "a.txt").read_bytes() == b"z\ny\nz\n"


def test_f_52_text_that_overlaps_itself_stands_twice():
    assert refusal(replace_text, "aaa", "aa", "b", "x").code == "text_found_often"


@pytest.mark.parametrize(
    ("text", "old", "hint"),
    [
        ("def f(x):\n\treturn x\n", "def f(x):\n    return x", "line 2, with «\treturn x» instead of «    return x»"),
        ("one\ntwo\n", "twoo", "line 2, with «two» instead of «twoo»"),
        ("one\r\ntwo\nend\n", "one\ntwo", "line 1, with «one\\r» instead of «one»"),
        ("price\u200b = 1\n", "price = 1", "line 1, with «price\\u200b = 1» instead of «price = 1»"),
        ("\n\n  indented()\n", "indented()\n\n", "line 3, with «  indented()» instead of «indented()»"),
    ],
)
def test_f_52_text_that_is_not_there_is_refused_with_the_closest(text: str, old: str, hint: str):
    error = refusal(replace_text, text, old, "new", "a.txt")

    assert error.code == "text_not_found"
    assert f"The closest is {hint}." in str(error)


def test_f_52_without_anything_close_nothing_is_made_up():
    assert "closest" not in str(refusal(replace_text, "one\ntwo\n", "completely different", "x", "a.txt"))


def test_f_52_looking_for_the_closest_text_costs_little_time_in_a_large_file():
    text = "".join(f"{i},{i * 7919 % 10007},{'x' * 150}{i % 13}\n" for i in range(80_000))
    started = time.monotonic()

    refusal(replace_text, text, "40000,0," + "x" * 160, "y", "a.csv")

    assert time.monotonic() - started < 10


@pytest.mark.parametrize(("old", "new"), [("a", "a"), ("", "x")])
def test_f_52_an_edit_that_changes_nothing_is_an_error(workspace: Workspace, ws: Path, old: str, new: str):
    put(ws, {"a.txt": b"a"})

    assert refusal(edit_file, workspace, "a.txt", old, new).code == "nothing_to_change"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("a".encode("utf-16"), "is UTF-16 text"),
        (b"caf\xe9", "is not UTF-8 text"),
        (b"a\0", "holds NUL characters"),
    ],
)
def test_f_52_what_could_not_be_written_back_exactly_is_not_edited(
    workspace: Workspace, ws: Path, data: bytes, why: str
):
    put(ws, {"a.txt": data})

    error = refusal(edit_file, workspace, "a.txt", "a", "b")

    assert error.code == "not_text"
    assert f"'a.txt' {why}" in str(error)
    assert (ws / "a.txt").read_bytes() == data


def test_f_54_a_missing_file_is_reported_and_not_made_up(workspace: Workspace, ws: Path):
    assert refusal(read_file, workspace, "notes/plan.md").code == "not_found"
    assert refusal(list_files, workspace, "notes").code == "not_found"
    assert "Create it with write_file." in str(refusal(edit_file, workspace, "notes/plan.md", "a", "b"))
    assert list(ws.iterdir()) == []


lines_of_text = st.lists(st.sampled_from(["a", "b", "ab", "", "é"]), min_size=2, max_size=6)


@given(lines_of_text, st.text("ab\n", min_size=1, max_size=3), st.text("abé\n", max_size=3))
def test_f_52_an_edit_is_exact_and_the_same_in_both_kinds_of_line_ends(given: list[str], old: str, new: str):
    def edited(text: str) -> str | None:
        try:
            return replace_text(text, old, new, "a.txt").text
        except WorkspaceError:
            return None

    text = "\n".join(given)
    once = sum(text.startswith(old, at) for at in range(len(text))) == 1

    assert edited(text) == (text.replace(old, new) if once and old != new else None)
    ended = edited(text.replace("\n", "\r\n"))
    assert (ended and ended.replace("\r\n", "\n")) == edited(text)
    assert ended is None or "\n" not in ended.replace("\r\n", "")
