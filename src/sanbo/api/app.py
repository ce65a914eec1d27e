"""The API as one application, to be mounted under `/api`.

`Security` (see `sanbo.api.security`) goes around it and the whole server: it tells the API who
is calling, and without it the API answers nobody but health checks.
"""

import re
from collections.abc import Callable

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sanbo import __version__
from sanbo.api import (
    about,
    artifacts,
    collections,
    events,
    openapi,
    plans,
    runs,
    triggers,
    uploads,
    workflows,
)
from sanbo.api.login import Attempts
from sanbo.api.problems import (
    on_http_exception,
    on_invalid_request,
    on_sanbo_error,
    problem_response,
    unexpected_response,
)
from sanbo.api.requests import Bodies, accepted_language
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import NotFound, SanboError
from sanbo.service.workbench import Workbench

ROUTERS = (
    about.health_router,
    about.router,
    about.engine_router,
    runs.router,
    events.router,
    runs.interactions_router,
    runs.drafts_router,
    artifacts.router,
    uploads.router,
    collections.router,
    collections.indexing_router,
    workflows.analysis_router,
    workflows.comparison_router,
    workflows.research_router,
    workflows.calibration_router,
    plans.versions_router,
    plans.presets_router,
    plans.router,
    triggers.router,
    plans.blocks_router,
    workflows.router,
    about.cluster_router,
)


def create_api(get_workbench: Callable[[], Workbench]) -> FastAPI:
    """The workbench is asked for at each request: it exists only once the server has started."""
    api = FastAPI(
        title="Sanbo",
        version=__version__,
        openapi_url=None,  # `docs` serves it, in the caller's language
        redirect_slashes=False,
        generate_unique_id_function=_operation_id,
        # What people send to a run leaves this machine by no way that Sanbo has not announced.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        exception_handlers={
            SanboError: on_sanbo_error,
            HTTPException: on_http_exception,
            RequestValidationError: on_invalid_request,
        },
    )
    api.state.get_workbench = get_workbench
    api.state.wrong_hooks = Attempts()
    for router in ROUTERS:  # directly: for each router between, all routes are looked through again
        api.include_router(router, prefix="/v1")
    api.include_router(openapi.router)
    api.add_middleware(Bodies)
    api.add_middleware(Conversation, get_workbench=get_workbench)
    return api


def unknown_api(get_workbench: Callable[[], Workbench]) -> BaseRoute:
    """`/api` alone and in capitals: no part of the API, but asked by those who look for it."""

    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
            return
        missing = NotFound("api_route_not_found", path=scope["path"][:200])
        await problem_response(missing.problem, scope)(scope, receive, send)

    route = Mount("/api", Conversation(refuse, get_workbench=get_workbench))
    route.path_regex = re.compile(r"^/api(?P<path>(?:/.*)?)$", re.IGNORECASE | re.DOTALL)
    return route


def _operation_id(route: APIRoute) -> str:
    return route.name


class Conversation:
    """Answers in the caller's language, also when something unexpected goes wrong."""

    def __init__(self, app: ASGIApp, *, get_workbench: Callable[[], Workbench]) -> None:
        self.app = app
        self.get_workbench = get_workbench

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def watched_send(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        default = self.get_workbench().settings.language
        with use_language(accepted_language(Headers(scope=scope).get("accept-language"), default)):
            try:
                await self.app(scope, receive, watched_send)
            except ClientDisconnect:
                return  # nobody is there to be answered
            except Exception as error:
                if started:
                    raise
                await unexpected_response(error, scope)(scope, receive, send)
