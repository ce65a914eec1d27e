"""The dialog where GRACE is not sure: what it would answer and why it asks, and the form."""

from collections.abc import Callable
from functools import partial

import streamlit as st
from pydantic import BaseModel, ConfigDict, ValidationError

from sanbo.agents.grace.schemas import (
    AnswerSentence,
    Confidence,
    ExecutionState,
    Intervention,
    Source,
    StepResult,
)
from sanbo.kernel.markdown import document, literal, paragraphs
from sanbo.kernel.messages import tell
from sanbo.runs.model import Interaction, JsonObject, Run
from sanbo.ui import connection
from sanbo.ui.boundary import fragment
from sanbo.ui.form import draw_form
from sanbo.ui.grace.answer import anchor_of, draw_sources, draw_why
from sanbo.ui.grace.score_bars import counted, headline
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.source_card import linked


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


DECISION = "action"
"""The field that says what is to be done: its options are the form's buttons."""


def draw_dialogs(run: Run, state: ExecutionState) -> None:
    asked = next((each for each in reversed(state.interventions) if each.action is None), None)
    for interaction in run.open_interactions:
        with st.container(border=True, key=f"grace-dialog-{interaction.interaction_id}"):
            st.markdown(f":orange[:material/front_hand:] **{literal(tell(_title(asked)))}**")
            _draw_dialog(run, interaction, state, _against(asked, state))


def can_decline(interaction: Interaction) -> bool:
    """Whether one of its own buttons ends the question: then the page needs none."""
    return any(field.id == DECISION for field in interaction.requirements)


def _against(asked: Intervention | None, state: ExecutionState) -> StepResult | None:
    """The step that was asked about: it knows of places that say otherwise."""
    of_step = (
        each for each in state.results if asked is not None and each.step_id == asked.step_id
    )
    return next(of_step, None)


def _draw_dialog(
    run: Run, interaction: Interaction, state: ExecutionState, step: StepResult | None
) -> None:
    proposal = proposal_of(interaction.context, step)
    if proposal is None:
        _draw_context(interaction)
        fragment(_draw_form)(run.run_id, interaction)
        return
    answer, reasons = st.columns([3, 2], gap="large")
    with answer:
        draw_proposal(run, proposal)
        fragment(_draw_form)(run.run_id, interaction)
    with reasons:
        st.caption(literal(tell("ui.grace.why.title")))
        draw_why(proposal.confidence, state.thresholds)


def _draw_context(interaction: Interaction) -> None:
    for name, value in interaction.context.items():  # a plan, in words: its steps stand above
        if name.endswith("_md") and isinstance(value, str):
            st.markdown(document(value))


def _title(asked: Intervention | None) -> str:
    return "ui.grace.dialog.open" if asked is None else f"ui.grace.dialog.about.{_subject(asked)}"


def _subject(asked: Intervention) -> str:
    return asked.level if asked.about == "answer" else asked.about


# ---- the form ----


def _draw_form(run_id: str, interaction: Interaction) -> None:
    question = interaction.model_copy(update={"context": {}})  # it stands above, in our words
    # By the question, not the step: a step that asks twice must not find the last answer typed.
    key = f"{interaction.state_key}::{interaction.interaction_id}"
    workbench = connection.bench().workbench
    form = KeptForm(question, key, connection.caller().owner, workbench.drafts)
    st.markdown(paragraphs(interaction.message))
    draw_form(
        form,
        partial(_answer, run_id, interaction.interaction_id),
        decided_by=DECISION if can_decline(interaction) else "",
    )


def _answer(run_id: str, interaction_id: str, answer: JsonObject) -> Callable[[], None]:
    bench = connection.bench()
    bench.call(bench.workbench.answer(connection.caller(), run_id, answer, interaction_id))
    return st.rerun
