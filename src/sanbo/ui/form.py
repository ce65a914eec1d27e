"""The one form: every question of every workflow, and the input that starts one."""

from collections.abc import Callable, Mapping

import streamlit as st
from pydantic import JsonValue

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.runs.model import APPROVED, RESPONSE, JsonObject, Question
from sanbo.ui import session_state
from sanbo.ui.boundary import draw_problem
from sanbo.ui.fields import draw_field, draw_text
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.presentation import browser_zone, slot

Send = Callable[[JsonObject], Callable[[], None]]
"""Hands an answer in; returns where to go then."""


def draw_form(form: KeptForm, send: Send, *, send_label: str = "") -> None:
    """What `send` raises is shown, at the fields too, and everything typed stays."""
    question = form.question
    _draw_notices(form)
    with slot(filled=form.problem is not None):
        if form.problem is not None:
            draw_problem(form.problem)
    for line in question.chat:
        with st.chat_message(line.role):
            st.text(line.text)
    for field in question.requirements:
        draw_field(form, field)
    for name in session_state.messages_of(question.mode):
        draw_text(form, name, _label(question, name))
    _draw_buttons(form, send, send_label or tell("ui.form.send"))


def _label(question: Question, name: str) -> str:
    if name == RESPONSE:
        return tell(
            "ui.form.response_required" if question.demands_response else "ui.form.response"
        )
    return tell("ui.form.comment")


def _draw_notices(form: KeptForm) -> None:
    notices = form.state.notices
    if not notices:
        st.empty()
        return
    with st.container(border=True):
        for notice in notices:
            st.markdown(
                f":orange[:material/warning:] "
                f"{literal(tell(f'ui.notice.{notice.change}', label=notice.label))}"
            )
        st.button(
            tell("ui.notice.understood"),
            key=f"{form.key}::understood",
            on_click=form.dismiss_notices,
        )


def _draw_buttons(form: KeptForm, send: Send, send_label: str) -> None:
    key = form.key
    with slot(filled=form.problem is not None):  # what is above a long form may be out of sight
        if form.problem is not None:
            st.markdown(f":red[:material/error: {literal(tell('ui.form.see_above'))}]")
    decides = form.question.mode in ("confirm", "mixed")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if decides:
            if st.button(
                tell("ui.form.approve"),
                key=f"{key}::approve",
                type="primary",
                icon=":material/check:",
            ):
                _send(form, send, {APPROVED: True})
            if st.button(tell("ui.form.reject"), key=f"{key}::reject", icon=":material/undo:"):
                _send(form, send, {APPROVED: False})
        if form.question.mode != "confirm" and st.button(
            tell("ui.form.send_undecided") if decides else send_label,
            key=f"{key}::send",
            type="secondary" if decides else "primary",
            icon=":material/send:",
        ):
            _send(form, send, {})
        with st.popover(tell("ui.form.reset"), icon=":material/restart_alt:", type="tertiary"):
            st.markdown(tell("ui.form.reset_warning"))
            st.button(
                tell("ui.form.reset_confirm"),
                key=f"{key}::reset",
                on_click=form.reset,
                type="primary",
            )
        with slot(filled=form.saved_at is not None):
            _draw_saved(form)


def _draw_saved(form: KeptForm) -> None:
    if form.saved_at is not None:
        time = f"{form.saved_at.astimezone(browser_zone()):%H:%M:%S}"
        st.caption(f":material/cloud_done: {literal(tell('ui.form.saved', time=time))}")


def _send(form: KeptForm, send: Send, decision: Mapping[str, JsonValue]) -> None:
    answer = session_state.answer_of(form.state, form.question, decision)
    try:
        go_on = send(answer)
    except SanboError as error:
        form.fail(error.problem)
        st.rerun()  # the whole page: this may not be a run of the form's part alone
    form.sent()
    go_on()
