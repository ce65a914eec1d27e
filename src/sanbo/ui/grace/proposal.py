"""What GRACE would answer, as it stands beside a question to a person."""

import streamlit as st
from pydantic import BaseModel, ConfigDict, ValidationError

from sanbo.agents.grace.schemas import AnswerSentence, Confidence, Source, StepResult
from sanbo.kernel.markdown import document, literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import JsonObject, Run
from sanbo.ui.boundary import fragment
from sanbo.ui.grace.score_bars import headline
from sanbo.ui.grace.sources_view import anchor_of, draw_sources
from sanbo.ui.grace.wording import counted
from sanbo.ui.source_marks import linked


class Proposal(BaseModel):
    model_config = ConfigDict(frozen=True)

    answered: bool
    sentences: tuple[AnswerSentence, ...]
    nearest: tuple[AnswerSentence, ...] = ()
    """Hints, where nothing answers."""
    contradictions: tuple[AnswerSentence, ...] = ()
    confidence: Confidence
    sources: tuple[Source, ...]


def proposal_of(context: JsonObject, step: StepResult | None = None) -> Proposal | None:
    """None where the question is not about an answer. `step`: the one that answers."""
    try:
        proposal = Proposal.model_validate(context)
    except ValidationError:
        return None
    if step is None or step.sources != proposal.sources:  # else its numbers mean others
        return proposal
    return proposal.model_copy(update={"contradictions": step.contradictions})


def draw_proposal(run: Run, proposal: Proposal) -> None:
    st.html(headline(proposal.confidence.score, proposal.confidence.level))
    kind = "proposed" if proposal.sentences else "nearest"
    st.caption(literal(tell(f"ui.grace.dialog.{kind}")))
    words = linked(_words(proposal), _numbers(proposal), anchor_of(run.run_id))
    with st.container(key=f"grace-answer-{run.run_id}"):
        st.markdown(document(words))
    if proposal.sources:
        title = counted("sources", len(proposal.sources))
        with st.expander(title, icon=":material/format_quote:"):
            fragment(draw_sources)(run.run_id, proposal.sources)


def _words(proposal: Proposal) -> str:
    """Its sentences with their marks; what comes near where nothing answers."""
    shown = proposal.sentences or proposal.nearest
    if not shown:
        return literal(tell("ui.grace.dialog.nothing"))
    against = [f"⚠ {marked(sentence)}" for sentence in proposal.contradictions]
    return "\n\n".join([*map(marked, shown), *against])


def marked(sentence: AnswerSentence) -> str:
    marks = "".join(f"[{number}]" for number in sentence.sources)
    doubt = f" :orange[⚠ {literal(sentence.problem)}]" if sentence.problem else ""
    return f"{literal(sentence.text)}{marks}{doubt}"


def _numbers(proposal: Proposal) -> set[int]:
    return {source.id for source in proposal.sources}
