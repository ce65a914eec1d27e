"""The list of collections, making a new one, and one collection at an address that stays."""

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st
from streamlit.elements.lib.mutable_tab_container import TabContainer

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.collections import CollectionInfo
from sanbo.ui import connection
from sanbo.ui.addresses import COLLECTION_PARAMETER, link_to_collection, link_to_collections
from sanbo.ui.boundary import fragment, guarded
from sanbo.ui.collections.adding import draw_addition, draw_new_collection, new_collection_form
from sanbo.ui.collections.deletion import ask_to_delete, draw_deletions
from sanbo.ui.collections.documents import NAMED, draw_documents
from sanbo.ui.collections.outcomes import draw_choice, draw_job, present, with_page
from sanbo.ui.collections.searching import BOUND, draw_search
from sanbo.ui.collections.wording import counts_of


@guarded
def collections_page() -> None:
    for key in (*BOUND, NAMED):  # of the collection that was left
        st.session_state.pop(key, None)
    st.title(tell("ui.collections.title"), anchor=False)
    st.caption(tell("ui.collections.shared"))
    connection.caller()
    collections = connection.bench().workbench.collections.all()
    if not collections:
        st.info(tell("ui.collections.none"), icon=":material/library_books:")
    form = new_collection_form()
    # What was begun is not hidden, neither after a reload nor when it was refused.
    is_begun = any(form.state.values.values()) or form.problem is not None
    with st.expander(
        tell("ui.collections.new"),
        icon=":material/create_new_folder:",
        expanded=is_begun or not collections,
    ):
        fragment(draw_new_collection)()
    for info in collections:
        _draw_line(info)


def _draw_line(info: CollectionInfo) -> None:
    with st.container(border=True, gap=None):
        link_to_collection(info.name, f"**{literal(info.name)}**", icon=":material/library_books:")
        st.caption(literal(counts_of(info, datetime.now(UTC))))


VIEW = "view"
_TAB = "collection_tab"
_TABS = ("search", "documents", "add")


@guarded
def collection_page() -> None:
    asked = st.query_params.get(COLLECTION_PARAMETER, "")
    owner = connection.caller().owner
    link_to_collections()
    if not asked:
        draw_choice()
        return
    name = connection.bench().workbench.collections.checked_name(asked)
    job = connection.connection().jobs.of(owner, name)
    is_busy = job is not None and not job.is_done
    info = present(name, job)
    if info is None:
        return
    draw_deletions()
    st.title(literal(info.name), anchor=False)
    st.caption(literal(counts_of(info, datetime.now(UTC))))
    if job is not None:
        draw_job(job, is_done=not is_busy)
    search, documents, add = _tabs()
    with search:
        # Drawn also while another tab is open: its words stay in the address.
        if info.documents or st.query_params.get("q"):
            fragment(with_page(draw_search))(info)
        elif not is_busy:
            st.info(tell("ui.collections.empty"), icon=":material/inbox:")
    with documents:
        if documents.open:
            fragment(with_page(draw_documents))(info)
            st.button(
                tell("ui.collections.delete.button"),
                icon=":material/delete:",
                type="tertiary",
                on_click=ask_to_delete,
                args=(info,),
            )
    with add:
        if add.open:
            _draw_add(info, is_busy=is_busy)


def _tabs() -> Sequence[TabContainer]:
    """The address names the open one, in the same word whatever the language."""
    labels = [tell(f"ui.collections.tab.{name}") for name in _TABS]
    named = st.query_params.get(VIEW, "")
    is_open = labels[_TABS.index(named) if named in _TABS else 0]
    if st.session_state.get(_TAB) != is_open:
        st.session_state[_TAB] = is_open
    return st.tabs(labels, key=_TAB, on_change=_turn, args=(labels,))


def _turn(labels: list[str]) -> None:
    st.query_params[VIEW] = _TABS[labels.index(st.session_state[_TAB])]


def _draw_add(info: CollectionInfo, *, is_busy: bool) -> None:
    if is_busy:
        st.info(tell("ui.collections.busy"), icon=":material/hourglass_top:")
        return
    with st.container(border=True):
        fragment(draw_addition)(info.name)
