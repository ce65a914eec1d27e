"""The list of collections, and making a new one."""

from datetime import UTC, datetime

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.collections import CollectionInfo
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_collection
from sanbo.ui.boundary import fragment, guarded
from sanbo.ui.collections.adding import draw_new_collection, new_collection_form
from sanbo.ui.collections.documents import NAMED
from sanbo.ui.collections.searching import BOUND
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
