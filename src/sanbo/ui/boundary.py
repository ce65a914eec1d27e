"""The boundary around pages: whatever goes wrong inside is drawn as a problem."""

import functools
import logging
import secrets
from collections.abc import Callable
from typing import ParamSpec

import streamlit as st

from sanbo.kernel.markdown import paragraphs
from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.problems import Problem, SanboError, Unexpected
from sanbo.ui import connection


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


logger = logging.getLogger(__name__)
P = ParamSpec("P")


def guarded(draw: Callable[P, None]) -> Callable[P, None]:
    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            connection.speak()
            draw(*args, **kwargs)
        except SanboError as error:
            draw_problem(error.problem)
        except Exception as error:  # noqa: BLE001 - logged, and shown as what it is: our defect
            draw_problem(unexpected(error))

    return drawn


def fragment(draw: Callable[P, None], *, run_every: float | None = None) -> Callable[P, None]:
    """A part of a page that is redrawn by itself, on a clock or by its own widgets."""
    return st.fragment(guarded(draw), run_every=run_every)


def unexpected(error: Exception) -> Problem:
    """A defect of ours: the log has the traceback, the page the reference to find it by."""
    reference = f"ui-{secrets.token_hex(4)}"
    logger.error("page failed (%s)", reference, exc_info=error)
    return Unexpected("unexpected", kind=type(error).__name__, reference=reference).problem


def draw_last_resort(error: Exception) -> bool:
    """For what a widget's callback raises: Streamlit calls this instead of showing a traceback."""
    connection.speak()
    draw_problem(error.problem if isinstance(error, SanboError) else unexpected(error))
    return True
