"""Names alone: which paths stay inside, and which need a person's word (F-48, F-51, F-60, O37)."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from smolpaws_jupyter.core.errors import WorkspaceError
from smolpaws_jupyter.runtime.workspace.paths import classify, fold, is_inside, name_of, parts_of, show
from tests.runtime.workspace.helpers import PATHS


@pytest.mark.parametrize("path", PATHS["allow"])
def test_o37_paths_inside_are_allowed(path: str):
    assert classify(path).kind == "notes"


@pytest.mark.parametrize("path", PATHS["deny"])
def test_o37_paths_that_lead_out_are_refused(path: str):
    assert classify(path).kind == "forbidden"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("notes/a.md", "notes/a.md"),
        ("./notes/../notes/b.md", "notes/b.md"),
        ("a//b/./c/", "a/b/c"),
        (".", "."),
        ("a/..", "."),
        ("notes/é猫.md", "notes/é猫.md"),
        ("...", "..."),
        ("a b/c.txt", "a b/c.txt"),
        ("x" * 255, "x" * 255),
        ("price$.csv", "price$.csv"),
        ("backup~", "backup~"),
    ],
)
def test_f_48_a_usable_path_has_one_spelling(path: str, expected: str):
    assert name_of(parts_of(path, windows=False)) == expected


@pytest.mark.parametrize(
    ("path", "code", "why"),
    [
        ("", "invalid_path", "is empty"),
        ("  ", "invalid_path", "is empty"),
        ("..", "outside_workspace", "leaves the workspace"),
        ("a/../../b", "outside_workspace", "leaves the workspace"),
        ("notes/../../notes/a.md", "outside_workspace", "leaves the workspace"),
        ("/etc/passwd", "outside_workspace", "is absolute"),
        ("//server/share", "outside_workspace", "is absolute"),
        ("~", "outside_workspace", "not expanded"),
        ("~root/x", "outside_workspace", "not expanded"),
        ("a/../~/x", "outside_workspace", "not expanded"),
        ("$HOME/x", "outside_workspace", "not expanded"),
        ("${HOME}/x", "outside_workspace", "not expanded"),
        ("%USERPROFILE%/x", "outside_workspace", "not expanded"),
        ("..\\x", "invalid_path", "backslash"),
        ("C:\\Windows", "invalid_path", "backslash"),
        ("a\0b", "invalid_path", "control character"),
        ("a\nb", "invalid_path", "control character"),
        ("a\u2028b", "invalid_path", "line break"),
        ("a\ud83d", "invalid_path", "surrogate"),
        ("x" * 256, "invalid_path", "at most 255"),
        ("猫" * 86, "invalid_path", "a part of 258 bytes"),
        ("x" * 300, "invalid_path", "a part of 300 bytes"),
        ("a/" * 2048, "invalid_path", "is 4096 bytes long"),
    ],
)
def test_f_48_a_bad_path_is_refused_with_what_was_wrong_and_what_is_allowed(path: str, code: str, why: str):
    with pytest.raises(WorkspaceError, match=why) as caught:
        parts_of(path, windows=False)

    assert caught.value.code == code
    assert "relative to the workspace, such as 'notes/plan.md'" in str(caught.value)
    assert "\0" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "path",
    [
        ".smolpaws/conversations/x/log.jsonl",
        "sub/.smolpaws/x",
        "notes/.smolpaws",
        ".SmolPaws/x",
        ".git/hooks/pre-commit",
        "sub/.GIT/config",
        ".git",
        ".git/",
        ".g\u200cit/config",
        ".git./config",
        "notes/../.git/config",
    ],
)
def test_f_60_the_store_and_version_control_are_never_touched(path: str):
    named = classify(path, windows=False)

    assert named.kind == "forbidden"
    assert "never touch" in named.reason


@pytest.mark.parametrize("path", [".gitignore", ".github/x.yml", "git/x", "smolpaws/x", "x.git", "data.smolpaws"])
def test_f_60_names_that_only_look_like_it_are_ordinary(path: str):
    assert classify(path).kind == "inside"


@pytest.mark.parametrize(
    "path",
    [
        *("server.key", "a/b.pem", "id_rsa", "id_rsa.pub", "deploy_key", ".env", ".env.local", ".envrc", ".netrc"),
        *("keys/server.key/readme.md", "my_key/data.csv", ".env/bin/python"),
        *("SERVER.KEY", "Id_Rsa", ".ENV", ".Netrc", "server.key.", ".e\u200bnv", "server.\u212aey"),
        *("notes/.env", "notes/server.key"),
    ],
)
def test_f_51_protected_names_hold_in_every_part_and_every_spelling(path: str):
    named = classify(path, windows=False)

    assert named.kind == "protected"
    assert "may hold a secret" in named.reason


@pytest.mark.parametrize("path", ["monkey.csv", "keys.txt", "key", "environment.yml", "pem.txt", "my_keys", "netrc"])
def test_f_51_a_protected_pattern_is_matched_against_whole_parts(path: str):
    assert classify(path).kind == "inside"


@pytest.mark.parametrize(
    "path",
    [
        *(
            "x.pth",
            "lib/sitecustomize.py",
            "usercustomize.py",
            "ipython_config.py",
            ".bashrc",
            "home/.profile",
            ".zshenv",
        ),
        *(".ipython/profile_default/startup/00.py", "jupyter_server_config.json", "SiteCustomize.py", "notes/x.pth"),
    ],
)
def test_f_60_startup_files_are_told_from_ordinary_ones(path: str):
    named = classify(path)

    assert named.kind == "startup"
    assert "can run code when a program starts" in named.reason


@pytest.mark.parametrize(
    ("path", "notes", "kind"),
    [
        ("notes/a.md", "notes", "notes"),
        ("notes/deep/er/a.md", "notes", "notes"),
        ("notes", "notes", "inside"),
        ("notes2/a.md", "notes", "inside"),
        ("Notes/a.md", "notes", "inside"),
        ("a.md", "notes", "inside"),
        ("work/log/a.md", "work/log", "notes"),
        ("work/a.md", "./work/log/", "inside"),
        ("notes/../a.md", "notes", "inside"),
    ],
)
def test_only_what_lies_below_the_notes_folder_is_notes(path: str, notes: str, kind: str):
    assert classify(path, notes=notes).kind == kind


@pytest.mark.parametrize("notes", [".", "a/..", "", "../notes", "/notes"])
def test_the_notes_folder_must_lie_below_the_workspace(notes: str):
    with pytest.raises(WorkspaceError, match=r"Use a path relative to the workspace"):
        classify("a.md", notes=notes)


@pytest.mark.parametrize(
    "path",
    [
        *("CON", "con.txt", "a/NUL", "aux.c", "com1", "LPT9.log", "COM¹", "CONIN$", "nul .txt"),
        *("a:b", "notes/a.md:stream", "C:x", "C:/x", "a.", "a ", "a./b", "a?", "a*", 'a"', "a|b", "a<b"),
        *("GIT~1/config", "SMOLPA~1", "notes/PROTEC~1.KEY"),
    ],
)
def test_f_51_windows_takes_no_devices_streams_final_dots_and_short_names(path: str):
    with pytest.raises(WorkspaceError):
        parts_of(path, windows=True)


@pytest.mark.parametrize(
    "path", ["console.txt", "com.txt", "com10", "nullable.py", "a.b.c", "~tilde~2x/a", "LPT/a", "a b"]
)
def test_f_51_windows_takes_ordinary_names(path: str):
    if path.startswith("~"):
        path = f"x/{path}"
    assert name_of(parts_of(path, windows=True)) == path


@pytest.mark.parametrize("path", ["a:b", "CON", "a.", "a?"])
def test_f_51_elsewhere_such_names_are_ordinary(path: str):
    assert name_of(parts_of(path, windows=False)) == path


@pytest.mark.parametrize(
    ("resolved", "inside"),
    [
        (r"C:\ws", True),
        (r"C:\ws\a\b", True),
        (r"c:\WS\A", True),
        ("C:/ws/a", True),
        (r"C:\ws-secrets\a", False),
        (r"C:\other", False),
        (r"D:\ws\a", False),
        (r"\\server\ws\a", False),
    ],
)
def test_t13_resolve_and_compare_on_windows_compares_whole_parts(resolved: str, inside: bool):
    assert is_inside(r"C:\ws", resolved, windows=True) is inside


@pytest.mark.parametrize(
    ("resolved", "inside"), [("/ws", True), ("/ws/a", True), ("/ws-secrets/a", False), ("/WS/a", False), ("/", False)]
)
def test_t13_resolve_and_compare_elsewhere_compares_whole_parts(resolved: str, inside: bool):
    assert is_inside("/ws", resolved, windows=False) is inside


def test_f_51_folding_brings_all_spellings_of_a_name_together():
    assert {fold(name) for name in ("É.KEY", "e\u0301.key", "É.key. ", "e\u0301\u200d.KEY")} == {"é.key"}


def test_names_in_sentences_are_short_and_hide_nothing():
    assert show("a\u202eb\n") == "'a\\u202eb\\n'"
    assert len(show("x" * 5_000)) < 130


pieces = st.sampled_from(
    [
        "..",
        ".",
        "",
        "a",
        "notes",
        ".git",
        ".GIT",
        "~",
        "$HOME",
        "a\\b",
        "\0",
        "x.key",
        "é",
        "e\u0301",
        "C:",
        "\ud800",
        " ",
    ]
) | st.text(st.characters(exclude_categories=()), max_size=4)
any_path = st.lists(pieces, max_size=6).map("/".join)


@given(any_path, st.booleans())
@example("a/../ ", False)
def test_i_35_a_usable_path_has_no_part_that_could_lead_out_and_is_its_own_spelling(path: str, windows: bool):
    try:
        parts = parts_of(path, windows=windows)
    except WorkspaceError:
        return

    assert not {"..", ".", ""} & set(parts)
    assert not any(char in part for part in parts for char in "/\\\0\n")
    assert not windows or not any(":" in part for part in parts)
    assert parts_of(name_of(parts), windows=windows) == parts


@given(any_path, st.booleans())
def test_i_40_every_path_has_a_class(path: str, windows: bool):
    named = classify(path, windows=windows)

    named.reason.encode()
    assert (named.reason == "") == (named.kind in ("inside", "notes"))
    if named.kind != "forbidden":
        assert not {".git", ".smolpaws"} & {fold(part) for part in named.path.split("/")}
