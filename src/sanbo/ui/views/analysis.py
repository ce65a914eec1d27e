"""Ask a table: choose it, see what is in it, and talk about it at an address that stays."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import NotFound, SanboError
from sanbo.runs.model import Run
from sanbo.service.analysis import TablePreview
from sanbo.service.catalog import ANALYSIS
from sanbo.ui.addresses import link_to_conversation
from sanbo.ui.analysis import place
from sanbo.ui.analysis.answers import draw_suggestions
from sanbo.ui.analysis.place import ChosenTable, Place
from sanbo.ui.analysis.table_view import draw_table_panel, table_name
from sanbo.ui.analysis.turn_view import ask, draw_refused, draw_turn, result_of
from sanbo.ui.analysis.upload import draw_upload, forget_upload, preview_of, settle_upload
from sanbo.ui.boundary import draw_problem, guarded
from sanbo.ui.conversations import (
    LONGEST_QUESTION,
    forget_refused,
    recent_conversations,
    refused_here,
    show_more,
    shown_turns,
    turns_of,
)
from sanbo.ui.presentation import browser_zone, moment, slot

Ask = Callable[[str], None]


@guarded
def analysis_page() -> None:
    # Fixed places: what comes and goes in one moves nothing in another, and so the field that
    # somebody types into stays the same one.
    head, panel, talk = st.container(), st.container(), st.container()
    # The style sheet holds it at the foot of the window: Streamlit's own foot would scroll to the
    # end of every answer, past what it says first.
    foot = st.container(key="analysis-input")
    with head:
        title = st.container(horizontal=True, vertical_alignment="center")
        with title:
            st.title(tell("ui.analysis.title"), width="stretch", anchor=False)
        here = place.here()
        with st.container():
            settle_upload(here)
    if here.key:
        title.button(tell("ui.analysis.new"), icon=":material/add:", on_click=_begin_anew)
    most = shown_turns(here.conversation_id)
    runs, more = turns_of(ANALYSIS, here.conversation_id, most)
    table = here.chosen() or _last_table(runs)
    with panel:
        preview = _draw_table(table, folded=bool(runs))
        if table is None:
            _draw_recent()
    to_ask = _asking(table, preview)
    with talk:
        with slot(filled=more):
            if more:
                _draw_earlier(here)
        for position, run in enumerate(runs):
            before = runs[position - 1] if position else None
            draw_turn(run, before, is_last=position == len(runs) - 1, ask=to_ask)
        _draw_next(here, runs, table, preview, to_ask)
    with foot:
        _draw_input(runs, to_ask)


def _asking(table: ChosenTable | None, preview: TablePreview | None) -> Ask | None:
    """What a click on a question does; None where there is no table to ask."""
    if table is None or preview is None:
        return None
    return partial(ask, table=ChosenTable(file=table.file, sheet=preview.sheet))


def _draw_earlier(here: Place) -> None:
    st.button(
        tell("ui.analysis.ask.earlier"),
        icon=":material/history:",
        on_click=show_more,
        args=(here.conversation_id,),
    )


def _draw_table(table: ChosenTable | None, *, folded: bool) -> TablePreview | None:
    if table is None:
        st.markdown(literal(tell("ui.analysis.purpose")))
        draw_upload("first", with_sample=True)
        return None
    try:
        preview = preview_of(table)
    except NotFound:
        st.warning(
            literal(tell("ui.analysis.upload.gone", name=table.file.name)), icon=":material/memory:"
        )
        draw_upload("again")
        return None
    except SanboError as error:
        draw_problem(error.problem)
        draw_upload("again")
        return None
    draw_table_panel(table, preview, folded=folded)
    return preview


def _draw_next(
    here: Place,
    runs: list[Run],
    table: ChosenTable | None,
    preview: TablePreview | None,
    to_ask: Ask | None,
) -> None:
    """What stands between the last answer and the next question."""
    refused = refused_here(here.key)
    if refused is not None:
        draw_refused(refused, to_ask)
    if table is None or preview is None or to_ask is None:
        return
    is_switched = bool(runs) and _differs(table, _last_table(runs))
    if is_switched:
        name = table_name(table.file.name, preview.sheet)
        st.info(literal(tell("ui.analysis.ask.switched", name=name)), icon=":material/swap_horiz:")
    if preview.suggestions and (is_switched or not runs):
        title = tell("ui.analysis.ask.suggestions")
        draw_suggestions(title, preview.suggestions, preview.dataset_id, to_ask)


def _draw_input(runs: list[Run], to_ask: Ask | None) -> None:
    is_busy = bool(runs) and not runs[-1].status.is_final
    last = result_of(runs)
    if to_ask is None:
        hint = "no_table"
    elif is_busy:
        hint = "busy"
    else:
        hint = "answer" if last is not None and last.kind == "question" else "placeholder"
    key = "analysis_question"
    st.chat_input(
        tell(f"ui.analysis.ask.{hint}"),
        key=key,
        max_chars=LONGEST_QUESTION,
        disabled=to_ask is None or is_busy,
        on_submit=_submit,
        args=(key, to_ask),
    )


def _draw_recent() -> None:
    recent = recent_conversations(ANALYSIS)
    if not recent:
        return
    st.subheader(tell("ui.analysis.recent.title"), anchor=False)
    now = datetime.now(UTC)
    for one in recent:
        facts = [moment(one.last.updated_at, browser_zone(), now)]
        if one.questions > 1:
            facts.append(tell("ui.analysis.recent.more", count=one.questions - 1))
        with st.container(border=True, gap=None):
            label = f"**{literal(one.question[:120])}**"
            link_to_conversation(one.conversation_id, label, ":material/forum:")
            st.caption(literal(" ・ ".join(facts)))


def _last_table(runs: list[Run]) -> ChosenTable | None:
    tables = [place.table_of(run) for run in runs]
    return next((table for table in reversed(tables) if table is not None), None)


def _differs(table: ChosenTable, other: ChosenTable | None) -> bool:
    return other is None or (table.file.file_id, table.sheet) != (other.file.file_id, other.sheet)


# ---- callbacks ----


def _submit(key: str, to_ask: Ask | None) -> None:
    question = st.session_state[key]
    if question and to_ask is not None:
        to_ask(str(question))


def _begin_anew() -> None:
    place.leave()
    forget_upload()
    forget_refused()
