"""All that a small index holds."""

from sanbo.documents.model import Position
from sanbo.retrieval.model import IndexedChunk

_TEXT = "検収は十日以内に行う。"
CHUNK = IndexedChunk(
    document_id="d1",
    version="v1",
    ordinal=0,
    document_name="契約書.docx",
    format="docx",
    text=_TEXT,
    position=Position(start=0, end=len(_TEXT)),
)
