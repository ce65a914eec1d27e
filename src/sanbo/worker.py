"""One worker of a cluster, and beside its work what it counts, for Prometheus."""

import asyncio
import errno
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from typing_extensions import override

from sanbo.api.metrics import metrics_routes
from sanbo.api.security import Security
from sanbo.kernel.messages import set_language
from sanbo.kernel.problems import Conflict, MissingDependency
from sanbo.service.cluster_worker import Offer, work
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings


def serve(settings: Settings, offer: Offer, metrics_port: int | None) -> None:
    """Until Ctrl-C; what it has in hand then is taken up elsewhere."""
    set_language(settings.language)

    @asynccontextmanager
    async def beside(workbench: Workbench) -> AsyncGenerator[None]:
        if metrics_port is None:
            yield
            return
        server = _Server(_config(workbench))
        listener = _bound(workbench.settings.server.host, metrics_port)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield
        finally:
            server.should_exit = True
            with suppress(asyncio.CancelledError):
                await serving

    asyncio.run(work(settings, offer, beside))


class _Server(uvicorn.Server):
    """The worker is told to stop, and stops this."""

    @override
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def _bound(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Conflict("port_in_use", port=port, other=port % 65535 + 1) from None
        reason = error.strerror or str(error)
        raise MissingDependency("host_not_available", host=host, reason=reason) from None


def _config(workbench: Workbench) -> uvicorn.Config:
    """As on a server: for who is at this machine, and for tokens of operators."""
    host = workbench.settings.server.host
    requires_token = workbench.access.require_token_for(host)
    guard = Middleware(Security, get_workbench=lambda: workbench, requires_token=requires_token)
    app = Starlette(routes=metrics_routes(lambda: workbench), middleware=[guard])
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
    )
