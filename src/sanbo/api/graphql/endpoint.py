"""`/graphql` and its schema: requests, streams, WebSockets, and a page for who looks at it."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any, cast

import orjson
import strawberry
from cross_web import AsyncHTTPRequestAdapter
from cross_web import HTTPException as BadRequest
from starlette.exceptions import HTTPException
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import GraphQL
from strawberry.http import GraphQLRequestData
from strawberry.http.exceptions import WebSocketDisconnected
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL, GRAPHQL_TRANSPORT_WS_PROTOCOL
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import (
    BaseGraphQLTransportWSHandler,
)
from strawberry.subscriptions.protocols.graphql_transport_ws.types import Message
from typing_extensions import override

from sanbo.api.app import Conversation
from sanbo.api.graphql.limits import MOST_CHARACTERS, is_nested_too_deep
from sanbo.api.graphql.schema import Asking, create_schema
from sanbo.api.pages import page
from sanbo.api.problems import on_http_exception, on_sanbo_error, problem_response, too_many_streams
from sanbo.api.requests import CALLER, Bodies, accepted_language
from sanbo.kernel.messages import tell, use_language
from sanbo.kernel.problems import InvalidInput, LimitExceeded, PermissionDenied, SanboError
from sanbo.service.access import Caller
from sanbo.service.workbench import Workbench

MOST_AT_ONCE = 20
"""Operations on one connection."""
INIT_WAIT = timedelta(seconds=10)
IDLE_SECONDS = 60.0
IDLE = 4408


class Handler(BaseGraphQLTransportWSHandler[Asking, None]):
    """Lets go who neither asks nor listens, and whoever does not speak the protocol."""

    idle_seconds = IDLE_SECONDS

    @override
    async def handle(self) -> None:
        watching = asyncio.create_task(self._watch())
        try:
            await super().handle()
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def _watch(self) -> None:
        idle_turns = 0
        while idle_turns < 2:
            await asyncio.sleep(self.idle_seconds / 2)
            idle_turns = 0 if self.operations else idle_turns + 1
        with suppress(Exception):  # it may be gone at this very moment
            await self.websocket.close(IDLE, "Idle")

    @override
    async def handle_task_exception(self, error: Exception) -> None:
        """A client may go at any moment, also while something is on its way to it."""
        if not isinstance(error, WebSocketDisconnected):
            await super().handle_task_exception(error)

    @override
    async def handle_message(self, message: Message) -> None:
        if _is_well_formed(message):
            await super().handle_message(message)
        else:
            await self.handle_invalid_message("Invalid message")


def _is_well_formed(message: object) -> bool:
    """What the protocol's own reader takes for granted."""
    sent = cast("dict[str, object]", message)
    if sent.get("type") not in ("subscribe", "complete"):
        return isinstance(sent.get("type"), str)
    if not isinstance(sent.get("id"), str):
        return False
    return sent["type"] == "complete" or _is_operation(sent.get("payload"))


def _is_operation(payload: object) -> bool:
    if not isinstance(payload, dict):
        return False
    sent = cast("dict[str, Any]", payload)
    query = sent.get("query")
    return (
        isinstance(query, str)
        and not is_nested_too_deep(query)
        and isinstance(sent.get("variables"), dict | None)
        and isinstance(sent.get("operationName"), str | None)
    )


SCHEMA = "/graphql/schema"
TRY_LATER, UNAUTHENTICATED = 1013, 4401


class GraphQLView(GraphQL[Asking, None]):
    graphql_transport_ws_handler_class = Handler

    def __init__(self, schema: strawberry.Schema, get_workbench: Callable[[], Workbench]) -> None:
        super().__init__(
            schema,
            graphql_ide=None,  # it would be loaded from outside hosts
            allow_queries_via_get=False,
            subscription_protocols=(GRAPHQL_TRANSPORT_WS_PROTOCOL, GRAPHQL_SSE_PROTOCOL),
            connection_init_wait_timeout=INIT_WAIT,
            max_subscriptions_per_connection=MOST_AT_ONCE,
        )
        self._get_workbench = get_workbench

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = scope.get(CALLER)
        if scope["type"] == "websocket":
            await self._connect(caller, WebSocket(scope, receive, send))
            return
        if not isinstance(caller, Caller):  # nobody has checked: nobody comes in
            raise PermissionDenied("token_missing")
        response = await self._respond(Request(scope, receive))
        if response.headers.get("content-type", "").startswith("text/event-stream"):
            await self._stream(response, caller, scope, receive, send)
        else:
            await response(scope, receive, send)

    async def _stream(
        self, response: Response, caller: Caller, scope: Scope, receive: Receive, send: Send
    ) -> None:
        streams = self._get_workbench().streams
        with streams.one_more(caller.owner) as has_room:
            answer = response if has_room else too_many_streams(streams.most_of_one, scope)
            await answer(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        if request.method in ("GET", "HEAD"):
            return self._explanation(request)
        try:
            return await self.run(request)
        except BadRequest as refusal:
            told = InvalidInput("graphql_invalid", reason=refusal.reason)
            allowed = {"Allow": "GET, HEAD, POST"} if refusal.status_code == 405 else {}
            return problem_response(
                told.problem, request.scope, status=refusal.status_code, headers=allowed
            )

    def _explanation(self, request: Request) -> Response:
        if request.query_params.get("query") is not None:
            only_post = InvalidInput("graphql_by_get")
            allowed = {"Allow": "POST"}
            return problem_response(only_post.problem, request.scope, status=405, headers=allowed)
        words = ("title", "ask", "follow", "schema")
        texts = {word: tell(f"graphql_page.{word}") for word in words}
        return page("graphql", {**texts, "address": SCHEMA, "sdl": self.schema.as_str()})

    async def show_schema(self, _request: Request) -> Response:
        return PlainTextResponse(self.schema.as_str())

    async def _connect(self, caller: object, websocket: WebSocket) -> None:
        if not isinstance(caller, Caller):
            await websocket.close(UNAUTHENTICATED)
            return
        default = self._get_workbench().settings.language
        language = accepted_language(websocket.headers.get("accept-language"), default)
        streams = self._get_workbench().streams
        with use_language(language), streams.one_more(caller.owner) as has_room:
            if has_room:
                await self.run(websocket)
            else:
                await websocket.close(TRY_LATER)

    @override
    async def get_context(
        self, request: Request | WebSocket, response: Response | WebSocket
    ) -> Asking:
        return Asking(self._get_workbench(), request.scope[CALLER])

    @override
    def is_websocket_origin_allowed(self, request: WebSocket, origin: str) -> bool:
        return False  # `Security` has said so already

    @override
    async def parse_http_body(
        self, request: AsyncHTTPRequestAdapter
    ) -> GraphQLRequestData | list[GraphQLRequestData]:
        asked = await super().parse_http_body(request)
        assert isinstance(asked, GraphQLRequestData)  # `decode_json` takes objects alone
        if asked.query and is_nested_too_deep(asked.query):
            raise BadRequest(400, tell("graphql.nested"))
        if not isinstance(cast("object", asked.operation_name), str | None):
            raise BadRequest(400, tell("graphql.operation_name"))
        return asked

    @override
    def parse_json(self, data: str | bytes) -> Any:
        if len(data) > MOST_CHARACTERS:
            raise LimitExceeded("graphql_too_large", limit=MOST_CHARACTERS >> 10)
        return super().parse_json(data)

    @override
    def decode_json(self, data: str | bytes) -> object:
        """Strictly, and objects alone: no batches, which would multiply every limit."""
        if len(data) > MOST_CHARACTERS:
            raise json.JSONDecodeError("too large", "", 0)
        decoded = orjson.loads(data)
        if not isinstance(decoded, dict):
            raise json.JSONDecodeError("no object", "", 0)
        return decoded

    @override
    def encode_json(self, data: object) -> str:
        return orjson.dumps(data).decode()


def graphql_routes(get_workbench: Callable[[], Workbench]) -> list[BaseRoute]:
    """The workbench is asked for at each request: it exists only once the server has started."""
    view = GraphQLView(create_schema(), get_workbench)

    def spoken_with(app: ASGIApp) -> ASGIApp:
        refusals = {SanboError: on_sanbo_error, HTTPException: on_http_exception}
        guarded = Bodies(ExceptionMiddleware(app, handlers=refusals))
        return Conversation(guarded, get_workbench=get_workbench)

    schema = Route(SCHEMA, view.show_schema, methods=["GET"])
    return [
        Route("/graphql", spoken_with(view)),
        Route(SCHEMA, spoken_with(schema.app)),
        WebSocketRoute("/graphql", view),
    ]
