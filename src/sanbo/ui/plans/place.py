"""Where a person is: in the list of plans, at one plan and one of its tabs, or at a run."""

from typing import Literal

import streamlit as st

from sanbo.ui.addresses import PLAN_PARAMETER, RUN_PARAMETER

VIEW_PARAMETER = "view"
View = Literal["run", "check", "trial", "text"]
VIEWS: tuple[View, ...] = ("run", "check", "trial", "text")


def plan_here() -> str:
    return st.query_params.get(PLAN_PARAMETER, "")


def run_here() -> str:
    return st.query_params.get(RUN_PARAMETER, "")


def view_here() -> View | None:
    """The tab that the address names, in the same word whatever the language."""
    named = st.query_params.get(VIEW_PARAMETER, "")
    return next((view for view in VIEWS if view == named), None)


def show_run(run_id: str) -> None:
    _go(**{RUN_PARAMETER: run_id})


def show_plan(plan_id: str, view: View | None = None) -> None:
    """Also a widget's callback."""
    _go(**{PLAN_PARAMETER: plan_id}, **({VIEW_PARAMETER: view} if view else {}))


def show_list() -> None:
    """A widget's callback."""
    _go()


def turn_to(view: View) -> None:
    st.query_params[VIEW_PARAMETER] = view


def _go(**wanted: str) -> None:
    for name in (PLAN_PARAMETER, RUN_PARAMETER, VIEW_PARAMETER):
        if name in wanted:
            st.query_params[name] = wanted[name]
        elif name in st.query_params:
            del st.query_params[name]
