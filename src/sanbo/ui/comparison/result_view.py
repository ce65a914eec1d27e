"""A finished comparison: what it came to, both documents side by side, and all files."""

import streamlit as st

from sanbo.agents.comparison.outputs.names import OutputFormat
from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import Run
from sanbo.service.comparison import Overview, file_name
from sanbo.ui.addresses import link_to_run
from sanbo.ui.comparison import place
from sanbo.ui.comparison.names import between, names_of
from sanbo.ui.comparison.outcome import draw_outcome
from sanbo.ui.made_files import MadeFiles
from sanbo.ui.presentation import duration, engine_of, usage_of

VIEW_HEIGHT = 760


DOWNLOADS: dict[OutputFormat, str] = {
    "docx": ":material/description:",
    "xlsx": ":material/table_view:",
    "html": ":material/vertical_split:",
    "markdown": ":material/article:",
    "json": ":material/data_object:",
}
"""With their icons, what an office takes along first."""


def draw_result(run: Run, overview: Overview) -> None:
    st.markdown(f":material/compare: **{literal(between(names_of(run, overview)))}**")
    draw_outcome(overview)
    files = MadeFiles(run)
    _draw_downloads(run, files)
    _draw_view(run, files)
    _draw_foot(run)


def _draw_view(run: Run, files: MadeFiles) -> None:
    if file_name(run, "html") not in files:
        st.warning(literal(tell("ui.comparison.view.gone")), icon=":material/memory:")
        return
    # From its own address, under a policy of its own that takes all rights from it: see
    # `sanbo.api.comparison`. Streamlit's frame alone would give it ours.
    address = f"/api/v1/comparison/{run.run_id}/view"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(tell("ui.comparison.view.title"), anchor=False, width="stretch")
        st.link_button(
            tell("ui.comparison.view.larger"),
            address,
            icon=":material/open_in_new:",
            type="tertiary",
        )
    with st.container(key="comparison-view"):
        st.iframe(address, height=VIEW_HEIGHT, alt=tell("ui.comparison.view.title"))


def _draw_downloads(run: Run, files: MadeFiles) -> None:
    """Before the view: whoever scrolls over that scrolls the documents in it."""
    with st.container(horizontal=True, gap="xsmall", key="comparison-downloads"):
        for output, icon in DOWNLOADS.items():
            label = tell(f"ui.comparison.download.{output}")
            files.draw_download(file_name(run, output), label, icon=icon, type="secondary")


def _draw_foot(run: Run) -> None:
    engine = engine_of(run.engine)
    took = (run.updated_at - run.created_at).total_seconds()
    facts = [f":material/memory: {literal(engine)}", f":material/timer: {literal(duration(took))}"]
    if usage := usage_of(run):
        facts.append(f":material/toll: {literal(usage)}")
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.button(
            tell("ui.comparison.again"),
            icon=":material/replay:",
            key=f"again:{run.run_id}",
            on_click=place.compare_again,
            args=(run.run_id,),
        )
        link_to_run(run.run_id, tell("ui.comparison.trail"), ":material/receipt_long:")
        st.caption(" &ensp; ".join(facts), width="content")
