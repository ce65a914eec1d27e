"""What holds now: judged answers, the version in use, the thresholds and where they come from."""

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.calibration import CalibrationReport
from sanbo.ui.calibration.figures import figure_of, share_of
from sanbo.ui.calibration.tables import draw_figures
from sanbo.ui.grace.wording import level_word, threshold_of


def draw_overview(report: CalibrationReport) -> None:
    labels = report.labels
    judged = labels.good + labels.bad
    with st.container(horizontal=True, gap="medium"):
        _draw_fact(
            tell("ui.calibration.now.judged"),
            tell("ui.calibration.now.answers", count=f"{judged:,}"),
            tell("ui.calibration.now.good_bad", good=labels.good, bad=labels.bad),
        )
        _draw_fact(
            tell("ui.calibration.now.version"),
            report.version,
            tell(f"ui.calibration.score.{report.score}"),
        )
        _draw_fact(
            tell("ui.calibration.now.silent_wrong"),
            _risk(report),
            tell("ui.calibration.now.silent_wrong_help"),
        )
    for warning in report.warnings:
        st.info(literal(warning), icon=":material/info:")
    if labels.not_counted:
        st.caption(literal(tell("ui.calibration.now.not_counted", count=labels.not_counted)))
    _draw_thresholds(report)


def draw_figures_of_labels(report: CalibrationReport) -> None:
    """The numbers behind the diagram, with what they mean."""
    figures = report.figures
    rows = [
        (tell("ui.calibration.figure.ece"), figure_of(figures.ece)),
        (tell("ui.calibration.figure.auroc"), figure_of(figures.auroc)),
        (tell("ui.calibration.figure.brier"), figure_of(figures.brier)),
    ]
    lines = (f"- {literal(name)}: **{literal(value)}**" for name, value in rows)
    st.markdown("\n".join(lines))


def _draw_fact(name: str, value: str, more: str) -> None:
    with st.container(width="content", gap=None):
        st.caption(literal(name))
        st.markdown(f"**{literal(value)}**")
        st.caption(literal(more))


def _risk(report: CalibrationReport) -> str:
    worst = report.silent_wrong_at_worst
    if worst is None:
        return tell("ui.calibration.unknown")
    return tell("ui.calibration.now.at_most", share=share_of(worst))


def _draw_thresholds(report: CalibrationReport) -> None:
    used, configured = report.thresholds, report.configured
    rows = [
        (
            level_word(level),
            tell("ui.grace.why.from", low=threshold_of(getattr(used, level))),
            threshold_of(getattr(configured, level)),
        )
        for level in ("silent", "notify", "confirm")
    ]
    headings = [tell(f"ui.calibration.now.{name}") for name in ("level", "in_force", "configured")]
    draw_figures(headings, rows, caption=tell("ui.calibration.now.thresholds"))
    adjusts = "adjusts" if report.adjusts else "stands"
    told = tell(f"ui.calibration.now.{adjusts}", most=threshold_of(report.most_adjustment))
    st.caption(literal(f"{used.told} {told}"))
