"""The sources of an answer: each with its quote, and on a click the passage that it stands in."""

from collections.abc import Sequence

import streamlit as st

from sanbo.agents.grace.schemas import Source
from sanbo.kernel.messages import tell
from sanbo.service.citation_places import CitationPlace, find_place
from sanbo.ui import connection
from sanbo.ui.grace import place
from sanbo.ui.problem_view import draw_problem
from sanbo.ui.slots import slot
from sanbo.ui.source_card import card


def anchor_of(run_id: str) -> str:
    """With its number: what a mark in the answer leads to. A page shows several answers."""
    return f"grace-source-{run_id}"


def draw_sources(run_id: str, sources: Sequence[Source]) -> None:
    """A fragment: a passage that is opened draws nothing else again."""
    opened = place.source_here(run_id)
    for source in sources:
        _draw_source(run_id, source, is_open=source.id == opened)


def _draw_source(run_id: str, source: Source, *, is_open: bool) -> None:
    anchor = anchor_of(run_id)
    with st.container(border=True, key=f"{anchor}-box-{source.id}", gap="small"):
        around = _around(source) if is_open else None
        st.html(card(source, around, anchor=anchor, kind=_kind(source)))
        with slot(filled=bool(source.url)):
            if source.url:
                st.text(source.url)  # shown, and never a link: nobody here has checked it
        with slot(filled=around is not None and around.problem is not None):
            if around is not None and around.problem is not None:
                draw_problem(around.problem)
        if source.kind == "collection":
            st.button(
                tell("ui.sources.hide" if is_open else "ui.sources.show"),
                icon=":material/unfold_less:" if is_open else ":material/unfold_more:",
                key=f"source:{run_id}:{source.id}",
                type="tertiary",
                on_click=place.toggle_source,
                args=(run_id, source.id),
            )


def _around(source: Source) -> CitationPlace:
    return find_place(connection.bench().workbench.collections, source.collection, source)


def _kind(source: Source) -> str:
    return "" if source.kind == "collection" else tell(f"ui.grace.source.{source.kind}")
