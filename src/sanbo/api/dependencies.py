"""What endpoints work with: the workbench, and who is calling."""

from typing import Annotated, cast

from fastapi import Depends
from starlette.requests import Request

from sanbo.kernel.problems import PermissionDenied
from sanbo.service.access import Caller
from sanbo.service.workbench import Workbench

CALLER = "sanbo.caller"
"""The key under which `Security` puts the caller into a request's scope."""


async def _workbench(request: Request) -> Workbench:
    return cast("Workbench", request.app.state.get_workbench())


async def _caller(request: Request) -> Caller:
    caller = request.scope.get(CALLER)
    if not isinstance(caller, Caller):  # nobody has checked: nobody comes in
        raise PermissionDenied("token_missing")
    return caller


Bench = Annotated[Workbench, Depends(_workbench)]
Who = Annotated[Caller, Depends(_caller)]
