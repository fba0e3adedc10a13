"""What a provider or the line may do wrong, over real HTTP, with the requests counted at the socket (F-36 to F-42)."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import traceback
from email.utils import formatdate
from pathlib import Path

import pytest

from smolpaws_jupyter.runtime.llm import Delta, Limits, LLMFailure
from smolpaws_jupyter.testing import Gate, ScriptedServer, answer, call, chunk, events, overflow, refuse, reply
from tests.runtime.llm_client import CANARY, LITELLM_WARNS

pytestmark = LITELLM_WARNS

CASES = json.loads((Path(__file__).parent.parent / "fixtures/cases/data/open_provider_errors.json").read_text("utf-8"))[
    "errors"
]
KINDS = {
    "rate_limit": "rate_limit",
    "quota": "rate_limit",
    "output_limit": "output_cap",
    "malformed_history": "malformed_history",
    "auth": "auth",
    "payload_bytes": "byte_limit",
    "bad_parameter": "bad_request",
}
REPEATED = {"rate_limit", "timeout", "transport", "server"}
BOTH = pytest.mark.parametrize("params", [None, {"stream": False}], ids=["streamed", "whole"])
HELLO = events(chunk({"content": "Hel"}), chunk({"content": "lo"}), chunk({}, "stop"))
ENVIRON = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret-for-tests"}


@BOTH
@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
async def test_t_fail_08_recorded_refusals_keep_their_class_through_the_library(client, monkeypatch, case, params):
    """O01 to O04, F-38: whatever litellm makes of them, plain and streamed."""
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    fields = {"api_version": "2024-10-21"} if case["litellm_model"].startswith("azure/") else {}
    with ScriptedServer(answer(case["status"], case["body"], **case["headers"])) as server:
        one = client(server.base_url, model=case["litellm_model"], params={**(params or {}), **fields})
        failure = await one.fail()
    expected = "overflow" if case["expected"] == "context_overflow" else KINDS[case["subtype"]]
    assert failure.kind == expected, failure.text
    assert server.hits == (3 if expected in REPEATED else 1)
    if case["id"] == "ovf-openrouter-output-reservation":
        assert (failure.input_tokens, failure.window, failure.output_tokens) == (7_884, 131_072, 131_072)


@BOTH
@pytest.mark.parametrize("fault", [refuse(429, "slow down"), refuse(503, "busy"), refuse(500, "oops"), answer().cut(0)])
async def test_t_fail_07_what_time_can_mend_is_asked_three_times_in_all(client, fault, params):
    """R-FAIL-8, F-36, I-14."""
    with ScriptedServer([fault, fault, fault]) as server:
        one = client(server.base_url, params=params)
        failure = await one.fail()
    assert failure.kind in REPEATED
    assert (failure.http_requests, one.sends, server.hits) == (3, 3, 3)


async def test_a_try_that_succeeds_ends_the_repeats(client):
    with ScriptedServer([refuse(503, "busy"), reply("fine")]) as server:
        response = await client(server.base_url).ask()
    assert (response.text, response.http_requests) == ("fine", 2)


async def test_the_number_of_requests_is_a_setting(client):
    """R-SET-33."""
    with ScriptedServer([refuse(503, "busy")] * 5) as server:
        failure = await client(server.base_url).fail(Limits(max_http_requests=5))
    assert (failure.http_requests, server.hits) == (5, 5)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
async def test_t_fail_07_other_refusals_are_not_repeated(client, status):
    with ScriptedServer([refuse(status, "no")]) as server:
        failure = await client(server.base_url).fail()
    assert (failure.http_requests, failure.status) == (1, status)


@pytest.mark.parametrize("named", ["retry_after", "retry_after_ms"])
async def test_t_fail_07_the_wait_that_the_provider_asks_for_is_kept(client, named):
    value = {"retry_after": "0.3", "retry_after_ms": "300"}[named]
    with ScriptedServer([refuse(429, "slow", **{named: value}), reply("ok")]) as server:
        started = time.monotonic()
        await client(server.base_url).ask()
    assert time.monotonic() - started >= 0.3


async def test_a_wait_until_a_date_is_understood(client):
    """Of 61 s, so that it ends the repeats at once."""
    date = formatdate(time.time() + 65, usegmt=True)
    with ScriptedServer([refuse(503, "busy", retry_after=date)]) as server:
        failure = await client(server.base_url).fail()
    assert failure.retry_after is not None
    assert 60 < failure.retry_after <= 65
    assert server.hits == 1


async def test_t_fail_07_a_longer_wait_than_the_limit_ends_the_repeats(client):
    with ScriptedServer([refuse(429, "slow", retry_after="61")]) as server:
        failure = await client(server.base_url).fail()
    assert (failure.kind, failure.retry_after, server.hits) == ("rate_limit", 61, 1)


async def test_a_wait_past_the_deadline_of_the_call_ends_the_repeats(client):
    with ScriptedServer([refuse(429, "slow", retry_after="30")]) as server:
        failure = await client(server.base_url).fail(Limits(call_timeout_seconds=5))
    assert (failure.kind, server.hits) == ("rate_limit", 1)


async def test_stop_works_while_waiting_to_ask_again(client):
    gate = Gate()
    with ScriptedServer([refuse(429, "slow", retry_after="50").held(gate)]) as server:
        one = client(server.base_url)
        task = asyncio.create_task(one.ask())
        await gate.reached()
        gate.open()
        await asyncio.sleep(0.3)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 5)
    assert one.sends == 1


@pytest.mark.parametrize("after", [0, 1])
async def test_stop_closes_the_connection_of_a_call_that_is_out(client, after):
    """R-STOP-2, R-ACC-1: the caller knows that one request had left."""
    gate = Gate()
    with ScriptedServer([HELLO.held(gate, after=after)]) as server:
        one = client(server.base_url)
        task = asyncio.create_task(one.ask())
        await gate.reached()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(server.disconnected.wait, 5)
    assert one.sends == 1


STOPPED_EARLY = """
import asyncio, gc, time
from smolpaws_jupyter.runtime.llm import Limits
from tests.runtime.llm_client import Client, binding

async def stopped():
    one = Client(binding("http://127.0.0.1:1"))
    sent = asyncio.Event()
    one.on_send = sent.set
    call = asyncio.ensure_future(one.ask())
    await sent.wait()
    time.sleep(1)  # litellm prepares the call in a thread, and this one does not hear of it
    call.cancel()
    await asyncio.wait([call])
    print("stopped" if call.cancelled() else call)

asyncio.run(stopped())
gc.collect()
"""


@pytest.mark.slow
def test_stop_leaves_nothing_on_the_screen_while_litellm_prepares_a_call(root: Path):
    """R-STOP-2"""
    done = subprocess.run([sys.executable, "-c", STOPPED_EARLY], cwd=root, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("stopped\n", "")


async def test_i_13_the_deadline_holds_whatever_the_provider_does(client):
    with ScriptedServer([HELLO.held(Gate())]) as server:
        failure = await client(server.base_url).fail(Limits(call_timeout_seconds=0.3))
    assert (failure.kind, failure.http_requests) == ("timeout", 1)


async def test_i_13_the_deadline_is_on_all_tries_together(client):
    """All fifty would take ten seconds, whatever the machine does."""
    with ScriptedServer([refuse(503, "busy", retry_after="0.2")] * 50) as server:
        failure = await client(server.base_url).fail(Limits(max_http_requests=50, call_timeout_seconds=2))
    assert failure.kind in ("timeout", "server")
    assert 2 <= server.hits < 50


async def test_f_42_a_stream_that_trickles_ends_at_the_deadline_and_not_before(client):
    """One byte at a time: never idle, never done."""
    with ScriptedServer([HELLO.byte_by_byte().slowly(0.02)]) as server:
        failure = await client(server.base_url).fail(Limits(idle_timeout_seconds=None, call_timeout_seconds=0.5))
    assert (failure.kind, server.hits) == ("timeout", 1)


async def test_f_42_a_stream_that_falls_silent_is_given_up_and_asked_again(client):
    with ScriptedServer([HELLO.held(Gate(), after=1), reply("Hello again")]) as server:
        one = client(server.base_url)
        response = await one.ask(Limits(idle_timeout_seconds=1.5))
    assert response.text == "Hello again"
    assert one.deltas[:2] == [Delta("text", "Hel"), Delta("restart")]
    assert one.words == "Hello again"


async def test_a_model_that_thinks_long_before_its_first_word_is_not_idle(client):
    gate = Gate()
    with ScriptedServer([HELLO.held(gate)]) as server:
        task = asyncio.create_task(client(server.base_url).ask(Limits(idle_timeout_seconds=1.5)))
        await gate.reached()
        await asyncio.sleep(1.7)
        gate.open()
        assert (await task).text == "Hello"


@pytest.mark.parametrize("cut", range(0, sum(map(len, HELLO.pieces)), 37))
async def test_t_step_06_a_stream_cut_anywhere_is_no_reply(client, cut):
    """R-STEP-8, F-42, I-15. The end mark itself may be missing: the finish reason was there."""
    whole = sum(map(len, HELLO.pieces[:3]))
    with ScriptedServer(HELLO.cut(cut)) as server:
        one = client(server.base_url)
        try:
            response = await one.ask(Limits(max_http_requests=1))
        except LLMFailure as error:
            assert error.failure.kind == "transport"
            assert one.words == ""
        else:
            assert cut >= whole
            assert response.text == "Hello"


@pytest.mark.parametrize(
    "broken",
    [
        events(chunk({"content": "Hel"}), end=False),
        events(chunk({"content": "Hel"})),
        events(chunk({"content": "Hel"}), "{garbage", chunk({}, "stop")),
        events(),
        events({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []}),
    ],
    ids=["no end mark", "no finish reason", "garbage", "nothing", "no choices"],
)
async def test_f_42_a_stream_without_an_end_is_no_reply(client, broken):
    with ScriptedServer([broken] * 3) as server:
        failure = await client(server.base_url).fail()
    assert failure.kind in ("transport", "server")
    assert server.hits == 3


@BOTH
@pytest.mark.parametrize(
    "body",
    ['{"id":', "", "not json", {"id": "x", "choices": []}, {"id": "x", "choices": [{"index": 0}]}, [], {"id": 5}],
    ids=["half", "empty", "words", "no choices", "no message", "list", "odd"],
)
async def test_f_41_a_broken_body_with_status_200_is_no_reply(client, body, params):
    with ScriptedServer([answer(200, body)] * 3) as server:
        failure = await client(server.base_url, params=params).fail()
    assert failure.kind in ("server", "transport", "unknown")
    assert 1 <= server.hits <= 3


async def test_an_error_in_a_body_with_status_200_is_read_by_asking_without_a_stream(client):
    refusal = answer(200, {"error": {"message": "prompt is too long: 5 tokens > 4 maximum"}})
    with ScriptedServer([refusal, refusal]) as server:
        failure = await client(server.base_url).fail()
    assert (failure.kind, server.hits) == ("overflow", 2)


@BOTH
async def test_f_41_an_empty_reply_that_says_stop_is_a_reply(client, params):
    """R-STEP-9 deals with it."""
    with ScriptedServer([reply("")]) as server:
        response = await client(server.base_url, params=params).ask()
    assert (response.text, response.calls, response.finish_reason) == ("", (), "stop")


@pytest.mark.parametrize("reason", ["length", "content_filter", "banana"])
async def test_f_41_the_finish_reason_is_kept_as_it_came(client, capfd, reason):
    """And litellm says nothing about it on the person's screen."""
    with ScriptedServer([reply("Hel").finishing(reason)]) as server:
        assert (await client(server.base_url).ask()).finish_reason == reason
    assert capfd.readouterr() == ("", "")


async def test_t_fail_05_an_error_in_the_middle_of_a_stream_is_classified_and_its_words_taken_back(client):
    error = {"error": {"message": "This model's maximum context length is 8 tokens", "code": "context_length_exceeded"}}
    with ScriptedServer([events(chunk({"content": "Hel"}), error)]) as server:
        one = client(server.base_url)
        failure = await one.fail()
    assert (failure.kind, failure.window, server.hits) == ("overflow", 8, 1)
    assert one.deltas == [Delta("text", "Hel"), Delta("restart")]


async def test_t_fail_05_a_reply_cut_short_by_length_is_a_success(client):
    with ScriptedServer([call("f").finishing("length")]) as server:
        assert (await client(server.base_url).ask()).finish_reason == "length"


async def test_t_fail_06_malformed_usage_on_a_refusal_is_unknown_and_its_class_stays(client):
    """R-FAIL-7."""
    body = {"error": {"message": "prompt is too long"}, "usage": {"prompt_tokens": -3, "completion_tokens": 2}}
    with ScriptedServer([answer(400, body)]) as server:
        failure = await client(server.base_url).fail()
    assert failure.kind == "overflow"
    assert (failure.usage.input, failure.usage.output) == (None, 2)


@BOTH
async def test_f_37_a_key_that_the_provider_repeats_is_nowhere_afterwards(client, capfd, params):
    """R-SEC-1, R-SEC-2, T-SEC-01, I-39: not in text, exception, its causes or its traceback with locals of ours."""
    body = f"Incorrect API key provided: {CANARY}. See https://host/?key={CANARY}"
    with ScriptedServer([answer(401, {"error": {"message": body, "code": "invalid_api_key"}})]) as server:
        one = client(server.base_url, environ={"VENDOR_KEY": CANARY}, api_key_ref="env:VENDOR_KEY", params=params)
        with pytest.raises(LLMFailure) as caught:
            await one.ask()
    error = caught.value
    assert error.failure.kind == "auth"
    assert "[hidden]" in error.failure.text
    assert (error.__cause__, error.__context__) == (None, None)
    assert CANARY not in f"{error!r} {error} {error.failure} {''.join(traceback.format_exception(error))}"
    assert CANARY not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("base_url", "kind"),
    [("http://no-such-host.invalid/v1", "transport"), ("http://127.0.0.1:9/v1", "transport")],
    ids=["DNS", "refused"],
)
async def test_f_36_a_host_that_is_not_there_is_a_broken_connection(client, base_url, kind):
    one = client(base_url, environ={"VENDOR_KEY": CANARY}, api_key_ref="env:VENDOR_KEY")
    failure = await one.fail()
    assert (failure.kind, failure.http_requests) == (kind, 3)


async def test_f_36_a_server_without_tls_is_a_broken_connection(client):
    with ScriptedServer(refuse(500, "unused")) as server:
        one = client(server.base_url.replace("http:", "https:"))
        failure = await one.fail()
    assert (failure.kind, failure.http_requests, server.hits) == ("transport", 3, 0)


@pytest.mark.parametrize("status", [401, 403, 404, 413, 429, 500, 502, 503])
async def test_f_37_html_instead_of_json_is_read_as_its_words(client, status):
    with ScriptedServer(answer(status, f"<html><body><h1>{status}</h1>Sorry</body></html>")) as server:
        failure = await client(server.base_url).fail()
    assert failure.text == f"{status} Sorry"
    assert failure.status == status


async def test_an_overflow_through_the_library_names_its_numbers(client):
    with ScriptedServer([overflow(5_000, 4_096)]) as server:
        failure = await client(server.base_url).fail()
    assert (failure.kind, failure.input_tokens, failure.window) == ("overflow", 5_000, 4_096)
