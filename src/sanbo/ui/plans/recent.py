"""Runs of one plan, newest first."""

from datetime import UTC, datetime

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import NotFound
from sanbo.plans.progress import source_of
from sanbo.service.plans import PLAN
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_plan_run
from sanbo.ui.clock import browser_zone
from sanbo.ui.own_runs import own_runs
from sanbo.ui.presentation import duration, look_of, moment

SHOWN = 5
LOOKED_THROUGH = 60
_FILES = "plan_run_files"


def draw_recent(file: str) -> None:
    """`file`: the plan's, as its design names it."""
    runs = [run for run in own_runs(PLAN, LOOKED_THROUGH) if _file_of(run.run_id) == file][:SHOWN]
    if not runs:
        return
    st.subheader(tell("ui.plans.recent.title"), anchor=False)
    now = datetime.now(UTC)
    for run in runs:
        look = look_of(run.status)
        until = run.updated_at if run.status.is_final else now
        line = "ui.list.took" if run.status.is_final else "ui.list.since"
        started = moment(run.created_at, browser_zone(), now)
        took = duration((until - run.created_at).total_seconds())
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(look.word, icon=look.icon, color=look.colour)
            link_to_plan_run(run.run_id, literal(tell(line, started=started, elapsed=took)))


def _file_of(run_id: str) -> str:
    """That its plan was in. Read once: what a run was given never changes."""
    known: dict[str, str] = st.session_state.setdefault(_FILES, {})
    if run_id not in known:
        bench = connection.bench()
        try:
            run = bench.call(bench.workbench.get(connection.caller(), run_id))
            known[run_id] = source_of(run).plan.file
        except NotFound:  # deleted while we looked, or recorded by a later version
            return ""
    return known[run_id]
