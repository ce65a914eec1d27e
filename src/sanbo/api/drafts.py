"""Drafts: what a person has typed or noted and not sent, kept under a name until it is reset."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel

from sanbo.api.bodies import StrictJsonRoute
from sanbo.api.dependencies import Bench, Who
from sanbo.runs.model import JsonObject

router = APIRouter(prefix="/drafts", tags=["drafts"], route_class=StrictJsonRoute)

# As interactions name it, or with a run's id in it: it is then deleted with the run.
Key = Annotated[str, Path(min_length=1, max_length=500)]


class Draft(BaseModel):
    content: JsonObject | None
    """None where nothing was kept."""


@router.get("/{key:path}")
async def show_draft(key: Key, bench: Bench, who: Who) -> Draft:
    return Draft(content=await asyncio.to_thread(bench.drafts.load, who.owner, key))


@router.put("/{key:path}", status_code=204)
async def keep_draft(key: Key, content: JsonObject, bench: Bench, who: Who) -> Response:
    await asyncio.to_thread(bench.drafts.save, who.owner, key, content)
    return Response(status_code=204)


@router.delete("/{key:path}", status_code=204)
async def reset_draft(key: Key, bench: Bench, who: Who) -> Response:
    await asyncio.to_thread(bench.drafts.reset, who.owner, key)
    return Response(status_code=204)
