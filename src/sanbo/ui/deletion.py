"""Deleting a run: asked first, because it can't be undone."""

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.ui import connection
from sanbo.ui.addresses import open_list
from sanbo.ui.boundary import guarded

_ASKED = "delete_asked"


def ask_to_delete(run_id: str, title: str) -> None:
    """The next run of the whole page asks (`draw_deletion`)."""
    st.session_state[_ASKED] = (run_id, title)


def draw_deletion() -> None:
    """Drawn by the shell, so that every page can ask."""
    if _ASKED in st.session_state:
        run_id, title = st.session_state[_ASKED]
        st.dialog(tell("ui.delete.title"), on_dismiss=_forget)(_question)(run_id, title)


@guarded
def _question(run_id: str, title: str) -> None:
    st.markdown(literal(tell("ui.delete.question", title=title)))
    st.caption(literal(run_id))
    with st.container(horizontal=True):
        if st.button(tell("ui.delete.confirm"), type="primary", icon=":material/delete:"):
            bench = connection.bench()
            _forget()
            bench.call(bench.workbench.delete(connection.caller(), run_id))
            open_list()
        if st.button(tell("ui.delete.keep")):
            _forget()
            st.rerun()


def _forget() -> None:
    st.session_state.pop(_ASKED, None)
