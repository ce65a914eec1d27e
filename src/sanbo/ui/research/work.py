"""A research at work: what was searched and decided so far, and the report as it is written."""

from datetime import UTC, datetime

import streamlit as st

from sanbo.kernel.markdown import document, literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import Run
from sanbo.service.research import steps_of
from sanbo.ui import connection
from sanbo.ui.boundary import fragment
from sanbo.ui.live_text import LiveTexts
from sanbo.ui.presentation import duration, elapsed
from sanbo.ui.research.steps_view import draw_step
from sanbo.ui.run_actions import draw_cancel
from sanbo.ui.slots import clear_rest, slot

QUICK_SECONDS, SLOW_SECONDS = 0.5, 1.0
QUICK_UNTIL = 4.0
"""After so long nobody waits for the blink of an eye, and looking takes time from the work."""
_live_texts = LiveTexts()


def draw_work(run: Run) -> None:
    """Redraws itself until the run has ended; then the whole page is drawn again."""
    every = refresh_seconds(run)
    fragment(_draw_progress, run_every=every)(run.run_id, every)


def refresh_seconds(run: Run) -> float:
    is_new = elapsed(run, datetime.now(UTC)).total_seconds() < QUICK_UNTIL
    return QUICK_SECONDS if is_new else SLOW_SECONDS


def draw_stop(run: Run) -> None:
    """Beside what redraws itself: a button that is drawn anew is hard to hit."""
    draw_cancel(run.run_id)


def _draw_progress(run_id: str, every: float) -> None:
    bench = connection.bench()
    run = bench.call(bench.workbench.get(connection.caller(), run_id))
    if run.status.is_final or refresh_seconds(run) != every:
        st.rerun()
    text = "\n".join(_live_texts.of(bench, connection.caller(), run_id).values()).strip()
    with st.container(border=True, key="research-work"):
        _draw_head(run)
        _draw_steps(run, briefly=bool(text))
    with slot(filled=bool(text)):
        if text:
            st.caption(f":material/edit_note: {literal(tell('ui.research.work.writing'))}")
            with st.container(border=True, key="research-report-live"):
                st.markdown(document(text))


def _draw_head(run: Run) -> None:
    took = duration(elapsed(run, datetime.now(UTC)).total_seconds())
    at_work = [step.title for step in run.steps if step.status == "running"]
    doing = at_work[-1] if at_work else tell("ui.research.work.beginning")
    st.markdown(
        f":blue[:material/progress_activity:] **{literal(doing)}**"
        f" &ensp; :gray[:small[{literal(took)}]]"
    )
    st.caption(literal(tell("ui.research.work.may_leave")))


def _draw_steps(run: Run, *, briefly: bool) -> None:
    """One place a step, and no fewer than before: one not drawn might be left standing."""
    bench = connection.bench()
    events = bench.call(bench.workbench.events(connection.caller(), run.run_id))
    steps = steps_of(events)
    for step in steps:
        with st.container(gap="small"):
            draw_step(step, briefly=briefly)
    clear_rest(f"research_steps:{run.run_id}", len(steps))
