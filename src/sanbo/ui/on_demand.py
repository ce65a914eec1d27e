"""Streamlit's app at `/streamlit`, where it is installed: loaded when somebody first asks."""

import asyncio
import logging
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from importlib.util import find_spec
from types import TracebackType

from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from sanbo.kernel.secrets import RedactingFilter
from sanbo.service.bootstrap import BlockingWorkbench
from sanbo.settings import Settings

PREFIX = "/streamlit"


def is_installed() -> bool:
    return find_spec("streamlit") is not None


class StreamlitRoute(BaseRoute, AbstractAsyncContextManager["StreamlitRoute"]):
    """A server that nobody asks for it neither loads nor runs Streamlit."""

    def __init__(self, settings: Settings, *, requires_token: bool) -> None:
        self._settings = settings
        self._requires_token = requires_token
        self._opening = asyncio.Lock()
        self._opened = AsyncExitStack()
        self._app: ASGIApp | None = None
        self._bench: BlockingWorkbench | None = None

    def provide(self, bench: BlockingWorkbench) -> None:
        """What its pages work with: before the first is asked for."""
        self._bench = bench

    @override
    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._app = None
        await self._opened.aclose()

    @override
    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        path: str = scope.get("path", "")
        if scope["type"] in ("http", "websocket") and f"{path}/".startswith(f"{PREFIX}/"):
            return Match.FULL, {}
        return Match.NONE, {}

    @override
    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._opening:
            self._app = self._app or await self._open()
        await self._app(scope, receive, send)

    async def _open(self) -> ASGIApp:
        assert self._bench is not None
        # In a thread: it is hundreds of modules.
        app = await asyncio.to_thread(_load, self._settings)
        from sanbo.ui import page_context  # noqa: PLC0415 - with it comes Streamlit

        page_context.provide(self._bench, requires_token=self._requires_token)
        self._opened.callback(page_context.withdraw)
        await self._opened.enter_async_context(app.lifespan()(None))
        return app


def _load(settings: Settings):
    import streamlit as st  # noqa: PLC0415 - an extra, which not every server has

    from sanbo.ui.page_context import draw_last_resort  # noqa: PLC0415
    from sanbo.ui.page_setup import SCRIPT, configure_streamlit, index_routes  # noqa: PLC0415

    configure_streamlit(settings)
    _redact_logs()
    _take_back_server_logs()
    return st.App(SCRIPT, routes=index_routes(settings.language), on_script_error=draw_last_resort)


def _redact_logs() -> None:
    """Streamlit has handlers of its own; they write no secret either."""
    for name in [name for name in logging.root.manager.loggerDict if name.startswith("streamlit")]:
        for handler in logging.getLogger(name).handlers:
            if not any(isinstance(known, RedactingFilter) for known in handler.filters):
                handler.addFilter(RedactingFilter())


def _take_back_server_logs() -> None:
    """Streamlit gives the web server's loggers its handlers, which would print every request."""
    for name in ("uvicorn", "uvicorn.access", "uvicorn.asgi", "uvicorn.error", "websockets"):
        logger = logging.getLogger(name)
        if (handler := getattr(logger, "streamlit_console_handler", None)) is not None:
            logger.removeHandler(handler)
            logger.setLevel(logging.WARNING)
            logger.propagate = name != "uvicorn.access"
