"""The HTTP server: paths, keys, and answers that a test asks for."""

import json
import re
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr
from typing_extensions import override

from sanbo.retrieval.settings import RetrievalSettings
from tests.azure_search.definition import Refused
from tests.azure_search.index import Index, Vectorize

Reply = tuple[int, dict[str, Any] | None]
_PATH = re.compile(r"/indexes\('([^']*)'\)(?:/docs(?:\('([^']*)'\)|/(search\.[a-z.]+)))?")


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    size: int


@dataclass(frozen=True)
class Answer:
    """Instead of what the service would say."""

    status: int = 200
    body: bytes = b""
    retry_after: float | None = None
    hang: bool = False
    """Nothing comes until the test ends."""
    partly: Callable[[str], tuple[int, str] | None] | None = None
    """For documents that are uploaded: a status and message by key, None for success."""


@dataclass
class AzureSearch:
    api_key: str = "admin-key-0123456789abcdef"
    query_key: str = "query-key-0123456789abcdef"
    has_ranker: bool = True
    visible_after: float = 0.0
    """Seconds until a change is found."""
    vectorize: Vectorize | None = None
    indexes: dict[str, Index] = field(default_factory=dict[str, Index])
    requests: list[Request] = field(default_factory=list[Request])

    def __post_init__(self) -> None:
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self._answers: deque[Answer] = deque()
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def settings(self, **overrides: Any) -> RetrievalSettings:
        values: dict[str, Any] = {
            "engine": "azure",
            "azure_endpoint": self.address,
            "azure_api_key": SecretStr(self.api_key),
            "timeout_seconds": 10,
        }
        return RetrievalSettings.model_validate({**values, **overrides})

    def answers(self, *answers: Answer) -> Self:
        """To the next requests, one each."""
        with self.lock:
            self._answers.extend(answers)
        return self

    def next_answer(self, request: Request) -> Answer | None:
        with self.lock:
            self.requests.append(request)
            return self._answers.popleft() if self._answers else None

    def create(self, definition: dict[str, Any], documents: list[dict[str, Any]]) -> None:
        """An index that others keep."""
        index = self.indexes[definition["name"]] = Index(definition)
        index.change(documents, 0.0)

    def handle(self, request: Request, answer: Answer | None) -> Reply:
        with self.lock:
            try:
                return self._handle(request, answer)
            except Refused as refused:
                return refused.status, refused.body

    def _handle(self, request: Request, answer: Answer | None) -> Reply:
        found = _PATH.fullmatch(request.path)
        self._check(request, found)
        if found is None:
            return self._create(request.body)
        name, document, action = found.groups()
        index = self.indexes.get(name)
        if index is None:
            raise Refused(f"The index '{name}' for service 'loopback' was not found.", 404)
        if document is not None:
            return 200, index.lookup(document)
        match action or request.method:
            case "search.post.search":
                return 200, index.search(request.body, self.vectorize, self.has_ranker)
            case "search.index":
                return self._change(index, request.body["value"], answer)
            case "DELETE":
                del self.indexes[name]
                return 204, None
            case _:
                return 200, index.definition.given

    def _check(self, request: Request, found: re.Match[str] | None) -> None:
        is_query = found is not None and (found[2] is not None or found[3] == "search.post.search")
        key = request.headers.get("api-key")
        if key != self.api_key and not (is_query and key == self.query_key):
            raise Refused("", 403 if key else 401)
        if request.size > 16 * 1024 * 1024:
            raise Refused("", 413)
        if found is None and (request.method, request.path) != ("POST", "/indexes"):
            raise Refused("", 404)

    def _create(self, definition: dict[str, Any]) -> Reply:
        name = definition["name"]
        if name in self.indexes:
            told = f"Cannot create index '{name}' because it already exists."
            raise Refused(told, 409, "ResourceNameAlreadyInUse")
        self.indexes[name] = Index(definition)
        return 201, definition

    def _change(self, index: Index, actions: list[dict[str, Any]], answer: Answer | None) -> Reply:
        failures = {
            action[index.key]: told
            for action in actions
            if answer and answer.partly and (told := answer.partly(action[index.key]))
        }
        kept = [action for action in actions if action[index.key] not in failures]
        results = index.change(kept, self.visible_after)
        results += [
            {"key": key, "status": False, "errorMessage": message, "statusCode": status}
            for key, (status, message) in failures.items()
        ]
        return (207 if any(not result["status"] for result in results) else 200), {"value": results}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, azure: AzureSearch) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.azure = azure


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    # pyrefly: ignore[bad-override-mutable-attribute]
    server: _Server

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Tests read `requests`, not a log."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def _answer(self) -> None:
        azure = self.server.azure
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = unquote(urlsplit(self.path).path)
        request = Request(self.command, path, headers, json.loads(data or b"{}"), len(data))
        answer = azure.next_answer(request)
        with suppress(BrokenPipeError, ConnectionResetError):  # the client had enough
            if answer is not None and answer.partly is None:
                self._send_asked(answer)
                return
            status, body = azure.handle(request, answer)
            self._send(status, b"" if body is None else json.dumps(body).encode(), {})

    def _send_asked(self, answer: Answer) -> None:
        if answer.hang:
            self.server.azure.closing.wait()
            self.close_connection = True
            return
        wait = {} if answer.retry_after is None else {"Retry-After": str(answer.retry_after)}
        self._send(answer.status, answer.body, wait)

    def _send(self, status: int, data: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        kind = {"Content-Type": "application/json"} if data else {}
        length = {} if status == 204 else {"Content-Length": str(len(data))}
        for name, value in {**kind, **length, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
