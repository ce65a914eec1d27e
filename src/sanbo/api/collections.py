"""Collections: indexing uploaded files, what has been read, searching it, and where a hit stands.

All tokens of a workspace share them. Where a file lies on this machine is nobody's business here:
documents are shown without their `source`.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from contextvars import copy_context
from datetime import datetime
from typing import Annotated, Any, TypeVar, cast

import orjson
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import AppStatus
from starlette.requests import ClientDisconnect

from sanbo.api.problems import problem_response, unexpected_response
from sanbo.api.requests import Bench, StrictJsonRoute, Who
from sanbo.api.uploads import safe_name
from sanbo.kernel.messages import Language, current_language, use_language
from sanbo.kernel.problems import InvalidInput, MissingDependency, Problem, SanboError
from sanbo.runs.model import FileRef
from sanbo.service.collections import (
    CollectionInfo,
    DocumentFormat,
    DocumentInfo,
    Filter,
    Format,
    Hit,
    Outcome,
    Position,
)

# Of their own: whoever reads a hundred files must not keep others from reading one line.
WORKERS = 4

T = TypeVar("T")
_END = object()
_pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="background")


class Reader:
    """Who waits for the work: the work asks `is_gone` on its way, and then ends early.

    When the server is told to stop, everybody counts as gone: Python would wait for the threads.
    """

    def __init__(self) -> None:
        self._left = threading.Event()
        self.broke_off = False

    def leave(self) -> None:
        self._left.set()

    def is_gone(self) -> bool:
        """Asked by the work itself, in its thread."""
        # Set by the signal that stops the server; the streams of sse-starlette end by it, too.
        gone = self._left.is_set() or AppStatus.should_exit
        self.broke_off = self.broke_off or gone
        return gone


async def worked_off(items: Generator[T], reader: Reader) -> AsyncGenerator[T]:
    """What the generator gives, in the caller's language; who stops reading ends it.

    Work that a stopping server has cut short ends with a problem, never as if it were whole.
    """
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[object] = asyncio.Queue()

    def work() -> None:
        with closing(items):
            for item in items:
                loop.call_soon_threadsafe(arrived.put_nowait, item)
                if reader.is_gone():
                    return

    def end(done: asyncio.Future[Any]) -> None:
        if not done.cancelled():
            done.exception()  # where nobody reads any more, nobody else would look at it
        arrived.put_nowait(_END)

    working = loop.run_in_executor(_pool, copy_context().run, work)
    working.add_done_callback(end)
    try:
        while (item := await arrived.get()) is not _END:
            yield cast("T", item)
        await working
        if reader.broke_off:
            raise MissingDependency("api_stopping")
    finally:
        reader.leave()
        working.cancel()  # only has an effect while it waits for its turn


indexing_router = APIRouter(
    prefix="/collections", tags=["collections"], route_class=StrictJsonRoute
)

MAX_FILES = 1_000
MAX_FOLDERS = 20
STREAM = "text/event-stream"

# PostgreSQL takes no NUL in a text.
Short = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")]


class NewDocuments(BaseModel):
    model_config = ConfigDict(extra="forbid")

    files: list[FileRef] = Field(min_length=1, max_length=MAX_FILES)
    metadata: dict[Short, Short] = Field(default_factory=dict[str, str], max_length=50)


class Outcomes(BaseModel):
    outcomes: list[Outcome]


_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            STREAM: {
                "schema": {
                    "type": "string",
                    "description": "Server-Sent Events: `outcome` (data: an Outcome), one for each"
                    " file; then `done` (data: the count of each status), or `problem` (data: a"
                    " ProblemDocument) where the whole has failed.",
                },
                "example": 'event: outcome\ndata: {"name": "a.pdf", "status": "added"}\n\n'
                'event: done\ndata: {"added": 1}\n\n',
            }
        }
    }
}


@indexing_router.post("/{name}/documents", response_model=Outcomes, responses=_STREAMED)
async def index_documents(
    name: str, asked: NewDocuments, request: Request, bench: Bench, who: Who
) -> Outcomes | Response:
    """A client that goes away ends the indexing; what it was told of stays."""
    reader = Reader()
    files = [file.model_copy(update={"name": folder_name(file.name)}) for file in asked.files]
    # What is wrong with the request itself is told before anything is read or streamed.
    indexing = await asyncio.to_thread(bench.indexing, name)
    work = await asyncio.to_thread(
        indexing.index_uploads,
        who,
        name,
        files,
        metadata=asked.metadata,
        stopped=reader.is_gone,
    )
    outcomes = _in_language(cast("Generator[Outcome]", work), reader, current_language())
    if STREAM in request.headers.get("accept", ""):
        return EventSourceResponse(
            _messages(outcomes, request, current_language()),
            ping=bench.settings.server.heartbeat_seconds,
        )
    return Outcomes(outcomes=await _all(outcomes, request))


def folder_name(name: str) -> str:
    """A file's name with the folders it is filed under, as data only."""
    parts = [part for part in name.replace("\\", "/").split("/") if part.strip(" .")]
    return "/".join(safe_name(part) for part in parts[-MAX_FOLDERS:]) or safe_name("")


async def _in_language(
    work: Generator[Outcome], reader: Reader, language: Language
) -> AsyncGenerator[Outcome]:
    async with aclosing(worked_off(work, reader)) as outcomes:
        async for outcome in outcomes:
            problem = outcome.problem and outcome.problem.in_language(language)
            warnings = tuple(warning.in_language(language) for warning in outcome.warnings)
            yield outcome.model_copy(update={"problem": problem, "warnings": warnings})


async def _all(outcomes: AsyncGenerator[Outcome], request: Request) -> list[Outcome]:
    async def gather() -> list[Outcome]:
        async with aclosing(outcomes):
            return [outcome async for outcome in outcomes]

    gathering = asyncio.create_task(gather())
    leaving = asyncio.create_task(_left(request))
    try:
        await asyncio.wait({gathering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not gathering.done():
            raise ClientDisconnect
        return gathering.result()
    finally:
        gathering.cancel()
        leaving.cancel()


async def _left(request: Request) -> None:
    """Until the client has gone: its body has been read, so nothing else can come from it."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _messages(
    outcomes: AsyncGenerator[Outcome], request: Request, language: Language
) -> AsyncGenerator[ServerSentEvent]:
    counts: Counter[str] = Counter()
    try:
        async with aclosing(outcomes):
            async for outcome in outcomes:
                counts[outcome.status] += 1
                yield ServerSentEvent(outcome.model_dump_json(), event="outcome")
    except Exception as error:  # noqa: BLE001 - the response has begun: it can only be said in it
        yield ServerSentEvent(_document_of(error, request, language), event="problem")
        return
    yield ServerSentEvent(orjson.dumps(dict(counts)).decode(), event="done")


def _document_of(error: Exception, request: Request, language: Language) -> str:
    with use_language(language):
        response = (
            problem_response(error.problem, request.scope)
            if isinstance(error, SanboError)
            else unexpected_response(error, request.scope)
        )
    return bytes(response.body).decode()


router = APIRouter(prefix="/collections", tags=["collections"])

MAX_PAGE = 500
MAX_HITS = 100
MAX_QUERY = 2_000


class CollectionList(BaseModel):
    collections: list[CollectionInfo]


class IndexedDocument(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    document_id: str
    name: str
    sha256: str
    format: Format
    title: str | None
    size: int
    pages: int | None
    chunks: int
    warnings: tuple[Problem, ...]
    metadata: dict[str, str]
    indexed_at: datetime


class DocumentPage(BaseModel):
    documents: list[IndexedDocument]
    next: int | None
    """What to send as `offset` for the next page; None on the last."""


class Hits(BaseModel):
    hits: list[Hit]


class FoundPlace(BaseModel):
    document: IndexedDocument
    position: Position
    before: str
    text: str
    after: str


@router.get("")
async def list_collections(bench: Bench, _who: Who) -> CollectionList:
    return CollectionList(collections=await asyncio.to_thread(bench.collections.all))


@router.get("/{name}")
async def show_collection(name: str, bench: Bench, _who: Who) -> CollectionInfo:
    return await asyncio.to_thread(bench.collections.info, name)


@router.delete("/{name}", status_code=204)
async def delete_collection(name: str, bench: Bench, _who: Who) -> None:
    await asyncio.to_thread(bench.collections.delete, name)


@router.get("/{name}/documents")
async def list_documents(
    name: str,
    bench: Bench,
    _who: Who,
    *,
    containing: Annotated[str, Query(max_length=MAX_QUERY)] = "",
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 100,
) -> DocumentPage:
    found = await asyncio.to_thread(
        bench.collections.documents, name, containing=containing, offset=offset, limit=limit + 1
    )
    page = [_shown(info) for info in found[:limit]]
    return DocumentPage(documents=page, next=offset + limit if len(found) > limit else None)


@router.delete("/{name}/documents/{document_id}", status_code=204)
async def remove_document(name: str, document_id: str, bench: Bench, _who: Who) -> None:
    await asyncio.to_thread(bench.collections.remove, name, document_id)


@router.get("/{name}/search")
async def search_collection(
    name: str,
    q: Annotated[str, Query(max_length=MAX_QUERY)],
    bench: Bench,
    _who: Who,
    *,
    limit: Annotated[int, Query(ge=1, le=MAX_HITS)] = 10,
    folder: Annotated[tuple[str, ...], Query()] = (),
    format: Annotated[tuple[DocumentFormat, ...], Query()] = (),
    document: Annotated[tuple[str, ...], Query()] = (),
) -> Hits:
    """Several values of one parameter are alternatives."""
    if not q.strip():
        raise InvalidInput("api_search_empty")
    where = Filter(documents=document, folders=folder, formats=format)
    hits = await asyncio.to_thread(bench.collections.search, name, q, limit=limit, where=where)
    return Hits(hits=hits)


@router.get("/{name}/places/{chunk_id}")
async def show_place(name: str, chunk_id: str, bench: Bench, _who: Who) -> FoundPlace:
    place = await asyncio.to_thread(bench.collections.place, name, chunk_id)
    return FoundPlace(
        document=_shown(place.document),
        position=place.position,
        before=place.before,
        text=place.text,
        after=place.after,
    )


def _shown(info: DocumentInfo) -> IndexedDocument:
    language = current_language()
    told = tuple(warning.in_language(language) for warning in info.warnings)
    shown = IndexedDocument.model_validate(info)
    return shown.model_copy(update={"warnings": told})
