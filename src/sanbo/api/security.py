"""Who may come in: one guard around the whole server, its headers, origins and time limits.

What a token has opened ends with it: streams and WebSockets of a revoked one are let go.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sanbo.api.login import COOKIE, LOGIN, local_path
from sanbo.api.metrics import METRICS
from sanbo.api.pages import page
from sanbo.api.problems import NEEDS_TOKEN, Refused, problem_response, unexpected_response
from sanbo.api.requests import CALLER, accepted_language
from sanbo.kernel.messages import tell, use_language
from sanbo.kernel.problems import PermissionDenied, SanboError, StorageFailure, TimedOut
from sanbo.service.access import LOCAL, Access, Caller, is_loopback
from sanbo.service.workbench import Workbench

logger = logging.getLogger(__name__)

LOOK_SECONDS = 2.0


class Revocations:
    """Looks, while requests of bearers are under way, whether their tokens still stand."""

    def __init__(self, get_access: Callable[[], Access]) -> None:
        self._get_access = get_access
        self._under_way: Counter[str] = Counter()
        self._revoked: dict[str, asyncio.Event] = {}
        self._looking: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def watched(self, caller: Caller) -> AsyncGenerator[asyncio.Event]:
        """The event is set when the caller's token is revoked."""
        token = caller.token_hash
        self._under_way[token] += 1
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            yield self._revoked.setdefault(token, asyncio.Event())
        finally:
            self._under_way[token] -= 1
            if not self._under_way[token]:
                del self._under_way[token], self._revoked[token]

    async def _look(self) -> None:
        """For as long as there is somebody to look for."""
        while self._under_way:
            await asyncio.sleep(LOOK_SECONDS)
            watched = set(self._under_way)
            try:
                standing = await asyncio.to_thread(self._get_access().standing, watched)
            except Exception:  # the database is away: whoever is in stays in, nobody comes in
                logger.exception("tokens could not be looked up")
                continue
            for token in watched - standing:
                if token in self._revoked:
                    self._revoked[token].set()


def until(revoked: asyncio.Event, receive: Receive, scope: Scope) -> Receive:
    """What a client sends, and that it has gone once its token is revoked."""
    gone: Message = (
        {"type": "http.disconnect"}
        if scope["type"] == "http"
        else {"type": "websocket.disconnect", "code": 1006}
    )

    async def receive_until_revoked() -> Message:
        if revoked.is_set():
            return gone
        coming = asyncio.ensure_future(receive())
        ending = asyncio.ensure_future(revoked.wait())
        try:
            await asyncio.wait({coming, ending}, return_when=asyncio.FIRST_COMPLETED)
            return coming.result() if coming.done() else gone
        finally:
            for waiting in (coming, ending):
                if not waiting.done():
                    waiting.cancel()
                    with suppress(asyncio.CancelledError):
                        await waiting

    return receive_until_revoked


STRICT_POLICY = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

# Streamlit's one inline script. After an update of Streamlit it may be another: then a browser's
# console names the new hash, and nothing else is different.
_STREAMLIT_SCRIPT = "'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='"

# What Streamlit's pages need, and no outside host: its charts compile expressions (eval), its
# styles are made at run time, its tables and charts work in workers made from blobs.
UI_POLICY = "; ".join(
    (
        "default-src 'self'",
        f"script-src 'self' {_STREAMLIT_SCRIPT} 'unsafe-eval' 'wasm-unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "media-src 'self' data: blob:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "frame-src 'self' blob: data:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)

_EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    # Not `no-referrer`: with that, browsers send `Origin: null` from our own forms.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Permitted-Cross-Domain-Policies": "none",
}
_OUR_OWN = ("/api", "/graphql", "/login", "/logout", METRICS)


def is_our_own(path: str) -> bool:
    """Whether we wrote what is answered here; the rest is the user interface."""
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in _OUR_OWN)


def secure(headers: MutableHeaders, path: str) -> None:
    """Adds what is missing; a response that has a policy of its own keeps it."""
    for name, value in _EVERYWHERE.items():
        headers.setdefault(name, value)
    own = is_our_own(path)
    headers.setdefault("Content-Security-Policy", STRICT_POLICY if own else UI_POLICY)
    headers.setdefault("X-Frame-Options", "DENY" if own else "SAMEORIGIN")
    if own:
        headers.setdefault("Cache-Control", "no-store")
    for name in list(headers.keys()):
        if name.startswith("access-control-"):  # no other origin is ever permitted
            del headers[name]


SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_PORTS = {"http": 80, "https": 443}


def check_host(headers: Headers) -> None:
    """That the caller knows this server by a name of this machine."""
    host = headers.get("host", "")
    place = _place("http", host)
    if place is None or not is_loopback(place[0]):
        raise PermissionDenied("api_host_refused", host=host[:200])


def check_origin(headers: Headers) -> None:
    """That a browser, if it is one, sends this from a page of ours."""
    origin = headers.get("origin")
    if origin is not None and not _same_place(origin, headers.get("host", "")):
        raise PermissionDenied("api_origin_refused", origin=origin[:200])
    if headers.get("sec-fetch-site") == "cross-site":
        raise PermissionDenied("api_origin_refused", origin=origin or "cross-site")


def _same_place(origin: str, host: str) -> bool:
    """By name and port alone: behind a proxy that ends TLS, we do not know our own scheme."""
    scheme, _, rest = origin.partition("://")
    ours = _place(scheme, host)
    return scheme in _PORTS and ours is not None and _place(scheme, rest) == ours


def _place(scheme: str, netloc: str) -> tuple[str, int] | None:
    try:
        parts = urlsplit(f"//{netloc}")
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname or parts.netloc != netloc or "@" in netloc:
        return None
    return parts.hostname, port if port is not None else _PORTS.get(scheme, 0)


STALLED_SECONDS = 30.0
BYTES_A_SECOND = 1024
"""Slower than that, after the first half minute, is no line but somebody who holds us up."""
REQUEST_TIMEOUT = 408


def in_time(receive: Receive) -> Receive:
    """Only the time that is spent waiting counts, so what we take ourselves is nobody's fault."""
    taken, waited, is_whole = 0, 0.0, False

    async def receive_in_time() -> Message:
        nonlocal taken, waited, is_whole
        if is_whole:
            return await receive()
        loop = asyncio.get_running_loop()
        began = loop.time()
        patience = min(STALLED_SECONDS, STALLED_SECONDS + taken / BYTES_A_SECOND - waited)
        try:
            async with asyncio.timeout(patience):
                message = await receive()
        except TimeoutError:
            is_whole = True  # whoever asks again waits for the end of the connection
            closing = {"Connection": "close"}
            raise Refused(TimedOut("api_request_stalled"), REQUEST_TIMEOUT, closing) from None
        waited += loop.time() - began
        taken += len(message.get("body", b""))
        is_whole = not message.get("more_body", False)
        return message

    return receive_in_time


HOOKS = "/api/v1/hooks/"
"""Webhooks have secrets of their own."""
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
        if path == METRICS and self.get_workbench().settings.server.metrics == "everyone":
            return None
        if path.startswith(HOOKS) or (self.requires_token and path in WITHOUT_TOKEN):
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
