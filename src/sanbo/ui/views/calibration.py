"""The calibration of GRACE's confidence: how true it is, thresholds to try, versions, history."""

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.calibration import CalibrationReport, calibration
from sanbo.ui import connection
from sanbo.ui.addresses import open_grace
from sanbo.ui.boundary import fragment, guarded
from sanbo.ui.calibration.charts import draw_coverage, draw_reliability
from sanbo.ui.calibration.overview import draw_figures_of_labels, draw_history, draw_overview
from sanbo.ui.calibration.trying import draw_trying
from sanbo.ui.calibration.versions_view import draw_versions


@guarded
def calibration_page() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title(tell("ui.calibration.title"), width="stretch", anchor=False)
        if st.button(tell("ui.grace.open"), icon=":material/balance:"):
            open_grace()
    st.markdown(literal(tell("ui.calibration.purpose")))
    bench = connection.bench()
    report = bench.call(calibration(bench.workbench, connection.caller()))
    draw_overview(report)
    _draw_diagrams(report)
    st.subheader(tell("ui.calibration.try.title"), anchor=False)
    with st.container(border=True):
        fragment(draw_trying)(report)
    st.subheader(tell("ui.calibration.version.title"), anchor=False)
    draw_versions(report)
    st.subheader(tell("ui.calibration.history.title"), anchor=False)
    draw_history(report.history)


def _draw_diagrams(report: CalibrationReport) -> None:
    """Nothing is drawn where nothing was judged: an empty diagram would look like a finding."""
    if not report.reliability:
        return
    true, reach = st.columns(2, gap="large")
    with true:
        st.subheader(tell("ui.calibration.truth.title"), anchor=False)
        st.caption(literal(tell("ui.calibration.truth.help")))
        draw_reliability(report.reliability)
        draw_figures_of_labels(report)
    with reach:
        st.subheader(tell("ui.calibration.reach.title"), anchor=False)
        st.caption(literal(tell("ui.calibration.reach.help")))
        draw_coverage(report.coverage, report.thresholds)
