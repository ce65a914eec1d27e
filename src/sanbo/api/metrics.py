"""What the server counts, for Prometheus; by default for who is at this machine or operates it."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sanbo.api.problems import problem_response
from sanbo.api.requests import CALLER
from sanbo.kernel.problems import NotFound, PermissionDenied
from sanbo.service.access import OPERATOR_ROLE, Caller
from sanbo.service.workbench import Workbench

METRICS = "/metrics"
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics_routes(get_workbench: Callable[[], Workbench]) -> list[BaseRoute]:
    async def show(request: Request) -> Response:
        bench = get_workbench()
        allowed = bench.settings.server.metrics
        if allowed == "off":
            missing = NotFound("api_route_not_found", path=METRICS)
            return problem_response(missing.problem, request.scope)
        if allowed == "operator" and not _is_operator(request.scope.get(CALLER)):
            refused = PermissionDenied("metrics_refused", role=OPERATOR_ROLE)
            return problem_response(refused.problem, request.scope)
        return Response(await bench.metrics.text(), media_type=MEDIA_TYPE)

    return [Route(METRICS, show)]


def _is_operator(caller: object) -> bool:
    return isinstance(caller, Caller) and caller.operates
