"""Research a question in a collection: ask, watch, read the report; at a lasting address."""

from collections.abc import Callable

import streamlit as st

from sanbo.kernel.markdown import literal, paragraphs
from sanbo.kernel.messages import tell
from sanbo.runs.model import Run, Status
from sanbo.service.catalog import RESEARCH
from sanbo.service.research import research_run, result_of
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_run
from sanbo.ui.boundary import draw_problem, fragment, guarded
from sanbo.ui.presentation import asked_in
from sanbo.ui.research import place
from sanbo.ui.research.question import draw_asking
from sanbo.ui.research.recent import draw_recent, draw_session
from sanbo.ui.research.report_view import draw_report
from sanbo.ui.research.work import draw_stop, draw_work
from sanbo.ui.run_actions import resume

NEW_PAGE = "/research"
"""The page that is served beside this workbench."""


@guarded
def research_page() -> None:
    connection.bench().workbench.workflow(RESEARCH)  # a problem where it is not installed
    run_id = place.run_here()
    # By this name the page knows that something else is shown, and scrolls to its top.
    with st.container(
        horizontal=True, vertical_alignment="center", key=f"research-shown-{run_id or 'form'}"
    ):
        st.title(tell("ui.research.title"), width="stretch", anchor=False)
        if run_id:
            st.button(tell("ui.research.new"), icon=":material/add:", on_click=place.leave)
        st.link_button(
            tell("ui.research.new_page"), NEW_PAGE, icon=":material/open_in_new:", type="tertiary"
        )
    if run_id:
        bench = connection.bench()
        _draw_run(bench.call(research_run(bench.workbench, connection.caller(), run_id)))
    else:
        _draw_start()


def _draw_start() -> None:
    st.markdown(literal(tell("ui.research.purpose")))
    if named := place.collection_here():
        connection.bench().workbench.collections.info(named)  # a link that leads nowhere
    with st.container(border=True):
        fragment(draw_asking)()
    draw_recent()


def _draw_run(run: Run) -> None:
    st.markdown(f"**{paragraphs(asked_in(run.input))}**")
    collection = literal(str(run.input.get("collection", "")))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f":material/library_books: {collection}", width="stretch")
        if not run.status.is_final:
            draw_stop(run)
    if not run.status.is_final:
        draw_work(run)
        return
    if run.result is not None:
        draw_report(run, result_of(run))
    else:
        _draw_failure(run)
    draw_session(run)
    kind = "again" if run.result is None else "further"
    st.subheader(tell(f"ui.research.ask.{kind}"), anchor=False)
    with st.container(border=True):
        fragment(draw_asking)(run)


def _draw_failure(run: Run) -> None:
    if run.problem is not None:
        retry = _retry(run) if run.problem.recoverable else None
        draw_problem(run.problem, key=run.run_id, retry=retry)
    elif run.status is Status.CANCELLED:
        st.info(literal(tell("ui.research.cancelled")), icon=":material/cancel:")
    link_to_run(run.run_id, tell("ui.research.trail"), ":material/receipt_long:")


def _retry(run: Run) -> Callable[[], None]:
    return lambda: resume(run.run_id)
