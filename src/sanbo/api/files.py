"""Files that a person gives to runs: uploaded first, then named in an input or an answer."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request

from sanbo.api.dependencies import Bench, Who
from sanbo.api.uploads import name_from_header, received_bytes, received_file
from sanbo.runs.model import FileRef

router = APIRouter(tags=["files"])

_BINARY = {"type": "string", "format": "binary"}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"file": _BINARY},
                    "required": ["file"],
                }
            },
            "application/octet-stream": {"schema": _BINARY},
        },
    }
}


@router.post("/files", status_code=201, openapi_extra=_BODY)
async def upload_file(
    request: Request,
    bench: Bench,
    who: Who,
    *,
    name: Annotated[str, Query()] = "",
    workflow: Annotated[str, Query()] = "",
    x_file_name: Annotated[str, Header()] = "",
) -> FileRef:
    given = name or name_from_header(x_file_name)
    limit = bench.settings.server.max_upload_mb
    if workflow and bench.keeps_in_memory(workflow):
        held = await received_bytes(request, given, limit)
        return await bench.upload(who, held.content, held.name, held.media_type)
    async with received_file(request, given, limit) as received:
        return await bench.upload(who, received.content, received.name, received.media_type)
