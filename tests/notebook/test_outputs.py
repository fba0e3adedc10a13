"""What a run put out, collected within bounds (R-MSG-9, O29, F-28)."""

from __future__ import annotations

import base64
import re
import threading

from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core.base import TextBlock
from smolpaws_jupyter.core.payloads import ToolObservation
from smolpaws_jupyter.notebook.outputs import IMAGES, KEPT, TAIL, Outputs, collapse
from smolpaws_jupyter.runtime.text import BOUND


def text_of(observation: ToolObservation) -> str:
    return "\n".join(block.text for block in observation.content if isinstance(block, TextBlock))


def test_a_short_output_is_shown_whole_and_stored_once():
    outputs = Outputs()
    outputs.text("one\n")
    outputs.text("two\n")
    observation = outputs.observation("a")
    assert text_of(observation) == "one\ntwo"
    assert (observation.output, observation.output_bytes, observation.is_error) == (None, None, False)


def test_nothing_is_said_to_be_nothing():
    assert text_of(Outputs().observation("a")) == "(no output)"


def test_values_and_tracebacks_begin_on_a_line_of_their_own():
    outputs = Outputs()
    outputs.text("no newline")
    outputs.rich({"text/plain": "42", "text/html": "<b>42</b>"})
    outputs.error("Traceback")
    observation = outputs.observation("a", "[note]")
    assert text_of(observation) == "no newline\n42\nTraceback\n[note]"
    assert observation.is_error


def test_o29_head_and_tail_stay_and_the_middle_is_counted():
    outputs = Outputs()
    for number in range(1_000):
        outputs.text(f"{number:04} " + "x" * 9_995 + "\n")
    observation = outputs.observation("a", "[note]")
    shown = text_of(observation)
    assert len(shown) <= BOUND
    assert shown.startswith("0000 x")
    assert shown.endswith("x\n[note]")
    assert observation.output is not None
    assert len(observation.output) < 2 * KEPT + 200
    assert observation.output.startswith("0000 ")
    assert "0999 xxx" in observation.output
    dropped = int(observation.output.split(" bytes were dropped here")[0].rsplit("[", 1)[1])
    assert dropped == 10_001_000 - 2 * KEPT
    assert observation.output_bytes == 10_001_000


def test_t_msg_07_the_offsets_that_are_named_are_those_of_what_is_stored():
    outputs = Outputs()
    outputs.text("\x1b[31mred\x1b[0m\n" + "y" * 50_000 + "\r" + "z" * 50_000 + "end")
    observation = outputs.observation("a")
    whole = "red\n" + "z" * 50_000 + "end"
    assert observation.output == whole
    named = re.search(r"\n\[.* from offset (\d+) to (\d+); .*\]\n", text_of(observation))
    assert named is not None
    start, stop = map(int, named.groups())
    assert text_of(observation) == whole[:start] + named[0] + whole[stop:]


def test_images_are_images_and_too_many_are_counted():
    outputs = Outputs()
    for _ in range(IMAGES + 2):
        outputs.rich({"image/png": base64.b64encode(b"png").decode() + "\n", "text/plain": "<Figure>"})
    observation = outputs.observation("a")
    assert text_of(observation) == f"[{IMAGES} images shown] [2 images left out: too large or too many]"
    assert len(observation.content) == 1 + IMAGES


def test_an_image_that_is_too_large_is_left_out():
    outputs = Outputs()
    outputs.rich({"image/jpeg": bytes(3_000_001)})
    assert text_of(outputs.observation("a")) == "[1 image left out: too large or too many]"


def test_markup_alone_is_named_and_not_shown():
    outputs = Outputs()
    outputs.rich({"text/html": "<script>1</script>", "application/javascript": "1"})
    shown = text_of(outputs.observation("a"))
    assert shown == "[something without a text form was shown: application/javascript, text/html]"


def test_clear_output_begins_anew():
    outputs = Outputs()
    outputs.text("10 %")
    outputs.rich({"image/png": "aaaa"})
    outputs.clear()
    outputs.text("20 %")
    assert text_of(outputs.observation("a")) == "20 %"


def test_the_tail_is_short_and_current_while_a_thread_prints():
    outputs = Outputs()
    stop = threading.Event()

    def endless() -> None:
        number = 0
        while not stop.is_set():
            outputs.text(f"{number}\n" * 100)
            number += 1

    printing = threading.Thread(target=endless)
    printing.start()
    try:
        assert all(len(outputs.tail) <= TAIL for _ in range(200))
    finally:
        stop.set()
        printing.join()
    outputs.text("the end")
    assert outputs.tail.endswith("the end")


@given(st.lists(st.text(max_size=30), max_size=30))
def test_whatever_is_printed_is_shown_without_escapes(pieces: list[str]):
    outputs = Outputs()
    for piece in pieces:
        outputs.text(piece)
    shown = text_of(outputs.observation("a"))
    shown.encode()
    assert "\x1b" not in shown


def test_carriage_returns_rewrite_their_line():
    assert collapse("a\rb\nc\r\nd\r") == "b\nc\nd"
