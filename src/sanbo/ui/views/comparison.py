"""Compare two documents: choose them, watch the work, read what changed; at a lasting address."""

from collections.abc import Callable

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import NotFound
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.catalog import COMPARISON
from sanbo.service.comparison import overview_of, prepare
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_run
from sanbo.ui.boundary import draw_problem, fragment, guarded
from sanbo.ui.comparison import place
from sanbo.ui.comparison.choices import draw_choosing
from sanbo.ui.comparison.collection_pair import between, names_of
from sanbo.ui.comparison.given import kept_form
from sanbo.ui.comparison.progress import draw_work
from sanbo.ui.comparison.result_view import draw_recent, draw_result
from sanbo.ui.run_actions import resume


@guarded
def comparison_page() -> None:
    connection.bench().workbench.workflow(COMPARISON)  # a problem where it is not installed
    run_id = place.run_here()
    # By this name the page knows that something else is shown, and scrolls to its top.
    shown = f"comparison-shown-{run_id or place.again_here() or 'form'}"
    with st.container(horizontal=True, vertical_alignment="center", key=shown):
        st.title(tell("ui.comparison.title"), width="stretch", anchor=False)
        if run_id:
            st.button(tell("ui.comparison.new"), icon=":material/add:", on_click=place.leave)
    if run_id:
        _draw_run(_comparison(run_id))
    else:
        st.markdown(literal(tell("ui.comparison.purpose")))
        _draw_form(place.again_here())
        draw_recent()


def _comparison(run_id: str) -> Run:
    bench = connection.bench()
    run = bench.call(bench.workbench.get(connection.caller(), run_id))
    if run.workflow != COMPARISON:
        raise NotFound("run_not_found", run_id=run_id)
    return run


def _draw_run(run: Run) -> None:
    overview = overview_of(run)
    if overview is not None:
        draw_result(run, overview)
        return
    st.markdown(f":material/compare: **{literal(between(names_of(run, None)))}**")
    if not run.status.is_final:
        draw_work(run)
        return
    if run.problem is not None:
        draw_problem(run.problem, key=run.run_id, retry=_retry(run))
    elif run.status is Status.CANCELLED:
        st.info(literal(tell("ui.comparison.cancelled")), icon=":material/cancel:")
    link_to_run(run.run_id, tell("ui.comparison.trail"), ":material/receipt_long:")
    st.subheader(tell("ui.comparison.given"), anchor=False)
    _draw_form(run.run_id)


def _draw_form(run_id: str) -> None:
    """Empty or as it was left; with `run_id`, what that comparison was given."""
    prepare()
    form = kept_form(f"comparison:{run_id or 'start'}::form", _given(run_id))
    with st.container(border=True):
        fragment(draw_choosing)(form)


def _given(run_id: str) -> JsonObject | None:
    return _comparison(run_id).input if run_id else None


def _retry(run: Run) -> Callable[[], None] | None:
    """Where there is something to go on from; what could not even be read is chosen anew."""
    is_begun = any(step.status == "succeeded" for step in run.steps)
    if run.problem is None or not run.problem.recoverable or not is_begun:
        return None
    return lambda: resume(run.run_id)
