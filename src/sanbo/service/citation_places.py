"""Where a citation stands in its document, as the collection holds that document now."""

from collections.abc import Iterator
from itertools import chain

from sanbo.documents.model import Position
from sanbo.evidence.model import Citation
from sanbo.kernel.problems import NotFound, Problem
from sanbo.retrieval.kept_texts import KeptDocument
from sanbo.retrieval.model import Frozen
from sanbo.service.collections import AROUND_CHARACTERS, Collections


class CitationPlace(Frozen):
    """A passage with the quote in it, and what comes before and after it."""

    citation: Citation
    position: Position | None
    """Of the passage; None where the document is not there any more."""
    before: str = ""
    text: str
    after: str = ""
    start: int
    end: int
    """Of the quote, within `text`."""
    problem: Problem | None = None
    """Why only the quote itself can be shown."""


def find_place(collections: Collections, collection: str, citation: Citation) -> CitationPlace:
    """The quote in its passage; the quote alone, with the reason, where that is gone."""
    try:
        opened = collections.library.open(collection)
        if not opened.keeps_texts:
            elsewhere = NotFound("citation_document_elsewhere", collection=collection)
            return quote_alone(citation, elsewhere.problem)
        kept = opened.read(citation.document_id)
    except NotFound:
        gone = NotFound("citation_document_gone", document=citation.document, collection=collection)
        return quote_alone(citation, gone.problem)
    start = _start(kept.document.text, citation)
    if start is None:
        changed = NotFound("citation_document_changed", document=citation.document)
        return quote_alone(citation, changed.problem)
    return _in_passage(kept, citation, start)


def _start(text: str, citation: Citation) -> int | None:
    """Where the quote begins now: a document that was read again may have moved it."""
    if not citation.quote:
        return None
    if text.startswith(citation.quote, citation.start):
        return citation.start
    before = text.rfind(citation.quote, 0, max(0, citation.start))
    after = text.find(citation.quote, max(0, citation.start))
    found = [place for place in (before, after) if place >= 0]
    return min(found, key=lambda place: abs(place - citation.start), default=None)


def _in_passage(kept: KeptDocument, citation: Citation, start: int) -> CitationPlace:
    end = start + len(citation.quote)
    text = kept.document.text
    position = _passage(kept, citation, start, end)
    # A quote may reach over the end of its passage: then the passage is shown as far as it does.
    first, last = min(position.start, start), max(position.end, end)
    begin, stop = kept.page_around(position, AROUND_CHARACTERS)
    return CitationPlace(
        citation=citation,
        position=position,
        before=text[min(begin, first) : first],
        text=text[first:last],
        after=text[last : max(stop, last)],
        start=start - first,
        end=end - first,
    )


def _passage(kept: KeptDocument, citation: Citation, start: int, end: int) -> Position:
    """The one that was cited, if the quote is still in it, or else the one it is in now."""
    for position in chain(_cited(kept, citation), (cut.position for cut in kept.cuts)):
        if position.start <= start < position.end:
            return position
    return Position(start=start, end=end, page=citation.page, sheet=citation.sheet)


def _cited(kept: KeptDocument, citation: Citation) -> Iterator[Position]:
    ordinal = citation.chunk_id.rpartition(".")[2]
    try:
        yield kept.chunk(ordinal).position
    except NotFound:  # read again since, into fewer passages
        return


def quote_alone(citation: Citation, problem: Problem) -> CitationPlace:
    """Where there is nothing to show around it, and why."""
    return CitationPlace(
        citation=citation,
        position=None,
        text=citation.quote,
        start=0,
        end=len(citation.quote),
        problem=problem,
    )
