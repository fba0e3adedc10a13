"""Door 1 through litellm: the only file that knows it. Its errors end here, and its retries and price lists stay off.

litellm is loaded when a model is first needed, in a thread: that takes seconds.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import os
import sys
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from typing import Any, TypeVar

from ..core.base import JsonObject
from ..core.messages import Size
from ..core.profiles import Binding, provider_of
from .keys import Keys, MissingKey
from .llm import Delta, Failure, Limits, LLMFailure, Request, Response
from .model_facts import ModelFacts
from .provider_errors import Refusal, refusal_of
from .provider_reply import ReplyBuilder, without_foreign_reasoning
from .provider_usage import usage_of
from .tries import Refused, Tries

_LOCAL_SERVERS = ("ollama", "ollama_chat", "lm_studio", "llamafile", "hosted_vllm", "vllm", "lemonade")

_NO_KEY = "not-needed"
"""Sent where a binding has no key: without any, litellm would take one from the environment and send that."""

# Whatever a profile's params say: one HTTP request a try, no other model behind one's back, no logging to anyone.
_OURS: JsonObject = {"max_retries": 0, "num_retries": 0, "fallbacks": None, "no-log": True}

T = TypeVar("T")


class LitellmLLM:
    """Any model that litellm can name, for one binding (an `LLM`)."""

    def __init__(self, binding: Binding, keys: Keys, *, first_pause: float = 1.0) -> None:
        """`first_pause`: seconds before a failed try is first repeated."""
        self._binding = binding
        self._keys = keys
        self._first_pause = first_pause
        self._provider = provider_of(binding.model)
        self._facts = ModelFacts(binding, _load)
        self._takes_stream_options = True

    async def window(self) -> int | None:
        """The input window of litellm's bundled metadata, or None (R-BUD-1)."""
        return await self._facts.window()

    async def output_limit(self) -> int | None:
        """The output limit of the metadata, or None where there is none to reserve."""
        return await self._facts.output_limit()

    async def check_key(self) -> None:
        """Raises `LLMFailure` if the key cannot be found (R-BIND-8)."""
        await self._credentials()

    def estimate(self, size: Size) -> int | None:
        """By rule of thumb, corrected by the last count."""
        return self._facts.estimate(size)

    async def complete(
        self, request: Request, limits: Limits, on_delta: Callable[[Delta], None], on_send: Callable[[], None]
    ) -> Response:
        """One reply, streamed unless the binding's params say `{"stream": false}`."""
        tries = Tries(limits, on_delta, on_send, self._keys.redactor, self._first_pause)
        asking = _asking.set(True)
        try:
            async with tries.deadline():
                litellm = await _load()
                self._provider = self._provider or await self._facts.provider()
                options = await self._options(request, limits)
                response = await tries.run(lambda: self._try(litellm, options, limits, tries))
        finally:
            _asking.reset(asking)
        if response.usage.input:
            self._facts.remember(request, response.usage.input)
        return response

    async def aclose(self) -> None:
        """Close the connections that litellm keeps open for the running loop."""
        litellm: Any = sys.modules.get("litellm")
        if litellm is None:
            return  # nothing was asked yet, and loading it would take seconds
        cache = litellm.in_memory_llm_clients_cache
        clients: dict[str, Any] = cache.cache_dict
        of_this_loop = cache.update_cache_key_with_event_loop("")
        for name in [name for name in clients if name.endswith(of_this_loop)]:
            client = clients.pop(name)
            with suppress(Exception):
                await client.close()

    # One try

    async def _try(self, litellm: Any, options: JsonObject, limits: Limits, tries: Tries) -> Response:
        if not self._takes_stream_options or not options["stream"]:
            options.pop("stream_options", None)
        reply = await self._foreign(litellm.acompletion(**options), options)
        builder = ReplyBuilder(self._provider)
        if options["stream"]:
            reports = await self._read(reply, builder, options, limits, tries)
        else:
            reports = self._read_whole(reply, builder, tries)
        usage = usage_of(reports)
        if usage.cost is None:
            usage = usage.model_copy(update={"cost": await self._facts.cost(usage)})
        return Response(builder.text, builder.calls, builder.reasoning, builder.finish_reason, usage, builder.id)

    async def _read(
        self, stream: Any, builder: ReplyBuilder, options: JsonObject, limits: Limits, tries: Tries
    ) -> list[object]:
        """Read a stream to its end. Only an end that the provider marked makes a reply of it (R-STEP-8, I-15)."""
        try:
            async for chunk in self._chunks(stream, limits.idle_timeout_seconds):
                builder.id = builder.id or chunk.id
                for choice in chunk.choices[:1]:
                    builder.finish_reason = choice.finish_reason or builder.finish_reason
                    for delta in builder.add(choice.delta):
                        tries.show(delta)
        finally:
            with suppress(Exception):
                await stream.aclose()
        # litellm ends every stream with a reason, if need be one of its own; these say what really came.
        marked = stream.received_finish_reason or stream.intermittent_finish_reason
        if not marked and not stream.received_any_finish_reason:
            if not builder.began:
                # Some servers answer with one JSON body, an error perhaps. It can only be understood without streaming.
                options["stream"] = False
            raise Refused(Refusal(Failure("transport", "The reply broke off before its end.")))
        builder.finish_reason = marked or builder.finish_reason
        return [getattr(chunk, "usage", None) for chunk in stream.chunks]  # as they came, without litellm's estimate

    async def _chunks(self, stream: Any, idle: float | None) -> AsyncIterator[Any]:
        """The chunks, each within `idle` seconds of the one before.

        Until the first one only the call's own deadline counts: a model may read and think for minutes beforehand.
        """
        chunks, end = aiter(stream), object()
        within: float | None = None
        while True:
            chunk = await self._foreign(anext(chunks, end), within=within)
            if chunk is end:
                return
            yield chunk
            within = idle

    def _read_whole(self, reply: Any, builder: ReplyBuilder, tries: Tries) -> list[object]:
        if not reply.choices:
            raise Refused(Refusal(Failure("server", "The provider answered without a reply.", 200)))
        choice = reply.choices[0]
        builder.id, builder.finish_reason = reply.id, choice.finish_reason
        for delta in builder.add(choice.message):
            tries.show(delta)
        # Where an Ollama server reports no count, litellm makes one up, and here it cannot be told from a real one.
        return [] if self._provider.startswith("ollama") else [getattr(reply, "usage", None)]

    async def _foreign(self, work: Awaitable[T], options: JsonObject | None = None, within: float | None = None) -> T:
        """Await something of litellm's; whatever goes wrong there becomes a refusal, and its exception is let go."""
        try:
            async with asyncio.timeout(within):
                return await work
        except Exception as error:  # noqa: BLE001 - any error of a foreign library ends here, classified
            refusal = refusal_of(error, self._keys.redactor.redact)
            if isinstance(error, TimeoutError) and within is not None:
                refusal = Refusal(Failure("timeout", f"The provider sent nothing for {within:g} seconds."))
        if options and "stream_options" in options and "stream_options" in refusal.failure.text:
            self._takes_stream_options = False
            refusal = replace(refusal, at_once=True)
        raise Refused(refusal)

    # What is sent

    async def _options(self, request: Request, limits: Limits) -> JsonObject:
        binding = self._binding
        params = binding.params or {}
        options: JsonObject = {
            **params,
            **_OURS,
            **await self._credentials(),
            "model": binding.model,
            "messages": without_foreign_reasoning(request.messages, self._provider),
            "stream": params.get("stream") is not False,
            "timeout": limits.call_timeout_seconds or 86_400,
        }
        if binding.base_url is not None:
            options["api_base"] = binding.base_url
        if request.tools:
            options["tools"] = request.tools
        else:
            options.pop("tool_choice", None)
            options.pop("parallel_tool_calls", None)
        if (limit := binding.max_output_tokens or await self.output_limit()) is not None:
            options["max_tokens"] = limit  # litellm renames it where a provider calls it otherwise
        if options["stream"] and await self._facts.supports("stream_options"):
            options["stream_options"] = {"include_usage": True}
        if self._provider.startswith("ollama") and binding.max_input_tokens is not None:
            # Without it the server silently cuts the front of the prompt to a window of its own.
            options.setdefault("num_ctx", binding.max_input_tokens)
        return options

    async def _credentials(self) -> JsonObject:
        try:
            secrets = await asyncio.to_thread(self._keys.resolve, self._binding.api_key_ref, self._binding.profile)
        except MissingKey as missing:
            text = str(missing)
        else:
            if "api_key" in secrets:
                return {"api_key": secrets["api_key"].reveal()}
            keyless = not secrets and (self._binding.base_url is not None or self._provider in _LOCAL_SERVERS)
            return {"api_key": _NO_KEY} if keyless else {}
        raise LLMFailure(Failure("missing_key", text))


# Loading

_asking: contextvars.ContextVar[bool] = contextvars.ContextVar("smolpaws_asks_litellm", default=False)

_MALICIOUS = ("1.82.7", "1.82.8")


async def _load() -> Any:
    """The module, quiet and offline but for the calls themselves. `LLMFailure` if it cannot be used."""
    try:
        return await asyncio.to_thread(_import)
    except ImportError as error:
        text = f"The library litellm cannot be used: {error}"
    raise LLMFailure(Failure("unknown", text))


def _import() -> Any:
    if version("litellm") in _MALICIOUS:
        raise ImportError("This release of litellm was made by an attacker. Install another: pip install -U litellm")
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_OFFLINE_MODE", "True")
    # Of use to no one but litellm's authors. A `catch_warnings` in this thread could undo filters of another.
    warnings.filterwarnings("ignore", r".* on TypedDict class .* `ReadOnly` qualifier", UserWarning)
    # It prepares a call in a thread. Who is stopped meanwhile leaves it a coroutine that nobody will await.
    warnings.filterwarnings("ignore", r"coroutine '\w+\.a(sync_)?(completion|streaming)\w*' was never", RuntimeWarning)
    import litellm

    litellm.suppress_debug_info = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logger = logging.getLogger(name)
        if _not_ours not in logger.filters:
            logger.addFilter(_not_ours)
    return litellm


def _not_ours(record: logging.LogRecord) -> bool:
    """Keeps litellm's remarks about our calls off the person's screen; about their own calls it may speak."""
    return not _asking.get()
