"""A run's events: live as Server-Sent Events that resume where they broke off, or as a file."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response
from sse_starlette import EventSourceResponse, ServerSentEvent

from sanbo.api.dependencies import Bench, Who
from sanbo.api.language import event_in
from sanbo.kernel.messages import Language, current_language
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.runs.model import Event
from sanbo.service.access import Caller
from sanbo.service.workbench import Workbench

router = APIRouter(prefix="/runs/{run_id}", tags=["events"])

RECONNECT_MS = 1000
SEND_SECONDS = 60
"""A client that takes nothing for so long is let go; it can come back for the rest."""

After = Annotated[int, Query(ge=0)]


class EventStream(EventSourceResponse):
    media_type = "text/event-stream"


class Journal(Response):
    media_type = "application/x-ndjson"


@router.get("/events", response_class=EventStream)
async def follow_events(
    run_id: str,
    bench: Bench,
    who: Who,
    after: After = 0,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    seen = _position(last_event_id, after)
    head = await bench.head(who, run_id)
    if seen > head.last_seq:
        raise InvalidInput("api_event_unknown", event=seen, last=head.last_seq)
    if head.status.is_final and seen == head.last_seq:
        # Nothing will come: to an EventSource, 204 says not to ask again.
        return Response(status_code=204)
    return EventStream(
        _messages(bench, who, run_id, seen, current_language()),
        ping=bench.settings.server.heartbeat_seconds,
        send_timeout=SEND_SECONDS,
    )


@router.get("/journal", response_class=Journal)
async def read_journal(run_id: str, bench: Bench, who: Who, after: After = 0) -> Response:
    """As recorded, word for word: this is the audit trail."""
    events = await bench.events(who, run_id, after)
    return Journal("".join(f"{event.model_dump_json()}\n" for event in events))


def _position(last_event_id: str, after: int) -> int:
    """A browser that reconnects keeps its first URL, so the header counts where there is one."""
    if not last_event_id:
        return after
    if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 16):
        raise InvalidInput("api_event_id", value=last_event_id[:80])
    return int(last_event_id)


async def _messages(
    bench: Workbench, who: Caller, run_id: str, seen: int, language: Language
) -> AsyncGenerator[ServerSentEvent]:
    yield ServerSentEvent(retry=RECONNECT_MS)
    try:
        async with aclosing(bench.follow(who, run_id, seen)) as events:
            async for event in events:
                yield _message(event_in(event, language))
                # In a long journal nothing else waits: let others, and a disconnect, have a turn.
                await asyncio.sleep(0)
    except NotFound:
        return  # deleted since


def _message(event: Event) -> ServerSentEvent:
    return ServerSentEvent(
        event.model_dump_json(),
        event=event.payload.event,
        id=None if event.seq is None else str(event.seq),
    )
