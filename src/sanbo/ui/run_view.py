"""A run on the page: its parts as it goes on, and the one form for what it asks."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from sanbo.kernel.markdown import literal, paragraphs
from sanbo.kernel.messages import tell
from sanbo.runs.model import FileRef, Interaction, JsonObject, Run, Status
from sanbo.runs.parts import Parts, Progress
from sanbo.ui import connection
from sanbo.ui.boundary import fragment
from sanbo.ui.form import draw_form
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.parts_view import draw_part, draw_progress
from sanbo.ui.presentation import browser_zone, look_of

AT_WORK_SECONDS = 0.5
WAITING_SECONDS = 3.0
"""How often it is looked at: one that waits for this page moves seldom by itself."""

Open = Callable[[str], None]


def draw_run(run_id: str, open_run: Open) -> None:
    run = _read(run_id)
    st.title(literal(run.title or tell("ui.new.untitled")), anchor=False)
    _draw_actions(run)
    if run.status.is_final:
        _draw_parts(run, _parts(run_id), open_run)
        return
    every = WAITING_SECONDS if run.status is Status.WAITING else AT_WORK_SECONDS
    fragment(partial(_watch, run_id, open_run, _seen(run)), run_every=every)()
    # Each in a part of its own: what others do on the page leaves what is typed alone.
    for interaction in run.open_interactions:
        fragment(_draw_question)(run_id, interaction)


def _watch(run_id: str, open_run: Open, seen: tuple[object, ...]) -> None:
    """Redrawn by a clock; where a question or the end has come, the whole page is."""
    run = _read(run_id)
    if _seen(run) != seen:
        st.rerun()
    _draw_parts(run, _parts(run_id), open_run)


def _seen(run: Run) -> tuple[object, ...]:
    is_waiting = run.status is Status.WAITING
    questions = tuple(each.interaction_id for each in run.open_interactions)
    return run.status.is_final, is_waiting, questions


def _read(run_id: str) -> Run:
    bench = connection.bench()
    return bench.call(bench.workbench.get(connection.caller(), run_id))


def _parts(run_id: str) -> Parts:
    bench = connection.bench()
    return bench.call(bench.workbench.parts(connection.caller(), run_id))


def _draw_parts(run: Run, parts: Parts, open_run: Open) -> None:
    look = look_of(run.status)
    with st.container(key="run-status"):
        st.markdown(f":{look.colour}[{look.icon} {literal(look.word)}]")
    progress = next((part for part in parts if isinstance(part, Progress)), None)
    if progress is not None:
        draw_progress(progress, is_open=not run.status.is_final)
    if run.status is Status.CANCELLED:
        st.info(tell("ui.run.was_cancelled"))
    shown = [part for part in parts if not isinstance(part, Progress)]
    replay = partial(_replay, run.run_id, open_run) if run.status.is_final else None
    for part in shown:
        if not part.is_aside:
            draw_part(run.run_id, part, replay)
    for part in shown:
        if part.is_aside:
            with st.expander(literal(part.title or part.id)):
                draw_part(run.run_id, part, replay, has_title=False)


def _replay(run_id: str, open_run: Open, step: tuple[str, ...]) -> None:
    bench = connection.bench()
    again = bench.call(bench.workbench.replay(connection.caller(), run_id, step))
    open_run(again.run_id)


def _draw_actions(run: Run) -> None:
    bench = connection.bench()
    caller = connection.caller()
    if not run.status.is_final and st.button(tell("ui.run.cancel"), icon=":material/stop:"):
        bench.call(bench.workbench.cancel(caller, run.run_id))
        st.rerun()
    if run.status is Status.FAILED and st.button(tell("ui.run.resume"), icon=":material/refresh:"):
        bench.call(bench.workbench.resume(caller, run.run_id))
        st.rerun()


def _draw_question(run_id: str, interaction: Interaction) -> None:
    drafts, owner = connection.bench().workbench.drafts, connection.caller().owner
    form = KeptForm(interaction, interaction.state_key, owner, drafts)
    with st.container(border=True, key=f"question-{interaction.interaction_id}"):
        st.markdown(f":orange[:material/front_hand:] **{literal(tell('ui.run.question'))}**")
        st.markdown(paragraphs(interaction.message))
        _draw_circumstances(run_id, interaction)
        if not interaction.for_me:
            return
        draw_form(form, partial(_answer, run_id, interaction.interaction_id))


def _draw_circumstances(run_id: str, asked: Interaction) -> None:
    """Who is asked, until when, and what helps to answer."""
    if people := "、".join((*asked.assignees, *asked.roles)):
        st.caption(literal(tell("ui.run.asked", people=people)))
    if asked.due_at is not None:
        late = "overdue" if asked.due_at < datetime.now(UTC) else "due"
        due = f"{asked.due_at.astimezone(browser_zone()):%Y-%m-%d %H:%M}"
        st.caption(literal(tell(f"ui.run.{late}", due=due)))
    helps = [(asked.message, asked.help), *((each.label, each.help) for each in asked.requirements)]
    for label, found in helps:
        if found is None:
            continue
        with st.expander(tell("ui.run.help", label=literal(label[:60]))):
            st.markdown(paragraphs(found.text))
            if isinstance(found.picture, FileRef):
                bench = connection.bench()
                shown = bench.workbench.artifact_bytes(
                    connection.caller(), run_id, found.picture.file_id
                )
                st.image(bench.call(shown))


def _answer(run_id: str, interaction_id: str, answer: JsonObject) -> Callable[[], None]:
    bench = connection.bench()
    bench.call(bench.workbench.answer(connection.caller(), run_id, answer, interaction_id))
    return st.rerun
