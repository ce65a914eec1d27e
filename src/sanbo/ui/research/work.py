"""A research at work: what was searched and decided so far, and the report as it is written."""

from datetime import UTC, datetime

import streamlit as st

from sanbo.agents.research.model import AnswerStep, DecideStep, FoundPassage, RetrieveStep
from sanbo.evidence.model import SearchedQuery
from sanbo.kernel.markdown import document, literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import Run
from sanbo.service.research import AnyStep, steps_of
from sanbo.ui import connection
from sanbo.ui.boundary import fragment
from sanbo.ui.live_text import LiveTexts
from sanbo.ui.presentation import clear_rest, duration, elapsed, slot
from sanbo.ui.run_actions import draw_cancel


def counted(what: str, count: int) -> str:
    """`1 citation`, `12 citations`; Japanese says both alike."""
    number = "one" if count == 1 else "many"
    return tell(f"ui.research.counted.{what}.{number}", count=f"{count:,}")


SHOWN_PASSAGES = 5
LONGEST_BEGINNING = 80


def _draw_search(step: RetrieveStep, most: int) -> None:
    head = literal(tell("ui.research.steps.search", cycle=step.cycle))
    found = tell("ui.research.steps.found", new=len(step.passages), total=step.passages_in_all)
    st.markdown(
        f":blue[:material/search:] **{head}** &ensp; :gray[:small[{literal(found)}]]  \n"
        + " ".join(_query(query) for query in step.queries)
    )
    if step.problem:
        st.markdown(f":orange[:material/warning:] {literal(step.problem)}")
    shown = step.passages[:most]
    with slot(filled=bool(shown)):
        if shown:
            st.markdown("\n".join(f"- {_passage(one)}" for one in shown))


def _draw_decision(step: DecideStep) -> None:
    is_last = step.stop_reason is not None
    look = ":green[:material/check_circle:]" if step.enough else ":orange[:material/help:]"
    head = literal(tell("ui.research.steps.decision"))
    lines = [f"{look} **{head}** &ensp; {literal(step.reason)}"]
    if step.missing:
        missing = tell("ui.research.steps.separator").join(step.missing)
        told = tell("ui.research.steps.missing", missing=missing)
        lines.append(f":gray[:small[{literal(told)}]]")
    if not is_last:
        lines.append(f":gray[:small[{literal(tell('ui.research.steps.again'))}]]")
    st.markdown("  \n".join(lines))


def draw_step(step: AnyStep, *, briefly: bool = False) -> None:
    """`briefly`: without the passages, where the report is what one wants to see."""
    match step:
        case RetrieveStep():
            _draw_search(step, most=0 if briefly else SHOWN_PASSAGES)
        case DecideStep():
            _draw_decision(step)
        case AnswerStep():
            _draw_report(step)


def _draw_report(step: AnswerStep) -> None:
    head = literal(tell("ui.research.steps.report"))
    told = tell(
        "ui.research.steps.written",
        citations=counted("citations", step.citations),
        characters=f"{step.characters:,}",
    )
    st.markdown(f":green[:material/article:] **{head}** &ensp; :gray[:small[{literal(told)}]]")


def _query(query: SearchedQuery) -> str:
    text = "ui.research.steps.cached" if query.cached else "ui.research.steps.query"
    told = tell(text, query=" ".join(query.text.split()), hits=query.hits)
    return f":gray-badge[{literal(told)}]"


def _passage(found: FoundPassage) -> str:
    beginning = " ".join(found.beginning.split())
    if len(beginning) > LONGEST_BEGINNING:
        beginning = beginning[:LONGEST_BEGINNING] + "…"
    where = ""
    if found.page is not None:
        where = tell("ui.collections.place.page", page=found.page)
    elif found.sheet is not None:
        where = tell("ui.collections.place.sheet", sheet=found.sheet)
    name = " ".join(part for part in (found.document, where) if part)
    share = tell("ui.research.steps.relevance", share=f"{found.relevance:.0%}")
    shown = [f":gray[:small[{literal(each)}]]" for each in (share, beginning)]
    return f"**{literal(name)}** {shown[0]}  \n  {shown[1]}"


QUICK_SECONDS, SLOW_SECONDS = 0.5, 1.0
QUICK_UNTIL = 4.0
"""After so long nobody waits for the blink of an eye, and looking takes time from the work."""
_live_texts = LiveTexts()


def draw_work(run: Run) -> None:
    """Redraws itself until the run has ended; then the whole page is drawn again."""
    every = refresh_seconds(run)
    fragment(_draw_progress, run_every=every)(run.run_id, every)


def refresh_seconds(run: Run) -> float:
    is_new = elapsed(run, datetime.now(UTC)).total_seconds() < QUICK_UNTIL
    return QUICK_SECONDS if is_new else SLOW_SECONDS


def draw_stop(run: Run) -> None:
    """Beside what redraws itself: a button that is drawn anew is hard to hit."""
    draw_cancel(run.run_id)


def _draw_progress(run_id: str, every: float) -> None:
    bench = connection.bench()
    run = bench.call(bench.workbench.get(connection.caller(), run_id))
    if run.status.is_final or refresh_seconds(run) != every:
        st.rerun()
    text = "\n".join(_live_texts.of(bench, connection.caller(), run_id).values()).strip()
    with st.container(border=True, key="research-work"):
        _draw_head(run)
        _draw_steps(run, briefly=bool(text))
    with slot(filled=bool(text)):
        if text:
            st.caption(f":material/edit_note: {literal(tell('ui.research.work.writing'))}")
            with st.container(border=True, key="research-report-live"):
                st.markdown(document(text))


def _draw_head(run: Run) -> None:
    took = duration(elapsed(run, datetime.now(UTC)).total_seconds())
    at_work = [step.title for step in run.steps if step.status == "running"]
    doing = at_work[-1] if at_work else tell("ui.research.work.beginning")
    st.markdown(
        f":blue[:material/progress_activity:] **{literal(doing)}**"
        f" &ensp; :gray[:small[{literal(took)}]]"
    )
    st.caption(literal(tell("ui.research.work.may_leave")))


def _draw_steps(run: Run, *, briefly: bool) -> None:
    """One place a step, and no fewer than before: one not drawn might be left standing."""
    bench = connection.bench()
    events = bench.call(bench.workbench.events(connection.caller(), run.run_id))
    steps = steps_of(events)
    for step in steps:
        with st.container(gap="small"):
            draw_step(step, briefly=briefly)
    clear_rest(f"research_steps:{run.run_id}", len(steps))
