"""A request and its answer: who is calling, in which language, and what either may carry."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Annotated, Any, cast

import orjson
from fastapi import Depends
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from typing_extensions import override

from sanbo.api.problems import Refused, problem_response
from sanbo.kernel.messages import LANGUAGES, Language
from sanbo.kernel.problems import InvalidInput, LimitExceeded, PermissionDenied, UnsupportedFormat
from sanbo.runs.model import Event, NodeComplete, NodeError, Run, RunComplete
from sanbo.service.access import Caller
from sanbo.service.workbench import Workbench

CALLER = "sanbo.caller"
"""The key under which `Security` puts the caller into a request's scope."""


async def _workbench(request: Request) -> Workbench:
    return cast("Workbench", request.app.state.get_workbench())


async def _caller(request: Request) -> Caller:
    caller = request.scope.get(CALLER)
    if not isinstance(caller, Caller):  # nobody has checked: nobody comes in
        raise PermissionDenied("token_missing")
    return caller


Bench = Annotated[Workbench, Depends(_workbench)]
Who = Annotated[Caller, Depends(_caller)]


def accepted_language(header: str | None, default: Language) -> Language:
    """The best of `ja` and `en` in an Accept-Language header."""
    best, best_weight = default, 0.0
    for part in (header or "").split(","):
        tag, _, parameters = part.partition(";")
        primary = tag.strip().casefold().split("-")[0]
        weight = _weight(parameters)
        if primary in LANGUAGES and weight > best_weight:
            best, best_weight = primary, weight
    return best


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0


def run_in(run: Run, language: Language) -> Run:
    """A run with its recorded problems in this language."""
    steps = tuple(
        step.model_copy(
            update={
                "problem": step.problem and step.problem.in_language(language),
                "warnings": tuple(each.in_language(language) for each in step.warnings),
            }
        )
        if step.problem or step.warnings
        else step
        for step in run.steps
    )
    problem = run.problem.in_language(language) if run.problem else None
    return run.model_copy(update={"steps": steps, "problem": problem})


def event_in(event: Event, language: Language) -> Event:
    """An event with its recorded problem, if any, in this language."""
    match event.payload:
        case NodeError(error=problem) as payload:
            changed = payload.model_copy(update={"error": problem.in_language(language)})
        case NodeComplete(warnings=warnings) as payload if warnings:
            told = tuple(each.in_language(language) for each in warnings)
            changed = payload.model_copy(update={"warnings": told})
        case RunComplete(problem=problem) as payload if problem is not None:
            changed = payload.model_copy(update={"problem": problem.in_language(language)})
        case _:
            return event
    return event.model_copy(update={"payload": changed})


JSON_LIMIT_MB = 10
UPLOADS = "/v1/files"


class Bodies:
    """Refuses before a body is read where its headers tell, and while it is read otherwise."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # PostgreSQL takes no NUL in a text, so nothing with one can be found.
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            unreadable = InvalidInput("api_body_unreadable", status=400)
            await problem_response(unreadable.problem, scope, status=400)(scope, receive, send)
            return
        if scope["path"].removeprefix(scope.get("root_path", "")) == UPLOADS:
            await self.app(scope, receive, send)
            return
        refusal = _refusal(Headers(scope=scope))
        if refusal is not None:
            await problem_response(refusal.problem, scope)(scope, receive, send)
            return
        await self.app(scope, _limited(receive), send)


def _refusal(headers: Headers) -> LimitExceeded | UnsupportedFormat | None:
    length = headers.get("content-length", "0")
    has_body = length != "0" or "transfer-encoding" in headers
    if not has_body:
        return None
    media_type = headers.get("content-type", "").split(";")[0].strip().casefold()
    # Also against web pages: a form can send text/plain to another site, but not JSON.
    if media_type != "application/json":
        return UnsupportedFormat("api_content_type", media_type=media_type or "–")
    if length.isdigit() and int(length) > JSON_LIMIT_MB << 20:
        return _too_large()
    return None


def _too_large() -> LimitExceeded:
    return LimitExceeded("api_body_too_large", limit=JSON_LIMIT_MB)


def _limited(receive: Receive) -> Receive:
    taken = 0

    async def receive_within_limit() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > JSON_LIMIT_MB << 20:
            raise Refused(_too_large())
        return message

    return receive_within_limit


class StrictJsonRoute(APIRoute):
    """Reads JSON as the standard has it: no NaN, no half of a surrogate pair, valid UTF-8."""

    @override
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_strictly(request: Request) -> Response:
            return await handle(_StrictRequest(request.scope, request.receive))

        return handle_strictly


class _StrictRequest(Request):
    @override
    async def json(self) -> Any:
        return orjson.loads(await self.body())


PIECE_BYTES = 1 << 16


async def json_of(model: BaseModel) -> Response:
    """Written here: the framework would go through a large one twice more."""
    data = (await asyncio.to_thread(model.model_dump_json)).encode()
    if len(data) <= PIECE_BYTES:
        return Response(data, media_type="application/json")
    return StreamingResponse(_pieces(data), media_type="application/json")


async def _pieces(data: bytes) -> AsyncGenerator[bytes]:
    for begin in range(0, len(data), PIECE_BYTES):
        yield data[begin : begin + PIECE_BYTES]
        await asyncio.sleep(0)
