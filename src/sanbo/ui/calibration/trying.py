"""Thresholds to try: what they would have done with the questions of the past."""

import streamlit as st

from sanbo.agents.grace.calibration.changes import Cutoffs
from sanbo.agents.grace.schemas import Level
from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.calibration import CalibrationReport
from sanbo.service.what_if import WhatIf, WhatIfQuestion, what_if
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_run
from sanbo.ui.calibration.charts import draw_figures
from sanbo.ui.grace.score_bars import level_word, score_bar

STEP = 0.5
"""In points of a hundred."""
SHOWN_QUESTIONS = 20
LONGEST_QUESTION = 80
_NAMES: tuple[Level, ...] = ("silent", "notify", "confirm")
_ICONS = {"good": ":material/thumb_up:", "bad": ":material/thumb_down:"}


def draw_trying(report: CalibrationReport) -> None:
    """A fragment: what is tried here draws nothing else again, and changes nothing."""
    st.markdown(literal(tell("ui.calibration.try.purpose")))
    used = {name: _rounded(getattr(report.thresholds, name)) for name in _NAMES}
    wanted = {name: _slider(name, used[name]) for name in _NAMES}
    st.button(
        tell("ui.calibration.try.back"),
        key="calibration_back",
        icon=":material/undo:",
        type="tertiary",
        on_click=_back,
        args=(used,),
    )
    if not wanted["confirm"] < wanted["notify"] < wanted["silent"]:
        st.warning(literal(tell("ui.calibration.try.unordered")), icon=":material/swap_vert:")
        return
    bench = connection.bench()
    work = what_if(bench.workbench, connection.caller(), Cutoffs(**wanted))
    _draw_outcome(bench.call(work))


def _slider(name: Level, used: float) -> float:
    if _key(name) not in st.session_state:
        st.session_state[_key(name)] = used
    chosen = st.slider(
        tell("ui.calibration.try.from", level=level_word(name)),
        min_value=1.0,
        max_value=100.0,
        step=STEP,
        format="%.1f%%",
        key=_key(name),
    )
    return round(float(chosen) / 100, 4)


def _rounded(threshold: float) -> float:
    """In points of a hundred, where the slider can stand."""
    return min(100.0, max(1.0, round(100 * threshold / STEP) * STEP))


def _key(name: str) -> str:
    return f"calibration_try:{name}"


def _back(used: dict[Level, float]) -> None:
    for name, value in used.items():
        st.session_state[_key(name)] = value


# ---- what would have happened ----


def _draw_outcome(outcome: WhatIf) -> None:
    total = len(outcome.questions)
    if not total:
        st.info(literal(tell("ui.calibration.try.none")), icon=":material/inbox:")
    else:
        told = tell("ui.calibration.try.changed", total=f"{total:,}", changed=outcome.changed)
        st.markdown(f"**{literal(told)}**")
        _draw_levels(outcome)
        _draw_questions(outcome)
    st.markdown(literal(tell("ui.calibration.try.lines", file=outcome.file)))
    st.code(outcome.lines, language="yaml")


def _draw_levels(outcome: WhatIf) -> None:
    rows = [
        (
            level_word(each.level),
            f"{each.then:,}",
            f"{each.now:,}",
            tell("ui.calibration.try.judged", right=each.right, wrong=each.wrong),
        )
        for each in outcome.levels
    ]
    names = ("level", "then", "now", "verdicts")
    headings = [tell(f"ui.calibration.try.{name}") for name in names]
    draw_figures(headings, rows, caption=tell("ui.calibration.try.table"))


def _draw_questions(outcome: WhatIf) -> None:
    changed = [each for each in outcome.questions if each.level != each.level_then]
    if not changed:
        return
    with st.expander(
        tell("ui.calibration.try.questions", count=f"{len(changed):,}"),
        icon=":material/swap_horiz:",
    ):
        for each in changed[:SHOWN_QUESTIONS]:
            _draw_question(each)
        if len(changed) > SHOWN_QUESTIONS:
            rest = len(changed) - SHOWN_QUESTIONS
            st.caption(literal(tell("ui.calibration.try.rest", count=f"{rest:,}")))


def _draw_question(each: WhatIfQuestion) -> None:
    asked = " ".join(each.question.split())
    shown = asked if len(asked) <= LONGEST_QUESTION else f"{asked[: LONGEST_QUESTION - 1]}…"
    icon = _ICONS.get(each.verdict or "")
    move = tell(
        "ui.calibration.try.move",
        before=level_word(each.level_then),
        after=level_word(each.level),
    )
    with st.container(gap=None):
        link_to_run(each.run_id, literal(shown), icon)
        st.html(score_bar(each.score, each.level))
        st.caption(literal(move))
