"""The dialog where GRACE is not sure: what it would answer and why it asks, and the form."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from sanbo.agents.grace.schemas import ExecutionState, Intervention, StepResult
from sanbo.kernel.markdown import document, literal, paragraphs
from sanbo.kernel.messages import tell
from sanbo.runs.model import Interaction, JsonObject, Run
from sanbo.ui import connection
from sanbo.ui.boundary import fragment
from sanbo.ui.form import draw_form
from sanbo.ui.grace.proposal import draw_proposal, proposal_of
from sanbo.ui.grace.why import draw_why
from sanbo.ui.kept_form import KeptForm

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
