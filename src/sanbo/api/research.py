"""Research: the notes of a session, and where a citation stands.

A research itself is a run like every other: `POST /runs` starts it, its events stream it.
"""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel

from sanbo.api.dependencies import Bench, Who
from sanbo.service import research
from sanbo.service.citation_places import CitationPlace
from sanbo.service.research import Note

router = APIRouter(prefix="/research", tags=["research"])

Session = Annotated[str, Query(min_length=1, max_length=64)]
Number = Annotated[int, Path(ge=1, le=100_000)]


class NoteList(BaseModel):
    notes: list[Note]


class Deleted(BaseModel):
    deleted: int
    """How many notes there were."""


@router.get("/notes")
async def list_notes(session: Session, bench: Bench, who: Who) -> NoteList:
    return NoteList(notes=await research.notes(bench, who, session))


@router.delete("/notes/{session}")
async def delete_notes(session: str, bench: Bench, who: Who) -> Deleted:
    return Deleted(deleted=await research.delete_notes(bench, who, session))


@router.get("/{run_id}/citations/{number}")
async def show_citation(run_id: str, number: Number, bench: Bench, who: Who) -> CitationPlace:
    """Where its document is gone or was changed: the quote alone, and `problem` says why."""
    return await research.citation_place(bench, who, run_id, number)
