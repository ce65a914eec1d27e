"""Artifacts: what a run has made, and its bytes, under headers that let none of it run here."""

import re
from urllib.parse import quote

from fastapi import APIRouter, Response
from pydantic import BaseModel
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, StreamingResponse

from sanbo.api.problems import Refused
from sanbo.api.requests import Bench, Who
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import Artifact
from sanbo.service.files import Content

router = APIRouter(prefix="/runs/{run_id}/artifacts", tags=["artifacts"])

# Shown in the browser when asked for; whatever could hold a script is only ever downloaded.
INLINE = {
    "image/png": "image/png",
    "image/jpeg": "image/jpeg",
    "text/plain": "text/plain; charset=utf-8",
    "text/markdown": "text/plain; charset=utf-8",
    "application/json": "application/json",
}
POLICY = (
    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
)
_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)
RANGE_NOT_SATISFIABLE = 416
_PLAIN = re.compile(r"[^\w. -]", re.ASCII)


class ArtifactList(BaseModel):
    artifacts: list[Artifact]


@router.get("")
async def list_artifacts(run_id: str, bench: Bench, who: Who) -> ArtifactList:
    return ArtifactList(artifacts=list((await bench.get(who, run_id)).artifacts))


@router.get("/{artifact_id}", response_class=FileResponse)
async def download_artifact(
    request: Request,
    bench: Bench,
    who: Who,
    *,
    run_id: str,
    artifact_id: str,
    inline: bool = False,
) -> Response:
    artifact, content = await bench.content(who, run_id, artifact_id)
    return artifact_response(artifact, content, request.headers, inline=inline)


def artifact_response(
    artifact: Artifact, content: Content, asked: Headers, *, inline: bool
) -> Response:
    media_type = artifact.media_type.split(";")[0].strip().casefold()
    shown = inline and media_type in INLINE
    if shown:
        media_type = INLINE[media_type]
    elif not _MEDIA_TYPE.fullmatch(media_type):
        media_type = "application/octet-stream"
    etag = f'"{artifact.artifact_id}"'
    headers = {
        "Content-Disposition": disposition("inline" if shown else "attachment", artifact.name),
        "Content-Security-Policy": POLICY,
        "Cache-Control": "no-store",
        "ETag": etag,
        "Accept-Ranges": "bytes",
    }
    start, end = 0, content.size
    # Who has the beginning of another file is given this one from its own.
    wanted = asked_range(asked, content.size) if asked.get("if-range", etag) == etag else None
    if wanted is not None:
        start, end = wanted
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{content.size}"
    headers["Content-Length"] = str(end - start)
    status = 200 if wanted is None else 206
    pieces = content.pieces(start, end)
    return StreamingResponse(pieces, status, headers, media_type)


def asked_range(headers: Headers, size: int) -> tuple[int, int] | None:
    """From where to where, or None for all of it: also where several ranges are asked for."""
    asked = _RANGE.fullmatch(headers.get("range", ""))
    if asked is None or asked.groups() == ("", ""):
        return None
    first, last = asked.groups()
    start = int(first) if first else max(0, size - int(last))
    end = min(size, int(last) + 1) if first and last else size
    if start >= end:
        refusal = InvalidInput("api_range_beyond", size=size)
        raise Refused(refusal, RANGE_NOT_SATISFIABLE, {"Content-Range": f"bytes */{size}"})
    return start, end


def disposition(kind: str, name: str) -> str:
    """RFC 6266: an ASCII name for old clients, and the real one, in Japanese or any script."""
    plain = _PLAIN.sub("_", name).strip(" .") or "download"
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
