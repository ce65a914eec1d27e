"""Who may come in: one guard around the whole server, for HTTP and WebSocket alike.

How the server puts it together (`get_workbench` gives the workbench once the server has started):

    requires_token = access.require_token_for(settings.server.host)
    guard = Middleware(Security, get_workbench=get_workbench, requires_token=requires_token)
    routes = [Mount("/api", create_api(get_workbench))]
    if requires_token:
        routes += login_routes(get_workbench)  # from sanbo.api.login
    app = st.App(script, routes=routes, middleware=[guard], lifespan=…)
    uvicorn.run(app, host=…, port=…, server_header=False)

On loopback, whoever has no token is the person at this machine; elsewhere every path needs one,
as `Authorization: Bearer …` or, from browsers, as the cookie that the login page sets. A token in
a URL is never looked at: URLs end up in logs. The API finds the caller in the request's scope.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sanbo.api.dependencies import CALLER
from sanbo.api.headers import secure
from sanbo.api.language import accepted_language
from sanbo.api.login import COOKIE, LOGIN, local_path
from sanbo.api.origins import SAFE_METHODS, check_host, check_origin
from sanbo.api.pages import page
from sanbo.api.problems import NEEDS_TOKEN, problem_response, unexpected_response
from sanbo.api.request_time import in_time
from sanbo.api.revocation import Revocations, until
from sanbo.kernel.messages import tell, use_language
from sanbo.kernel.problems import PermissionDenied, SanboError, StorageFailure
from sanbo.service.access import LOCAL, Caller
from sanbo.service.workbench import Workbench

WITHOUT_TOKEN = frozenset({"/api/v1/health", "/api/v1/ready", LOGIN})
POLICY_VIOLATION, TRY_LATER, UNAUTHENTICATED = 1008, 1013, 4401


class Security:
    """ASGI middleware; see the top of this module."""

    def __init__(
        self, app: ASGIApp, *, get_workbench: Callable[[], Workbench], requires_token: bool
    ) -> None:
        self.app = app
        self.get_workbench = get_workbench
        self.requires_token = requires_token
        self.revocations = Revocations(lambda: get_workbench().access)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        guarded = _Guarded(send, scope["path"])
        default = self.get_workbench().settings.language
        language = accepted_language(headers.get("accept-language"), default)
        try:
            with use_language(language):
                self._check_place(scope, headers)
                caller = await self._caller(scope["path"], headers)
        except SanboError as refusal:
            with use_language(language):
                await _refuse(refusal, scope, headers, receive, guarded)
            return
        if caller is not None:
            scope[CALLER] = caller
        if scope["type"] == "http":
            receive = in_time(receive)
        try:
            await self._admit(caller, scope, receive, guarded)
        except ClientDisconnect:
            return
        except Exception as error:
            if scope["type"] != "http" or guarded.started:
                raise
            with use_language(language):
                await unexpected_response(error, scope)(scope, receive, guarded)

    async def _admit(
        self, caller: Caller | None, scope: Scope, receive: Receive, send: "_Guarded"
    ) -> None:
        if caller is None or not caller.token_hash:
            await self.app(scope, receive, send)
            return
        async with self.revocations.watched(caller) as revoked:
            try:
                await self.app(scope, until(revoked, receive, scope), send)
            except Exception:
                if not revoked.is_set():
                    raise  # otherwise: of a client that it believes to be gone
            if revoked.is_set():
                await send.end(scope)

    def _check_place(self, scope: Scope, headers: Headers) -> None:
        if not self.requires_token:
            check_host(headers)
        if scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS:
            check_origin(headers)

    async def _caller(self, path: str, headers: Headers) -> Caller | None:
        """None where anybody may come."""
        if self.requires_token and path in WITHOUT_TOKEN:
            return None
        token = _bearer(headers)
        if token is None and self.requires_token:
            # Not on loopback: another server on this machine may have set that cookie.
            token = cookie_parser(headers.get("cookie", "")).get(COOKIE)
        if token is None:
            if self.requires_token:
                raise PermissionDenied("token_missing")
            return LOCAL
        return await asyncio.to_thread(self.get_workbench().access.authenticate, token)


class _Guarded:
    """Sends on, with security headers on whatever begins a response."""

    def __init__(self, send: Send, path: str) -> None:
        self._send = send
        self._path = path
        self.started = False
        self.ended = False

    async def __call__(self, message: Message) -> None:
        ends = not message.get("more_body", False)
        self.ended = self.ended or (message["type"] == "http.response.body" and ends)
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            self.started = True
            message.setdefault("headers", [])
            secure(MutableHeaders(scope=message), self._path)
        await self._send(message)

    async def end(self, scope: Scope) -> None:
        """What the application has left open, because it believes that its client has gone."""
        if scope["type"] == "websocket":
            with suppress(Exception):  # it may have been closed after all
                await self._send({"type": "websocket.close", "code": UNAUTHENTICATED})
        elif self.started and not self.ended:
            await self({"type": "http.response.body", "body": b"", "more_body": False})


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.casefold() == "bearer" else None


async def _refuse(
    refusal: SanboError, scope: Scope, headers: Headers, receive: Receive, send: Send
) -> None:
    needs_token = refusal.problem.text_id in NEEDS_TOKEN
    if scope["type"] == "websocket":
        code = UNAUTHENTICATED if needs_token else POLICY_VIOLATION
        if isinstance(refusal, StorageFailure):
            code = TRY_LATER
        await send({"type": "websocket.close", "code": code})
        return
    wants_page = scope["method"] in ("GET", "HEAD") and "text/html" in headers.get("accept", "")
    response: Response
    if needs_token and wants_page:
        response = _to_login(scope, headers)
    else:
        response = problem_response(refusal.problem, scope)
    await response(scope, receive, send)


def _to_login(scope: Scope, headers: Headers) -> Response:
    query = scope["query_string"].decode("latin-1")
    wanted = local_path(quote(scope["path"]) + (f"?{query}" if query else ""))
    if headers.get("sec-fetch-site") == "cross-site":
        # A link in a mail or chat: browsers hold the cookie back until a page of ours asks.
        return page("again", {"next": wanted, "text": tell("api_login.again")})
    return RedirectResponse(f"{LOGIN}?next={quote(wanted, safe='')}", status_code=303)
