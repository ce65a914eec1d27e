"""A finished answer: how sure it is, its words, feedback, why this score, its sources, the way."""

import streamlit as st

from sanbo.agents.grace.answers.written import told
from sanbo.agents.grace.schemas import Confidence, ExecutionResult, ExecutionState
from sanbo.kernel.markdown import document, literal
from sanbo.kernel.messages import current_language, tell
from sanbo.runs.model import Run
from sanbo.ui.addresses import link_to_run
from sanbo.ui.boundary import fragment
from sanbo.ui.grace.feedback import draw_feedback
from sanbo.ui.grace.plan_list import plan_list
from sanbo.ui.grace.score_bars import headline
from sanbo.ui.grace.sources_view import anchor_of, draw_sources
from sanbo.ui.grace.why import draw_why
from sanbo.ui.grace.wording import counted
from sanbo.ui.made_files import MadeFiles
from sanbo.ui.presentation import duration, engine_of, usage_of
from sanbo.ui.source_marks import linked


def draw_answer(run: Run, result: ExecutionResult, *, is_last: bool) -> None:
    """Of earlier turns sources and way are folded."""
    _draw_notices(result)
    st.html(headline(result.confidence, result.decision))
    st.caption(literal(told(result, current_language()).advice))
    numbers = {source.id for source in result.sources}
    with st.container(key=f"grace-answer-{run.run_id}"):
        st.markdown(document(linked(result.answer_md, numbers, anchor_of(run.run_id))))
    if not result.cancelled:
        fragment(draw_feedback)(run.run_id)
    with st.expander(tell("ui.grace.why.title"), icon=":material/query_stats:"):
        draw_why(_confidence(result), result.thresholds)
    if result.sources:
        title = counted("sources", len(result.sources))
        with st.expander(title, icon=":material/format_quote:", expanded=is_last):
            fragment(draw_sources)(run.run_id, result.sources)
    with st.expander(tell("ui.grace.plan.how"), icon=":material/checklist:"):
        st.html(plan_list(state_of(result)))
    _draw_foot(run)


def state_of(result: ExecutionResult) -> ExecutionState:
    """As it was in the end."""
    return ExecutionState(
        question=result.question,
        phase="finished",
        plan=result.plan,
        statuses={step.step_id: step.status for step in result.steps},
        results=result.steps,
        replans=result.replans,
        interventions=result.interventions,
        thresholds=result.thresholds,
    )


def _confidence(result: ExecutionResult) -> Confidence:
    return Confidence(
        score=result.confidence,
        level=result.decision,
        method=result.method,
        version=result.calibration,
        factors=result.factors,
        penalties=result.penalties,
        explanation=result.explanation,
    )


def _draw_notices(result: ExecutionResult) -> None:
    """What the answer itself does not say."""
    if result.cancelled:
        st.info(literal(tell("ui.grace.outcome.cancelled")), icon=":material/cancel:")
    if result.partial:
        st.markdown(
            f":orange-badge[:material/warning: {literal(tell('ui.grace.outcome.partial'))}]"
        )


def _draw_foot(run: Run) -> None:
    engine = engine_of(run.engine)
    took = (run.updated_at - run.created_at).total_seconds()
    facts = [f":material/memory: {literal(engine)}", f":material/timer: {literal(duration(took))}"]
    if usage := usage_of(run):
        facts.append(f":material/toll: {literal(usage)}")
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        files = MadeFiles(run)
        for artifact in run.artifacts[-1:]:
            files.draw_download(artifact.name, tell("ui.grace.download"))
        link_to_run(run.run_id, tell("ui.grace.trail"), ":material/receipt_long:")
        st.caption(" &ensp; ".join(facts), width="content")
