"""The scripted model keeps to its script, records what it was sent, and can be held."""

from __future__ import annotations

import asyncio
import threading

import pytest

from smolpaws_jupyter.core.messages import Size
from smolpaws_jupyter.core.profiles import LLMProfile, bind
from smolpaws_jupyter.runtime.llm import Delta, Limits, LLMFailure, Request, Response, ToolCall
from smolpaws_jupyter.testing import Gate, ScriptedLLM, ScriptExhausted, call, calls, overflow, raw_call, reply

BINDING = bind("main", LLMProfile(model="vendor/large"))


def request(text: str = "go") -> Request:
    return Request([{"role": "user", "content": text}], [], BINDING)


class Listener:
    def __init__(self) -> None:
        self.deltas: list[Delta] = []
        self.sent = 0

    def on_send(self) -> None:
        self.sent += 1

    async def ask(self, llm: ScriptedLLM, text: str = "go") -> Response:
        return await llm.complete(request(text), Limits(), self.deltas.append, self.on_send)


async def test_moves_are_answered_in_order_and_requests_are_recorded_as_they_were():
    llm = ScriptedLLM([call("read_file", path="a").using(input=750), reply("done")])
    first = request("one")

    answer = await llm.complete(first, Limits(), lambda _: None, lambda: None)
    first.messages.append({"role": "user", "content": "later"})

    assert answer.calls == (ToolCall("call_1", "read_file", '{"path": "a"}'),)
    assert (answer.usage.input, answer.usage.output, answer.finish_reason) == (750, None, "tool_calls")
    assert llm.requests[0].messages == [{"role": "user", "content": "one"}]
    assert (await Listener().ask(llm)).text == "done"
    assert llm.left == 0


async def test_a_move_can_be_made_from_the_request():
    llm = ScriptedLLM(lambda r: reply(r.messages[-1]["content"].upper()))
    assert (await Listener().ask(llm, "again")).text == "AGAIN"


async def test_asking_once_more_than_the_script_foresaw_is_an_error_of_the_test():
    with pytest.raises(ScriptExhausted, match="request 1"):
        await Listener().ask(ScriptedLLM())


async def test_calls_keep_the_ids_they_were_given_and_get_numbers_otherwise():
    script = [calls(call("a"), raw_call("b", "{", id=None), raw_call("c", "{}", id=""), call("d").saying("text"))]
    answer = await Listener().ask(ScriptedLLM(script))
    assert [c.id for c in answer.calls] == ["call_1", None, "", "call_2"]
    assert answer.text == "text"


async def test_a_failure_carries_what_it_cost():
    listener = Listener()
    with pytest.raises(LLMFailure) as caught:
        await listener.ask(ScriptedLLM([overflow(5_000, 4_096).using(input=12).requesting(2)]))
    failure = caught.value.failure
    assert (failure.kind, failure.input_tokens, failure.window, failure.http_requests) == ("overflow", 5_000, 4_096, 2)
    assert failure.usage.input == 12
    assert listener.sent == 2


async def test_a_held_reply_waits_for_the_gate_after_its_first_chunks():
    gate, listener = Gate(), Listener()
    llm = ScriptedLLM([reply().streamed("Hel", "lo").held(gate, after=1)])

    task = asyncio.create_task(listener.ask(llm))
    await gate.reached()
    assert listener.deltas == [Delta("text", "Hel")]

    gate.open()
    assert (await task).text == "Hello"
    assert listener.deltas == [Delta("text", "Hel"), Delta("text", "lo")]


async def test_a_held_call_can_be_cancelled_and_its_gate_opened_later():
    gate = Gate()
    task = asyncio.create_task(Listener().ask(ScriptedLLM([reply("never").held(gate)])))
    await gate.reached()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    gate.open()


def test_a_gate_works_across_threads():
    gate, answers = Gate(), list[Response]()
    llm = ScriptedLLM([reply("held").held(gate)])
    worker = threading.Thread(target=lambda: answers.append(asyncio.run(Listener().ask(llm))))
    worker.start()
    gate.wait_until_reached()
    assert not answers
    gate.open()
    worker.join()
    assert answers[0].text == "held"


async def test_metadata_and_counter_are_what_the_test_says():
    llm = ScriptedLLM(window=8_000, output_limit=500, estimate=lambda size: size.bytes)
    assert (await llm.window(), await llm.output_limit(), llm.estimate(Size(12))) == (8_000, 500, 12)
