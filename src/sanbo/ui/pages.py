"""The two pages of the app: a form that starts a workflow, and a run of one."""

import time
from collections.abc import Callable

import streamlit as st

from sanbo import __version__
from sanbo.kernel.markdown import literal, paragraphs
from sanbo.kernel.messages import LANGUAGES, Language, current_language, tell
from sanbo.runs.model import JsonObject, Question
from sanbo.service.catalog import WorkflowInfo
from sanbo.service.inputs import check_fields
from sanbo.service.sample_start import has_sample, start_sample
from sanbo.ui import connection
from sanbo.ui.boundary import fragment, guarded
from sanbo.ui.form import draw_form
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.presentation import look_of
from sanbo.ui.run_view import draw_run
from sanbo.ui.session_state import start_key

RUN, WORKFLOW = "run", "workflow"
"""In the address: a reload and a second tab show the same."""
RECENT = 8
SAME_CLICK_SECONDS = 3.0
_CHOSEN, _STARTED = "chosen_workflow", "just_started"
_NAMES: dict[Language, str] = {"ja": "日本語", "en": "English"}


def main() -> None:
    connection.settle_language()
    # No icon here: Streamlit would fetch one from an outside host; `index_page` has ours.
    st.set_page_config(page_title=tell("ui.product"), layout="centered")
    _draw_page()


@guarded
def _draw_page() -> None:
    connection.caller()  # nobody without a token sees even the names of workflows
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
        st.session_state[key] = connection.language()
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
        connection.choose_language(chosen)


# ---- a new run ----


def _draw_start() -> None:
    st.title(tell("ui.new.title"), anchor=False)
    chosen = _chosen(connection.bench().workbench.workflows())
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
    drafts, owner = connection.bench().workbench.drafts, connection.caller().owner
    form = KeptForm(question, start_key(workflow.name), owner, drafts)
    with st.container(border=True):
        draw_form(form, lambda answer: _start(workflow, answer), send_label=tell("ui.new.start"))


def _start(workflow: WorkflowInfo, answer: JsonObject) -> Callable[[], None]:
    run_id = _just_started(workflow.name, answer)
    if run_id is None:
        bench = connection.bench()
        given = check_fields(workflow.requirements, answer)
        work = bench.workbench.start(
            connection.caller(), workflow.name, given, language=current_language()
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
    bench = connection.bench()
    return bench.call(start_sample(bench.workbench, connection.caller(), workflow)).run_id


def _go(begin: Callable[[], str]) -> None:
    open_run(begin())


def _draw_recent() -> None:
    bench = connection.bench()
    runs = bench.call(bench.workbench.list(connection.caller(), limit=RECENT))
    if not runs:
        return
    st.subheader(tell("ui.new.recent"), anchor=False)
    for run in runs:
        look = look_of(run.status)
        title = run.title or tell("ui.new.untitled")
        label = f":{look.colour}[{look.icon} {look.word}] {literal(title)}"
        if st.button(label, key=f"open:{run.run_id}", type="tertiary"):
            open_run(run.run_id)
