"""The login page for browsers: a token in, a cookie out; who guesses secrets is slowed down."""

import asyncio
import re
import time
from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from sanbo.api.pages import page
from sanbo.api.requests import accepted_language
from sanbo.kernel.messages import Language, tell, use_language
from sanbo.kernel.problems import LimitExceeded, PermissionDenied, Problem
from sanbo.service.workbench import Workbench


class Attempts:
    """Wrong tokens by client: some are free, then each makes the next wait twice as long."""

    FREE = 3
    LONGEST_SECONDS = 60.0
    FORGOTTEN_SECONDS = 900.0
    MAX_CLIENTS = 10_000

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: dict[str, tuple[int, float]] = {}

    def wait_seconds(self, client: str) -> float:
        """How long this client's wrong tokens are only told to wait; a right one always gets in."""
        count, last = self._wrong.get(client, (0, 0.0))
        if count < self.FREE:
            return 0.0
        pause = min(2.0 ** min(count - self.FREE, 10), self.LONGEST_SECONDS)
        return max(0.0, last + pause - self._clock())

    def failed(self, client: str) -> None:
        now = self._clock()
        if len(self._wrong) >= self.MAX_CLIENTS:
            self._wrong = {
                name: (count, last)
                for name, (count, last) in self._wrong.items()
                if now - last < self.FORGOTTEN_SECONDS
            }
        count, last = self._wrong.pop(client, (0, now))
        if now - last >= self.FORGOTTEN_SECONDS:
            count = 0
        while len(self._wrong) >= self.MAX_CLIENTS:
            del self._wrong[next(iter(self._wrong))]
        self._wrong[client] = (count + 1, now)

    def succeeded(self, client: str) -> None:
        self._wrong.pop(client, None)


COOKIE = "sanbo_token"
LOGIN, LOGOUT = "/login", "/logout"
COOKIE_SECONDS = 30 * 86_400
MAX_FORM_BYTES = 16_384
# A path of this server: browsers read `//host` and `/\host` as the address of another.
_LOCAL_PATH = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*")


def local_path(path: str) -> str:
    return path if len(path) <= 2000 and _LOCAL_PATH.fullmatch(path) else "/"


def login_routes(get_workbench: Callable[[], Workbench]) -> list[BaseRoute]:
    """`GET /login`, `POST /login`, `POST /logout`."""
    attempts = Attempts()

    async def show_login(request: Request) -> Response:
        with use_language(_language(request, get_workbench())):
            return _page(request.query_params.get("next", "/"))

    async def log_in(request: Request) -> Response:
        workbench = get_workbench()
        with use_language(_language(request, workbench)):
            form = parse_qs(await _short_body(request))
            token = form.get("token", [""])[0].strip()
            wanted = local_path(form.get("next", ["/"])[0])
            client = request.client.host if request.client else ""
            try:
                await asyncio.to_thread(workbench.access.authenticate, token)
            except PermissionDenied as refusal:
                # Only after a wrong token: others behind the same address must not be locked out.
                if (wait := attempts.wait_seconds(client)) > 0:
                    seconds = int(wait) + 1
                    too_often = LimitExceeded("api_login_wait", seconds=seconds)
                    return _page(wanted, too_often.problem, 429, {"Retry-After": str(seconds)})
                attempts.failed(client)
                return _page(wanted, refusal.problem, 401)
            attempts.succeeded(client)
            return _with_cookie(request, token, wanted)

    async def log_out(request: Request) -> Response:
        response = RedirectResponse(LOGIN, status_code=303)
        response.delete_cookie(COOKIE, secure=_is_https(request), httponly=True, samesite="strict")
        return response

    return [
        Route(LOGIN, show_login, methods=["GET"]),
        Route(LOGIN, log_in, methods=["POST"]),
        Route(LOGOUT, log_out, methods=["POST"]),
    ]


def _language(request: Request, workbench: Workbench) -> Language:
    return accepted_language(request.headers.get("accept-language"), workbench.settings.language)


async def _short_body(request: Request) -> str:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_FORM_BYTES:
            return ""
    return body.decode("utf-8", "replace")


def _page(
    wanted: str,
    problem: Problem | None = None,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    texts = {word: tell(f"api_login.{word}") for word in ("title", "label", "button", "note")}
    texts["next"] = local_path(wanted)
    texts["problem"] = f"{problem.message} {problem.hint}" if problem else ""
    return page("login", texts, status=status, headers=headers)


def _with_cookie(request: Request, token: str, wanted: str) -> Response:
    response = RedirectResponse(wanted, status_code=303)
    response.set_cookie(
        COOKIE,
        token,
        max_age=COOKIE_SECONDS,
        path="/",
        secure=_is_https(request),
        httponly=True,
        samesite="strict",
    )
    return response


def _is_https(request: Request) -> bool:
    # Behind a proxy that ends TLS we see plain HTTP; the browser knows how it came here.
    return "https" in (request.url.scheme, request.headers.get("origin", "").partition("://")[0])
