"""The citations of a report: each with its quote, and on a click the passage that it stands in."""

import streamlit as st

from sanbo.agents.research.model import ResearchResult
from sanbo.evidence.model import Citation
from sanbo.kernel.messages import tell
from sanbo.service.citation_places import CitationPlace
from sanbo.service.research import citation_place
from sanbo.ui import connection
from sanbo.ui.problem_view import draw_problem
from sanbo.ui.research import place
from sanbo.ui.research.wording import counted
from sanbo.ui.slots import slot
from sanbo.ui.source_card import card

ANCHOR = "research-source"
"""With its number: what a mark in the report leads to."""


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
        st.html(card(citation, around, anchor=ANCHOR))
        with slot(filled=around is not None and around.problem is not None):
            if around is not None and around.problem is not None:
                draw_problem(around.problem)
        st.button(
            tell("ui.sources.hide" if is_open else "ui.sources.show"),
            icon=":material/unfold_less:" if is_open else ":material/unfold_more:",
            key=f"source:{run_id}:{citation.id}",
            type="tertiary",
            on_click=place.toggle_source,
            args=(citation.id,),
        )


def _around(run_id: str, number: int) -> CitationPlace:
    bench = connection.bench()
    return bench.call(citation_place(bench.workbench, connection.caller(), run_id, number))
