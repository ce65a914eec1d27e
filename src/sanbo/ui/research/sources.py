"""The citations of a report: each with its quote, and on a click the passage that it stands in."""

from html import escape

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.service.collections import AROUND_CHARACTERS, Position, Span
from sanbo.service.research import Citation, CitationPlace, ResearchResult, citation_place
from sanbo.ui import connection
from sanbo.ui.collections.passages import passage
from sanbo.ui.collections.wording import format_name, place_of
from sanbo.ui.problem_view import draw_problem
from sanbo.ui.research import place
from sanbo.ui.research.wording import counted
from sanbo.ui.slots import slot

ANCHOR = "research-source"
"""With its number: what a mark in the report leads to."""
_CUT = '<div class="sanbo-text">⋯</div>'


def draw_sources(run_id: str, result: ResearchResult) -> None:
    """A fragment: a passage that is opened draws nothing else again."""
    st.subheader(counted("sources", len(result.citations)), anchor=False)
    if not result.citations:
        st.caption(tell("ui.research.sources.none"))
    opened = place.source_here()
    for citation in result.citations:
        _draw_source(run_id, citation, is_open=citation.id == opened)


def _draw_source(run_id: str, citation: Citation, *, is_open: bool) -> None:
    with st.container(border=True, key=f"{ANCHOR}-box-{citation.id}", gap="small"):
        around = _around(run_id, citation.id) if is_open else None
        st.html(card(citation, around))
        with slot(filled=around is not None and around.problem is not None):
            if around is not None and around.problem is not None:
                draw_problem(around.problem)
        st.button(
            tell("ui.research.sources.hide" if is_open else "ui.research.sources.show"),
            icon=":material/unfold_less:" if is_open else ":material/unfold_more:",
            key=f"source:{run_id}:{citation.id}",
            type="tertiary",
            on_click=place.toggle_source,
            args=(citation.id,),
        )


def _around(run_id: str, number: int) -> CitationPlace:
    bench = connection.bench()
    return bench.call(citation_place(bench.workbench, connection.caller(), run_id, number))


def card(citation: Citation, around: CitationPlace | None = None) -> str:
    """`around`: the passage with the quote marked in it, instead of the quote alone."""
    where = " ・ ".join(escape(fact) for fact in (_place(citation), _headings(citation)) if fact)
    held = "" if citation.verified else _caution()
    text = passage(citation.quote) if around is None else surroundings(around)
    return (
        f'<div class="sanbo-hit" id="{ANCHOR}-{citation.id}"><div class="sanbo-head">'
        f'<span class="sanbo-number">{citation.id}</span>'
        f'<span class="sanbo-name">{escape(citation.document)}</span>'
        f'<span class="sanbo-format">{escape(format_name(citation.format))}</span></div>'
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
    return f'<div class="sanbo-unsure">{escape(tell("ui.research.sources.unverified"))}</div>'
