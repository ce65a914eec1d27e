"""What can be done with a run, the line below its title, and its trail."""

from datetime import datetime, tzinfo

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import Event, Run
from sanbo.ui import connection
from sanbo.ui.addresses import open_list
from sanbo.ui.boundary import guarded
from sanbo.ui.presentation import browser_zone, duration, elapsed, engine_of, moment, usage_of
from sanbo.ui.rendering import Table
from sanbo.ui.values import draw_table


def draw_cancel(run_id: str) -> None:
    st.button(
        tell("ui.run.cancel"),
        icon=":material/stop_circle:",
        key=f"cancel:{run_id}",
        on_click=_cancel,
        args=(run_id,),
    )


def resume(run_id: str) -> None:
    """A widget's callback."""
    connection.speak()
    bench = connection.bench()
    bench.call(bench.workbench.resume(connection.caller(), run_id))


def _cancel(run_id: str) -> None:
    connection.speak()
    bench = connection.bench()
    run = bench.call(bench.workbench.get(connection.caller(), run_id))
    if not run.status.is_final:  # it may have ended while the click was on its way
        bench.call(bench.workbench.cancel(connection.caller(), run_id))


def draw_facts(run: Run, now: datetime) -> None:
    engine = engine_of(run.engine)
    facts = [
        f":material/timer: {literal(duration(elapsed(run, now).total_seconds()))}",
        f":material/schedule: {literal(moment(run.created_at, browser_zone(), now))}",
        f":material/memory: {literal(engine)}",
    ]
    if usage := usage_of(run):
        facts.append(f":material/toll: {literal(usage)}")
    st.caption(" &emsp; ".join(facts))


MAX_SHOWN = 500


def draw_trail(run_id: str, zone: tzinfo) -> None:
    bench = connection.bench()
    events = bench.call(bench.workbench.events(connection.caller(), run_id))
    with st.expander(tell("ui.trail.title"), icon=":material/history:"):
        st.download_button(
            tell("ui.trail.download"),
            jsonl(events),
            file_name=f"{run_id}.jsonl",
            mime="application/x-ndjson",
            icon=":material/download:",
            key=f"trail:{run_id}",
            on_click="ignore",
        )
        columns = [tell(f"ui.trail.{name}") for name in ("seq", "time", "event", "path")]
        rows: list[list[object]] = [
            [event.seq, f"{event.time.astimezone(zone):%H:%M:%S}", event.payload.event, _at(event)]
            for event in events[:MAX_SHOWN]
        ]
        draw_table(Table(columns, rows, len(events)))


def jsonl(events: list[Event]) -> str:
    return "".join(event.model_dump_json() + "\n" for event in events)


def _at(event: Event) -> str:
    return "/".join(event.path)


_ASKED = "delete_asked"


def ask_to_delete(run_id: str, title: str) -> None:
    """The next run of the whole page asks (`draw_deletion`)."""
    st.session_state[_ASKED] = (run_id, title)


def draw_deletion() -> None:
    """Drawn by the shell, so that every page can ask."""
    if _ASKED in st.session_state:
        run_id, title = st.session_state[_ASKED]
        st.dialog(tell("ui.delete.title"), on_dismiss=_forget)(_question)(run_id, title)


@guarded
def _question(run_id: str, title: str) -> None:
    st.markdown(literal(tell("ui.delete.question", title=title)))
    st.caption(literal(run_id))
    with st.container(horizontal=True):
        if st.button(tell("ui.delete.confirm"), type="primary", icon=":material/delete:"):
            bench = connection.bench()
            _forget()
            bench.call(bench.workbench.delete(connection.caller(), run_id))
            open_list()
        if st.button(tell("ui.delete.keep")):
            _forget()
            st.rerun()


def _forget() -> None:
    st.session_state.pop(_ASKED, None)
