"""Tables before they are asked about: what is in them, and what can be asked."""

from fastapi import APIRouter
from pydantic import BaseModel, Field, model_validator

from sanbo.api.bodies import StrictJsonRoute
from sanbo.api.dependencies import Bench, Who
from sanbo.runs.model import FileRef, JsonObject
from sanbo.service.analysis import PreparationKind, ReadingForm, TablePreview

router = APIRouter(prefix="/analysis", tags=["analysis"], route_class=StrictJsonRoute)


class PreviewRequest(BaseModel):
    file: FileRef
    sheet: str = Field(default="", max_length=200)
    """Of a workbook; the first with a table, if left out."""
    as_written: tuple[PreparationKind, ...] = Field(default=(), max_length=20)
    """What is not made ready when the table is read."""


class ReadingRequest(BaseModel):
    columns: tuple[str, ...] = Field(default=(), max_length=2000)
    """Of the table, as its preview names them."""
    specs: tuple[JsonObject, ...] = Field(min_length=1, max_length=20)
    """Of a result."""
    step: int = Field(ge=0)
    path: tuple[str, ...] = Field(max_length=20)
    """Of one chip of its reading."""
    values: JsonObject | None = None
    """What was filled in; without it the form is asked for."""

    @model_validator(mode="after")
    def _step_is_there(self) -> "ReadingRequest":
        if self.step >= len(self.specs):
            raise ValueError("there is no such step")
        return self


@router.post("/preview")
async def preview_table(given: PreviewRequest, bench: Bench, who: Who) -> TablePreview:
    return await bench.analysis.preview(who, given.file, given.sheet, given.as_written)


@router.post("/reading")
async def change_reading(given: ReadingRequest, bench: Bench, who: Who) -> ReadingForm:
    """How a question was read, part by part: the form of a part, or the reading with it changed."""
    _ = who
    desk = bench.analysis
    return await desk.reading(given.columns, given.specs, given.step, given.path, given.values)
