"""One collection, at an address that stays: search it, look through it, add to it, delete it."""

from datetime import UTC, datetime

import streamlit as st

from sanbo.kernel.messages import LANGUAGES, tell
from sanbo.service.collections import CollectionInfo
from sanbo.ui import connection
from sanbo.ui.addresses import COLLECTION_PARAMETER, link_to_collections, open_collections
from sanbo.ui.boundary import fragment, guarded
from sanbo.ui.collections.adding import draw_addition
from sanbo.ui.collections.deletion import ask_to_delete, draw_deletions
from sanbo.ui.collections.documents import draw_documents
from sanbo.ui.collections.outcomes import draw_job
from sanbo.ui.collections.searching import draw_search
from sanbo.ui.collections.wording import counts_of
from sanbo.ui.safe_markdown import plain

VIEW = "view"
_TABS = ("search", "documents", "add")


@guarded
def collection_page() -> None:
    name = st.query_params.get(COLLECTION_PARAMETER, "")
    if not name:
        open_collections()
    owner = connection.caller().owner
    link_to_collections()
    info = connection.bench().workbench.collections.info(name)
    draw_deletions()
    st.title(plain(info.name), anchor=False)
    st.caption(plain(counts_of(info, datetime.now(UTC))))
    job = connection.connection().jobs.of(owner, info.name)
    if job is not None:
        draw_job(job)
    search, documents, add = st.tabs(_tab_labels(), key=VIEW, bind="query-params")
    with search:
        # Drawn also while another tab is open: its words stay in the address.
        if info.documents or st.query_params.get("q"):
            fragment(draw_search)(info)
        elif job is None or job.is_done:
            st.info(tell("ui.collections.empty"), icon=":material/inbox:")
    with documents:
        if documents.open:
            fragment(draw_documents)(info)
            st.button(
                tell("ui.collections.delete.button"),
                icon=":material/delete:",
                type="tertiary",
                on_click=ask_to_delete,
                args=(info,),
            )
    with add:
        if add.open:
            _draw_add(info, is_busy=job is not None and not job.is_done)


def _tab_labels() -> list[str]:
    labels = [tell(f"ui.collections.tab.{name}") for name in _TABS]
    # The address holds a tab's word; in another language it is another word.
    positions = {
        tell(f"ui.collections.tab.{name}", language): position
        for position, name in enumerate(_TABS)
        for language in LANGUAGES
    }
    held = st.session_state.get(VIEW, st.query_params.get(VIEW))
    if held in positions and held not in labels:
        st.session_state[VIEW] = labels[positions[held]]
    return labels


def _draw_add(info: CollectionInfo, *, is_busy: bool) -> None:
    if is_busy:
        st.info(tell("ui.collections.busy"), icon=":material/hourglass_top:")
        return
    with st.container(border=True):
        fragment(draw_addition)(info.name)
