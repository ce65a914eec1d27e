"""All plans: those of the workspace first, then the samples; and a way to add one."""

from pathlib import PurePosixPath
from typing import Any, NamedTuple

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict, InvalidInput, Problem, SanboError
from sanbo.service.plan_list import DesignInfo, list_designs
from sanbo.service.plans import save_design
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_plan
from sanbo.ui.attachments import safe_name
from sanbo.ui.boundary import draw_problem
from sanbo.ui.plans import place
from sanbo.ui.plans.plan_view import draw_verdict, facts_of

ENDINGS = ["yaml", "yml"]
ENCODINGS = ("utf-8-sig", "cp932")
_TURN, _ASKED, _PROBLEM = "plan_upload_turn", "plan_upload_asked", "plan_upload_problem"


class Pending(NamedTuple):
    """A plan whose name is taken: somebody has to say whether it takes that one's place."""

    plan_id: str
    text: str


def draw_upload() -> None:
    key = f"plan_upload:{st.session_state.get(_TURN, 0)}"
    st.file_uploader(
        tell("ui.plans.upload.label"), type=ENDINGS, key=key, on_change=_take, args=(key,)
    )
    st.caption(literal(tell("ui.plans.upload.help")))
    pending = st.session_state.get(_ASKED)
    if isinstance(pending, Pending):
        _ask(pending)
    problem = st.session_state.get(_PROBLEM)
    if isinstance(problem, Problem):
        draw_problem(problem)


def _ask(pending: Pending) -> None:
    with st.container(border=True, key="plan-replace"):
        told = tell("ui.plans.upload.exists", plan_id=pending.plan_id)
        st.markdown(f":orange[:material/warning:] {literal(told)}")
        with st.container(horizontal=True):
            st.button(
                tell("ui.plans.upload.replace"),
                type="primary",
                icon=":material/sync:",
                on_click=_save,
                args=(pending.text, pending.plan_id),
                kwargs={"replace": True},
            )
            st.button(tell("ui.plans.upload.keep"), on_click=_forget)


def text_of(data: bytes, name: str) -> str:
    """In UTF-8, or as an older Japanese editor saves it."""
    for encoding in ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InvalidInput("plan_file_refused", file=name, reason="UTF-8")


def name_of(file: str) -> str:
    """For a plan that does not tell its own id."""
    return PurePosixPath(safe_name(file)).stem


# ---- widgets' callbacks ----


def _take(key: str) -> None:
    connection.speak()
    upload: Any = st.session_state.get(key)
    if upload is None:
        return
    _forget()
    name = str(upload.name)
    try:
        text = text_of(upload.getvalue(), name)
    except SanboError as error:
        st.session_state[_PROBLEM] = error.problem
        return
    _save(text, name=name)


def _save(text: str, plan_id: str = "", *, name: str = "", replace: bool = False) -> None:
    connection.speak()
    settings = connection.bench().workbench.settings
    try:
        saved = save_design(settings, text, plan_id, replace=replace, caller=connection.caller())
    except Conflict as taken:
        wanted = str(taken.problem.params.get("plan_id", plan_id))
        st.session_state[_ASKED] = Pending(wanted, text)
    except SanboError as error:
        if error.problem.text_id in ("plan_id_missing", "plan_id_unreadable") and name:
            _save(text, name_of(name))
            return
        st.session_state[_PROBLEM] = error.problem
    else:
        _forget()
        place.show_plan(saved.plan_id)
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1


def _forget() -> None:
    for name in (_ASKED, _PROBLEM):
        st.session_state.pop(name, None)


LONGEST = 160


def draw_list() -> None:
    with st.container(key="plans-shown-list"):
        st.title(tell("ui.plans.title"), anchor=False)
    st.markdown(literal(tell("ui.plans.purpose")))
    designs = list_designs(connection.bench().workbench.settings)
    own = [design for design in designs if design.origin == "workspace"]
    samples = [design for design in designs if design.origin == "sample"]
    samples.sort(key=lambda design: design.plan_id.count("/"))  # what others call comes last
    st.subheader(tell("ui.plans.list.own"), anchor=False)
    if not own:
        st.info(literal(tell("ui.plans.list.none")), icon=":material/inbox:")
    for design in own:
        _draw_line(design)
    with st.expander(tell("ui.plans.upload.title"), icon=":material/upload_file:", key="plan-add"):
        draw_upload()
    if samples:
        st.subheader(tell("ui.plans.list.samples"), anchor=False)
    for design in samples:
        _draw_line(design)


def _draw_line(design: DesignInfo) -> None:
    with st.container(border=True, gap=None, key=f"plan-line-{design.plan_id}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            with st.container(width="stretch"):
                title = literal(design.title or design.plan_id)
                link_to_plan(design.plan_id, f"**{title}**", ":material/account_tree:")
            draw_verdict(design)
        if design.description:
            told = " ".join(design.description.split())
            shown = told if len(told) <= LONGEST else f"{told[: LONGEST - 1]}…"
            st.markdown(literal(shown))
        st.caption(literal(facts_of(design)))
