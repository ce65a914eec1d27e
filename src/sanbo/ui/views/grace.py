"""Ask GRACE: a chat whose answers say how sure they are, and that asks where it is not."""

from datetime import UTC, datetime

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import Status
from sanbo.service.catalog import GRACE
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_calibration, link_to_collections, link_to_grace
from sanbo.ui.boundary import guarded
from sanbo.ui.conversations import (
    recent_conversations,
    refused_here,
    show_more,
    shown_turns,
    turns_of,
)
from sanbo.ui.grace import place
from sanbo.ui.grace.question import (
    ask,
    begin_anew,
    draw_foot,
    draw_sample,
    draw_sample_question,
    key_here,
    usable_collections,
)
from sanbo.ui.grace.turn_view import draw_refused, draw_turn
from sanbo.ui.presentation import browser_zone, look_of, moment, slot

LONGEST_SHOWN = 120


@guarded
def grace_page() -> None:
    connection.bench().workbench.workflow(GRACE)  # a problem where it is not installed
    # Fixed places: what comes and goes in one moves nothing in another, and so the field that
    # somebody types into stays the same one.
    head, start, talk = st.container(), st.container(), st.container()
    foot = st.container(key="grace-input")
    conversation_id = place.conversation_here()
    with head:
        _draw_head(conversation_id)
    runs, more = turns_of(GRACE, conversation_id, shown_turns(conversation_id))
    infos = usable_collections()
    with start:
        if not runs:
            _draw_start({info.name for info in infos})
    with talk:
        with slot(filled=more):
            if more:
                st.button(
                    tell("ui.grace.ask.earlier"),
                    icon=":material/history:",
                    on_click=show_more,
                    args=(conversation_id,),
                )
        for position, run in enumerate(runs):
            before = runs[position - 1] if position else None
            draw_turn(run, before, is_last=position == len(runs) - 1)
        if (refused := refused_here(key_here())) is not None:
            draw_refused(refused, ask)
    with foot:
        draw_foot(infos, runs)


def _draw_head(conversation_id: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title(tell("ui.grace.title"), width="stretch", anchor=False)
        if conversation_id:
            st.button(tell("ui.grace.new"), icon=":material/add:", on_click=begin_anew)
        link_to_calibration(tell("ui.calibration.title"), ":material/tune:")


def _draw_start(names: set[str]) -> None:
    st.markdown(literal(tell("ui.grace.purpose")))
    if named := place.collection_here():
        connection.bench().workbench.collections.info(named)  # a link that leads nowhere
    if names:
        draw_sample_question(names)
    else:
        st.info(literal(tell("ui.grace.no_collection")), icon=":material/library_books:")
        with st.container(horizontal=True, vertical_alignment="center"):
            draw_sample()
            link_to_collections(tell("ui.grace.to_collections"), ":material/library_books:")
    _draw_recent()


def _draw_recent() -> None:
    recent = recent_conversations(GRACE)
    if not recent:
        return
    st.subheader(tell("ui.grace.recent.title"), anchor=False)
    now = datetime.now(UTC)
    for one in recent:
        facts = [moment(one.last.updated_at, browser_zone(), now)]
        if one.questions > 1:
            facts.append(tell("ui.grace.recent.more", count=one.questions - 1))
        with st.container(border=True, gap=None):
            label = f"**{literal(one.question[:LONGEST_SHOWN])}**"
            link_to_grace(one.conversation_id, label, ":material/forum:")
            look = look_of(one.last.status)
            state = f" :{look.colour}-badge[{look.icon} {literal(look.word)}]"
            is_done = one.last.status is Status.SUCCEEDED
            st.caption(literal(" ・ ".join(facts)) + ("" if is_done else state))
