"""What a person thinks of an answer: thumb up or down, a comment, and what that has changed."""

import streamlit as st

from sanbo.agents.grace.calibration.calibrations import Heard
from sanbo.agents.grace.calibration.feedback import Feedback, Verdict
from sanbo.agents.grace.schemas import ThresholdsUsed
from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.runs.model import Question, Requirement
from sanbo.service.calibration import feedback_of, give_feedback, withdraw_feedback
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_calibration
from sanbo.ui.boundary import draw_problem
from sanbo.ui.fields import prepared, remember
from sanbo.ui.grace.score_bars import threshold_of
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.presentation import slot

LONGEST_COMMENT = 1000
_COMMENT = "comment"
_ICONS: dict[Verdict, str] = {"good": ":material/thumb_up:", "bad": ":material/thumb_down:"}


def draw_feedback(run_id: str) -> None:
    """A fragment: what is said here draws nothing else again."""
    bench = connection.bench()
    given = bench.call(feedback_of(bench.workbench, connection.caller(), run_id))
    form = _form(run_id)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for verdict in _ICONS:
            _draw_button(form, run_id, verdict, given)
        with slot(filled=given is not None):
            if given is not None:
                st.button(
                    tell("ui.grace.feedback.withdraw"),
                    key=f"feedback:{run_id}:withdraw",
                    type="tertiary",
                    on_click=_withdraw,
                    args=(form, run_id),
                )
    with slot(filled=form.problem is not None):
        if form.problem is not None:
            draw_problem(form.problem)
    with slot(filled=given is not None):
        if given is not None:
            _draw_given(form, run_id, given)


def _draw_button(form: KeptForm, run_id: str, verdict: Verdict, given: Feedback | None) -> None:
    is_chosen = given is not None and given.verdict == verdict
    st.button(
        tell(f"ui.grace.feedback.{verdict}"),
        icon=_ICONS[verdict],
        key=f"feedback:{run_id}:{verdict}",
        type="primary" if is_chosen else "secondary",
        on_click=_give,
        args=(form, run_id, verdict),
    )


def _draw_given(form: KeptForm, run_id: str, given: Feedback) -> None:
    heard = st.session_state.get(_heard_key(run_id))
    st.markdown(f":green[:material/check:] {literal(tell('ui.grace.feedback.thanks'))}")
    if isinstance(heard, Heard):
        st.caption(literal(changed(heard.before, heard.after)))
        link_to_calibration(tell("ui.grace.feedback.see"), ":material/tune:")
    key = prepared(form, _COMMENT, str(form.value(_COMMENT) or given.comment))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input(
            tell("ui.grace.feedback.comment"),
            key=key,
            max_chars=LONGEST_COMMENT,
            on_change=remember,
            args=(form, _COMMENT, key),
        )
        st.button(
            tell("ui.grace.feedback.send"),
            key=f"feedback:{run_id}:comment",
            on_click=_give,
            args=(form, run_id, given.verdict),
        )
    with slot(filled=bool(given.comment)):
        if given.comment:
            st.caption(literal(tell("ui.grace.feedback.said", comment=given.comment)))


def changed(before: ThresholdsUsed, after: ThresholdsUsed) -> str:
    """What the verdict has moved, in words."""
    levels = ("silent", "notify", "confirm")
    moved = [
        tell(
            "ui.grace.feedback.moved",
            level=tell(f"ui.grace.level.{level}"),
            before=threshold_of(getattr(before, level)),
            after=threshold_of(getattr(after, level)),
        )
        for level in levels
        if getattr(before, level) != getattr(after, level)
    ]
    if not moved:
        return tell("ui.grace.feedback.unmoved")
    return tell("ui.grace.feedback.moves", moves=tell("ui.grace.plan.between").join(moved))


def _form(run_id: str) -> KeptForm:
    field = Requirement(id=_COMMENT, type="text", label=_COMMENT, required=False)
    question = Question(mode="collect", message=_COMMENT, requirements=(field,))
    drafts, owner = connection.bench().workbench.drafts, connection.caller().owner
    return KeptForm(question, f"grace:{run_id}::feedback", owner, drafts)


def _heard_key(run_id: str) -> str:
    return f"grace_heard:{run_id}"


# ---- callbacks ----


def _give(form: KeptForm, run_id: str, verdict: Verdict) -> None:
    connection.speak()
    bench = connection.bench()
    comment = str(form.value(_COMMENT) or "")
    work = give_feedback(bench.workbench, connection.caller(), run_id, verdict, comment)
    try:
        st.session_state[_heard_key(run_id)] = bench.call(work)
    except SanboError as error:
        form.fail(error.problem)


def _withdraw(form: KeptForm, run_id: str) -> None:
    connection.speak()
    bench = connection.bench()
    try:
        bench.call(withdraw_feedback(bench.workbench, connection.caller(), run_id))
    except SanboError as error:
        form.fail(error.problem)
        return
    st.session_state.pop(_heard_key(run_id), None)
    form.reset()
