"""A run's events: live as Server-Sent Events that resume where they broke off, or as a file."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response
from sse_starlette import EventSourceResponse
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from sanbo.api.problems import Refused, is_beyond_numbers, too_many_streams
from sanbo.api.requests import Bench, Who, event_in
from sanbo.kernel.messages import Language, current_language
from sanbo.kernel.problems import InvalidInput, NotFound, StorageFailure
from sanbo.runs.model import Event
from sanbo.service.access import Caller
from sanbo.service.feed import Shared
from sanbo.service.presentations import Change
from sanbo.service.workbench import Workbench

router = APIRouter(prefix="/runs/{run_id}", tags=["events"])

RECONNECT_MS = 1000
BYTES_AT_ONCE = 1 << 16
"""Of a large event too: what waits for a client that does not read is never more than this and
what its connection holds."""

# What JavaScript holds exactly; databases hold more.
After = Annotated[int, Query(ge=0, le=(1 << 53) - 1)]


class EventStream(EventSourceResponse):
    media_type = "text/event-stream"


class _Followed(EventStream):
    """Signs of life come from the stream itself: they must not fall into the middle of an event."""

    def __init__(self, bench: Workbench, who: Caller, content: AsyncGenerator[bytes]) -> None:
        super().__init__(content, ping=0)
        self._streams = bench.streams
        self._owner = who.owner

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._streams.one_more(self._owner) as has_room:
            if has_room:
                await super().__call__(scope, receive, send)
            else:
                await too_many_streams(self._streams.most_of_one, scope)(scope, receive, send)


class Journal(StreamingResponse):
    media_type = "application/x-ndjson"


@router.get("/events", response_class=EventStream)
async def follow_events(
    run_id: str,
    bench: Bench,
    who: Who,
    after: After = 0,
    last_event_id: Annotated[str, Header()] = "",
    *,
    parts: bool = False,
) -> Response:
    """With `parts`: events `parts` instead, with what has changed of what a person is shown (first
    all there is), a few a second; each has the `ids` of all parts in the order they are drawn."""
    seen = _position(last_event_id, after)
    head = await bench.head(who, run_id)
    if seen > head.last_seq:
        raise InvalidInput("api_event_unknown", event=seen, last=head.last_seq)
    if head.status.is_final and seen == head.last_seq:
        # Nothing will come: to an EventSource, 204 says not to ask again.
        return Response(status_code=204)
    silence = bench.settings.server.heartbeat_seconds
    if parts:
        return _Followed(bench, who, _parts(bench.follow_parts(who, run_id, silence)))
    batches = bench.follow_batches(who, run_id, seen, silence, head)
    return _Followed(bench, who, _pieces(batches, current_language()))


@router.get("/journal", response_class=Journal)
async def read_journal(run_id: str, bench: Bench, who: Who, after: After = 0) -> Response:
    """As recorded, word for word: this is the audit trail."""
    first = await bench.events(who, run_id, after, in_parts=True)
    return Journal(_lines(bench, who, run_id, first))


async def _lines(
    bench: Workbench, who: Caller, run_id: str, part: list[Event]
) -> AsyncGenerator[bytes]:
    while part:
        for piece in _together(f"{event.json_text()}\n".encode() for event in part):
            yield piece
        part = await bench.events(who, run_id, part[-1].seq or 0, in_parts=True)


def _position(last_event_id: str, after: int) -> int:
    """A browser that reconnects keeps its first URL, so the header counts where there is one."""
    if not last_event_id:
        return after
    refusal = InvalidInput("api_event_id", value=last_event_id[:80])
    if not (last_event_id.isascii() and last_event_id.isdigit()):
        raise refusal
    if is_beyond_numbers(last_event_id):
        raise Refused(refusal, 400)
    return int(last_event_id)


async def _pieces(
    batches: AsyncGenerator[Sequence[Shared]], language: Language
) -> AsyncGenerator[bytes]:
    yield b"retry: %d\r\n\r\n" % RECONNECT_MS
    try:
        async with aclosing(batches):
            async for batch in batches:
                messages = (_message(shared, language) for shared in batch)
                for piece in _together(messages if batch else (b": ping\r\n\r\n",)):
                    yield piece
                # In a long journal nothing else waits: let others, and a disconnect, have a turn.
                await asyncio.sleep(0)
    except (NotFound, StorageFailure):
        return  # deleted since; or broken off, and whoever comes back is told why


async def _parts(changes: AsyncGenerator[Change | None]) -> AsyncGenerator[bytes]:
    yield b"retry: %d\r\n\r\n" % RECONNECT_MS
    try:
        async with aclosing(changes):
            async for change in changes:
                if change is None:
                    yield b": ping\r\n\r\n"
                    continue
                head = b"id: %d\r\nevent: parts\r\ndata: " % change.update.seq
                for piece in _together((head, change.json, b"\r\n\r\n")):
                    yield piece
                await asyncio.sleep(0)
    except (NotFound, StorageFailure):
        return  # as above


def _together(messages: Iterable[bytes]) -> Iterator[bytes]:
    """Short ones in one piece, long ones in several: every piece costs a turn of its own."""
    waiting: list[bytes] = []
    size = 0
    for message in messages:
        waiting.append(message)
        size += len(message)
        if size >= BYTES_AT_ONCE:
            yield from _cut(b"".join(waiting))
            waiting, size = [], 0
    yield from _cut(b"".join(waiting))


def _cut(text: bytes) -> Iterator[bytes]:
    for begin in range(0, len(text), BYTES_AT_ONCE):
        yield text[begin : begin + BYTES_AT_ONCE]


def _message(shared: Shared, language: Language) -> bytes:
    """Written once for all who read in the same language."""
    told = event_in(shared.event, language)
    if told is shared.event:  # it says the same in every language
        return shared.in_form("", lambda same: _frame(same, same.json))
    return shared.in_form(language, lambda same: _frame(same, told.json_text().encode()))


def _frame(shared: Shared, data: bytes) -> bytes:
    seq = shared.event.seq
    number = b"" if seq is None else b"id: %d\r\n" % seq
    name = shared.event.payload.event.encode()
    return b"%sevent: %s\r\ndata: %s\r\n\r\n" % (number, name, data)
