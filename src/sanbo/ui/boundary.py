"""The edge of every page and fragment: whatever goes wrong inside is shown as a problem."""

import functools
import logging
import secrets
from collections.abc import Callable
from typing import ParamSpec

import streamlit as st

from sanbo.kernel.problems import Problem, SanboError, Unexpected
from sanbo.ui import connection
from sanbo.ui.problem_view import draw_problem

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
