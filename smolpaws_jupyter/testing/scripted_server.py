"""A provider on loopback: OpenAI's chat completions over real HTTP, following a script, faults of the line included."""

from __future__ import annotations

import json
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from .answers import Answer, answer, rendered
from .moves import Move
from .scripted_llm import ScriptExhausted

Step = Move | Answer | Callable[[dict[str, Any]], Move | Answer]
"""What answers one request: a move, raw bytes, or either of them made from the request's body."""


class ScriptedServer:
    """Answers each chat completion with the next step of its script; use it in a `with` block.

    `base_url` goes into a profile. `requests` and `headers` are what came in; `hits` counts requests at the socket.
    `disconnected` is set once a client has hung up before its answer was complete.
    """

    def __init__(
        self, script: Iterable[Step] | Step = (), *, model: str = "scripted", n_ctx: int | None = None
    ) -> None:
        """One step instead of a list answers every request. `n_ctx`: the window in tokens, as `/v1/models` says it."""
        self._always = script if isinstance(script, (Move, Answer)) or callable(script) else None
        self._steps: list[Step] = [] if self._always is not None else list(script)  # type: ignore[arg-type]
        self._models = {"object": "list", "data": [{"id": model, "object": "model", "meta": {"n_ctx": n_ctx}}]}
        self._lock = threading.Lock()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.disconnected = threading.Event()
        self.exhausted = False
        handler = type("Handler", (_Handler,), {"owner": self})
        self._http = _Http(("127.0.0.1", 0), handler)
        self.address = ("127.0.0.1", self._http.server_port)
        self.base_url = "http://{}:{}/v1".format(*self.address)

    @property
    def hits(self) -> int:
        """How many requests for a completion have arrived."""
        return len(self.requests)

    @property
    def left(self) -> int:
        """How many steps of the script were not asked for."""
        return len(self._steps)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), name="scripted-server")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        if self.exhausted:
            raise ScriptExhausted(f"the server was asked {self.hits} times, once more than its script foresaw")

    def respond(self, path: str, headers: dict[str, str], request: dict[str, Any]) -> Answer:
        """The answer to one request; what the handler calls."""
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            if self._always is not None:
                step = self._always
            elif self._steps:
                step = self._steps.pop(0)
            else:
                self.exhausted = True
                return answer(500, "the script has no further step")
        step = step(request) if callable(step) else step
        return rendered(step, request, first_call=self.hits) if isinstance(step, Move) else step

    def models(self) -> Answer:
        """The answer to `GET /v1/models`."""
        return answer(200, self._models)


class _Http(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self.closing = threading.Event()
        super().__init__(address, handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no error of the server's."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: ScriptedServer
    server: _Http
    timeout = 60

    def do_GET(self) -> None:
        self._send(self.owner.models())

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._send(self.owner.respond(self.path, headers, json.loads(raw)))

    def _send(self, step: Answer) -> None:
        # Connections are not kept, so that a test's end never waits for one.
        self.close_connection = True
        try:
            if step.gate is not None and step.gate_after == 0:
                self._wait_at(step)
            if step.cut_at == 0:
                self._break_off()
                return
            self.send_response(step.status)
            for name, value in {**step.headers, "Connection": "close"}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(sum(map(len, step.pieces))))
            self.end_headers()
            self._send_pieces(step)
        except (BrokenPipeError, ConnectionError, _HungUp):
            self.owner.disconnected.set()

    def _send_pieces(self, step: Answer) -> None:
        room = step.cut_at
        for number, piece in enumerate(step.pieces, start=1):
            if step.pause:
                self._stay(step.pause)
            self.wfile.write(piece if room is None else piece[:room])
            self.wfile.flush()
            if room is not None and len(piece) >= room:
                self._break_off()
                return
            room = None if room is None else room - len(piece)
            if step.gate is not None and step.gate_after == number:
                self._wait_at(step)

    def _wait_at(self, step: Answer) -> None:
        while step.gate is not None and not step.gate.arrive():
            self._stay(0.01)

    def _stay(self, seconds: float) -> None:
        """Let time pass, but notice when the client hangs up or the server closes."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            readable, _, _ = select.select([self.connection], [], [], min(left, 0.02))
            if self.server.closing.is_set() or (readable and not self.connection.recv(1, socket.MSG_PEEK)):
                raise _HungUp

    def _break_off(self) -> None:
        """Reset the connection instead of closing it in order."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Nothing is printed."""


class _HungUp(Exception):
    """The client closed its end while an answer was on its way."""
