"""One run, live: where it stands, what it asks, what it has made; at an address that stays."""

from datetime import UTC, datetime
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.plans.progress import title_of
from sanbo.runs.model import Interaction, JsonObject, Path, Run, Status
from sanbo.service.catalog import COMPARISON, GRACE, RESEARCH, WorkflowInfo
from sanbo.service.comparison import overview_of
from sanbo.service.plans import PLAN
from sanbo.ui import connection
from sanbo.ui.addresses import (
    RUN_PARAMETER,
    link_to_comparison,
    link_to_grace,
    link_to_plan_run,
    link_to_research,
    link_to_run,
    open_list,
    open_run,
)
from sanbo.ui.artifacts import draw_artifacts
from sanbo.ui.boundary import draw_problem, fragment, guarded
from sanbo.ui.live_text import LiveTexts, draw_live_texts, draw_steps
from sanbo.ui.plans.exports_view import draw_exports
from sanbo.ui.presentation import asked_in, browser_zone, look_of
from sanbo.ui.question_view import draw_questions
from sanbo.ui.run_actions import ask_to_delete, draw_cancel, draw_facts, draw_trail, resume
from sanbo.ui.values import draw_fields, draw_result

REFRESH_SECONDS = 1.0
WAITING_SECONDS = 3.0
"""While it waits for a person, nothing but the clock moves."""
TRAIL_SECONDS = 5.0
_GOTO = "goto_run"
_live_texts = LiveTexts()


@guarded
def run_page() -> None:
    run_id = st.query_params.get(RUN_PARAMETER, "")
    if not run_id:
        open_list()
    run = _get(run_id)
    head = st.container()
    main, side = st.columns([5, 3], gap="large")
    with main:
        if run.problem is not None:
            _draw_failure(run)
        draw_questions(run, [_for_people(run, each) for each in run.open_interactions])
        if run.status.is_final:
            _draw_outcome(run)
        work = st.container()
    # What changes by itself is one part, and each form another: a refresh never touches what is
    # being typed.
    live = fragment(_draw_live, run_every=_refresh_seconds(run))
    live(run_id, _shape(run), head, work, side)
    _draw_foot(run)


def _refresh_seconds(run: Run) -> float | None:
    if run.status.is_final:
        return None
    return WAITING_SECONDS if run.status is Status.WAITING else REFRESH_SECONDS


def _get(run_id: str) -> Run:
    bench = connection.bench()
    return bench.call(bench.workbench.get(connection.caller(), run_id))


def _shape(run: Run) -> tuple[object, ...]:
    """What the page is laid out by; when it changes, the whole page is drawn again."""
    ids = tuple(interaction.interaction_id for interaction in run.open_interactions)
    return _refresh_seconds(run), ids, run.problem is not None


# ---- the parts that change by themselves ----


def _draw_live(
    run_id: str,
    shape: tuple[object, ...],
    head: DeltaGenerator,
    work: DeltaGenerator,
    side: DeltaGenerator,
) -> None:
    if (target := st.session_state.pop(_GOTO, None)) is not None:
        open_run(target)  # a replay: callbacks can't switch pages themselves
    run = _get(run_id)
    if _shape(run) != shape:
        st.rerun()
    now = datetime.now(UTC)
    with head:
        _draw_head(run, now)
    with work:
        if not run.status.is_final:
            _draw_work(run)
    with side:
        st.subheader(tell("ui.run.steps"), anchor=False)
        draw_steps(run, now, partial(_replay, run_id) if run.status.is_final else None)


def _draw_head(run: Run, now: datetime) -> None:
    look = look_of(run.status)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.title(literal(_title(run)), width="content", anchor=False)
        st.badge(look.word, icon=look.icon, color=look.colour)
    if asked := title_of(run) if run.workflow == PLAN else asked_in(run.input):
        st.markdown(f"**{literal(asked)}**")
    draw_facts(run, now)


def _draw_work(run: Run) -> None:
    draw_live_texts(_live_texts.of(connection.bench(), connection.caller(), run.run_id))
    if run.artifacts:
        st.subheader(tell("ui.run.artifacts"), anchor=False)
        draw_artifacts(run)
    elif run.status is not Status.WAITING:
        st.caption(tell("ui.run.working"))


# ---- the question ----


def _for_people(run: Run, interaction: Interaction) -> Interaction:
    """GRACE tells what it proposes in words, and once more as data for programs."""
    if run.workflow != GRACE:
        return interaction
    words = {name: told for name, told in interaction.context.items() if name.endswith("_md")}
    return interaction.model_copy(update={"context": words})


# ---- what stays ----


def _draw_failure(run: Run) -> None:
    assert run.problem is not None
    retry = partial(resume, run.run_id) if run.status is Status.FAILED else None
    draw_problem(run.problem, key=run.run_id, retry=retry if run.problem.recoverable else None)


def _draw_outcome(run: Run) -> None:
    info = _workflow(run)
    if run.workflow == PLAN:
        link_to_plan_run(run.run_id, tell("ui.plans.open_result"), ":material/account_tree:")
    if run.result is not None:
        st.subheader(tell("ui.run.result"), anchor=False)
        if run.workflow == COMPARISON:
            label = tell("ui.comparison.open_result")
            link_to_comparison(run.run_id, label, ":material/compare:")
        elif run.workflow == RESEARCH:
            label = tell("ui.research.open_result")
            link_to_research(run.run_id, label, ":material/travel_explore:")
        elif run.workflow == GRACE:
            link_to_grace(run.conversation_id, tell("ui.grace.open_result"), ":material/balance:")
        with st.container(border=True, key="result"):
            if run.workflow == PLAN:
                draw_exports(run)
            else:
                draw_result(_shown(run.result, run), info.result_schema if info else {})
    elif run.status is Status.CANCELLED:
        st.info(tell("ui.run.was_cancelled"), icon=":material/cancel:")
    if run.artifacts:
        st.subheader(tell("ui.run.artifacts"), anchor=False)
        draw_artifacts(run)


def _shown(result: JsonObject, run: Run) -> JsonObject:
    """Of a comparison its summary, of others their text: for the rest they have pages."""
    if run.workflow == RESEARCH:
        return {"report_md": result.get("report_md", "")}
    if run.workflow == GRACE:
        return {"answer_md": result.get("answer_md", "")}
    overview = overview_of(run) if run.workflow == COMPARISON else None
    return result if overview is None else {"text_md": overview.summary.text_md}


def _given(run: Run) -> JsonObject:
    """Of a plan without its whole text: for that it has a page."""
    if run.workflow != PLAN:
        return run.input
    return {name: value for name, value in run.input.items() if name not in ("source", "blocks")}


def _draw_foot(run: Run) -> None:
    st.divider()
    info = _workflow(run)
    with st.expander(tell("ui.run.input"), icon=":material/input:"):
        draw_fields(_given(run), info.requirements if info else ())
    every = None if run.status.is_final else TRAIL_SECONDS
    fragment(draw_trail, run_every=every)(run.run_id, browser_zone())
    if run.replay_of is not None:
        link_to_run(run.replay_of.run_id, tell("ui.run.replay_of"), ":material/replay:")
    with st.container(horizontal=True, vertical_alignment="center"):
        if not run.status.is_final:
            draw_cancel(run.run_id)
        st.button(
            tell("ui.delete.button"),
            icon=":material/delete:",
            type="tertiary",
            on_click=ask_to_delete,
            args=(run.run_id, _title(run)),
        )
        st.caption(literal(run.run_id))


def _title(run: Run) -> str:
    info = _workflow(run)
    return info.title if info else run.workflow


def _workflow(run: Run) -> WorkflowInfo | None:
    """None when the run is of a workflow that is no longer installed."""
    infos = connection.bench().workbench.workflows()
    return next((info for info in infos if info.name == run.workflow), None)


def _replay(run_id: str, step: Path) -> None:
    connection.speak()
    bench = connection.bench()
    again = bench.call(bench.workbench.replay(connection.caller(), run_id, step))
    st.session_state[_GOTO] = again.run_id
