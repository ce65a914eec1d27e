"""Whether the server is alive and reaches its database; the one endpoint without a token."""

from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel

from sanbo import __version__
from sanbo.api.dependencies import Bench

router = APIRouter(tags=["health"])


class Health(BaseModel):
    status: Literal["ok", "unavailable"]
    version: str
    database: Literal["ok", "unreachable"]


@router.head("/health", include_in_schema=False)
@router.get("/health", responses={503: {"model": Health}})
async def check_health(bench: Bench, response: Response) -> Health:
    if await bench.database_answers():
        return Health(status="ok", version=__version__, database="ok")
    response.status_code = 503
    return Health(status="unavailable", version=__version__, database="unreachable")
