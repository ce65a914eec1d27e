"""A finished research: what it came to in short, the report, its sources, its notes."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import streamlit as st

from sanbo.agents.research.model import ResearchResult
from sanbo.evidence.model import Citation
from sanbo.kernel.markdown import document, literal
from sanbo.kernel.messages import Language, tell
from sanbo.runs.model import Run
from sanbo.service.citation_places import CitationPlace
from sanbo.service.research import Note, citation_place, delete_notes, report_file, steps_of
from sanbo.service.research import notes as notes_of
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_run
from sanbo.ui.artifacts import MadeFiles
from sanbo.ui.boundary import draw_problem, fragment
from sanbo.ui.presentation import browser_zone, duration, engine_of, moment, slot, usage_of
from sanbo.ui.research import place
from sanbo.ui.research.work import counted, draw_step
from sanbo.ui.source_card import card, linked

SHOWN_PASSAGES = 5
_ICONS = {
    "retrieve": ":blue[:material/search:]",
    "decide": ":orange[:material/balance:]",
    "answer": ":green[:material/article:]",
}


def draw_notes(session: str) -> None:
    """A fragment: what is deleted here draws nothing else again."""
    bench = connection.bench()
    with st.expander(tell("ui.research.notes.title"), icon=":material/timeline:"):
        notes = bench.call(notes_of(bench.workbench, connection.caller(), session))
        st.caption(literal(tell("ui.research.notes.help", session=session)))
        if not notes:
            st.caption(tell("ui.research.notes.none"))
            return
        _draw_timeline(notes)
        with st.popover(
            tell("ui.research.notes.delete"), icon=":material/delete:", type="tertiary"
        ):
            st.markdown(literal(tell("ui.research.notes.delete_warning", count=len(notes))))
            st.button(
                tell("ui.delete.confirm"),
                key=f"notes_delete:{session}",
                type="primary",
                on_click=_delete,
                args=(session,),
            )


def _draw_timeline(notes: Sequence[Note]) -> None:
    now = datetime.now(UTC)
    for position, note in enumerate(notes):
        if position and notes[position - 1].run_id != note.run_id:
            st.divider()
        st.markdown(_told(note, now))


def _told(note: Note, now: datetime) -> str:
    step = literal(tell(f"ui.research.notes.step.{note.node_name}", cycle=note.cycle_no))
    when = literal(moment(note.time, browser_zone(), now))
    lines = [f"{_ICONS.get(note.node_name, '')} **{step}** &ensp; :gray[:small[{when}]]"]
    if note.queries:
        lines.append(" ".join(f":gray-badge[{literal(query)}]" for query in note.queries))
    found = sorted(note.retrieved_docs, key=lambda one: -one.relevance)
    lines += [
        f":gray[:small[{literal(_passage(one.document, one.relevance))}]]"
        for one in found[:SHOWN_PASSAGES]
    ]
    if len(note.retrieved_docs) > SHOWN_PASSAGES:
        more = tell("ui.research.notes.more", count=len(note.retrieved_docs) - SHOWN_PASSAGES)
        lines.append(f":gray[:small[{literal(more)}]]")
    if note.decision_reason:
        lines.append(literal(note.decision_reason))
    return "  \n".join(lines)


def _passage(document: str, relevance: float) -> str:
    return tell("ui.research.notes.passage", document=document, share=f"{relevance:.0%}")


def _delete(session: str) -> None:
    connection.speak()
    bench = connection.bench()
    bench.call(delete_notes(bench.workbench, connection.caller(), session))


class ReportParts(NamedTuple):
    body: str
    """Without the title, which is the question: the page has it above."""
    tail: str
    """Sources and trail, which the page shows in its own way, too."""


def parts_of(report: str, language: Language) -> ReportParts:
    first, _, rest = report.partition("\n")
    body = rest.lstrip("\n") if first.startswith("# ") else report
    heading = f"## {tell('research_report.heading.sources', language)}\n"
    before, found, after = body.rpartition(f"\n{heading}")
    return ReportParts(before, heading + after) if found else ReportParts(body, "")


ANCHOR = "research-source"
"""With its number: what a mark in the report leads to."""


def draw_sources(run_id: str, result: ResearchResult) -> None:
    """A fragment: a passage that is opened draws nothing else again."""
    st.subheader(counted("sources", len(result.citations)), anchor=False)
    if not result.citations:
        st.caption(tell("ui.research.sources.none"))
    opened = place.source_here()
    for citation in result.citations:
        _draw_source(run_id, citation, is_open=citation.id == opened)


def _draw_source(run_id: str, citation: Citation, *, is_open: bool) -> None:
    with st.container(border=True, key=f"{ANCHOR}-box-{citation.id}", gap="small"):
        around = _around(run_id, citation.id) if is_open else None
        st.html(card(citation, around, anchor=ANCHOR))
        with slot(filled=around is not None and around.problem is not None):
            if around is not None and around.problem is not None:
                draw_problem(around.problem)
        st.button(
            tell("ui.sources.hide" if is_open else "ui.sources.show"),
            icon=":material/unfold_less:" if is_open else ":material/unfold_more:",
            key=f"source:{run_id}:{citation.id}",
            type="tertiary",
            on_click=place.toggle_source,
            args=(citation.id,),
        )


def _around(run_id: str, number: int) -> CitationPlace:
    bench = connection.bench()
    return bench.call(citation_place(bench.workbench, connection.caller(), run_id, number))


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
