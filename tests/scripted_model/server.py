"""The HTTP server that plays the script."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import SecretStr
from typing_extensions import override

from sanbo.llm.settings import LlmSettings
from tests.patience import PATIENCE_SECONDS
from tests.scripted_model.protocols import Gemini, OpenAi
from tests.scripted_model.replies import Hang, Raw, Reply, Said, Status, Vectors
from tests.scripted_model.requests import Protocol, Request

Script = Reply | Callable[[Request], Reply]


class ScriptedModel:
    """Answers requests from a queue of replies, in order, and remembers what was asked."""

    name = "scripted-1"

    def __init__(self, api_key: str = "sk-scripted-0123456789abcdef") -> None:
        self.api_key = api_key
        self.requests: list[Request] = []
        self._queue: deque[Script] = deque()
        self._otherwise: Script | None = None
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()  # lets those that hang go
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def replies(self, *script: Script) -> Self:
        """Further replies; a function makes one from the request it answers."""
        with self._lock:
            self._queue.extend(script)
        return self

    def otherwise(self, script: Script) -> Self:
        """The reply when the queue is empty; without it, that is an error of the test."""
        self._otherwise = script
        return self

    @property
    def remaining(self) -> int:
        return len(self._queue)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def environment(self, provider: Protocol = "openai") -> dict[str, str]:
        """Environment variables that lead a process of its own here."""
        common = {"SANBO_LLM__PROVIDER": provider, "SANBO_LLM__MODEL": self.name}
        match provider:
            case "openai":
                own = {"OPENAI_API_KEY": self.api_key, "OPENAI_BASE_URL": f"{self.address}/v1"}
            case "azure_openai":
                own = {
                    "AZURE_OPENAI_API_KEY": self.api_key,
                    "AZURE_OPENAI_ENDPOINT": self.address,
                }
            case "google_genai":
                own = {"GOOGLE_API_KEY": self.api_key, "GOOGLE_GEMINI_BASE_URL": self.address}
        return common | own

    def settings(self, provider: Protocol = "openai", **overrides: Any) -> LlmSettings:
        key = SecretStr(self.api_key)
        match provider:
            case "openai":
                own = {"openai_api_key": key, "base_url": f"{self.address}/v1"}
            case "azure_openai":
                own = {"azure_api_key": key, "azure_endpoint": self.address}
            case "google_genai":
                own = {"google_api_key": key, "google_base_url": self.address}
        usual = {"provider": provider, "model": self.name, "timeout_seconds": PATIENCE_SECONDS}
        return LlmSettings.model_validate({**usual, **own, **overrides})

    def next_reply(self, request: Request, wrong_key: Status) -> Reply:
        with self._lock:
            self.requests.append(request)
            if request.key != self.api_key:
                return wrong_key
            script = self._queue.popleft() if self._queue else self._otherwise
        if script is None:
            return Status(400, "The script has no reply to this request.")
        return script if isinstance(script, Reply) else script(request)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128  # the default of 5 refuses clients that come all at once

    def __init__(self, model: ScriptedModel) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # pyrefly: ignore[bad-override-mutable-attribute]
    server: _Server

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Tests read `requests`, not a log."""

    def do_POST(self) -> None:
        model = self.server.model
        length = int(self.headers.get("content-length", 0))
        body: dict[str, Any] = json.loads(self.rfile.read(length) or b"{}")
        path = urlsplit(self.path).path
        headers = {name.lower(): value for name, value in self.headers.items()}
        protocol = _protocol(path)
        if protocol is None:
            self._send_json(404, {"error": {"message": f"no such path: {path}"}})
            return
        wire = Gemini() if protocol == "google_genai" else OpenAi()
        request = Request(protocol, self.path, headers, body)
        reply = model.next_reply(request, wire.wrong_key(request.key))
        with suppress(BrokenPipeError, ConnectionResetError):  # the client had enough
            self._answer(reply, request, wire)

    def _answer(self, reply: Reply, request: Request, wire: OpenAi | Gemini) -> None:
        name = request.body.get("model") or self.server.model.name
        match reply:
            case Said() if request.streams:
                self._send_events(reply, wire.events(reply, name, request.wants_usage))
            case Said():
                self._send_json(200, wire.body(reply, name))
            case Vectors():
                self._send_json(200, wire.embeddings(reply, name))
            case Status():
                self._send_json(reply.status, wire.error(reply), dict(reply.headers))
            case Raw():
                self._send(200, reply.body, reply.content_type)
            case Hang(after=text) if text and request.streams:
                said = Said(text=text, cut="before_end", hang=True)
                self._send_events(said, wire.events(said, name, wants_usage=False))
            case _:
                self.server.model.closing.wait()
                self.close_connection = True

    def _send_json(
        self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None
    ) -> None:
        data = json.dumps(body, ensure_ascii=False).encode()
        self._send(status, data, "application/json", headers)

    def _send(
        self, status: int, data: bytes, kind: str, headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(data)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _send_events(self, said: Said, events: Iterator[str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in events:
            data = f"data: {event}\r\n\r\n".encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
            self.server.model.closing.wait(said.piece_seconds)
        if said.hang:
            self.server.model.closing.wait()
        if said.hang or said.cut == "connection":
            self.close_connection = True  # without the last chunk: the body is not whole
            return
        self.wfile.write(b"0\r\n\r\n")


def _protocol(path: str) -> Protocol | None:
    if path.endswith(("/chat/completions", "/embeddings")):
        return "azure_openai" if path.startswith("/openai/deployments/") else "openai"
    if path.endswith((":generateContent", ":streamGenerateContent", ":batchEmbedContents")):
        return "google_genai"
    return None
