"""Stands between the product and a model's server, and keeps every exchange as it was.

The real client speaks to it over loopback; it passes all on, and writes `CASE-NN.json` with the
request's body, the reply's text and what the server says of tokens. Headers, and with them the
key, are passed on and never written.
"""

import argparse
import json
import os
import re
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple, Self, cast

import httpx2
from typing_extensions import override

from sanbo.llm.settings import LlmSettings

_PASSED_ON = ("authorization", "content-type", "accept")


class Call(NamedTuple):
    request: dict[str, Any]
    status: int
    reply: str
    prompt_tokens: int
    completion_tokens: int
    counted: bool
    """By the server; else estimated from the messages."""


class Recorder:
    """`base_url` may have `{case}` in it, for servers that tell cases apart by their path."""

    def __init__(self, base_url: str, folder: Path, timeout: float) -> None:
        self.calls: defaultdict[str, list[Call]] = defaultdict(list)
        self._base_url = base_url.rstrip("/")
        self._folder = folder
        self._lock = threading.Lock()
        self.client = httpx2.Client(timeout=timeout)
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self.client.close()

    def address(self, case: str) -> str:
        """Where the product finds its model while it works on this case."""
        return f"http://127.0.0.1:{self._server.server_port}/{case}"

    def target(self, case: str, rest: str) -> str:
        return f"{self._base_url.replace('{case}', case)}/{rest}"

    def keep(self, case: str, call: Call) -> None:
        with self._lock:
            self.calls[case].append(call)
            number = len(self.calls[case])
        text = json.dumps(call._asdict(), ensure_ascii=False, indent=1)
        (self._folder / f"{case}-{number:02d}.json").write_text(text, "utf-8")


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.recorder = recorder


class _Handler(BaseHTTPRequestHandler):
    # pyrefly: ignore[bad-override-mutable-attribute]
    server: _Server

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """The transcripts tell more."""

    def do_POST(self) -> None:
        recorder = self.server.recorder
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        _, case, rest = self.path.split("/", 2)
        headers = {name: value for name in _PASSED_ON if (value := self.headers.get(name))}
        received: list[bytes] = []
        url = recorder.target(case, rest)
        try:
            with recorder.client.stream("POST", url, content=body, headers=headers) as answer:
                self._pass_on(answer.status_code, answer.headers, answer.iter_bytes(), received)
                status = answer.status_code
        except httpx2.HTTPError as error:
            received, status = [str(error).encode()], 502
            if not self.wfile.closed:
                self.send_error(status, type(error).__name__)
        recorder.keep(case, read_call(json.loads(body), status, b"".join(received).decode()))

    def _pass_on(
        self, status: int, headers: Mapping[str, str], pieces: Iterator[bytes], kept: list[bytes]
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", headers.get("content-type", "application/json"))
        self.end_headers()  # HTTP/1.0: the body ends with the connection
        for piece in pieces:
            kept.append(piece)
            self.wfile.write(piece)
            self.wfile.flush()


def read_call(request: dict[str, Any], status: int, body: str) -> Call:
    """Of a whole body or of a stream's events."""
    events = [line[5:].strip() for line in body.splitlines() if line.startswith("data:")]
    parts = [_object(event) for event in events if event != "[DONE]"] or [_object(body)]
    said = "".join(_said(part) for part in parts)
    none: dict[str, int] = {}
    usage = next((cast("dict[str, int]", p["usage"]) for p in parts[::-1] if p.get("usage")), none)
    asked = "\n".join(json.dumps(each, ensure_ascii=False) for each in request["messages"])
    return Call(
        request,
        status,
        said or ("" if events else body),
        usage.get("prompt_tokens") or tokens(asked),
        usage.get("completion_tokens") or tokens(said),
        counted=bool(usage.get("prompt_tokens")),
    )


def tokens(text: str) -> int:
    """About: a token is 1.5 Japanese characters, or 4 Latin ones."""
    wide = len(re.findall(r"[^\x00-\x7f]", text))
    return round(wide / 1.5 + (len(text) - wide) / 4)


def _said(part: dict[str, Any]) -> str:
    choices: list[dict[str, dict[str, Any]]] = part.get("choices", [])
    messages = [choice.get("delta") or choice.get("message") for choice in choices]
    return "".join(message.get("content") or "" for message in messages if message)


def _object(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", given) if isinstance(given, dict) else {}


NO_KEY = "none"


def asking_of(parser: argparse.ArgumentParser, what: str) -> None:
    """The arguments by which a model's server is found; `what` is asked side by side."""
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--record", type=Path, required=True, help="a folder for transcripts")
    parser.add_argument("--key-from", default="", help="the variable that holds the key")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one call")
    parser.add_argument("--at-once", type=int, default=1, help=f"{what} side by side")
    parser.add_argument("--only", nargs="*", default=(), help="tasks of these names; else all")


def model_of(given: argparse.Namespace, recorder: Recorder, case: str) -> LlmSettings:
    """The model of those arguments, as the product is told of it."""
    return LlmSettings.model_validate(
        {
            "provider": "openai",
            "model": given.model,
            "base_url": recorder.address(case),
            "openai_api_key": os.environ[given.key_from] if given.key_from else NO_KEY,
            "timeout_seconds": given.timeout,
            "idle_seconds": given.timeout,
        }
    )
