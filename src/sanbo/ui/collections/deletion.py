"""Removing a document and deleting a collection: asked first, because others use it, too."""

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.collections import CollectionInfo
from sanbo.ui import connection
from sanbo.ui.addresses import open_collections
from sanbo.ui.boundary import guarded
from sanbo.ui.collections.outcomes import with_page
from sanbo.ui.collections.wording import counted

_REMOVAL, _DELETION = "removal_asked", "collection_deletion_asked"


def ask_to_remove(collection: str, document_id: str, name: str) -> None:
    """The next run of the whole page asks (`draw_deletions`)."""
    st.session_state[_REMOVAL] = (collection, document_id, name)


def ask_to_delete(info: CollectionInfo) -> None:
    st.session_state[_DELETION] = info


def draw_deletions() -> None:
    if _REMOVAL in st.session_state:
        title = tell("ui.collections.remove.title")
        st.dialog(title, on_dismiss=_forget)(_ask_removal)(*st.session_state[_REMOVAL])
    elif _DELETION in st.session_state:
        title = tell("ui.collections.delete.title")
        st.dialog(title, on_dismiss=_forget)(_ask_deletion)(st.session_state[_DELETION])


@guarded
@with_page
def _ask_removal(collection: str, document_id: str, name: str) -> None:
    st.markdown(literal(tell("ui.collections.remove.question", name=name)))
    if _decided(disabled=False):
        connection.caller()
        connection.bench().workbench.collections.remove(collection, document_id)
        st.rerun()


@guarded
@with_page
def _ask_deletion(info: CollectionInfo) -> None:
    documents = counted("documents", info.documents)
    question = tell("ui.collections.delete.question", name=info.name, documents=documents)
    st.markdown(literal(question))
    understood = st.checkbox(tell("ui.collections.delete.understood"))
    if _decided(disabled=not understood):
        owner = connection.caller().owner
        connection.bench().workbench.collections.delete(info.name)
        connection.connection().jobs.dismiss(owner, info.name)
        open_collections()


def _decided(*, disabled: bool) -> bool:
    with st.container(horizontal=True):
        confirmed = st.button(
            tell("ui.delete.confirm"),
            type="primary",
            icon=":material/delete:",
            disabled=disabled,
        )
        kept = st.button(tell("ui.delete.keep"))
    if confirmed or kept:
        _forget()
    if kept:
        st.rerun()
    return confirmed


def _forget() -> None:
    for asked in (_REMOVAL, _DELETION):
        st.session_state.pop(asked, None)
