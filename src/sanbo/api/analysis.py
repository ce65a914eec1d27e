"""Tables before they are asked about: what is in them, and what can be asked."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from sanbo.api.bodies import StrictJsonRoute
from sanbo.api.dependencies import Bench, Who
from sanbo.runs.model import FileRef
from sanbo.service.analysis import PreparationKind, TablePreview

router = APIRouter(prefix="/analysis", tags=["analysis"], route_class=StrictJsonRoute)


class PreviewRequest(BaseModel):
    file: FileRef
    sheet: str = Field(default="", max_length=200)
    """Of a workbook; the first with a table, if left out."""
    as_written: tuple[PreparationKind, ...] = Field(default=(), max_length=20)
    """What is not made ready when the table is read."""


@router.post("/preview")
async def preview_table(given: PreviewRequest, bench: Bench, who: Who) -> TablePreview:
    return await bench.analysis.preview(who, given.file, given.sheet, given.as_written)
