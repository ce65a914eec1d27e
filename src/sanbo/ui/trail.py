"""The trail of a run: its journal, readable here and as JSONL for auditors."""

from datetime import tzinfo

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.runs.model import Event
from sanbo.ui import connection
from sanbo.ui.rendering import Table
from sanbo.ui.values import draw_table

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
