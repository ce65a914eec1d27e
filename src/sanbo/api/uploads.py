"""A file on its way in: to disk or into memory, limited while it is read, its name only data."""

import asyncio
import hashlib
import re
import unicodedata
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Header, Query
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from sanbo.api.requests import Bench, Who
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.runs.model import FileRef
from sanbo.service.health import disk_failures

MAX_PARTS = 100
MAX_NAME_BYTES = 240  # file systems take 255; a copy's name may add a few
WRITTEN_AT_ONCE = 1 << 20
FORM_BYTES = 1 << 20
"""What a form may hold beside the file itself."""
_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)


@dataclass(frozen=True)
class Received:
    name: str
    media_type: str


async def receive_file(
    request: Request, name: str, limit_mb: int, path: Path
) -> tuple[Received, str]:
    """The file of a request, written to `path`, and its hash; `name` is for raw bodies."""
    body = _Body(request, name, limit_mb)
    with disk_failures(path.parent):
        sha256 = await _write(path, body.pieces())
    return body.received(), sha256


async def receive_bytes(request: Request, name: str, limit_mb: int) -> tuple[Received, bytes]:
    """The file of a request in memory alone, for what must not touch the disk."""
    body = _Body(request, name, limit_mb)
    collected = bytearray()
    async for piece in body.pieces():
        collected += piece
    return body.received(), bytes(collected)


async def _write(path: Path, pieces: AsyncIterator[bytes]) -> str:
    """Its hash, too: nobody has to read it again for that."""
    digest = hashlib.sha256()

    def write(piece: bytes) -> None:
        target.write(piece)
        digest.update(piece)

    target = await asyncio.to_thread(path.open, "wb")
    try:
        async for piece in _together(pieces):
            await asyncio.to_thread(write, piece)
    finally:
        await asyncio.to_thread(target.close)
    return digest.hexdigest()


async def _together(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """As much at a time as is worth a thread's turn."""
    held = bytearray()
    async for piece in pieces:
        held += piece
        if len(held) >= WRITTEN_AT_ONCE:
            yield bytes(held)
            held.clear()
    yield bytes(held)


class _Body:
    """The file in a request: the part of a form, or the whole body under a name given beside it."""

    def __init__(self, request: Request, name: str, limit_mb: int) -> None:
        if int(request.headers.get("content-length", "0")) > (limit_mb << 20) + FORM_BYTES:
            raise _too_large(limit_mb)
        self._request = request
        self._name = name
        self._limit_mb = limit_mb
        self._content_type = request.headers.get("content-type", "")
        kind, options = parse_options_header(self._content_type)
        is_form = kind == b"multipart/form-data"
        if not is_form and not name:
            raise InvalidInput("api_file_name_missing")
        self._part = _FilePart(options.get(b"boundary", b""), limit_mb) if is_form else None

    async def pieces(self) -> AsyncIterator[bytes]:
        size = 0
        stream = self._request.stream()
        async for piece in self._part.pieces(stream) if self._part else stream:
            size += len(piece)
            if size > self._limit_mb << 20:
                raise _too_large(self._limit_mb)
            yield piece

    def received(self) -> Received:
        """Once all pieces have come."""
        given, content_type = self._name, self._content_type
        if self._part is not None:
            given, content_type = self._part.file_name(), self._part.content_type
        name = safe_name(given)
        return Received(name, _media_type(content_type))


def safe_name(name: str) -> str:
    """The last part of a path, without control characters, short enough for any disk."""
    name = unicodedata.normalize("NFC", name.replace("\\", "/").rsplit("/", 1)[-1])
    # C: control, format (such as the sign that reverses a name), unassigned, half a surrogate.
    name = "".join(char for char in name if not unicodedata.category(char).startswith("C"))
    name = name.strip().rstrip(".").strip()
    ending = PurePath(name).suffix if len(PurePath(name).suffix) <= 20 else ""
    stem = name.removesuffix(ending)
    while len((stem + ending).encode()) > MAX_NAME_BYTES:
        stem = stem[:-1]
    return stem + ending or "file"


def _media_type(declared: str) -> str:
    """Empty where the name has to tell."""
    media_type = declared.partition(";")[0].strip().casefold()
    if _MEDIA_TYPE.fullmatch(media_type) and media_type != "application/octet-stream":
        return media_type
    return ""


def _too_large(limit_mb: int) -> LimitExceeded:
    return LimitExceeded("api_upload_too_large", limit=limit_mb)


class _FilePart:
    """Finds the part `file` of a multipart form and hands its bytes on as they come."""

    def __init__(self, boundary: bytes, limit_mb: int) -> None:
        self._limit_mb = limit_mb
        self.content_type = ""
        self._names: list[str] = []
        self._wanted = False
        self._ended = False
        self._parts = 0
        self._pending: list[bytes] = []
        self._header = b""
        self._headers: dict[bytes, bytes] = {}
        if not boundary:
            raise InvalidInput("api_form_unreadable")
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._on_part_begin,
                "on_header_field": self._on_header_field,
                "on_header_value": self._on_header_value,
                "on_header_end": self._on_header_end,
                "on_headers_finished": self._on_headers_finished,
                "on_part_data": self._on_part_data,
                "on_end": self._on_end,
            },
        )

    async def pieces(self, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        taken = 0
        async for piece in body:
            taken += len(piece)
            if taken > (self._limit_mb << 20) + FORM_BYTES:
                raise _too_large(self._limit_mb)
            for part in self._take(piece):
                yield part
        if not self._ended:  # broken off, or no form at all
            raise InvalidInput("api_form_unreadable")

    def _take(self, piece: bytes) -> Iterator[bytes]:
        try:
            self._parser.write(piece)
        except FormParserError:
            raise InvalidInput("api_form_unreadable") from None
        yield from self._pending
        self._pending.clear()

    def file_name(self) -> str:
        match self._names:
            case [name]:
                return name
            case []:
                raise InvalidInput("api_file_missing")
            case _:
                raise InvalidInput("api_file_several")

    def _on_part_begin(self) -> None:
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise LimitExceeded("api_form_parts", limit=MAX_PARTS)
        self._headers.clear()

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end].lower()

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._headers[self._header] = self._headers.get(self._header, b"") + data[start:end]

    def _on_header_end(self) -> None:
        self._header = b""

    def _on_headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition"))
        self._wanted = options.get(b"name") == b"file" and b"filename" in options
        if self._wanted:
            name = options[b"filename"].decode("utf-8", "replace")
            # How browsers write a quotation mark in a name.
            self._names.append(name.replace("%22", '"'))
            self.content_type = self._headers.get(b"content-type", b"").decode("latin-1")

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._wanted and len(self._names) == 1:
            self._pending.append(data[start:end])

    def _on_end(self) -> None:
        self._ended = True


def name_from_header(value: str) -> str:
    """Headers hold ASCII, so a name in them is percent-encoded."""
    return unquote(value, errors="replace")


router = APIRouter(tags=["files"])

_BINARY = {"type": "string", "format": "binary"}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"file": _BINARY},
                    "required": ["file"],
                }
            },
            "application/octet-stream": {"schema": _BINARY},
        },
    }
}


@router.post("/files", status_code=201, openapi_extra=_BODY)
async def upload_file(
    request: Request,
    bench: Bench,
    who: Who,
    *,
    name: Annotated[str, Query()] = "",
    workflow: Annotated[str, Query()] = "",
    x_file_name: Annotated[str, Header()] = "",
) -> FileRef:
    given = name or name_from_header(x_file_name)
    limit = bench.settings.server.max_upload_mb
    if workflow and bench.keeps_in_memory(workflow):
        file, data = await receive_bytes(request, given, limit)
        return await bench.upload(who, data, file.name, file.media_type)
    with bench.incoming() as path:
        file, sha256 = await receive_file(request, given, limit, path)
        return await bench.upload(who, path, file.name, file.media_type, sha256)
