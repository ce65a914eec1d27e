"""The two pages of the app: a form that starts a workflow, and a run of one as it goes on."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from sanbo import __version__
from sanbo.kernel.markdown import literal, paragraphs
from sanbo.kernel.messages import LANGUAGES, Language, current_language, tell
from sanbo.runs.model import FileRef, Interaction, JsonObject, Question, Run, Status
from sanbo.runs.parts import Parts, Progress
from sanbo.service.catalog import WorkflowInfo
from sanbo.service.inputs import check_fields
from sanbo.service.sample_runs import has_sample, start_sample
from sanbo.ui import page_context
from sanbo.ui.form import draw_form
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.page_context import browser_zone, fragment, guarded, look_of
from sanbo.ui.parts_view import draw_part, draw_progress
from sanbo.ui.session_state import start_key

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
    bench = page_context.bench()
    return bench.call(bench.workbench.get(page_context.caller(), run_id))


def _parts(run_id: str) -> Parts:
    bench = page_context.bench()
    return bench.call(bench.workbench.parts(page_context.caller(), run_id))


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
    bench = page_context.bench()
    again = bench.call(bench.workbench.replay(page_context.caller(), run_id, step))
    open_run(again.run_id)


def _draw_actions(run: Run) -> None:
    bench = page_context.bench()
    caller = page_context.caller()
    if not run.status.is_final and st.button(tell("ui.run.cancel"), icon=":material/stop:"):
        bench.call(bench.workbench.cancel(caller, run.run_id))
        st.rerun()
    if run.status is Status.FAILED and st.button(tell("ui.run.resume"), icon=":material/refresh:"):
        bench.call(bench.workbench.resume(caller, run.run_id))
        st.rerun()


def _draw_question(run_id: str, interaction: Interaction) -> None:
    drafts, owner = page_context.bench().workbench.drafts, page_context.caller().owner
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
                bench = page_context.bench()
                shown = bench.workbench.artifact_bytes(
                    page_context.caller(), run_id, found.picture.file_id
                )
                st.image(bench.call(shown))


def _answer(run_id: str, interaction_id: str, answer: JsonObject) -> Callable[[], None]:
    bench = page_context.bench()
    bench.call(bench.workbench.answer(page_context.caller(), run_id, answer, interaction_id))
    return st.rerun


RUN, WORKFLOW = "run", "workflow"
"""In the address: a reload and a second tab show the same."""
RECENT = 8
SAME_CLICK_SECONDS = 3.0
_CHOSEN, _STARTED = "chosen_workflow", "just_started"
_NAMES: dict[Language, str] = {"ja": "日本語", "en": "English"}


def main() -> None:
    page_context.settle_language()
    # No icon here: Streamlit would fetch one from an outside host; `index_page` has ours.
    st.set_page_config(page_title=tell("ui.product"), layout="centered")
    _draw_page()


@guarded
def _draw_page() -> None:
    page_context.caller()  # nobody without a token sees even the names of workflows
    _draw_sidebar()
    run_id = st.query_params.get(RUN)
    if run_id:
        draw_run(run_id, open_run)
    else:
        _draw_start()


def open_run(run_id: str) -> None:
    st.query_params[RUN] = run_id
    st.rerun()


def _draw_sidebar() -> None:
    with st.sidebar:
        st.markdown(f"**{literal(tell('ui.product'))}**")
        if st.query_params.get(RUN) and st.button(
            tell("ui.new.to_start"), icon=":material/add:", width="stretch"
        ):
            del st.query_params[RUN]
            st.rerun()
        st.link_button(tell("ui.new.web"), "/", icon=":material/open_in_new:", width="stretch")
        key = "language_choice"
        st.session_state[key] = page_context.language()
        st.segmented_control(
            tell("ui.language"),
            list(LANGUAGES),
            format_func=lambda language: _NAMES[language],
            key=key,
            required=True,
            on_change=_switch,
            args=(key,),
        )
        st.caption(f"{tell('ui.product')} {__version__}")


def _switch(key: str) -> None:
    chosen = st.session_state[key]
    if chosen in LANGUAGES:
        page_context.choose_language(chosen)


# ---- a new run ----


def _draw_start() -> None:
    st.title(tell("ui.new.title"), anchor=False)
    chosen = _chosen(page_context.bench().workbench.workflows())
    if chosen is not None:
        if chosen.description:
            st.markdown(paragraphs(chosen.description))
        if has_sample(chosen.name) and st.button(
            tell("ui.new.sample"), icon=":material/science:", key=f"sample:{chosen.name}"
        ):
            _go(lambda: _sample(chosen.name))
        fragment(_draw_form)(chosen)
    _draw_recent()


def _chosen(workflows: list[WorkflowInfo]) -> WorkflowInfo | None:
    by_name = {workflow.name: workflow for workflow in workflows}
    asked = st.query_params.get(WORKFLOW)
    if _CHOSEN not in st.session_state:
        st.session_state[_CHOSEN] = asked if asked in by_name else None
    name = st.selectbox(
        tell("ui.new.workflow"),
        list(by_name),
        index=None,
        format_func=lambda name: by_name[name].title,
        placeholder=tell("ui.new.choose"),
        key=_CHOSEN,
    )
    if name is None:
        return None
    if asked != name:
        st.query_params[WORKFLOW] = name
    return by_name[name]


def _draw_form(workflow: WorkflowInfo) -> None:
    question = Question(mode="collect", message=workflow.title, requirements=workflow.requirements)
    drafts, owner = page_context.bench().workbench.drafts, page_context.caller().owner
    form = KeptForm(question, start_key(workflow.name), owner, drafts)
    with st.container(border=True):
        draw_form(form, lambda answer: _start(workflow, answer), send_label=tell("ui.new.start"))


def _start(workflow: WorkflowInfo, answer: JsonObject) -> Callable[[], None]:
    run_id = _just_started(workflow.name, answer)
    if run_id is None:
        bench = page_context.bench()
        given = check_fields(workflow.requirements, answer)
        work = bench.workbench.start(
            page_context.caller(), workflow.name, given, language=current_language()
        )
        run_id = bench.call(work).run_id
        st.session_state[_STARTED] = (workflow.name, answer, run_id, time.monotonic())
    started = run_id
    return lambda: open_run(started)


def _just_started(workflow: str, answer: JsonObject) -> str | None:
    """A double click must not start two runs."""
    last = st.session_state.get(_STARTED)
    if last is None or last[:2] != (workflow, answer):
        return None
    return last[2] if time.monotonic() - last[3] < SAME_CLICK_SECONDS else None


def _sample(workflow: str) -> str:
    bench = page_context.bench()
    return bench.call(start_sample(bench.workbench, page_context.caller(), workflow)).run_id


def _go(begin: Callable[[], str]) -> None:
    open_run(begin())


def _draw_recent() -> None:
    bench = page_context.bench()
    runs = bench.call(bench.workbench.list(page_context.caller(), limit=RECENT))
    if not runs:
        return
    st.subheader(tell("ui.new.recent"), anchor=False)
    for run in runs:
        look = look_of(run.status)
        title = run.title or tell("ui.new.untitled")
        label = f":{look.colour}[{look.icon} {look.word}] {literal(title)}"
        if st.button(label, key=f"open:{run.run_id}", type="tertiary"):
            open_run(run.run_id)
