"""The notes of a session as a timeline, and their deletion."""

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.notes import Note, delete_notes
from sanbo.service.notes import notes as notes_of
from sanbo.ui import connection
from sanbo.ui.clock import browser_zone
from sanbo.ui.presentation import moment

SHOWN_PASSAGES = 5
_ICONS = {
    "retrieve": ":blue[:material/search:]",
    "decide": ":orange[:material/balance:]",
    "answer": ":green[:material/article:]",
}


def draw_notes(session: str) -> None:
    """A fragment: what is deleted here draws nothing else again."""
    bench = connection.bench()
    with st.expander(tell("ui.research.notes.title"), icon=":material/timeline:"):
        notes = bench.call(notes_of(bench.workbench, connection.caller(), session))
        st.caption(literal(tell("ui.research.notes.help", session=session)))
        if not notes:
            st.caption(tell("ui.research.notes.none"))
            return
        _draw_timeline(notes)
        with st.popover(
            tell("ui.research.notes.delete"), icon=":material/delete:", type="tertiary"
        ):
            st.markdown(literal(tell("ui.research.notes.delete_warning", count=len(notes))))
            st.button(
                tell("ui.delete.confirm"),
                key=f"notes_delete:{session}",
                type="primary",
                on_click=_delete,
                args=(session,),
            )


def _draw_timeline(notes: Sequence[Note]) -> None:
    now = datetime.now(UTC)
    for position, note in enumerate(notes):
        if position and notes[position - 1].run_id != note.run_id:
            st.divider()
        st.markdown(_told(note, now))


def _told(note: Note, now: datetime) -> str:
    step = literal(tell(f"ui.research.notes.step.{note.node_name}", cycle=note.cycle_no))
    when = literal(moment(note.time, browser_zone(), now))
    lines = [f"{_ICONS.get(note.node_name, '')} **{step}** &ensp; :gray[:small[{when}]]"]
    if note.queries:
        lines.append(" ".join(f":gray-badge[{literal(query)}]" for query in note.queries))
    found = sorted(note.retrieved_docs, key=lambda one: -one.relevance)
    lines += [
        f":gray[:small[{literal(_passage(one.document, one.relevance))}]]"
        for one in found[:SHOWN_PASSAGES]
    ]
    if len(note.retrieved_docs) > SHOWN_PASSAGES:
        more = tell("ui.research.notes.more", count=len(note.retrieved_docs) - SHOWN_PASSAGES)
        lines.append(f":gray[:small[{literal(more)}]]")
    if note.decision_reason:
        lines.append(literal(note.decision_reason))
    return "  \n".join(lines)


def _passage(document: str, relevance: float) -> str:
    return tell("ui.research.notes.passage", document=document, share=f"{relevance:.0%}")


def _delete(session: str) -> None:
    connection.speak()
    bench = connection.bench()
    bench.call(delete_notes(bench.workbench, connection.caller(), session))
