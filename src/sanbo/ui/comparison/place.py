"""Where a person is: at a comparison, or at the form for one, which may start from another."""

import streamlit as st

from sanbo.ui.addresses import RUN_PARAMETER

AGAIN_PARAMETER = "again"
"""Names the comparison whose documents the form starts with."""


def run_here() -> str:
    return st.query_params.get(RUN_PARAMETER, "")


def again_here() -> str:
    return st.query_params.get(AGAIN_PARAMETER, "")


def show_run(run_id: str) -> None:
    _go(RUN_PARAMETER, run_id)


def compare_again(run_id: str) -> None:
    """A widget's callback: to the form, with what this comparison was given."""
    _go(AGAIN_PARAMETER, run_id)


def leave() -> None:
    """A widget's callback: to the form as it was left."""
    _go("", "")


def _go(parameter: str, run_id: str) -> None:
    for name in (RUN_PARAMETER, AGAIN_PARAMETER):
        if name == parameter:
            st.query_params[name] = run_id
        elif name in st.query_params:
            del st.query_params[name]
