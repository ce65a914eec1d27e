"""A run of a plan, live: its picture by status, what it asks, what went wrong, what came out."""

from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import current_language, tell
from sanbo.plans.progress import failed_node, forms_before, source_of, title_of
from sanbo.runs.model import Run, Status
from sanbo.service.plan_pictures import plan_run
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_plan, link_to_run
from sanbo.ui.artifacts import draw_artifacts
from sanbo.ui.boundary import draw_problem, fragment
from sanbo.ui.live_text import LiveTexts, draw_live_texts
from sanbo.ui.plans import place
from sanbo.ui.plans.exports_view import draw_exports, exports_of, files_in
from sanbo.ui.plans.node_list import draw_again, draw_nodes
from sanbo.ui.plans.picture import draw_run_picture
from sanbo.ui.presentation import browser_zone, elapsed, in_turn, look_of
from sanbo.ui.question_view import draw_questions
from sanbo.ui.run_actions import draw_cancel, draw_facts, draw_trail, resume

FOLDERS = ("designs", "plans")
"""The workspace's plans, and the shipped samples."""


def design_of(run: Run) -> str:
    """Its id; empty for a plan that was given as a text or a file from elsewhere."""
    parts = PurePosixPath(source_of(run).plan.file).with_suffix("").parts
    return "/".join(parts[1:]) if len(parts) > 1 and parts[0] in FOLDERS else ""


QUICK_SECONDS, SLOW_SECONDS, WAITING_SECONDS = 0.5, 1.0, 3.0
QUICK_UNTIL = 6.0
"""After so long nobody waits for the blink of an eye, and looking takes time from the work."""
TRAIL_SECONDS = 5.0
_live_texts = LiveTexts()


class _Parts(NamedTuple):
    """Of the page that change by themselves."""

    head: DeltaGenerator
    work: DeltaGenerator
    nodes: DeltaGenerator
    picture: DeltaGenerator


def draw_run(run_id: str) -> None:
    run = _get(run_id)
    _draw_way_back(run)
    head = st.container()
    main, side = st.columns([5, 4], gap="large")
    with main:
        if run.problem is not None:
            _draw_failure(run)
        draw_questions(run, run.open_interactions)
        if run.status.is_final:
            _draw_outcome(run)
        work = st.container()
        st.subheader(tell("ui.run.steps"), anchor=False)
        nodes = st.container(key="plan-nodes")
    with side:
        picture = st.container(key="plan-picture")
    # What changes by itself is one part, and each form another: a refresh never touches what is
    # being typed.
    live = fragment(_draw_live, run_every=_refresh_seconds(run))
    live(run_id, _shape(run), _Parts(head, work, nodes, picture))
    _draw_foot(run)


def _get(run_id: str) -> Run:
    bench = connection.bench()
    return bench.call(plan_run(bench.workbench, connection.caller(), run_id))


def _refresh_seconds(run: Run) -> float | None:
    if run.status.is_final:
        return None
    if run.status is Status.WAITING:
        return WAITING_SECONDS
    is_new = elapsed(run, datetime.now(UTC)).total_seconds() < QUICK_UNTIL
    return QUICK_SECONDS if is_new else SLOW_SECONDS


def _shape(run: Run) -> tuple[object, ...]:
    """What the page is laid out by; when it changes, the whole page is drawn again."""
    ids = tuple(interaction.interaction_id for interaction in run.open_interactions)
    return _refresh_seconds(run), ids, run.problem is not None


# ---- the parts that change by themselves ----


def _draw_live(run_id: str, shape: tuple[object, ...], parts: _Parts) -> None:
    if place.run_here() != run_id:
        st.rerun()  # a node's button has begun another run
    run = _get(run_id)
    if _shape(run) != shape:
        st.rerun()
    with parts.head:
        _draw_head(run, datetime.now(UTC))
    with parts.work:
        if not run.status.is_final:
            _draw_work(run)
    with parts.nodes:
        draw_nodes(run)
    with parts.picture:
        draw_run_picture(run)


def _draw_head(run: Run, now: datetime) -> None:
    look = look_of(run.status)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.title(literal(title_of(run)), width="content", anchor=False)
        st.badge(look.word, icon=look.icon, color=look.colour)
    draw_facts(run, now)


def _draw_work(run: Run) -> None:
    draw_live_texts(_live_texts.of(connection.bench(), connection.caller(), run.run_id))
    if run.status is not Status.WAITING:
        st.caption(literal(tell("ui.plans.run.may_leave")))


# ---- what stays ----


def _draw_way_back(run: Run) -> None:
    # By this name the page knows that something else is shown, and scrolls to its top.
    with st.container(
        horizontal=True, vertical_alignment="center", key=f"plans-shown-run-{run.run_id}"
    ):
        with st.container(width="stretch"):
            if plan_id := design_of(run):
                link_to_plan(plan_id, tell("ui.plans.run.to_plan"), ":material/arrow_back:")
            else:
                st.button(
                    tell("ui.plans.back"),
                    icon=":material/arrow_back:",
                    type="tertiary",
                    on_click=place.show_list,
                )
        if not run.status.is_final:
            # Beside what redraws itself: a button that is drawn anew is hard to hit.
            draw_cancel(run.run_id)


def _draw_failure(run: Run) -> None:
    assert run.problem is not None
    step = failed_node(run)
    title = in_turn(step.title or step.path[-1], step.path) if step is not None else ""
    if step is not None:
        told = tell("ui.plans.run.failed_at", node=title)
        st.markdown(f":red[:material/error: **{literal(told)}**]")
    draw_problem(run.problem, key=run.run_id)
    forms = forms_before(run, step) if step is not None else ()
    with st.container(horizontal=True, vertical_alignment="center", key="plan-again"):
        if run.status is Status.FAILED:
            st.button(
                tell("ui.plans.run.resume"),
                icon=":material/play_arrow:",
                type="primary",
                key=f"resume:{run.run_id}",
                help=tell("ui.plans.run.resume_help"),
                on_click=resume,
                args=(run.run_id,),
            )
        if step is not None:
            draw_again(run, step.path, tell("ui.plans.run.again_from", node=title))
        for form in forms:
            draw_again(run, form.path, tell("ui.plans.run.again_form", node=form.title))
    if not forms:
        st.caption(literal(tell("ui.plans.run.again_help")))


def _draw_outcome(run: Run) -> None:
    if run.status is Status.CANCELLED:
        st.info(literal(tell("ui.run.was_cancelled")), icon=":material/cancel:")
    for step in run.steps:
        if run.status is Status.SUCCEEDED and step.status == "failed" and step.block:
            reason = step.problem.message if step.problem else ""
            title = step.title or "/".join(step.path)
            told = tell("ui.plans.run.went_on", node=title, reason=reason)
            st.warning(literal(told), icon=":material/warning:")
        for warning in step.warnings:
            about = warning.in_language(current_language())
            title = step.title or "/".join(step.path)
            told = tell("ui.plans.run.warned", node=title, message=about.message, hint=about.hint)
            st.warning(literal(told), icon=":material/warning:")
    if run.result is not None:
        st.subheader(tell("ui.plans.run.exports"), anchor=False)
        with st.container(key="result"):
            draw_exports(run)
    _draw_other_files(run)


def _draw_other_files(run: Run) -> None:
    """Files made on the way; those that came out are above."""
    out = {str(file["file_id"]) for value in exports_of(run).values() for file in files_in(value)}
    others = tuple(made for made in run.artifacts if made.artifact_id not in out)
    if others:
        label = tell("ui.plans.run.files", count=len(others))
        with st.expander(label, icon=":material/folder_open:"):
            draw_artifacts(run.model_copy(update={"artifacts": others}))


def _draw_foot(run: Run) -> None:
    st.divider()
    every = TRAIL_SECONDS if run.status is Status.RUNNING else None
    fragment(draw_trail, run_every=every)(run.run_id, browser_zone())
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        if run.replay_of is not None:
            before = tell("ui.run.replay_of")
            link_to_run(run.replay_of.run_id, before, ":material/replay:")
        link_to_run(run.run_id, tell("ui.plans.run.record"), ":material/receipt_long:")
        st.caption(literal(run.run_id), width="content")
