"""How a research goes, search by search: queries, passages, the decision and why."""

import streamlit as st

from sanbo.agents.research.model import AnswerStep, DecideStep, FoundPassage, RetrieveStep
from sanbo.evidence.model import SearchedQuery
from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.research import AnyStep
from sanbo.ui.research.wording import counted
from sanbo.ui.slots import slot

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
