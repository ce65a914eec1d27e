"""Where something stands, in words, and words of others shown letter by letter, never obeyed."""

import re
from collections.abc import Iterator

from sanbo.documents.file_formats import format_named
from sanbo.documents.model import Format, Position
from sanbo.evidence.model import Citation
from sanbo.kernel.markdown import UNSEEN, one_line, plain
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


# `[3]` in a quote must not pass for a citation of the report.
_NUMBER_MARK = re.compile(r"(?<=\[)(?=\s*\d+\s*\\?\])")
# What a page that shows a plain report as Markdown would follow or fetch.
_LINK = re.compile(r"(?<=!)(?=\[)|(?<=\])(?=[\[(:])")
_CITATION_MARK = re.compile(
    r"""
    (?<!\s)\s*+(?:
      [\[［【〔(（]\s*+[PpＰｐ]\s*+[0-9０-９]++
        (?:\s*+[,、，;・-]\s*+(?:[PpＰｐ]\s*+)?[0-9０-９]++)*+\s*+[\]］】〕)）]
      | [\[［【]\s*+[0-9０-９]{1,3}(?:\s*+[,、，;-]\s*+[0-9０-９]{1,3})*+\s*+[\]］】]
      | 【[^【】]{0,40}†[^【】]{0,40}】
    )
    """,
    re.VERBOSE,
)


def without_marks(text: str) -> str:
    """Without the citation marks that a model wrote itself."""
    return _CITATION_MARK.sub("", text).strip()


def as_markdown(text: str) -> str:
    """Nothing in it is read as Markdown: no link, image, HTML, heading, table or emphasis."""
    return _NUMBER_MARK.sub(UNSEEN, plain(text))


def as_text(text: str) -> str:
    return _NUMBER_MARK.sub(UNSEEN, _LINK.sub(UNSEEN, one_line(text)))
