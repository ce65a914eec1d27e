"""One plan: what it is, its picture, its runs, and to run it, check it, try it or read it."""

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st
from streamlit.elements.lib.mutable_tab_container import TabContainer

from sanbo.kernel.markdown import literal, paragraphs
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import NotFound
from sanbo.plans.progress import figure_of_source, source_of
from sanbo.service.plan_list import DesignInfo
from sanbo.service.plans import PLAN, DesignDetail, PlanSource, read_design, source_by_id
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_plan_run
from sanbo.ui.boundary import fragment
from sanbo.ui.conversations import own_runs
from sanbo.ui.plans import place
from sanbo.ui.plans.findings_view import draw_check, draw_dry_run
from sanbo.ui.plans.picture import draw_plan_picture
from sanbo.ui.plans.place import VIEWS
from sanbo.ui.plans.start import draw_start
from sanbo.ui.presentation import browser_zone, duration, look_of, moment

SHOWN = 5
LOOKED_THROUGH = 60
_FILES = "plan_run_files"


def draw_recent(file: str) -> None:
    """`file`: the plan's, as its design names it."""
    runs = [run for run in own_runs(PLAN, LOOKED_THROUGH) if _file_of(run.run_id) == file][:SHOWN]
    if not runs:
        return
    st.subheader(tell("ui.plans.recent.title"), anchor=False)
    now = datetime.now(UTC)
    for run in runs:
        look = look_of(run.status)
        until = run.updated_at if run.status.is_final else now
        line = "ui.list.took" if run.status.is_final else "ui.list.since"
        started = moment(run.created_at, browser_zone(), now)
        took = duration((until - run.created_at).total_seconds())
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(look.word, icon=look.icon, color=look.colour)
            link_to_plan_run(run.run_id, literal(tell(line, started=started, elapsed=took)))


def _file_of(run_id: str) -> str:
    """That its plan was in. Read once: what a run was given never changes."""
    known: dict[str, str] = st.session_state.setdefault(_FILES, {})
    if run_id not in known:
        bench = connection.bench()
        try:
            run = bench.call(bench.workbench.get(connection.caller(), run_id))
            known[run_id] = source_of(run).plan.file
        except NotFound:  # deleted while we looked, or recorded by a later version
            return ""
    return known[run_id]


_TAB = "plan_view"


def draw_plan(plan_id: str) -> None:
    settings = connection.bench().workbench.settings
    design = read_design(settings, plan_id)
    source = source_by_id(settings, plan_id)
    _draw_head(design)
    main, side = st.columns([5, 4], gap="large")
    with main:
        _draw_tabs(design, source)
    with side, st.container(key="plan-picture"):
        draw_plan_picture(source)


def _draw_head(design: DesignDetail) -> None:
    st.button(
        tell("ui.plans.back"),
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=place.show_list,
    )
    with st.container(
        horizontal=True, vertical_alignment="center", key=f"plans-shown-plan-{design.plan_id}"
    ):
        st.title(literal(design.title or design.plan_id), width="content", anchor=False)
        draw_verdict(design)
    if design.description:
        st.markdown(paragraphs(design.description))
    st.caption(literal(facts_of(design)))


def draw_verdict(design: DesignInfo) -> None:
    if not design.valid:
        told = tell("ui.plans.verdict.errors", count=design.errors)
        st.badge(told, icon=":material/error:", color="red")
    elif design.warnings:
        told = tell("ui.plans.verdict.warnings", count=design.warnings)
        st.badge(told, icon=":material/warning:", color="orange")
    else:
        st.badge(tell("ui.plans.verdict.valid"), icon=":material/check_circle:", color="green")


def facts_of(design: DesignInfo) -> str:
    facts = [design.plan_id, tell(f"ui.plans.origin.{design.origin}")]
    if design.version:
        facts.insert(1, tell("ui.plans.version", version=design.version))
    return " ・ ".join(facts)


def _draw_tabs(design: DesignDetail, source: PlanSource) -> None:
    run, check, trial, text = _tabs(design)
    with run:
        if run.open:
            fragment(draw_start)(design, source)
            draw_recent(design.file)
    with check:
        if check.open:
            draw_check(design)
    with trial:
        if trial.open:
            draw_dry_run(source, _titles(source, design))
    with text:
        if text.open:
            _draw_text(design)


def _tabs(design: DesignDetail) -> Sequence[TabContainer]:
    """The address names the open one; a plan that can't run begins with what is wrong."""
    count = len(design.findings)
    labels = [tell(f"ui.plans.tab.{view}") for view in VIEWS]
    labels[1] = tell("ui.plans.tab.check_found", count=count) if count else labels[1]
    view = place.view_here() or ("run" if design.valid else "check")
    is_open = labels[VIEWS.index(view)]
    key = f"{_TAB}:{design.plan_id}"
    if st.session_state.get(key) != is_open:
        st.session_state[key] = is_open
    return st.tabs(labels, key=key, on_change=_turn, args=(key, labels))


def _turn(key: str, labels: list[str]) -> None:
    place.turn_to(VIEWS[labels.index(st.session_state[key])])


def _titles(source: PlanSource, design: DesignDetail) -> dict[str, str]:
    if any(each.severity == "error" for each in design.findings) and not design.title:
        return {}
    return {"/".join(item.path): item.title for item in figure_of_source(source).everything()}


def _draw_text(design: DesignDetail) -> None:
    name = design.plan_id.rsplit("/", 1)[-1]
    st.download_button(
        tell("ui.plans.text.download"),
        design.text.encode(),
        file_name=f"{name}.yaml",
        mime="application/yaml",
        icon=":material/download:",
        key=f"plan_text:{design.plan_id}",
        on_click="ignore",
    )
    st.caption(literal(design.file))
    with st.container(key="plan-text"):
        st.code(design.text, language="yaml", line_numbers=True)
