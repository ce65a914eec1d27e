"""Versions of the score: what each was measured at, fitting anew, and going back."""

from collections.abc import Mapping
from datetime import UTC, datetime

import streamlit as st

from sanbo.agents.grace.calibration.changes import Figures, FitKind
from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Problem, SanboError
from sanbo.service.calibration import CalibrationReport, Version, fit, use
from sanbo.ui import connection
from sanbo.ui.boundary import draw_problem
from sanbo.ui.calibration.charts import draw_figures, figure_of, share_of
from sanbo.ui.presentation import browser_zone, moment, slot

LONGEST_REASON = 300
_PROBLEM, _REASON = "calibration_problem", "calibration_reason"
_MEASURED = {
    "ece": "ece",
    "auroc": "auroc",
    "brier": "brier",
    "silent": "silent",
    "right among silent": "silent_right",
}
"""What the shipped numbers say of themselves, and by which word it is shown."""
_SHARES = ("silent", "right among silent")
_KINDS: tuple[FitKind, ...] = ("logistic", "isotonic")


def draw_versions(report: CalibrationReport) -> None:
    problem = st.session_state.pop(_PROBLEM, None)
    with slot(filled=isinstance(problem, Problem)):
        if isinstance(problem, Problem):
            draw_problem(problem)
    _draw_fitting(report)
    for version in report.versions:
        with st.container(border=True, key=f"calibration-version-{version.version}"):
            _draw_version(version, may_change=report.may_change)


# ---- fitting anew ----


def _draw_fitting(report: CalibrationReport) -> None:
    judged = report.labels.good + report.labels.bad
    needed = report.labels.needed
    if not report.can_fit:
        told = tell("ui.calibration.fit.too_few", judged=judged, needed=needed)
        st.markdown(f":gray[:material/hourglass_empty:] {literal(told)}")
        st.progress(min(1.0, judged / needed))
        return
    if not report.may_change:
        st.caption(literal(tell("ui.calibration.fit.not_yours")))
        return
    st.markdown(literal(tell("ui.calibration.fit.purpose", judged=judged)))
    kind = st.radio(
        tell("ui.calibration.fit.kind"),
        _KINDS,
        format_func=lambda kind: tell(f"ui.calibration.kind.{kind}"),
        key="calibration_kind",
    )
    st.text_input(tell("ui.calibration.fit.reason"), key=_REASON, max_chars=LONGEST_REASON)
    st.button(
        tell("ui.calibration.fit.start"),
        icon=":material/model_training:",
        type="primary",
        on_click=_fit,
        args=(kind,),
    )


# ---- one version ----


def _draw_version(version: Version, *, may_change: bool) -> None:
    how = tell("ui.calibration.kind.shipped" if version.how is None else _kind(version.how))
    in_use = tell("ui.calibration.version.in_use")
    badge = f" :green-badge[:material/check: {literal(in_use)}]" if version.in_use else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        name = tell("ui.calibration.version.name", version=version.version)
        st.markdown(f"**{literal(name)}**{badge}  \n{literal(how)}", width="stretch")
        if may_change and not version.in_use:
            st.button(
                tell("ui.calibration.version.use"),
                key=f"calibration_use:{version.version}",
                on_click=_use,
                args=(version.version,),
            )
    st.caption(literal(" ・ ".join(_facts(version))))
    if version.before is not None and version.after is not None:
        _draw_compared(version.before, version.after)
    if version.origin.held_out:
        _draw_held_out(version)


def _kind(kind: FitKind) -> str:
    return f"ui.calibration.kind.{kind}"


def _facts(version: Version) -> list[str]:
    if version.how is None or version.made_at is None:
        origin = version.origin
        return [
            tell("ui.calibration.version.made_on", date=origin.made_on),
            tell("ui.calibration.version.questions", count=f"{origin.questions:,}"),
            tell("ui.calibration.version.answerable", share=share_of(origin.answerable)),
        ]
    facts = [moment(version.made_at, browser_zone(), datetime.now(UTC)), version.actor]
    good = tell("ui.calibration.version.labels", labels=version.labels, good=version.good)
    return [fact for fact in (*facts, good, version.reason) if fact]


def _draw_compared(before: Figures, after: Figures) -> None:
    names = ("ece", "auroc", "brier")
    rows = [
        (
            tell(f"ui.calibration.figure.{name}"),
            figure_of(getattr(before, name)),
            figure_of(getattr(after, name)),
        )
        for name in names
    ]
    headings = [tell(f"ui.calibration.version.{name}") for name in ("figure", "before", "after")]
    draw_figures(headings, rows, caption=tell("ui.calibration.version.compared"))


def _draw_held_out(version: Version) -> None:
    """Measured where it was made, on questions that it was not fitted to."""
    measured = version.origin.held_out
    rows = [
        (
            tell(f"ui.calibration.figure.{word}"),
            *(_measured(name, group) for group in measured.values()),
        )
        for name, word in _MEASURED.items()
        if any(name in group for group in measured.values())
    ]
    headings = [tell("ui.calibration.version.figure"), *measured]
    with st.expander(tell("ui.calibration.version.held_out"), icon=":material/fact_check:"):
        draw_figures(headings, rows, caption=tell("ui.calibration.version.held_out_help"))
        st.caption(literal(f"{version.origin.data} ・ {version.origin.how}"))


def _measured(name: str, group: Mapping[str, float]) -> str:
    if name not in group:
        return tell("ui.calibration.unknown")
    return share_of(group[name]) if name in _SHARES else figure_of(group[name])


# ---- callbacks ----


def _fit(kind: FitKind) -> None:
    connection.speak()
    bench = connection.bench()
    reason = str(st.session_state.get(_REASON) or "")
    try:
        bench.call(fit(bench.workbench, connection.caller(), kind, reason))
    except SanboError as error:
        st.session_state[_PROBLEM] = error.problem
        return
    st.session_state[_REASON] = ""


def _use(version: str) -> None:
    connection.speak()
    bench = connection.bench()
    try:
        bench.call(use(bench.workbench, connection.caller(), version))
    except SanboError as error:
        st.session_state[_PROBLEM] = error.problem
