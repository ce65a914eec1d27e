"""Where a person is: at a research, perhaps with a source open, or at the form for a new one."""

import streamlit as st

from sanbo.ui.addresses import COLLECTION_PARAMETER, RUN_PARAMETER

SOURCE_PARAMETER = "source"
"""Names the citation whose passage is shown."""
LONGEST_NUMBER = 6


def run_here() -> str:
    return st.query_params.get(RUN_PARAMETER, "")


def collection_here() -> str:
    """That a link asks to look in."""
    return st.query_params.get(COLLECTION_PARAMETER, "")


def source_here() -> int:
    """The number of the citation that is open; 0 for none."""
    named = st.query_params.get(SOURCE_PARAMETER, "")
    is_number = named.isascii() and named.isdigit() and len(named) < LONGEST_NUMBER
    return int(named) if is_number else 0


def show_run(run_id: str) -> None:
    leave()
    st.query_params[RUN_PARAMETER] = run_id


def leave() -> None:
    """A widget's callback: to the form as it was left."""
    for name in (RUN_PARAMETER, SOURCE_PARAMETER, COLLECTION_PARAMETER):
        if name in st.query_params:
            del st.query_params[name]


def toggle_source(number: int) -> None:
    """A widget's callback: opens the passage of a citation, or closes it."""
    if source_here() == number:
        del st.query_params[SOURCE_PARAMETER]
    else:
        st.query_params[SOURCE_PARAMETER] = str(number)
