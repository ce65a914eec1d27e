"""Where a person is: in a conversation, perhaps with a source open, and where the next looks."""

import re

import streamlit as st

from sanbo.kernel.problems import NotFound
from sanbo.ui.addresses import COLLECTION_PARAMETER, CONVERSATION_PARAMETER

SOURCE_PARAMETER = "source"
"""Names the run and the number of the source whose passage is shown."""
_ID = re.compile(r"[A-Za-z0-9_\-]{1,100}")
_SOURCE = re.compile(r"([A-Za-z0-9_\-]{1,100})\.([0-9]{1,5})")


def conversation_here() -> str:
    named = st.query_params.get(CONVERSATION_PARAMETER, "")
    if named and not _ID.fullmatch(named):
        raise NotFound("conversation_not_found", conversation_id=named[:80])
    return named


def show_conversation(conversation_id: str) -> None:
    if st.query_params.get(CONVERSATION_PARAMETER) != conversation_id:
        st.query_params[CONVERSATION_PARAMETER] = conversation_id


def leave() -> None:
    """A widget's callback: to begin anew."""
    for name in (CONVERSATION_PARAMETER, SOURCE_PARAMETER):
        if name in st.query_params:
            del st.query_params[name]


def collection_here() -> str:
    """That a link, or the choice before a reload, asks to look in."""
    return st.query_params.get(COLLECTION_PARAMETER, "")


def choose_collection(name: str) -> None:
    if name:
        st.query_params[COLLECTION_PARAMETER] = name
    elif COLLECTION_PARAMETER in st.query_params:
        del st.query_params[COLLECTION_PARAMETER]


def source_here(run_id: str) -> int:
    """The number of this run's source that is open; 0 for none."""
    named = _SOURCE.fullmatch(st.query_params.get(SOURCE_PARAMETER, ""))
    return int(named[2]) if named is not None and named[1] == run_id else 0


def toggle_source(run_id: str, number: int) -> None:
    """A widget's callback: opens the passage of a source, or closes it."""
    if source_here(run_id) == number:
        del st.query_params[SOURCE_PARAMETER]
    else:
        st.query_params[SOURCE_PARAMETER] = f"{run_id}.{number}"
