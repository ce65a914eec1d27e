"""Earlier researches, newest first; and the other questions of one session."""

from datetime import UTC, datetime

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import Run, Status
from sanbo.service.catalog import RESEARCH
from sanbo.service.research import result_of
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_research
from sanbo.ui.conversations import own_runs
from sanbo.ui.presentation import asked_in, browser_zone, look_of, moment
from sanbo.ui.research.work import counted

SHOWN = 8
OF_A_SESSION = 20
LONGEST = 100
_ICON = ":material/travel_explore:"


def draw_recent() -> None:
    runs = _runs(SHOWN)
    if not runs:
        return
    st.subheader(tell("ui.research.recent.title"), anchor=False)
    for run in runs:
        _draw_line(run)


def draw_session(here: Run) -> None:
    """What else was asked in the session of a research, in the order of asking."""
    others = [
        run
        for run in reversed(_runs(OF_A_SESSION, here.conversation_id))
        if run.run_id != here.run_id
    ]
    if not others:
        return
    with st.expander(counted("others", len(others)), icon=":material/forum:"):
        for run in others:
            _draw_line(run)


def _runs(most: int, session: str | None = None) -> list[Run]:
    bench = connection.bench()
    listed = own_runs(RESEARCH, 4 * most, session)[:most]
    return [bench.call(bench.workbench.get(connection.caller(), one.run_id)) for one in listed]


def _draw_line(run: Run) -> None:
    asked = " ".join(asked_in(run.input).split())
    shown = asked if len(asked) <= LONGEST else f"{asked[: LONGEST - 1]}…"
    when = moment(run.created_at, browser_zone(), datetime.now(UTC))
    facts = " ・ ".join((str(run.input.get("collection", "")), when))
    with st.container(border=True, gap=None):
        link_to_research(run.run_id, f"**{literal(shown)}**", _ICON)
        st.markdown(f":gray[:small[{literal(facts)}]] &ensp; {_came_to(run)}")


def _came_to(run: Run) -> str:
    if run.status is not Status.SUCCEEDED:
        look = look_of(run.status)
        return f":{look.colour}-badge[{literal(look.word)}]"
    result = result_of(run)
    if not result.answered:
        return f":gray-badge[{literal(tell('ui.research.recent.unanswered'))}]"
    return f":green-badge[{literal(counted('citations', len(result.citations)))}]"
