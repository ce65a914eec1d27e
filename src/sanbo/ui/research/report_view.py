"""A finished research: what it came to in short, the report, its sources, and how it was found."""

import streamlit as st

from sanbo.agents.research.model import ResearchResult
from sanbo.kernel.markdown import document, literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import Run
from sanbo.service.research import report_file, steps_of
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_run
from sanbo.ui.boundary import fragment
from sanbo.ui.made_files import MadeFiles
from sanbo.ui.presentation import duration, engine_of, usage_of
from sanbo.ui.research.notes_view import draw_notes
from sanbo.ui.research.report_parts import parts_of
from sanbo.ui.research.sources import ANCHOR, draw_sources
from sanbo.ui.research.steps_view import draw_step
from sanbo.ui.research.wording import counted
from sanbo.ui.source_marks import linked


def draw_report(run: Run, result: ResearchResult) -> None:
    _draw_outcome(result)
    report, sources = st.columns([5, 3], gap="large")
    with report:
        _draw_text(run, result)
    with sources, st.container(key="research-sources"):
        fragment(draw_sources)(run.run_id, result)
    _draw_how(run)


def _draw_outcome(result: ResearchResult) -> None:
    if result.partial:
        told = tell("ui.research.outcome.partial", reason=result.partial_reason)
        st.warning(literal(told), icon=":material/warning:")
    elif not result.answered:
        st.info(literal(tell("ui.research.outcome.unanswered")), icon=":material/search_off:")
    facts = [
        counted("citations", len(result.citations)),
        counted("searches", result.cycles),
        tell(f"ui.research.stop.{result.stop_reason}"),
    ]
    pills = [f":gray-badge[{literal(fact)}]" for fact in facts]
    if result.refused:
        pills.append(f":orange-badge[{literal(counted('refused', result.refused))}]")
    if result.marked:
        pills.append(f":orange-badge[{literal(counted('marked', result.marked))}]")
    st.markdown(" ".join(pills))


def _draw_text(run: Run, result: ResearchResult) -> None:
    file = report_file(run)
    with st.container(key="research-report"):
        if file is not None and file.media_type != "text/markdown":  # by the setting
            st.text(result.report_md)
        else:
            numbers = {citation.id for citation in result.citations}
            parts = parts_of(result.report_md, run.language)
            st.markdown(document(linked(parts.body, numbers, ANCHOR)))
            if parts.tail:
                with st.expander(tell("ui.research.tail"), icon=":material/toc:"):
                    st.markdown(document(parts.tail))
    if file is not None:
        label = tell("ui.research.download")
        MadeFiles(run).draw_download(file.name, label, type="secondary")


def _draw_how(run: Run) -> None:
    with st.expander(tell("ui.research.steps.title"), icon=":material/manage_search:"):
        bench = connection.bench()
        for step in steps_of(bench.call(bench.workbench.events(connection.caller(), run.run_id))):
            draw_step(step)
    fragment(draw_notes)(run.conversation_id)
    _draw_foot(run)


def _draw_foot(run: Run) -> None:
    engine = engine_of(run.engine)
    took = (run.updated_at - run.created_at).total_seconds()
    facts = [f":material/memory: {literal(engine)}", f":material/timer: {literal(duration(took))}"]
    if usage := usage_of(run):
        facts.append(f":material/toll: {literal(usage)}")
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        link_to_run(run.run_id, tell("ui.research.trail"), ":material/receipt_long:")
        st.caption(" &ensp; ".join(facts), width="content")
