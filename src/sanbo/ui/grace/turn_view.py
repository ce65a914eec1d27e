"""One turn in the chat: the question, and its answer, its work, what it asks, or its problem."""

from collections.abc import Callable

import streamlit as st

from sanbo.agents.grace.present import result_of
from sanbo.kernel.markdown import literal, paragraphs
from sanbo.kernel.messages import tell
from sanbo.runs.model import Run, Status
from sanbo.ui.addresses import link_to_run
from sanbo.ui.boundary import draw_problem
from sanbo.ui.conversations import Refused
from sanbo.ui.grace.answer import draw_answer
from sanbo.ui.grace.dialog import can_decline, draw_dialogs
from sanbo.ui.grace.work import draw_stop, draw_work, plan_list, state_of
from sanbo.ui.presentation import asked_in
from sanbo.ui.run_actions import resume

_ASSISTANT = ":material/balance:"
_PERSON = ":material/person:"


def draw_turn(run: Run, before: Run | None, *, is_last: bool) -> None:
    _draw_question(asked_in(run.input), _place(run, before), run.run_id)
    # By these names the page scrolls to the newest question and leaves room for its answer.
    with (
        st.container(key="grace-newest" if is_last else f"grace-turn-{run.run_id}"),
        st.chat_message("assistant", avatar=_ASSISTANT),
    ):
        if not run.status.is_final:
            _draw_open(run)
        elif run.result is not None:
            draw_answer(run, result_of(run), is_last=is_last)
        else:
            _draw_failure(run)


def draw_refused(refused: Refused, ask: Callable[[str], None]) -> None:
    _draw_question(refused.question, "", "refused")
    with st.chat_message("assistant", avatar=_ASSISTANT):
        draw_problem(
            refused.problem, key=f"asking:{refused.key}", retry=lambda: ask(refused.question)
        )


def _draw_question(question: str, place: str, key: str) -> None:
    with st.container(key=f"grace-question-{key}"), st.chat_message("user", avatar=_PERSON):
        st.markdown(paragraphs(question))
        if place:
            st.caption(f":material/library_books: {literal(place)}")


def _place(run: Run, before: Run | None) -> str:
    """Where it looks; named where it is the first question, or another place than before."""
    named = run.input.get("collection")
    if before is not None and before.input.get("collection") == named:
        return ""
    return str(named) if named else tell("ui.grace.ask.everywhere")


def _draw_open(run: Run) -> None:
    if run.open_interactions:  # first what is wanted of the person, then how it came to that
        draw_dialogs(run, state_of(run.run_id))
    draw_work(run)
    if not any(can_decline(interaction) for interaction in run.open_interactions):
        draw_stop(run)


def _draw_failure(run: Run) -> None:
    if run.status is Status.CANCELLED:
        st.info(literal(tell("ui.grace.cancelled")), icon=":material/cancel:")
    if run.problem is not None:
        retry = (lambda: resume(run.run_id)) if run.problem.recoverable else None
        draw_problem(run.problem, key=run.run_id, retry=retry)
    if plan := plan_list(state_of(run.run_id)):
        with st.expander(tell("ui.grace.plan.how"), icon=":material/checklist:"):
            st.html(plan)
    link_to_run(run.run_id, tell("ui.grace.trail"), ":material/receipt_long:")
