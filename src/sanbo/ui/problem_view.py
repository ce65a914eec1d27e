"""A problem on the page: what happened, what to do, the details, and a way to try again."""

from collections.abc import Callable

import streamlit as st

from sanbo.kernel.markdown import paragraphs
from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.problems import Problem


def draw_problem(
    problem: Problem, *, key: str = "", retry: Callable[[], None] | None = None
) -> None:
    """`retry`: what the button does; there is none where trying again can't help."""
    told = problem.in_language(current_language())
    st.error(paragraphs(told.message), icon=":material/error:")
    if told.hint:
        st.info(paragraphs(told.hint), icon=":material/lightbulb:")
    if retry is not None:
        st.button(
            tell("ui.problem.retry"),
            icon=":material/refresh:",
            key=f"retry:{key}",
            on_click=retry,
            type="primary",
        )
    with st.expander(tell("ui.problem.details")):
        shown: dict[str, object] = {"code": told.code.value}
        if told.details:
            shown["details"] = told.details
        if told.input_snapshot:
            shown["input_snapshot"] = told.input_snapshot
        st.json(shown, expanded=2)
