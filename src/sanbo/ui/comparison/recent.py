"""Earlier comparisons, newest first, with what came out."""

from datetime import UTC, datetime

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import Run, Status
from sanbo.service.catalog import COMPARISON
from sanbo.service.comparison import Overview, overview_of
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_comparison
from sanbo.ui.clock import browser_zone
from sanbo.ui.comparison.names import between, names_of
from sanbo.ui.comparison.outcome import kind_pills, outcome_is
from sanbo.ui.own_runs import own_runs
from sanbo.ui.presentation import look_of, moment

SHOWN = 5
LONGEST = 100


def draw_recent() -> None:
    runs = recent_runs()
    if not runs:
        return
    st.subheader(tell("ui.comparison.recent.title"), anchor=False)
    now = datetime.now(UTC)
    for run in runs:
        overview = overview_of(run)
        with st.container(border=True, gap=None):
            name = between(names_of(run, overview))
            shown = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
            link_to_comparison(run.run_id, f"**{literal(shown)}**", ":material/compare:")
            when = literal(moment(run.created_at, browser_zone(), now))
            st.markdown(f":gray[:small[{when}]] &ensp; {_came_to(run, overview)}")


def recent_runs() -> list[Run]:
    bench = connection.bench()
    listed = own_runs(COMPARISON, 4 * SHOWN)[:SHOWN]
    return [bench.call(bench.workbench.get(connection.caller(), one.run_id)) for one in listed]


def _came_to(run: Run, overview: Overview | None) -> str:
    if run.status is not Status.SUCCEEDED or overview is None:
        look = look_of(run.status)
        return f":{look.colour}-badge[{literal(look.word)}]"
    if outcome_is(overview, "identical"):
        return f":green-badge[{literal(tell('ui.comparison.recent.none_changed'))}]"
    return kind_pills(overview.summary.counts, without=("unchanged",))
