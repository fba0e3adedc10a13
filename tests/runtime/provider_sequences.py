"""What a provider may send in the course of one turn, and what must come of it: the scripted half of T10.

Each sequence begins behind one answered message. `main` answers the main model, `summary` the summariser; the counts are
HTTP requests at their sockets. `ends` is the final text of the turn, or the code of the error that ended it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smolpaws_jupyter.core.base import JsonObject
from smolpaws_jupyter.testing import Answer, Move, answer, call, calls, chunk, events, overflow, raw_call, refuse, reply

Step = Move | Answer

OK = reply("ok").using(input=20, output=2)
ACT = call("act", text="x").using(input=10, output=2)
WHOLE = events(chunk({"content": "Hello "}), chunk({"content": "world"}), chunk({}, "stop"))
BREAK = answer().cut(0)
CODE = {"code": "context_length_exceeded"}
TOO_LONG = refuse(400, "This model's maximum context length is 8192 tokens.", **CODE)
KEY = "sk-canary-0123456789abcdef"


def acting(prompt_tokens: int | None) -> Answer:
    """A call of the tool with effects, reported with this count, which may be an impossible one."""
    function = {"name": "act", "arguments": "{}"}
    called = chunk({"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": function}]})
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": 1, "total_tokens": 1}
    reported = [] if prompt_tokens is None else [{**chunk({}), "choices": [], "usage": usage}]
    return events(called, chunk({}, "tool_calls"), *reported)


@dataclass(frozen=True)
class Course:
    """One course of answers, and its outcome."""

    fault: str
    what: str
    main: Sequence[Step]
    ends: str
    hits: int
    summary: Sequence[Step] = ()
    bought: int = 0
    ran: int = 0
    """How often the tool with effects ran."""
    settings: JsonObject | None = None
    message: str = "Go on."
    stop_at: str = ""
    """The kind of event behind which the person presses Stop."""

    @property
    def id(self) -> str:
        return f"{self.fault} {self.what}"


def s(fault: str, what: str, main: Sequence[Step], ends: str, hits: int, **more: object) -> Course:
    return Course(fault, what, main, ends, hits, **more)  # type: ignore[arg-type]


QUICK: JsonObject = {"idle_timeout_seconds": 1.5}

SEQUENCES = [
    # Faults that time can mend: three requests in all, a Retry-After honoured up to 60 s
    s("F-36", "429 for ever", [refuse(429, "slow down")] * 3, "rate_limit", 3),
    s("F-36", "429, come back at once", [refuse(429, "slow down", retry_after="0"), OK], "ok", 2),
    s("F-36", "429, come back too late", [refuse(429, "slow down", retry_after="61")], "rate_limit", 1),
    s("F-36", "429, come back at no time", [refuse(429, "slow down", retry_after="soon"), OK], "ok", 2),
    s("F-36", "500 twice", [refuse(500, "oops"), refuse(500, "oops"), OK], "ok", 3),
    s("F-36", "503 for ever", [refuse(503, "busy")] * 3, "server", 3),
    s("F-36", "529 once", [refuse(529, "overloaded"), OK], "ok", 2),
    s("F-36", "line breaks for ever", [BREAK] * 3, "transport", 3),
    s("F-36", "502, line breaks, and then", [answer(502, "<html>"), BREAK, OK], "ok", 3),
    # Faults that nothing mends
    s("F-37", "401 with the key", [refuse(401, f"Incorrect API key: {KEY}")], "auth", 1),
    s("F-37", "401 in HTML", [answer(401, f"<html>{KEY}</html>")], "auth", 1),
    s("F-37", "401 with an overflow's code", [refuse(401, "no", **CODE)], "auth", 1),
    s("F-37", "403", [refuse(403, "not yours")], "permission", 1),
    s("F-37", "404", [refuse(404, "no such model")], "not_found", 1),
    # Overflows, and what only looks like one
    s("F-38", "by code", [TOO_LONG, OK], "ok", 2, summary=[OK], bought=1),
    s(
        "F-38",
        "by wording",
        [refuse(400, "prompt is too long: 9 tokens > 8 maximum"), OK],
        "ok",
        2,
        summary=[OK],
        bought=1,
    ),
    s("F-38", "by a llama.cpp server", [overflow(9, 8), OK], "ok", 2, summary=[OK], bought=1),
    s("F-38", "413 with the code", [refuse(413, "body", **CODE), OK], "ok", 2, summary=[OK], bought=1),
    s(
        "F-38",
        "500 around the wording",
        [refuse(500, "upstream: context length exceeded"), OK],
        "ok",
        2,
        summary=[OK],
        bought=1,
    ),
    s("F-38", "in a stream", [events({"error": {"message": "no", **CODE}}), OK], "ok", 2, summary=[OK], bought=1),
    s(
        "F-38",
        "behind words",
        [events(chunk({"content": "Hel"}), {"error": {"message": "no", **CODE}}), OK],
        "ok",
        2,
        summary=[OK],
        bought=1,
    ),
    s("F-38", "bare 413", [answer(413, "Payload Too Large")], "byte_limit", 1),
    s("F-38", "413 of tokens per minute", [refuse(413, "tokens per minute (TPM): limit 9")] * 3, "rate_limit", 3),
    s(
        "F-38",
        "max_tokens itself too large",
        [refuse(400, "max_tokens is too large: 9. This model supports at most 8")],
        "output_cap",
        1,
    ),
    s(
        "F-38",
        "a broken order of roles",
        [refuse(400, "messages: roles must alternate between user and assistant")],
        "malformed_history",
        1,
    ),
    # Rescues that go wrong
    s("F-39", "overflow again", [TOO_LONG, TOO_LONG], "context_rescue_blocked", 2, summary=[OK], bought=1),
    s(
        "F-39",
        "summary overflows and cannot shrink",
        [TOO_LONG],
        "context_rescue_failed",
        1,
        summary=[TOO_LONG],
        bought=1,
    ),
    s("F-39", "summary is empty", [TOO_LONG], "context_rescue_failed", 1, summary=[reply("")], bought=1),
    s("F-39", "summary is refused", [TOO_LONG], "context_rescue_failed", 1, summary=[refuse(401, "no")], bought=1),
    s(
        "F-39",
        "summary's content is refused",
        [TOO_LONG],
        "context_rescue_failed",
        1,
        summary=[refuse(400, "no", code="content_filter")],
        bought=1,
    ),
    s(
        "F-39",
        "summary fails five times",
        [TOO_LONG],
        "context_rescue_failed",
        1,
        summary=[refuse(503, "busy")] * 5,
        bought=5,
    ),
    s("F-39", "summary at the second attempt", [TOO_LONG, OK], "ok", 2, summary=[refuse(503, "busy"), OK], bought=2),
    s("F-39", "summary's stream breaks once", [TOO_LONG, OK], "ok", 2, summary=[WHOLE.cut(90), OK], bought=2),
    # Nothing to summarise: a new conversation (no message before it)
    s("F-40", "the first message", [TOO_LONG], "input_too_large", 1, message="x" * 9_000),
    # Bodies that are no reply
    s("F-41", "no JSON", [answer(200, "not json")] * 3, "server", 3),
    s("F-41", "nothing, three times", [reply("")] * 3, "empty_replies", 3),
    s("F-41", "blank, and then", [reply(" \n"), OK], "ok", 2),
    s("F-41", "an unknown finish reason", [reply("Hel").finishing("banana")], "Hel", 1),
    s("F-41", "refused content, and then", [refuse(400, "no", code="content_filter"), OK], "ok", 2),
    s("F-41", "refused content for ever", [refuse(400, "no", code="content_filter")] * 3, "content_refused", 3),
    # Streams that end nowhere
    s("F-42", "cut in the middle", [WHOLE.cut(200), OK], "ok", 2),
    s("F-42", "no end at all", [events(chunk({"content": "Hel"}), end=False)] * 3, "transport", 3),
    s("F-42", "garbage", [events(chunk({"content": "Hel"}), "{garbage", chunk({}, "stop"))] * 2 + [OK], "ok", 3),
    s("F-42", "an error event", [events(chunk({"content": "Hel"}), {"error": {"message": "odd"}})], "unknown", 1),
    s("F-42", "silence", [WHOLE.slowly(5), OK], "ok", 2, settings=QUICK),
    s("F-42", "byte by byte", [WHOLE.byte_by_byte()], "Hello world", 1),
    # Calls
    s("F-43", "an unknown tool", [call("fly"), OK], "ok", 2),
    s("F-43", "cut arguments", [raw_call("act", '{"text": "x'), OK], "ok", 2),
    s("F-43", "cut by length", [ACT.finishing("length"), OK], "ok", 2),
    s("F-43", "wrong types", [raw_call("act", "[1, 2]"), OK], "ok", 2),
    s(
        "F-43",
        "repeated, empty and missing ids",
        [calls(*(raw_call("act", "{}", id=i) for i in ("a", "a", "", None))), OK],
        "ok",
        2,
        ran=4,
    ),
    s(
        "F-43",
        "an earlier id again",
        [raw_call("act", "{}", id="a"), raw_call("act", "{}", id="a"), OK],
        "ok",
        3,
        ran=2,
    ),
    s(
        "F-43",
        "a hundred calls",
        [calls(*(raw_call("act", "{}", id=f"c{n}") for n in range(100))), OK],
        "ok",
        2,
        ran=100,
    ),
    s("F-43", "a name of 16 kB", [raw_call("f" * 16_000, "{}"), OK], "ok", 2),
    # The agent's own reset
    s("F-44", "beside another call", [calls(call("condense"), call("act")), OK], "ok", 2, ran=1),
    s("F-44", "a message that is too long", [call("condense", message_to_future_self="x" * 16_385), OK], "ok", 2),
    s("F-44", "half an emoji", [raw_call("condense", '{"message_to_future_self": "\\ud83d"}'), OK], "ok", 2),
    # Usage
    s("F-45", "none, zero, negative, huge, shrinking", [*map(acting, (None, 0, -5, 10**12, 1)), OK], "ok", 6, ran=5),
    # A model that goes nowhere
    s("F-46", "the same failing call", [call("fly")] * 5, "run_limit_reached", 5, settings={"max_steps_per_run": 5}),
    # Stops in between
    s("F-47", "between answer and tool", [ACT], "paused", 1, stop_at="ActionEvent"),
    s("F-47", "between result and request", [ACT], "paused", 1, stop_at="ObservationEvent", ran=1),
    s("F-47", "between answer and reset", [call("condense")], "paused", 1, stop_at="ActionEvent"),
]
