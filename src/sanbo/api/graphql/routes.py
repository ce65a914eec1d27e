"""`/graphql` and `/graphql/schema`, as routes of the server."""

from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp

from sanbo.api.app import Conversation
from sanbo.api.bodies import Bodies
from sanbo.api.graphql.schema import create_schema
from sanbo.api.graphql.view import SCHEMA, GraphQLView
from sanbo.api.problems import on_http_exception, on_sanbo_error
from sanbo.kernel.problems import SanboError
from sanbo.service.workbench import Workbench


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
