"""Damage: what opening makes of a log that was changed, cut, doubled, put together or overwritten by anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.errors import LogDamaged, StoreError
from smolpaws_jupyter.runtime.draft import TEXT_LIMIT
from smolpaws_jupyter.runtime.jsonl_store import JsonlStore
from tests.runtime.failing_disk import HurriedDisk
from tests.runtime.stored import (
    CONTENT,
    LINES,
    WORDS,
    framed,
    line_of,
    message,
    put_log,
    record,
    reopened,
    texts_of,
)

_RECORD_ONE = record(1, message("two"))
DAMAGE: dict[str, Callable[[], list[bytes]]] = {
    "a line is missing": lambda: [LINES[0], LINES[2], LINES[3]],
    "the last line is of another place": lambda: [LINES[0], LINES[3]],
    "lines are swapped": lambda: [LINES[0], LINES[2], LINES[1], LINES[3]],
    "a line is doubled": lambda: [LINES[0], LINES[0], LINES[1]],
    "an old line is repeated at the end": lambda: [*LINES, LINES[1]],
    "conflict markers": lambda: [LINES[0], b"<<<<<<< HEAD\n", LINES[1], b"=======\n", LINES[2], b">>>>>>> other\n"],
    "a blank line": lambda: [LINES[0], b"\n", LINES[1]],
    "two records are torn": lambda: [LINES[0], LINES[1][:-30] + b"\n", LINES[2][:-30]],
    "line ends of another system": lambda: [line.replace(b"\n", b"\r\n") for line in LINES],
    "wrong type": lambda: [LINES[0], line_of({**_RECORD_ONE, "seq": "1"})],
    "a key stands twice": lambda: [
        LINES[0],
        framed(b'{"v":1,"seq":1,"seq":1,"w":"","t":"","events":[{"kind":"X"}]}'),
    ],
    "NaN": lambda: [LINES[0], framed(b'{"v":1,"seq":1,"w":"","t":"","events":[{"kind":NaN}]}')],
    "nested 10,000 deep": lambda: [
        LINES[0],
        framed(b'{"v":1,"seq":1,"w":"","t":"","events":[{"kind":' + b"[" * 10_000 + b"]" * 10_000 + b"}]}"),
    ],
    "half a surrogate pair": lambda: [
        LINES[0],
        framed(b'{"v":1,"seq":1,"w":"","t":"","events":[{"kind":"\\ud800"}]}'),
    ],
    "a blob is missing": lambda: [
        LINES[0],
        line_of(record(1, {"kind": f"blob:{'0' * 64}"}, blobs=[[0, ["kind"]]])),
    ],
}


@pytest.mark.parametrize("name", DAMAGE)
def test_f_6_damage_makes_read_only_names_the_line_and_changes_nothing(tmp_path: Path, name: str):
    """F-5, F-6, F-18, I-5, T-LOG-02"""
    content = b"".join(DAMAGE[name]())
    folder = put_log(tmp_path / "c", content)
    sound = {"lines are swapped": 1, "an old line is repeated at the end": 4, "line ends of another system": 0}.get(
        name, 1
    )

    store = JsonlStore.open(folder)

    assert store.read_only is not None
    assert f"Line {sound + 1} of the log is damaged" in store.read_only
    assert texts_of(store) == WORDS[:sound]
    with pytest.raises(StoreError, match="is damaged"):
        store.append([message("X")])
    assert (folder / "log.jsonl").read_bytes() == content
    assert not list(folder.glob("log.torn-*"))
    assert store.recovered == ()
    if sound:
        fork = store.fork(sound - 1, "fork", [message("went on")])
        assert texts_of(fork) == [*WORDS[:sound], "went on"]


@given(st.integers(0, len(CONTENT) - 1), st.integers(1, 255))
def test_i_5_any_single_changed_byte_is_noticed(tmp_path_factory: pytest.TempPathFactory, at: int, flip: int):
    """I-5, F-5: what is shown is what was written, and what is not shown is told of."""
    changed = CONTENT[:at] + bytes([CONTENT[at] ^ flip]) + CONTENT[at + 1 :]

    store = JsonlStore.open(put_log(tmp_path_factory.mktemp("c"), changed), disk=HurriedDisk())

    texts = texts_of(store)
    assert texts == WORDS[: len(texts)]
    assert len(texts) < len(WORDS) or at == len(CONTENT) - 1
    assert store.read_only is not None or store.recovered


def test_i_5_a_changed_blob_is_noticed(tmp_path: Path):
    folder = tmp_path / "c"
    store = JsonlStore.create(folder)
    store.append([message("one")])
    store.append([message("x" * (TEXT_LIMIT + 1))])
    blob = next((folder / "blobs").iterdir())
    blob.write_bytes(blob.read_bytes().replace(b"x", b"y", 1))

    with pytest.raises(LogDamaged, match="is missing or damaged"):
        list(store.read())
    again = reopened(store, folder)

    assert again.read_only is not None
    assert f"Line 2 of the log is damaged: blobs/{blob.name}" in again.read_only
    assert texts_of(again) == ["one"]


def test_a_damaged_blob_is_written_anew_when_its_text_comes_again(tmp_path: Path):
    folder = tmp_path / "c"
    store = JsonlStore.create(folder)
    store.append([message("one")])
    name = store.put_blob(b"the text")
    (folder / "blobs" / name).write_bytes(b"not this")
    again = reopened(store, folder)
    assert again.get_blob(name) is None

    again.put_blob(b"the text")

    assert again.get_blob(name) == b"the text"


# Any bytes


def _mutate(lines: list[bytes], moves: list[tuple[str, int, int, bytes]]) -> bytes:
    content = b"".join(lines)
    for kind, a, b, noise in moves:
        at = a % (len(content) + 1)
        stop = min(len(content), at + b % 200)
        if kind == "insert":
            content = content[:at] + noise + content[at:]
        elif kind == "replace":
            content = content[:at] + noise + content[at + len(noise) :]
        elif kind == "delete":
            content = content[:at] + content[stop:]
        elif kind == "double":
            content = content[:stop] + content[at:]
        else:
            content = content[:at]
    return content


MOVES = st.tuples(
    st.sampled_from(["insert", "replace", "delete", "double", "cut"]),
    st.integers(0, 5000),
    st.integers(0, 5000),
    st.binary(max_size=20) | st.sampled_from(LINES),
)


@given(st.lists(MOVES, min_size=1, max_size=4))
def test_t5_any_bytes_open_to_a_sound_beginning_or_a_plain_refusal(
    tmp_path_factory: pytest.TempPathFactory, moves: list[tuple[str, int, int, bytes]]
):
    """T5, I-40, F-3 to F-6: no crash, no hang, nothing shown that was not written, nothing lost without a word."""
    content = _mutate(LINES, moves)
    folder = put_log(tmp_path_factory.mktemp("c"), content)

    store = JsonlStore.open(folder, disk=HurriedDisk())

    texts = texts_of(store)
    assert texts == WORDS[: len(texts)]
    if store.read_only is not None:
        assert (folder / "log.jsonl").read_bytes() == content
    else:
        kept = b"".join(f.read_bytes() for f in folder.glob("log.torn-*"))
        assert b"".join(LINES[: len(texts)]) + kept == content or content + b"\n" == b"".join(LINES[: len(texts)])
        again = reopened(store, folder)
        assert (texts_of(again), again.read_only, again.recovered) == (texts, None, store.recovered)
