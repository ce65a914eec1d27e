"""Artifacts: what a run has made, and its bytes, under headers that let none of it run here."""

import re
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter, Response
from pydantic import BaseModel
from starlette.responses import FileResponse
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from sanbo.api.dependencies import Bench, Who
from sanbo.runs.model import Artifact

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
_PLAIN = re.compile(r"[^\w. -]", re.ASCII)


class ArtifactList(BaseModel):
    artifacts: list[Artifact]


@router.get("")
async def list_artifacts(run_id: str, bench: Bench, who: Who) -> ArtifactList:
    return ArtifactList(artifacts=list((await bench.get(who, run_id)).artifacts))


@router.get("/{artifact_id}", response_class=FileResponse)
async def download_artifact(
    run_id: str, artifact_id: str, bench: Bench, who: Who, inline: bool = False
) -> Response:
    artifact, content = await bench.artifact(who, run_id, artifact_id)
    return artifact_response(artifact, content, inline=inline)


def artifact_response(artifact: Artifact, content: Path | bytes, *, inline: bool) -> Response:
    media_type = artifact.media_type.split(";")[0].strip().casefold()
    shown = inline and media_type in INLINE
    if shown:
        media_type = INLINE[media_type]
    elif not _MEDIA_TYPE.fullmatch(media_type):
        media_type = "application/octet-stream"
    headers = {
        "Content-Disposition": disposition("inline" if shown else "attachment", artifact.name),
        "Content-Security-Policy": POLICY,
        "Cache-Control": "no-store",
        "ETag": f'"{artifact.artifact_id}"',
    }
    if isinstance(content, bytes):
        return Response(content, media_type=media_type, headers=headers)
    return _WholeFile(content, media_type=media_type, headers=headers)


def disposition(kind: str, name: str) -> str:
    """RFC 6266: an ASCII name for old clients, and the real one, in Japanese or any script."""
    plain = _PLAIN.sub("_", name).strip(" .") or "download"
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


class _WholeFile(FileResponse):
    """Without ranges: Starlette answers a bad one in a shape of its own."""

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.headers["accept-ranges"] = "none"
        headers = [(name, value) for name, value in scope["headers"] if name != b"range"]
        await super().__call__({**scope, "headers": headers}, receive, send)
