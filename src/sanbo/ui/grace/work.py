"""GRACE at work: its plan as it fills in, and the answer as it is written."""

from datetime import UTC, datetime

import streamlit as st

from sanbo.agents.grace.execution import execution_of
from sanbo.agents.grace.schemas import ExecutionState
from sanbo.kernel.markdown import document, literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import Run, Status
from sanbo.ui import connection
from sanbo.ui.boundary import fragment
from sanbo.ui.grace.plan_list import plan_list
from sanbo.ui.live_text import LiveTexts
from sanbo.ui.presentation import duration, elapsed
from sanbo.ui.run_actions import draw_cancel
from sanbo.ui.slots import slot

QUICK_SECONDS, SLOW_SECONDS, WAITING_SECONDS = 0.5, 1.0, 3.0
QUICK_UNTIL = 6.0
"""After so long nobody waits for the blink of an eye, and looking takes time from the work."""
_live_texts = LiveTexts()


def draw_work(run: Run) -> None:
    """Redraws itself until the run has ended or asks; then the whole page is drawn again."""
    fragment(_draw_progress, run_every=_refresh_seconds(run))(run.run_id, _shape(run))


def draw_stop(run: Run) -> None:
    """Beside what redraws itself: a button that is drawn anew is hard to hit."""
    draw_cancel(run.run_id)


def state_of(run_id: str) -> ExecutionState:
    bench = connection.bench()
    return execution_of(bench.call(bench.workbench.events(connection.caller(), run_id)))


def _refresh_seconds(run: Run) -> float:
    if run.status is Status.WAITING:
        return WAITING_SECONDS
    is_new = elapsed(run, datetime.now(UTC)).total_seconds() < QUICK_UNTIL
    return QUICK_SECONDS if is_new else SLOW_SECONDS


def _shape(run: Run) -> tuple[object, ...]:
    """What the page is laid out by; when it changes, the whole page is drawn again."""
    ids = tuple(interaction.interaction_id for interaction in run.open_interactions)
    return _refresh_seconds(run), ids, run.status.is_final


def _draw_progress(run_id: str, shape: tuple[object, ...]) -> None:
    bench = connection.bench()
    run = bench.call(bench.workbench.get(connection.caller(), run_id))
    if _shape(run) != shape:
        st.rerun()
    state = state_of(run_id)
    text = "\n".join(_live_texts.of(bench, connection.caller(), run_id).values()).strip()
    with slot(filled=run.status is not Status.WAITING):  # then the dialog says what is wanted
        if run.status is not Status.WAITING:
            _draw_head(run, state)
    plan = plan_list(state)
    with slot(filled=bool(plan)):
        if plan:
            st.html(plan)
    with slot(filled=bool(text)):
        if text:
            st.caption(f":material/edit_note: {literal(tell('ui.grace.work.writing'))}")
            with st.container(border=True, key=f"grace-answer-live-{run_id}"):
                st.markdown(document(text))


def _draw_head(run: Run, state: ExecutionState) -> None:
    took = duration(elapsed(run, datetime.now(UTC)).total_seconds())
    doing = tell(f"ui.grace.phase.{state.phase}")
    icon = ":blue[:material/progress_activity:]"
    st.markdown(f"{icon} **{literal(doing)}** &ensp; :gray[:small[{literal(took)}]]")
