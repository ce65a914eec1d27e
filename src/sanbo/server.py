"""One process, one port: the web application at `/`, the API at `/api`.

It is ready when no request waits for a module to be loaded or a model to be built.
"""

import asyncio
import errno
import gc
import logging
import socket
import sys
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import asynccontextmanager
from importlib import import_module

import uvicorn
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount
from typing_extensions import override

from sanbo.api.app import create_api, unknown_api
from sanbo.api.graphql.endpoint import graphql_routes
from sanbo.api.login import login_routes
from sanbo.api.metrics import metrics_routes
from sanbo.api.security import Security
from sanbo.api.sockets import TimedHttp, TimedWebSocket
from sanbo.api.web_app import no_streamlit_route, web_app_routes
from sanbo.kernel.messages import set_language, tell
from sanbo.kernel.problems import Conflict, MissingDependency, Unexpected
from sanbo.kernel.secrets import RedactingFilter
from sanbo.kernel.settings import prepare_workspace
from sanbo.service.access import Access
from sanbo.service.bootstrap import BlockingWorkbench, open_workbench, thinking_apart
from sanbo.service.catalog import WORKFLOWS, AnyWorkflow, Workflows
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings
from sanbo.storage.database import open_database
from sanbo.ui.on_demand import StreamlitRoute, is_installed


def build_models() -> None:
    """All that are loaded: a server is ready when no request waits for one to be built."""
    for model in unbuilt_models():
        model.model_rebuild()


def unbuilt_models(among: type[BaseModel] = BaseModel) -> Iterator[type[BaseModel]]:
    for model in among.__subclasses__():
        if model.__module__.partition(".")[0] == "sanbo" and not model.__pydantic_complete__:
            yield model
        yield from unbuilt_models(model)


LATE = (
    *("sanbo.language.cells", "sanbo.language.likeness"),
    *("regex", "jsonschema"),
)
"""What commands load when they come to it; here no request waits for it."""
STOP_SECONDS = 3
TICK_SECONDS = 0.3
TURN_SECONDS = 0.001
"""After which a thread at work lets the loop have its turn: each request takes a dozen of them."""


class _Opened:
    """The workbench, once the server has started, or why it could not be opened."""

    workbench: Workbench | None = None
    failure: Exception | None = None

    def get(self) -> Workbench:
        assert self.workbench is not None
        return self.workbench


def create_app(
    settings: Settings | None = None, workflows: Workflows | Iterable[AnyWorkflow] = WORKFLOWS
) -> Starlette:
    """For `uvicorn.run("sanbo.server:create_app", factory=True, http=TimedHttp, …)`, as `serve`."""
    settings = settings or load_settings()
    set_language(settings.language)
    return _create_app(settings, Workflows.of(workflows), _Opened())


def _create_app(settings: Settings, workflows: Workflows, opened: _Opened) -> Starlette:
    prepare_workspace(settings.workspace)
    requires_token = _requires_token(settings)
    workflows.load()
    for name in LATE:
        import_module(name)
    streamlit = StreamlitRoute(settings, requires_token=requires_token)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncGenerator[None]:
        try:
            # In this order: runs are let go before the processes that they think in are ended.
            index_beside = settings.retrieval.engine == "embedded"
            async with (
                thinking_apart(workflows, index_beside=index_beside),
                open_workbench(settings, workflows) as workbench,
                streamlit,
            ):
                opened.workbench = workbench
                streamlit.provide(BlockingWorkbench(workbench, asyncio.get_running_loop()))
                # What was loaded stays: to look through it again and again for garbage would stop
                # everyone for a quarter of a second each time.
                gc.collect()
                gc.freeze()
                yield
        except Exception as error:
            opened.failure = error  # the web server only logs it; `serve` raises it
            raise

    routes: list[BaseRoute] = [Mount("/api", create_api(opened.get)), unknown_api(opened.get)]
    routes += graphql_routes(opened.get)
    routes += metrics_routes(opened.get)
    routes.append(streamlit if is_installed() else no_streamlit_route(settings.language))
    if requires_token:
        routes += login_routes(opened.get)
    routes += web_app_routes(settings.language)  # last: it answers every address that is left
    build_models()
    guard = Middleware(Security, get_workbench=opened.get, requires_token=requires_token)
    return Starlette(lifespan=lifespan, routes=routes, middleware=[guard])


def serve(settings: Settings, workflows: Workflows | Iterable[AnyWorkflow] = WORKFLOWS) -> None:
    """Until Ctrl-C; runs that are under way then go on at the next start."""
    set_language(settings.language)
    sys.setswitchinterval(TURN_SECONDS)
    _redact_logs()
    opened = _Opened()
    app = _create_app(settings, Workflows.of(workflows), opened)
    with _bound(settings.server.host, settings.server.port) as listener:
        config = uvicorn.Config(
            app,
            log_config=None,
            log_level=logging.WARNING,
            access_log=False,
            server_header=False,
            # Whoever connects could claim to be somebody else.
            proxy_headers=False,
            http=TimedHttp,
            ws=TimedWebSocket,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        web_log = logging.getLogger("uvicorn.error")

        def is_news(_record: logging.LogRecord) -> bool:
            """A failure to start is raised and told in our words; a second Ctrl-C is no failure."""
            return opened.failure is None and not server.force_exit

        server = _Server(config, _ready_text(listener))
        web_log.addFilter(is_news)
        try:
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            _say(tell("server.stopped"))
        except SystemExit as stop:  # the web server's own codes mean other things than ours
            raise opened.failure or Unexpected(
                "unexpected", kind="uvicorn", reference=str(stop.code)
            ) from None
        finally:
            web_log.removeFilter(is_news)
        if opened.failure is not None:
            raise opened.failure


class _Server(uvicorn.Server):
    """Says where it is once it really listens; looks less often whether it is to stop."""

    def __init__(self, config: uvicorn.Config, ready: str) -> None:
        super().__init__(config)
        self._ready = ready

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            _say(self._ready)

    @override
    async def main_loop(self) -> None:
        while not await self.on_tick(0):  # noqa: ASYNC110 - a signal sets a flag
            await asyncio.sleep(TICK_SECONDS)


def _requires_token(settings: Settings) -> bool:
    """Refuses a host that others can reach as long as there is no token."""
    database = open_database(settings)
    try:
        return Access(database).require_token_for(settings.server.host)
    finally:
        database.close()


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        if sys.platform != "win32":  # there it would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Conflict("port_in_use", port=port, other=port % 65535 + 1) from None
        reason = error.strerror or str(error)
        raise MissingDependency("host_not_available", host=host, reason=reason) from None
    return listener


def _ready_text(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    everywhere = host in ("0.0.0.0", "::")  # noqa: S104 - compared, not bound
    shown = "127.0.0.1" if everywhere else f"[{host}]" if ":" in host else host
    text = tell("server.ready", url=f"http://{shown}:{port}")
    return text if not everywhere else f"{text}\n{tell('server.token_needed')}"


def _say(text: str) -> None:
    print(text, flush=True)


def _redact_logs() -> None:
    """Whatever handlers there are write no secret."""
    root = logging.getLogger()
    if not root.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
        root.addHandler(handler)
    for handler in root.handlers:
        if not any(isinstance(known, RedactingFilter) for known in handler.filters):
            handler.addFilter(RedactingFilter())
