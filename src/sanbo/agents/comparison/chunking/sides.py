"""A document cut into what is compared: a heading, a paragraph, a row of a table."""

import re
from collections.abc import Iterator
from typing import Literal

from sanbo.agents.comparison.model import Chunk, Side
from sanbo.documents.model import Document, Heading, Position, Table
from sanbo.documents.structure import Rank, marker_of
from sanbo.kernel.text import matching_form

Letter = Literal["A", "B"]
_REFERENCE = re.compile(
    r"第[〇一二三四五六七八九十百千0-9０-９]+[編章節款目条項号](?:の[一二三四五六七八九十]+)*"
)


def document_side(document: Document, letter: Letter, prefix: str = "") -> Side:
    chunks: list[Chunk] = []
    above: list[tuple[int, str]] = []
    for start, end, position, kind in _pieces(document):
        text = document.text[start:end]
        if not text.strip():
            continue
        marker = marker_of(text)
        rank = 0 if kind == "heading" else int(marker.rank) if marker else int(Rank.SUBITEM) + 1
        while above and above[-1][0] >= rank and not (kind == "heading" and above[-1][0] == 0):
            above.pop()
        body = text[len(marker.label) :] if marker else text
        chunk = Chunk(
            id=f"{prefix}{letter}{len(chunks) + 1}",
            text=text,
            key=_REFERENCE.sub("第#", matching_form(body)),
            kind=kind,
            label=marker.label if marker else "",
            parent=above[-1][1] if above else None,
            position=position.model_copy(update={"start": start, "end": end}),
        )
        chunks.append(chunk)
        above.append((rank, chunk.id))
    return Side(
        name=document.name,
        format=document.format,
        text=document.text,
        chunks=tuple(chunks),
        pages=document.pages,
        warnings=document.warnings,
    )


def _pieces(
    document: Document,
) -> Iterator[tuple[int, int, Position, Literal["heading", "paragraph", "row", "metadata"]]]:
    for block in document.blocks:
        position = block.position
        if isinstance(block, Table):
            starts = (position.start, *block.row_starts)
            ends = (*(start - 1 for start in starts[1:]), position.end)
            for start, end in zip(starts, ends, strict=True):
                yield start, end, position, "row"
        elif isinstance(block, Heading):
            yield position.start, position.end, position, "heading"
        else:
            kind = "metadata" if block.role == "metadata" else "paragraph"
            yield position.start, position.end, position, kind
