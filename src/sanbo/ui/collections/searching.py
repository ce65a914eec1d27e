"""Searching a collection: words, filters and hits, all in the address."""

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.collections import CollectionInfo, Filter, Hit
from sanbo.ui import connection
from sanbo.ui.collections.hits import draw_hit
from sanbo.ui.collections.wording import FORMATS_BY_NAME, counted

# Widgets that are bound to the address: their keys are its parameters.
QUERY, FOLDER, FORMATS = "q", "folder", "format"
OPEN_PLACE, SHOWN = "at", "hits"
BOUND = (QUERY, FOLDER, FORMATS)

AT_ONCE = 10
MOST_HITS = 100
LONGEST_QUERY = 500
LONGEST_NUMBER = 7
DOCUMENTS_FOR_FOLDERS = 1_000


def draw_search(info: CollectionInfo) -> None:
    query = st.text_input(
        tell("ui.collections.query"),
        key=QUERY,
        bind="query-params",
        type="search",
        icon=":material/search:",
        placeholder=tell("ui.collections.query_example"),
        max_chars=LONGEST_QUERY,
        on_change=_begin_anew,
    )
    where = _filters(info)
    if not query or not query.strip():
        st.caption(tell("ui.collections.query_help"))
        return
    shown = _shown()
    found = connection.bench().workbench.collections.search(
        info.name, query, limit=min(shown + 1, MOST_HITS), where=where
    )
    _draw_hits(info.name, found, shown, is_narrowed=where != Filter())


def _filters(info: CollectionInfo) -> Filter:
    active = any(st.session_state.get(key) or key in st.query_params for key in (FOLDER, FORMATS))
    with (
        st.expander(tell("ui.collections.filters"), icon=":material/filter_alt:", expanded=active),
        st.container(horizontal=True),
    ):
        folder = st.selectbox(
            tell("ui.collections.folder"),
            _folders(info),
            index=None,
            key=FOLDER,
            bind="query-params",
            accept_new_options=True,
            placeholder=tell("ui.list.all"),
            on_change=_begin_anew,
        )
        formats = st.multiselect(
            tell("ui.collections.format"),
            list(FORMATS_BY_NAME),
            key=FORMATS,
            bind="query-params",
            select_all=False,
            placeholder=tell("ui.list.all"),
            on_change=_begin_anew,
        )
    return Filter(
        folders=(folder.strip("/ "),) if folder and folder.strip("/ ") else (),
        formats=tuple(FORMATS_BY_NAME[name] for name in formats if name in FORMATS_BY_NAME),
    )


def _folders(info: CollectionInfo) -> list[str]:
    """Of the first documents; in a large collection a folder can still be typed."""
    key = f"folders::{info.name}"
    kept = st.session_state.get(key)
    if kept is None or kept[0] != info.updated_at:
        documents = connection.bench().workbench.collections.documents(
            info.name, limit=DOCUMENTS_FOR_FOLDERS
        )
        parts = (document.name.split("/")[:-1] for document in documents)
        folders = {"/".join(names[: depth + 1]) for names in parts for depth in range(len(names))}
        kept = st.session_state[key] = (info.updated_at, sorted(folders))
    return kept[1]


def _draw_hits(collection: str, found: list[Hit], shown: int, *, is_narrowed: bool) -> None:
    if not found:
        told = "ui.collections.none_narrowed" if is_narrowed else "ui.collections.none_found"
        st.info(tell(told), icon=":material/search_off:")
        return
    hits = found[:shown]
    if len(found) > shown:
        st.caption(literal(tell("ui.collections.found_best", count=len(hits))))
    else:
        st.caption(literal(counted("found", len(hits))))
    opened = st.query_params.get(OPEN_PLACE)
    for hit in hits:
        draw_hit(
            collection,
            hit,
            best=hits[0].score,
            is_open=hit.chunk_id == opened,
            toggle=_toggle_place,
        )
    if len(found) > shown:
        st.button(
            tell("ui.collections.more"),
            icon=":material/expand_more:",
            on_click=_show_more,
            args=(shown,),
        )


def _shown() -> int:
    asked = st.query_params.get(SHOWN, "")
    is_number = asked.isascii() and asked.isdigit() and len(asked) < LONGEST_NUMBER
    return max(AT_ONCE, min(int(asked), MOST_HITS)) if is_number else AT_ONCE


# ---- callbacks ----


def _show_more(shown: int) -> None:
    st.query_params[SHOWN] = str(min(shown + AT_ONCE, MOST_HITS))


def _toggle_place(chunk_id: str) -> None:
    if st.query_params.get(OPEN_PLACE) == chunk_id:
        del st.query_params[OPEN_PLACE]
    else:
        st.query_params[OPEN_PLACE] = chunk_id


def _begin_anew() -> None:
    """Another search: what was open and how many were shown belonged to the last."""
    for parameter in (OPEN_PLACE, SHOWN):
        if parameter in st.query_params:
            del st.query_params[parameter]
