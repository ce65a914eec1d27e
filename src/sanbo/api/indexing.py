"""Indexing uploaded files into a collection: one answer at the end, or a stream of outcomes."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from contextvars import copy_context
from typing import Annotated, Any, TypeVar, cast

import orjson
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import AppStatus
from starlette.requests import ClientDisconnect

from sanbo.api.bodies import StrictJsonRoute
from sanbo.api.dependencies import Bench, Who
from sanbo.api.problems import problem_response, unexpected_response
from sanbo.api.uploads import safe_name
from sanbo.kernel.messages import Language, current_language, use_language
from sanbo.kernel.problems import MissingDependency, SanboError
from sanbo.runs.model import FileRef
from sanbo.service.collections import Outcome

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


router = APIRouter(prefix="/collections", tags=["collections"], route_class=StrictJsonRoute)

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


@router.post("/{name}/documents", response_model=Outcomes, responses=_STREAMED)
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
