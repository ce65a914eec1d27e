"""Qdrant on this machine: an HTTP server that speaks its REST protocol.

Behind it stands the local mode of Qdrant's own client, which knows the same collections, sparse
vectors and filters; what is under test is the real client and everything that travels.
"""

import json
import re
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, SecretStr, ValidationError
from qdrant_client import QdrantClient, models
from typing_extensions import override

from sanbo.retrieval.settings import RetrievalSettings

_PATH = re.compile(r"/collections/([^/]+)(/.*)?")


@dataclass(frozen=True)
class Answer:
    """Instead of what the server would say."""

    status: int = 200
    body: bytes = b""
    retry_after: int | None = None
    hang: bool = False
    cut: bool = False
    """The connection ends in the middle."""


@dataclass
class QdrantServer:
    api_key: str = "qdrant-key-0123456789"
    requests: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    keys_seen: list[str | None] = field(default_factory=list["str | None"])

    def __post_init__(self) -> None:
        self.client = QdrantClient(":memory:")
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self.answers: deque[Answer] = deque()
        self.indexes: dict[str, set[str]] = {}
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
        self.client.close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def settings(self, **overrides: Any) -> RetrievalSettings:
        values: dict[str, Any] = {
            "engine": "qdrant",
            "qdrant_url": self.address,
            "qdrant_api_key": SecretStr(self.api_key),
            "timeout_seconds": 10,
        }
        return RetrievalSettings.model_validate({**values, **overrides})

    def handle(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        found = _PATH.fullmatch(path)
        if found is None:
            return 404, ""
        name, action = unquote(found[1]), f"{method} {found[2] or ''}".strip()
        with self.lock:
            exists = self.client.collection_exists(name)
            if action == "GET /exists":
                return 200, {"exists": exists}
            if action == "PUT":
                return self._create(name, exists, models.CreateCollection.model_validate(body))
            if action == "DELETE":
                self.indexes.pop(name, None)
                return 200, self.client.delete_collection(name)
            if not exists:
                return 404, f"Not found: Collection `{name}` doesn't exist!"
            return 200, self._act(name, action, body)

    def _create(self, name: str, exists: bool, asked: models.CreateCollection) -> tuple[int, Any]:
        if exists:
            return 409, f"Wrong input: Collection `{name}` already exists!"
        self.client.create_collection(
            name,
            vectors_config=asked.vectors,
            sparse_vectors_config=asked.sparse_vectors,
            metadata=asked.metadata,
        )
        return 200, True

    def _act(self, name: str, action: str, body: dict[str, Any]) -> Any:
        match action:
            case "GET":
                info = self.client.get_collection(name).model_dump(mode="json")
                schema = {key: {"data_type": "keyword", "points": 0} for key in self._indexed(name)}
                return {**info, "payload_schema": schema}
            case "PUT /index":
                assert body["field_schema"] == "keyword"
                self._indexed(name).add(body["field_name"])
                return _done()
            case "PUT /points":
                points = models.PointsList.model_validate(body).points
                return _json(self.client.upsert(name, points))
            case "POST /points/delete":
                selector = models.FilterSelector.model_validate(body)
                return _json(self.client.delete(name, selector))
            case "POST /points/query/batch":
                asked = models.QueryRequestBatch.model_validate(body).searches
                return [_json(answer) for answer in self.client.query_batch_points(name, asked)]
            case _:
                raise NotImplementedError(action)

    def _indexed(self, name: str) -> set[str]:
        return self.indexes.setdefault(name, set())


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, qdrant: QdrantServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.qdrant = qdrant


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

    def do_PUT(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def _answer(self) -> None:
        qdrant = self.server.qdrant
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = urlsplit(self.path).path
        with qdrant.lock:
            qdrant.requests.append((self.command, path))
            qdrant.keys_seen.append(self.headers.get("api-key"))
            asked = qdrant.answers.popleft() if qdrant.answers else None
        with suppress(BrokenPipeError, ConnectionResetError):  # the client had enough
            if asked is not None:
                self._send_asked(asked)
            elif self.headers.get("api-key") != qdrant.api_key:
                self._send(401, b"Invalid API key or JWT", "text/plain")
            else:
                self._send_result(*self._result(path, json.loads(data or b"{}")))

    def _result(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        try:
            return self.server.qdrant.handle(self.command, path, body)
        except (ValidationError, ValueError) as error:
            return 400, f"Format error in JSON body: {error}"

    def _send_result(self, status: int, result: Any) -> None:
        state = "ok" if status == 200 else {"error": result}
        answer = {"result": result if status == 200 else None, "status": state, "time": 0.001}
        self._send(status, json.dumps(answer, ensure_ascii=False).encode(), "application/json")

    def _send_asked(self, answer: Answer) -> None:
        if answer.hang:
            self.server.qdrant.closing.wait()
        if answer.hang or answer.cut:
            self.close_connection = True
            return
        self._send(answer.status, answer.body, "application/json", answer.retry_after)

    def _send(self, status: int, data: bytes, kind: str, retry_after: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if retry_after is not None:
            self.send_header("Retry-After", str(retry_after))
        self.end_headers()
        self.wfile.write(data)


def _json(model: BaseModel) -> Any:
    return model.model_dump(mode="json", exclude_none=True)


def _done() -> dict[str, Any]:
    return {"operation_id": 0, "status": "completed"}
