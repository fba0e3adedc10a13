"""A real llama.cpp server with scripted decisions: tokens, counts and refusals are genuine, the choices the test's.

The tiny model speaks noise, so each reply is forced upon it by a grammar of one sentence. Usage and refusals pass
through byte for byte; only what was forced is dressed as a chat completion.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from smolpaws_jupyter.testing import Answer, Move, ScriptedServer, Step, answer, rendered

PASSED_ON = ("messages", "tools", "max_tokens", "temperature", "seed")


class LlamaServer:
    """llama.cpp's own server in this process, with a window of `n_ctx` tokens."""

    def __init__(self, model: Path, n_ctx: int) -> None:
        xllamacpp: Any = import_module("xllamacpp")
        settings: Any = xllamacpp.CommonParams()
        settings.model.path, settings.n_ctx, settings.n_parallel = str(model), n_ctx, 1
        settings.n_gpu_layers, settings.verbosity, settings.warmup = 0, 0, False
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
        # Otherwise an overflow is hidden, or the window is another than the one asked for.
        settings.ctx_shift, settings.fit_params, settings.cache_ram_mib = False, False, 0
        settings.ui, settings.offline = False, True
        settings.hostnames, settings.port = ["127.0.0.1"], 0
        self._server: Any = xllamacpp.Server(settings)
        self.url: str = self._server.listening_address

    def post(self, path: str, body: Mapping[str, Any]) -> tuple[int, bytes]:
        """Status and body of one request."""
        asked = urllib.request.Request(self.url + path, json.dumps(body).encode(), {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(asked, timeout=60) as got:
                return got.status, got.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def close(self) -> None:
        """Stop it; its port is free afterwards."""
        del self._server


class RealServer(ScriptedServer):
    """A `ScriptedServer` whose moves are made by a real model, if the request fits into its window."""

    def __init__(self, model: Path, script: list[Move], *, n_ctx: int = 4_096) -> None:
        """A move's own usage is replaced by what the model counted."""
        self.llama = LlamaServer(model, n_ctx)
        super().__init__([self._through(move) for move in script], model="tiny-random", n_ctx=n_ctx)

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        self.llama.close()

    def _through(self, move: Move) -> Step:
        def step(request: dict[str, Any]) -> Answer:
            status, raw = self.llama.post("/v1/chat/completions", _forced(move, request))
            if status != 200:
                return answer(status, raw, content_type="application/json")
            spoken = json.loads(raw)
            usage, choice = spoken["usage"], spoken["choices"][0]
            cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
            counted = move.using(usage["prompt_tokens"], usage["completion_tokens"], cache_read=cached)
            if choice["finish_reason"] == "length":  # the window filled up while it spoke
                counted = Move(usage=counted.usage, finish_reason="length")
            else:
                assert json.loads(choice["message"]["content"]) == _sentence(move)
            return rendered(counted, request, first_call=self.hits)

        return step


def _sentence(move: Move) -> dict[str, Any]:
    return {"text": move.text, "calls": [{"name": call.name, "arguments": call.arguments} for call in move.calls]}


def _forced(move: Move, request: Mapping[str, Any]) -> dict[str, Any]:
    sent = {name: request[name] for name in PASSED_ON if name in request}
    # A weak model pads with blanks until it runs out unless the grammar forbids them.
    grammar = {"const": _sentence(move), "x-guidance": {"whitespace_flexible": False}}
    return {**sent, "json_schema": grammar, "temperature": 0, "max_tokens": request.get("max_tokens", 8_192)}
