"""A commit and its line: the format of docs/invariants.md, byte for byte, and what a reader makes of bad lines."""

from __future__ import annotations

import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.base import TextBlock
from smolpaws_jupyter.core.events import ActionEvent, MessageEvent
from smolpaws_jupyter.core.payloads import HostAction
from smolpaws_jupyter.core.records import UnknownEvent
from smolpaws_jupyter.runtime.draft import LINE_LIMIT, TEXT_LIMIT, Draft, draft
from smolpaws_jupyter.runtime.record import DEPTH_LIMIT, BadFrame, BadRecord, Damage, TooNew, parse
from tests.runtime.stored import NOON, framed, line_of, message, picture, record


def drafted(*events: MessageEvent | ActionEvent | UnknownEvent, seq: int = 0) -> Draft:
    return draft(seq, "k0-o0", NOON, events)


def read_back(commit: Draft) -> tuple[object, ...]:
    return parse(commit.line).decode(commit.blobs.get)[0]


def action(arguments: dict[str, object]) -> ActionEvent:
    return ActionEvent(
        id="a",
        timestamp=NOON,
        response_event_id="r",
        tool_name="t",
        tool_call_id="c",
        arguments="{}",
        action=HostAction(arguments=arguments),
    )


def nested(depth: int) -> dict[str, object]:
    value: dict[str, object] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def test_a_line_is_what_the_format_says():
    one = MessageEvent(id="e1", timestamp=NOON, source="user", role="user", content=(TextBlock(text="Grüße\n"),))

    line = drafted(one, seq=41).line

    body = (
        '{"v":1,"seq":41,"w":"k0-o0","t":"2026-01-01T12:00:00.000Z","events":[{"id":"e1",'
        '"timestamp":"2026-01-01T12:00:00.000Z","command_id":null,"kind":"MessageEvent","source":"user","role":"user",'
        '"content":[{"type":"text","text":"Grüße\\n"}],"response_event_id":null,"sender":null}]}'
    ).encode()
    assert line == b'{"crc":"711ebcde","rec":' + body + b"}\n"
    assert zlib.crc32(body) == 0x711EBCDE
    assert json.loads(line)["rec"]["seq"] == 41


def test_a_line_reads_back_as_its_commit():
    events = (message("one"), action({"a": [1, 2.5, None, True, "ü"]}), message("two"))

    found = parse(drafted(*events, seq=7).line)

    assert (found.seq, found.writer, found.time, found.version) == (7, "k0-o0", NOON, 1)
    assert found.decode({}.get) == (events, [])


@pytest.mark.parametrize("letter", ["x", "ü", "🐾"])
def test_t_log_09_a_text_of_more_than_64_kib_is_a_blob_and_one_of_64_kib_is_not(letter: str):
    """T-LOG-09, R-LOG-11: the size is that of the UTF-8 text."""
    just = letter * (TEXT_LIMIT // len(letter.encode()))
    over = just + "x"

    small, large = drafted(message(just)), drafted(message(over))

    assert small.blobs == {}
    assert list(large.blobs.values()) == [over.encode()]
    assert over not in large.line.decode()
    assert [m.text for m in (*read_back(small), *read_back(large)) if isinstance(m, MessageEvent)] == [just, over]


def test_t_log_09_large_texts_leave_arguments_and_any_other_place_too():
    """T-LOG-09, R-LOG-11"""
    large = "y" * (TEXT_LIMIT + 1)
    commit = drafted(message("small"), action({"deep": [{"er": [large, "short"]}]}))

    assert len(commit.line) < 1000
    assert json.loads(commit.line)["rec"]["blobs"] == [[1, ["action", "arguments", "deep", 0, "er", 0]]]
    assert read_back(commit)[1] == action({"deep": [{"er": [large, "short"]}]})


def test_an_image_is_always_a_blob_and_reads_back():
    """R-LOG-11"""
    event = message("look", picture("aGVsbG8="), picture("aGVsbG8="))

    commit = drafted(event)

    assert list(commit.blobs.values()) == [b"aGVsbG8="]
    assert read_back(commit) == (event,)


def test_a_text_that_looks_like_a_reference_stays_a_text():
    """R-LOG-11: only the record's own list makes a reference."""
    lookalike = f"blob:{'a' * 64}"
    event = message(lookalike, picture(lookalike))

    commit = drafted(event)

    assert read_back(commit) == (event,)
    assert "blobs" not in json.loads(drafted(message(lookalike)).line)["rec"]


def test_a_line_of_more_than_1_mib_sends_its_largest_texts_to_blobs():
    """R-LOG-11, invariants: the store, 7"""
    events = [message(str(n) * (40_000 + n)) for n in range(9)] * 4
    events.append(message("short"))

    commit = drafted(*events)

    assert len(commit.line) <= LINE_LIMIT
    assert 0 < len(json.loads(commit.line)["rec"]["blobs"]) < len(events) - 1
    assert read_back(commit) == tuple(events)


@pytest.mark.parametrize(
    ("events", "complaint"),
    [
        ((), "at least one event"),
        ((UnknownEvent(kind="Future", id="", reason="unknown", raw={}),), "unknown kind"),
        ((message("half \ud83d pair"),), "surrogates"),
        ((action(nested(DEPTH_LIMIT)),), "levels deep"),
    ],
)
def test_r_log_6_what_could_not_be_read_back_is_not_written(events: tuple[MessageEvent, ...], complaint: str):
    with pytest.raises(ValueError, match=complaint):
        drafted(*events)


def test_what_is_nested_as_deep_as_allowed_reads_back():
    event = action(nested(DEPTH_LIMIT - 3))  # event, action, arguments

    assert read_back(drafted(event)) == (event,)


def test_r_log_6_unknown_fields_are_left_out_and_told_and_unknown_kinds_are_kept_as_such():
    """R-LOG-6, F-18"""
    known = message("hello").model_dump(mode="json") | {"added_later": {"a": 1}}
    line = line_of(record(0, known, {"kind": "CanvasUIObservation", "x": 1}, {"kind": "MessageEvent", "id": "m"}))

    (first, second, third), left_out = parse(line).decode({}.get)

    assert isinstance(first, MessageEvent)
    assert first.text == "hello"
    assert len(left_out) == 1
    assert "added_later" in left_out[0]
    assert isinstance(second, UnknownEvent)
    assert (second.kind, second.reason, second.raw) == (
        "CanvasUIObservation",
        "unknown",
        {"kind": "CanvasUIObservation", "x": 1},
    )
    assert isinstance(third, UnknownEvent)
    assert (third.id, third.reason) == ("m", "unreadable")


GOOD = record(0, {"kind": "Some"})


def raw(**other: object) -> bytes:
    return line_of({**GOOD, **other})


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        *(
            (raw(**wrong), "shape")
            for wrong in (
                {"seq": -1},
                {"seq": True},
                {"seq": "0"},
                {"seq": 0.0},
                {"v": 0},
                {"v": True},
                {"v": "1"},
                {"w": None},
                {"t": 5},
                {"events": []},
                {"events": {}},
                {"events": ["text"]},
            )
        ),
        (line_of([]), "shape"),
        (line_of(None), "shape"),
        (raw(blobs=[[0, ["kind"]]]), "without a reference"),
        (raw(blobs=[[1, ["kind"]]]), "without a reference"),
        (raw(blobs=[[0, []]]), "without a reference"),
        (raw(blobs=[[0, ["kind", 0, 0]]]), "without a reference"),
        (raw(blobs=[[0, [True]]]), "not valid"),
        (raw(blobs={}), "not valid"),
        (framed(b'{"v":1,"v":1,"seq":0,"w":"","t":"","events":[{}]}'), "twice"),
        (framed(b'{"v":1,"seq":0,"w":"","t":"","events":[{"a":1,"a":1}]}'), "twice"),
        (framed(b'{"v":1,"seq":0,"w":"","t":"","events":[{"a":NaN}]}'), "NaN"),
        (framed(b'{"v":1,"seq":0,"w":"","t":"","events":[{"a":-Infinity}]}'), "Infinity"),
        (framed(b'{"v":1,"seq":0,"w":"","t":"","events":[{"a":1e999}]}'), "finite"),
        (framed(b'{"v":1,"seq":0,"w":"\\ud800","t":"","events":[{}]}'), "surrogate"),
        (framed(b'{"v":1,"seq":0,"w":"","t":"","events":[{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}]}"), "deep"),
        (framed(b'{"v":1,"seq":0,"w":"","t":"","events":[{"a":' + b"[" * 300 + b"]" * 300 + b"}]}"), "deep"),
        (framed(b'{"v":1,"seq":' + b"9" * 5000 + b"}"), "not valid"),
        (framed(b"\xff\xfe"), "UTF-8"),
        (framed(b""), "not valid"),
        (framed(b"nonsense"), "not valid"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_f_18_a_sound_frame_with_impossible_content_is_damage(line: bytes, complaint: str):
    with pytest.raises(BadRecord, match=complaint):
        parse(line)


def test_a_pair_of_surrogates_written_as_escapes_is_one_character():
    found = parse(framed(b'{"v":1,"seq":0,"w":"\\ud83d\\udc3e","t":"","events":[{}]}'))

    assert found.writer == "🐾"


def test_r_log_6_a_later_version_is_read_as_far_as_it_has_this_shape_and_is_named_where_it_has_not():
    assert parse(raw(v=2)).version == 2
    with pytest.raises(TooNew, match="format 3"):
        parse(line_of({"v": 3, "seq": 0}))


def test_a_missing_or_changed_blob_is_damage():
    commit = drafted(message("z" * (TEXT_LIMIT + 1)))

    with pytest.raises(BadRecord, match="missing"):
        parse(commit.line).decode({}.get)
    with pytest.raises(BadRecord, match="not text"):
        parse(commit.line).decode(dict.fromkeys(commit.blobs, b"\xff").get)


SAMPLE = drafted(message("one line"), seq=3).line


@given(st.integers(0, len(SAMPLE) - 1), st.integers(1, 255))
def test_i_5_any_single_changed_byte_is_noticed(at: int, flip: int):
    with pytest.raises(Damage):
        parse(SAMPLE[:at] + bytes([SAMPLE[at] ^ flip]) + SAMPLE[at + 1 :])


@given(st.integers(0, len(SAMPLE) - 1))
def test_a_line_that_was_cut_has_no_frame(length: int):
    with pytest.raises(BadFrame):
        parse(SAMPLE[:length])


@given(st.binary(max_size=200))
def test_t5_any_bytes_are_a_record_or_damage(noise: bytes):
    """T5, I-40"""
    for line in (noise, framed(noise), SAMPLE[:30] + noise + SAMPLE[40:]):
        try:
            parse(line)
        except Damage as error:
            assert str(error)
