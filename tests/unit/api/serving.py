"""A real server on loopback, as `sanbo up` puts it together, with a page in place of the UI."""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.websockets import WebSocket

from sanbo.api.app import create_api, unknown_api
from sanbo.api.graphql.endpoint import graphql_routes
from sanbo.api.login import login_routes
from sanbo.api.metrics import metrics_routes
from sanbo.api.security import Security
from sanbo.api.sockets import TimedHttp, TimedWebSocket
from sanbo.api.web_app import web_app_routes
from sanbo.runs.workflow import Workflow
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings
from tests.patience import PATIENCE_SECONDS
from tests.unit.api.workflows import WORKFLOWS

ENVIRONMENT = {
    "SANBO_LLM__PROVIDER": "rules",
    "SANBO_SERVER__MAX_UPLOAD_MB": "1",
    "SANBO_SERVER__HEARTBEAT_SECONDS": "0.2",
}
PATIENCE = float(PATIENCE_SECONDS)

Workflows = Sequence[Workflow[Any, Any]]


@dataclass
class Server:
    """What tests know of a running server."""

    url: str
    workbench: Workbench
    loop: asyncio.AbstractEventLoop
    tokens: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://")

    @property
    def websocket_url(self) -> str:
        return f"ws://{self.host}/_stcore/stream"

    def client(self, who: str = "", **headers: str) -> httpx.Client:
        """A client in English, with the token of this name."""
        sent = {"Accept-Language": "en", **headers}
        if who:
            sent["Authorization"] = f"Bearer {self.tokens[who]}"
        return httpx.Client(base_url=self.url, headers=sent, timeout=PATIENCE)

    def readers(self) -> int:
        """How many streams the workbench still feeds."""
        return self.workbench._feed.readers()


def application(
    settings: Settings,
    requires_token: bool,
    opened: list[Workbench],
    workflows: Workflows = WORKFLOWS,
) -> Starlette:
    def get_workbench() -> Workbench:
        return opened[0]

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncGenerator[None]:
        async with open_workbench(settings, workflows) as workbench:
            opened.append(workbench)
            yield

    return Starlette(
        routes=[
            Mount("/api", create_api(get_workbench)),
            unknown_api(get_workbench),
            *graphql_routes(get_workbench),
            *metrics_routes(get_workbench),
            *login_routes(get_workbench),
            Route("/", _page, methods=["GET", "POST"]),
            Route("/broken", _broken),
            WebSocketRoute("/_stcore/stream", _echo),
            *web_app_routes("ja"),
        ],
        middleware=[
            Middleware(Security, get_workbench=get_workbench, requires_token=requires_token)
        ],
        lifespan=lifespan,
    )


async def _page(_request: Request) -> HTMLResponse:
    return HTMLResponse("<p>workbench</p>", headers={"Access-Control-Allow-Origin": "*"})


async def _broken(_request: Request) -> HTMLResponse:
    raise RuntimeError("a defect, with a secret detail")


async def _echo(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text(await websocket.receive_text())
    await websocket.close()


@contextmanager
def serving(
    workspace: Path,
    *,
    requires_token: bool,
    workflows: Workflows = WORKFLOWS,
    http: type[TimedHttp] = TimedHttp,
    environment: Mapping[str, str] = ENVIRONMENT,
) -> Generator[Server]:
    settings = load_settings(workspace, environment)
    opened: list[Workbench] = []
    app = application(settings, requires_token, opened, workflows)
    config = uvicorn.Config(
        app,
        "127.0.0.1",
        0,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        http=http,
        ws=TimedWebSocket,
    )
    server = uvicorn.Server(config)
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        await server.serve()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    wait_until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    running = Server(f"http://127.0.0.1:{port}", opened[0], loops[0])
    for name in ("aoki", "baba"):
        running.tokens[name] = opened[0].access.create_token(name)
    yield running
    server.should_exit = True
    thread.join(PATIENCE)
    assert not thread.is_alive(), "the server did not stop"


def wait_until(holds: Any, seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    pause = 0.01
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(pause)
        pause = min(1.5 * pause, 0.1)  # asking takes the time of what is waited for


def start(client: httpx.Client, workflow: str, **given: object) -> dict[str, Any]:
    response = client.post("/api/v1/runs", json={"workflow": workflow, "input": given})
    assert response.status_code == 201, response.text
    return response.json()


def settled(client: httpx.Client, run_id: str) -> dict[str, Any]:
    """The run once it has ended or waits for a person."""
    found: list[dict[str, Any]] = []

    def has_settled() -> bool:
        found.append(client.get(f"/api/v1/runs/{run_id}").json())
        return found[-1]["status"] in ("waiting", "succeeded", "failed", "cancelled")

    wait_until(has_settled)
    return found[-1]


def journal(client: httpx.Client, run_id: str) -> list[str]:
    return client.get(f"/api/v1/runs/{run_id}/journal").text.splitlines()
