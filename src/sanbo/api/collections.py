"""Collections: what has been read, searching it, and where a hit stands.

All tokens of a workspace share them. Where a file lies on this machine is nobody's business here:
documents are shown without their `source`.
"""

import asyncio
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict

from sanbo.api.dependencies import Bench, Who
from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import InvalidInput, Problem
from sanbo.service.collections import (
    CollectionInfo,
    DocumentFormat,
    DocumentInfo,
    Filter,
    Format,
    Hit,
    Position,
)

router = APIRouter(prefix="/collections", tags=["collections"])

MAX_PAGE = 500
MAX_HITS = 100
MAX_QUERY = 2_000


class CollectionList(BaseModel):
    collections: list[CollectionInfo]


class IndexedDocument(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    document_id: str
    name: str
    sha256: str
    format: Format
    title: str | None
    size: int
    pages: int | None
    chunks: int
    warnings: tuple[Problem, ...]
    metadata: dict[str, str]
    indexed_at: datetime


class DocumentPage(BaseModel):
    documents: list[IndexedDocument]
    next: int | None
    """What to send as `offset` for the next page; None on the last."""


class Hits(BaseModel):
    hits: list[Hit]


class FoundPlace(BaseModel):
    document: IndexedDocument
    position: Position
    before: str
    text: str
    after: str


@router.get("")
async def list_collections(bench: Bench, _who: Who) -> CollectionList:
    return CollectionList(collections=await asyncio.to_thread(bench.collections.all))


@router.get("/{name}")
async def show_collection(name: str, bench: Bench, _who: Who) -> CollectionInfo:
    return await asyncio.to_thread(bench.collections.info, name)


@router.delete("/{name}", status_code=204)
async def delete_collection(name: str, bench: Bench, _who: Who) -> None:
    await asyncio.to_thread(bench.collections.delete, name)


@router.get("/{name}/documents")
async def list_documents(
    name: str,
    bench: Bench,
    _who: Who,
    *,
    containing: Annotated[str, Query(max_length=MAX_QUERY)] = "",
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 100,
) -> DocumentPage:
    found = await asyncio.to_thread(
        bench.collections.documents, name, containing=containing, offset=offset, limit=limit + 1
    )
    page = [_shown(info) for info in found[:limit]]
    return DocumentPage(documents=page, next=offset + limit if len(found) > limit else None)


@router.delete("/{name}/documents/{document_id}", status_code=204)
async def remove_document(name: str, document_id: str, bench: Bench, _who: Who) -> None:
    await asyncio.to_thread(bench.collections.remove, name, document_id)


@router.get("/{name}/search")
async def search_collection(
    name: str,
    q: Annotated[str, Query(max_length=MAX_QUERY)],
    bench: Bench,
    _who: Who,
    *,
    limit: Annotated[int, Query(ge=1, le=MAX_HITS)] = 10,
    folder: Annotated[tuple[str, ...], Query()] = (),
    format: Annotated[tuple[DocumentFormat, ...], Query()] = (),
    document: Annotated[tuple[str, ...], Query()] = (),
) -> Hits:
    """Several values of one parameter are alternatives."""
    if not q.strip():
        raise InvalidInput("api_search_empty")
    where = Filter(documents=document, folders=folder, formats=format)
    hits = await asyncio.to_thread(bench.collections.search, name, q, limit=limit, where=where)
    return Hits(hits=hits)


@router.get("/{name}/places/{chunk_id}")
async def show_place(name: str, chunk_id: str, bench: Bench, _who: Who) -> FoundPlace:
    place = await asyncio.to_thread(bench.collections.place, name, chunk_id)
    return FoundPlace(
        document=_shown(place.document),
        position=place.position,
        before=place.before,
        text=place.text,
        after=place.after,
    )


def _shown(info: DocumentInfo) -> IndexedDocument:
    language = current_language()
    told = tuple(warning.in_language(language) for warning in info.warnings)
    shown = IndexedDocument.model_validate(info)
    return shown.model_copy(update={"warnings": told})
