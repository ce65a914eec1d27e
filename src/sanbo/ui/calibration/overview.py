"""What holds now: judged answers, the version in use, the thresholds and how they moved."""

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.calibration import CalibrationReport, ThresholdsChange
from sanbo.ui.addresses import link_to_run
from sanbo.ui.calibration.charts import draw_figures, figure_of, share_of
from sanbo.ui.grace.score_bars import level_word, threshold_of
from sanbo.ui.presentation import browser_zone, moment


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


SHOWN = 20


def draw_history(history: Sequence[ThresholdsChange]) -> None:
    if not history:
        st.caption(literal(tell("ui.calibration.history.none")))
    now = datetime.now(UTC)
    for change in history[:SHOWN]:
        with st.container(border=True, gap=None):
            st.markdown(f"**{literal(change.told)}**  \n{literal(moved(change))}")
            facts = [moment(change.time, browser_zone(), now), change.actor]
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.caption(literal(" ・ ".join(fact for fact in facts if fact)), width="content")
                if change.run_id:
                    link_to_run(change.run_id, tell("ui.calibration.history.answer"))
    if len(history) > SHOWN:
        rest = len(history) - SHOWN
        st.caption(literal(tell("ui.calibration.history.rest", count=f"{rest:,}")))


def moved(change: ThresholdsChange) -> str:
    moves = [
        tell(
            "ui.grace.feedback.moved",
            level=level_word(level),
            before=threshold_of(getattr(change.before, level)),
            after=threshold_of(getattr(change.after, level)),
        )
        for level in ("silent", "notify", "confirm")
        if getattr(change.before, level) != getattr(change.after, level)
    ]
    return tell("ui.grace.plan.between").join(moves)
