"""Why this score: reasons in words, what spoke for and against, and where the levels begin."""

import streamlit as st

from sanbo.agents.grace.schemas import Confidence, ThresholdsUsed
from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.ui.addresses import link_to_calibration
from sanbo.ui.grace.score_bars import factor_rows, scale


def draw_why(confidence: Confidence, thresholds: ThresholdsUsed | None) -> None:
    listed = {each.told for each in (*confidence.factors, *confidence.penalties)}
    reasons = [line for line in confidence.explanation if line not in listed]
    if reasons:
        st.markdown("  \n".join(literal(line) for line in reasons))
    line = "" if thresholds is None else scale(confidence.score, thresholds)
    rows = factor_rows(confidence.factors, confidence.penalties)
    if line or rows:
        st.html(f'<div class="sanbo-why">{line}{rows}</div>')
    told = tell(f"ui.grace.why.method.{confidence.method}", version=confidence.version)
    st.caption(literal(" ".join((told, "" if thresholds is None else thresholds.told))))
    link_to_calibration(tell("ui.grace.why.calibration"), ":material/tune:")
