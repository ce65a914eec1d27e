"""Where something stands, in words: document, page, sheet, row, heading."""

from collections.abc import Iterator

from sanbo.documents.file_formats import format_named
from sanbo.documents.model import Format, Position
from sanbo.evidence.model import Citation
from sanbo.kernel.messages import Language, tell

LONGEST_NAME = 200
LONGEST_HEADING = 80
SHOWN_HEADINGS = 2


def cited_place(citation: Citation, language: Language) -> str:
    place = Position(
        start=citation.start,
        end=citation.end,
        page=citation.page,
        sheet=citation.sheet,
        row=citation.row,
        headings=citation.headings,
    )
    return _told(citation.document, citation.format, place, language)


def _told(document: str, format: Format, place: Position, language: Language) -> str:
    name = document[:LONGEST_NAME]
    where = list(_where(format, place, language))
    if not where:
        return name
    told = tell("evidence.place.between", language).join(where)
    return tell("evidence.place.with", language, document=name, where=told)


def _where(format: Format, place: Position, language: Language) -> Iterator[str]:
    if place.page is not None:
        kind = format_named(format).page_word
        yield tell(f"evidence.place.{kind}", language, page=place.page)
    if place.sheet is not None:
        yield tell("evidence.place.sheet", language, sheet=place.sheet)
    if place.row is not None:
        yield tell("evidence.place.row", language, row=place.row)
    if place.headings:
        between = tell("evidence.place.headings", language)
        last = place.headings[-SHOWN_HEADINGS:]
        yield between.join(heading[:LONGEST_HEADING] for heading in last)
