"""A source as a card, and the marks of an answer as links to it."""

import re
from collections.abc import Collection
from html import escape

from sanbo.evidence.model import Citation
from sanbo.kernel.messages import tell
from sanbo.service.citation_places import CitationPlace
from sanbo.service.collections import AROUND_CHARACTERS, Position, Span
from sanbo.ui.collections.hits import passage
from sanbo.ui.collections.wording import format_name, place_of

_CUT = '<div class="sanbo-text">⋯</div>'


def card(
    citation: Citation, around: CitationPlace | None = None, *, anchor: str, kind: str = ""
) -> str:
    """`around`: the passage with the quote marked in it. `kind`: instead of the file's format.

    A mark `[2]` leads to `#{anchor}-2`.
    """
    where = " ・ ".join(escape(fact) for fact in (_place(citation), _headings(citation)) if fact)
    held = "" if citation.verified else _caution()
    text = passage(citation.quote) if around is None else surroundings(around)
    return (
        f'<div class="sanbo-hit" id="{escape(anchor)}-{citation.id}"><div class="sanbo-head">'
        f'<span class="sanbo-number">{citation.id}</span>'
        f'<span class="sanbo-name">{escape(citation.document)}</span>'
        f'<span class="sanbo-format">{escape(kind or format_name(citation.format))}</span></div>'
        f'<div class="sanbo-place">{where}</div>{held}'
        f'<div class="sanbo-passage">{text}</div></div>'
    )


def surroundings(around: CitationPlace) -> str:
    """The page around the passage; what comes before it is scrolled to its end."""
    before, after = passage(around.before), passage(around.after)
    if len(around.before) >= AROUND_CHARACTERS:
        before = f"{_CUT}{before}"
    if len(around.after) >= AROUND_CHARACTERS:
        after = f"{after}{_CUT}"
    quote = [Span(start=around.start, end=around.end)]
    return (
        f'<div class="sanbo-before"><div>{before}</div></div>'
        f'<div class="sanbo-here">{passage(around.text, quote)}</div>'
        f'<div class="sanbo-after">{after}</div>'
    )


def _place(citation: Citation) -> str:
    position = Position(
        start=citation.start,
        end=citation.end,
        page=citation.page,
        sheet=citation.sheet,
        row=citation.row,
    )
    return place_of(position, citation.format)


def _headings(citation: Citation) -> str:
    return " › ".join(citation.headings)


def _caution() -> str:
    return f'<div class="sanbo-unsure">{escape(tell("ui.sources.unverified"))}</div>'


# Not what was escaped because a document says it, nor what is a link already.
_MARK = re.compile(r"(?<![\\!])\[(\d{1,4})\](?![(:])")


def linked(text: str, numbers: Collection[int], anchor: str) -> str:
    """Markdown in which every mark of a known source leads to `#{anchor}-{number}`."""

    def link(found: re.Match[str]) -> str:
        number = int(found[1])
        return f"[\\[{number}\\]](#{anchor}-{number})" if number in numbers else found[0]

    return _MARK.sub(link, text)
