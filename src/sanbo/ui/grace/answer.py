"""A finished answer: how sure it is, its words, why this score, its sources, the way to it."""

from collections.abc import Sequence

import streamlit as st

from sanbo.agents.grace.answers.written import told
from sanbo.agents.grace.schemas import (
    Confidence,
    ExecutionResult,
    ExecutionState,
    Source,
    ThresholdsUsed,
)
from sanbo.kernel.markdown import document, literal
from sanbo.kernel.messages import current_language, tell
from sanbo.runs.model import Run
from sanbo.service.citation_places import CitationPlace, find_place
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_calibration, link_to_run
from sanbo.ui.artifacts import MadeFiles
from sanbo.ui.boundary import draw_problem, fragment
from sanbo.ui.grace import place
from sanbo.ui.grace.feedback import draw_feedback
from sanbo.ui.grace.score_bars import counted, factor_rows, headline, scale
from sanbo.ui.grace.work import plan_list
from sanbo.ui.presentation import duration, engine_of, slot, usage_of
from sanbo.ui.source_card import card, linked


def anchor_of(run_id: str) -> str:
    """With its number: what a mark in the answer leads to. A page shows several answers."""
    return f"grace-source-{run_id}"


def draw_sources(run_id: str, sources: Sequence[Source]) -> None:
    """A fragment: a passage that is opened draws nothing else again."""
    opened = place.source_here(run_id)
    for source in sources:
        _draw_source(run_id, source, is_open=source.id == opened)


def _draw_source(run_id: str, source: Source, *, is_open: bool) -> None:
    anchor = anchor_of(run_id)
    with st.container(border=True, key=f"{anchor}-box-{source.id}", gap="small"):
        around = _around(source) if is_open else None
        st.html(card(source, around, anchor=anchor, kind=_kind(source)))
        with slot(filled=bool(source.url)):
            if source.url:
                st.text(source.url)  # shown, and never a link: nobody here has checked it
        with slot(filled=around is not None and around.problem is not None):
            if around is not None and around.problem is not None:
                draw_problem(around.problem)
        if source.kind == "collection":
            st.button(
                tell("ui.sources.hide" if is_open else "ui.sources.show"),
                icon=":material/unfold_less:" if is_open else ":material/unfold_more:",
                key=f"source:{run_id}:{source.id}",
                type="tertiary",
                on_click=place.toggle_source,
                args=(run_id, source.id),
            )


def _around(source: Source) -> CitationPlace:
    return find_place(connection.bench().workbench.collections, source.collection, source)


def _kind(source: Source) -> str:
    return "" if source.kind == "collection" else tell(f"ui.grace.source.{source.kind}")


def draw_why(confidence: Confidence, thresholds: ThresholdsUsed | None) -> None:
    listed = {each.told for each in (*confidence.factors, *confidence.penalties)}
    reasons = [line for line in confidence.explanation if line not in listed]
    if reasons:
        st.markdown("  \n".join(literal(line) for line in reasons))
    line = "" if thresholds is None else scale(confidence.score, thresholds)
    rows = factor_rows(confidence.factors, confidence.penalties)
    if line or rows:
        st.html(f'<div class="sanbo-why">{line}{rows}</div>')
    told = tell(f"ui.grace.why.method.{confidence.method}", version=confidence.version)
    st.caption(literal(" ".join((told, "" if thresholds is None else thresholds.told))))
    link_to_calibration(tell("ui.grace.why.calibration"), ":material/tune:")


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
