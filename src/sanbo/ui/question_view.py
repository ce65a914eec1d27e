"""A question of a run on the page: who asks, what, and the form to answer it."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from sanbo.kernel.markdown import literal, paragraphs
from sanbo.kernel.messages import tell
from sanbo.runs.model import Interaction, JsonObject, Run, Status
from sanbo.service.plans import PLAN
from sanbo.ui import connection
from sanbo.ui.boundary import fragment
from sanbo.ui.form import draw_form
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.presentation import in_turn

_SEEN = "questions_seen"
_ANSWERABLE = (Status.QUEUED, Status.RUNNING, Status.WAITING, Status.SUCCEEDED)
_LONGEST = 60


def draw_questions(run: Run, questions: Sequence[Interaction]) -> None:
    """Each is a part of the page of its own; one that others have answered does not just vanish."""
    seen: dict[str, str] = st.session_state.setdefault(f"{_SEEN}:{run.run_id}", {})
    still_open = {each.interaction_id for each in run.open_interactions}
    for interaction_id, name in seen.items():
        if interaction_id not in still_open and run.status in _ANSWERABLE:
            st.info(literal(tell("ui.run.answered_elsewhere", name=name)), icon=":material/group:")
    for interaction in questions:
        asking = asked_by(run, interaction) if run.workflow == PLAN else ""
        seen[interaction.interaction_id] = asking or interaction.message[:_LONGEST]
        fragment(draw_question)(run.run_id, interaction, asking)


def draw_question(run_id: str, interaction: Interaction, asked_by: str = "") -> None:
    """`asked_by`: the step that asks, where several may ask at once."""
    workbench = connection.bench().workbench
    owner = connection.caller().owner
    form = KeptForm(interaction, interaction.state_key, owner, workbench.drafts)
    with st.container(border=True, key=f"question-{interaction.interaction_id}"):
        heading = f":orange[:material/front_hand:] **{literal(tell('ui.run.question'))}**"
        if asked_by:
            heading += f" &ensp; :orange-badge[{literal(asked_by)}]"
        st.markdown(heading)
        st.markdown(paragraphs(interaction.message))
        draw_form(form, partial(_answer, run_id, interaction.interaction_id))


def asked_by(run: Run, interaction: Interaction) -> str:
    """The title of the step that asks; inside a loop with the number of the iteration."""
    titles = {step.path: step.title for step in run.steps}
    path = interaction.path
    asking = next(
        (titles[path[:end]] for end in range(len(path) - 1, 0, -1) if titles.get(path[:end])), ""
    )
    return in_turn(asking, path) if asking else ""


def _answer(run_id: str, interaction_id: str, answer: JsonObject) -> Callable[[], None]:
    bench = connection.bench()
    bench.call(bench.workbench.answer(connection.caller(), run_id, answer, interaction_id))
    st.session_state.get(f"{_SEEN}:{run_id}", {}).pop(interaction_id, None)
    return st.rerun
