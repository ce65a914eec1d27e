"""A question of a run on the page: who asks, what, and the form to answer it."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.runs.model import Interaction, JsonObject, Run
from sanbo.ui import connection
from sanbo.ui.form import draw_form
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.safe_markdown import paragraphs, plain


def draw_question(run_id: str, interaction: Interaction, asked_by: str = "") -> None:
    """`asked_by`: the step that asks, where several may ask at once."""
    workbench = connection.bench().workbench
    owner = connection.caller().owner
    form = KeptForm(interaction, interaction.state_key, owner, workbench.drafts)
    with st.container(border=True, key=f"question-{interaction.interaction_id}"):
        heading = f":orange[:material/front_hand:] **{plain(tell('ui.run.question'))}**"
        if asked_by:
            heading += f" &ensp; :orange-badge[{plain(asked_by)}]"
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
    turns = [int(name[1:]) + 1 for name in path if name[:1] == "#" and name[1:].isdecimal()]
    if not asking or not turns:
        return asking
    return tell("ui.run.question_turn", title=asking, turn=turns[-1])


def _answer(run_id: str, interaction_id: str, answer: JsonObject) -> Callable[[], None]:
    bench = connection.bench()
    bench.call(bench.workbench.answer(connection.caller(), run_id, answer, interaction_id))
    return st.rerun
