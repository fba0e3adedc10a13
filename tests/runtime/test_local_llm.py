"""A model file in this process: real tokens, real streaming, a real refusal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from smolpaws_jupyter.core.errors import SettingsError
from smolpaws_jupyter.core.profiles import LLMProfile, bind
from smolpaws_jupyter.runtime.keys import Keys
from smolpaws_jupyter.runtime.llm import Delta, Limits, LLMFailure, Request
from smolpaws_jupyter.runtime.local_llm import LocalLLM
from tests.runtime.llm_client import LITELLM_WARNS
from tests.tiny_model import write_tiny_model

Make = Callable[..., LocalLLM]
pytestmark = [pytest.mark.slow, *LITELLM_WARNS]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("xllamacpp", reason="xllamacpp has no wheel for this machine")
    return write_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture
async def local() -> AsyncIterator[Callable[..., LocalLLM]]:
    made: list[LocalLLM] = []

    def make(path: Path, output: int = 12, **params: int) -> LocalLLM:
        profile = LLMProfile(model=f"local:{path}", params={"n_threads": 1, **params}, max_output_tokens=output)
        made.append(LocalLLM(bind("local", profile), Keys({})))
        return made[-1]

    yield make
    for llm in made:
        await llm.aclose()


def saying(text: str, llm: LocalLLM) -> Request:
    return Request([{"role": "user", "content": text}], [], llm.binding)


async def test_a_model_file_answers_with_words_and_a_real_count(model: Path, local: Make) -> None:
    llm = local(model)
    words: list[Delta] = []
    sent: list[int] = []
    response = await llm.complete(saying("hi", llm), Limits(), words.append, lambda: sent.append(1))
    assert response.usage.input is not None
    assert response.usage.input > len("hi")
    assert response.finish_reason == "length"
    assert "".join(d.text for d in words) == response.text
    assert await llm.window() == 8_192
    assert len(sent) == response.http_requests == 1


async def test_its_refusal_of_a_long_request_is_an_overflow_with_its_numbers(model: Path, local: Make) -> None:
    llm = local(model, n_ctx=512)
    with pytest.raises(LLMFailure) as caught:
        await llm.complete(saying("x" * 2_000, llm), Limits(), lambda _: None, lambda: None)
    assert caught.value.failure.kind == "overflow"
    assert caught.value.failure.window == 512
    assert (caught.value.failure.input_tokens or 0) > 2_000


async def test_it_can_be_cancelled_and_answers_again(model: Path, local: Make) -> None:
    llm = local(model, output=4_000)
    running = asyncio.Event()
    task = asyncio.ensure_future(llm.complete(saying("go", llm), Limits(), lambda _: running.set(), lambda: None))
    await running.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await llm.complete(saying("again", llm), Limits(), lambda _: None, lambda: None)).text


async def test_a_path_without_a_file_is_refused_with_the_next_step(local: Make) -> None:
    with pytest.raises(SettingsError, match="GGUF file"):
        local(Path("/nowhere/model.gguf"))
