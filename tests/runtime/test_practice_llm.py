"""The practice model behind the LLM door: names, window, counts, pace, and refusals like any provider's."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from smolpaws_jupyter.core.errors import SettingsError, StartError
from smolpaws_jupyter.core.messages import Size, request_size
from smolpaws_jupyter.core.practice.window import least_window
from smolpaws_jupyter.core.profiles import Binding, LLMProfile, bind
from smolpaws_jupyter.runtime.keys import Keys
from smolpaws_jupyter.runtime.llm import Delta, Limits, LLMFailure, Request, Response
from smolpaws_jupyter.runtime.models import llm_for
from smolpaws_jupyter.runtime.practice_llm import MODELS, PACE, WINDOW, PracticeLLM, check_window

TOOLS = [
    {"type": "function", "function": {"name": name, "description": "", "parameters": {}}}
    for name in ("list_files", "read_file", "write_file", "condense")
]
TASK = "Count the rows of data/*.csv"


def binding(model: str = "practice", **params: Any) -> Binding:
    return bind("main", LLMProfile.model_validate({"model": model, "params": {"pace": 0, **params}}))


def request(text: str = TASK, **params: Any) -> Request:
    return Request([{"role": "user", "content": text}], TOOLS, binding(**params))


async def complete(made: Request, heard: list[Delta] | None = None) -> Response:
    sent: list[int] = []
    deltas = heard if heard is not None else []
    response = await PracticeLLM(made.binding).complete(made, Limits(), deltas.append, lambda: sent.append(1))
    assert not sent, "nothing leaves the process"
    return response


@pytest.mark.parametrize("model", MODELS)
def test_every_habit_is_chosen_by_its_model_name(model: str) -> None:
    assert isinstance(llm_for(binding(model), Keys({})), PracticeLLM)


def test_the_names_are_practice_and_its_three_other_habits() -> None:
    assert MODELS == ("practice", "practice/late", "practice/careless", "practice/stubborn")


@pytest.mark.parametrize("model", ["practice/hasty", "practice/", "practice/diligent/late"])
def test_an_unknown_habit_is_refused_with_those_there_are(model: str) -> None:
    with pytest.raises(SettingsError, match="practice/late"):
        PracticeLLM(binding(model))


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"window": 0}, "params.window"),
        ({"window": 8000.5}, "params.window"),
        ({"window": "8000"}, "params.window"),
        ({"window": True}, "params.window"),
        ({"pace": -1}, "params.pace"),
        ({"pace": None}, "params.pace"),
    ],
)
def test_wrong_params_are_refused_by_name(params: dict[str, Any], path: str) -> None:
    with pytest.raises(SettingsError) as error:
        PracticeLLM(binding(**params))

    assert error.value.path == path


async def test_it_declares_its_window() -> None:
    """T-BUD-01, R-BUD-1."""
    assert await PracticeLLM(binding()).window() == WINDOW == 8_000
    assert await PracticeLLM(binding(window=4_000)).window() == 4_000


async def test_estimate_and_reported_usage_are_one_number() -> None:
    made = request("Grüße 🐾")

    response = await complete(made)

    assert PracticeLLM(made.binding).estimate(request_size(made.messages, made.tools)) == response.usage.input
    assert response.usage.output
    assert response.usage.cost == 0


async def test_a_call_comes_with_words_and_without_an_id_of_its_own() -> None:
    response = await complete(request())

    assert [(call.id, call.name, call.arguments) for call in response.calls] == [
        (None, "list_files", '{"path": "data", "pattern": "*.csv"}')
    ]
    assert response.text.startswith("I list data/*.csv")
    assert response.finish_reason == "tool_calls"
    assert (await complete(request("Hello"))).finish_reason == "stop"


async def test_words_are_streamed_one_by_one() -> None:
    heard: list[Delta] = []

    response = await complete(request(), heard)

    assert "".join(delta.text for delta in heard) == response.text
    assert len(heard) == len(response.text.split())


async def test_a_request_that_does_not_fit_is_an_overflow_with_its_numbers() -> None:
    """R-FAIL-2, R-FAIL-7: through the ordinary classifier."""
    made = request(window=100)

    with pytest.raises(LLMFailure) as refused:
        await complete(made)

    failure = refused.value.failure
    used = PracticeLLM(made.binding).estimate(request_size(made.messages, made.tools))
    assert (failure.kind, failure.status, failure.http_requests) == ("overflow", 400, 0)
    assert (failure.input_tokens, failure.window) == (used, 100)
    assert "exceeds the available context size (100 tokens)" in failure.text


async def test_a_reply_takes_its_pace_and_can_be_cancelled() -> None:
    assert 0 < PACE < 2, "a person can watch, and the first example ends within a minute"
    started = time.monotonic()
    await complete(request(pace=0.05))
    assert time.monotonic() - started >= 0.04

    slow = asyncio.ensure_future(complete(request(pace=60)))
    await asyncio.sleep(0)
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow


def test_a_window_that_is_too_small_is_refused_with_the_least_number() -> None:
    fixed = Size(bytes=4_000)
    least = least_window(1_000)

    check_window(binding(window=least), fixed)
    with pytest.raises(StartError, match=f"at least {least}") as error:
        check_window(binding(window=least - 1), fixed)

    assert error.value.code == "window_too_small"
