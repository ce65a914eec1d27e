"""A new run: choose a workflow, fill its form in, start."""

import time
from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from sanbo.kernel.markdown import paragraphs
from sanbo.kernel.messages import current_language, tell
from sanbo.runs.model import JsonObject, Question
from sanbo.service.catalog import ANALYSIS, COMPARISON, GRACE, RESEARCH, WorkflowInfo
from sanbo.service.inputs import check_fields
from sanbo.service.plans import PLAN
from sanbo.ui import connection
from sanbo.ui.addresses import (
    WORKFLOW_PARAMETER,
    open_analysis,
    open_comparison,
    open_grace,
    open_plans,
    open_research,
    open_run,
)
from sanbo.ui.boundary import fragment, guarded
from sanbo.ui.form import draw_form
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.session_state import start_key

SAME_CLICK_SECONDS = 3.0


class OwnPage(NamedTuple):
    """Of a workflow that is asked in another way than by its plain form."""

    label: str
    """Id of its text."""
    icon: str
    open: Callable[[], None]


OWN_PAGES = {
    ANALYSIS: OwnPage("ui.analysis.open", ":material/query_stats:", open_analysis),
    COMPARISON: OwnPage("ui.comparison.open", ":material/compare:", open_comparison),
    RESEARCH: OwnPage("ui.research.open", ":material/travel_explore:", open_research),
    GRACE: OwnPage("ui.grace.open", ":material/balance:", open_grace),
    PLAN: OwnPage("ui.plans.open", ":material/account_tree:", open_plans),
}


@guarded
def new_run_page() -> None:
    st.title(tell("ui.new.title"), anchor=False)
    workflows = connection.bench().workbench.workflows()
    if not workflows:
        st.info(tell("ui.new.none"), icon=":material/inventory_2:")
        return
    chosen = _choose(workflows)
    if chosen is None:
        return
    if chosen.description:
        st.markdown(paragraphs(chosen.description))
    if chosen.name in OWN_PAGES:
        page = OWN_PAGES[chosen.name]
        if st.button(tell(page.label), icon=page.icon, type="primary"):
            page.open()
        return
    fragment(_draw_start_form)(chosen)


def _choose(workflows: list[WorkflowInfo]) -> WorkflowInfo | None:
    """The choice stands in the address: a reload, and a link, lead to the same form."""
    names = [workflow.name for workflow in workflows]
    by_name = {workflow.name: workflow for workflow in workflows}
    asked = st.query_params.get(WORKFLOW_PARAMETER)
    first = names[0] if len(names) == 1 else None
    key = "chosen_workflow"
    if key not in st.session_state:
        st.session_state[key] = asked if asked in by_name else first
    name = st.selectbox(
        tell("ui.new.workflow"),
        names,
        index=None,
        format_func=lambda name: by_name[name].title,
        placeholder=tell("ui.new.choose"),
        key=key,
    )
    if name is None:
        return None
    if asked != name:
        st.query_params[WORKFLOW_PARAMETER] = name
    return by_name[name]


def _draw_start_form(workflow: WorkflowInfo) -> None:
    question = Question(mode="collect", message=workflow.title, requirements=workflow.requirements)
    workbench = connection.bench().workbench
    owner = connection.caller().owner
    form = KeptForm(question, start_key(workflow.name), owner, workbench.drafts)
    with st.container(border=True):
        draw_form(
            form, lambda answer: _start(workflow.name, answer), send_label=tell("ui.new.start")
        )


def _start(workflow: str, answer: JsonObject) -> Callable[[], None]:
    run_id = _just_started(workflow, answer)
    if run_id is None:
        bench = connection.bench()
        given = check_fields(bench.workbench.workflow(workflow).requirements, answer)
        work = bench.workbench.start(
            connection.caller(), workflow, given, language=current_language()
        )
        run_id = bench.call(work).run_id
        st.session_state["just_started"] = (workflow, answer, run_id, time.monotonic())
    return lambda: open_run(run_id)


def _just_started(workflow: str, answer: JsonObject) -> str | None:
    """A double click must not start two runs."""
    last = st.session_state.get("just_started")
    if last is None or last[:2] != (workflow, answer):
        return None
    return last[2] if time.monotonic() - last[3] < SAME_CLICK_SECONDS else None
