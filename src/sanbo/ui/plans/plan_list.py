"""All plans: those of the workspace first, then the samples; and a way to add one."""

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.plan_list import DesignInfo, list_designs
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_plan
from sanbo.ui.plans.plan_view import draw_verdict, facts_of
from sanbo.ui.plans.uploading import draw_upload

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
