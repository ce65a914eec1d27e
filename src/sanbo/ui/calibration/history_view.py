"""The history of the thresholds: when they moved, from where to where, and why."""

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.calibration import ThresholdsChange
from sanbo.ui.addresses import link_to_run
from sanbo.ui.clock import browser_zone
from sanbo.ui.grace.wording import level_word, threshold_of
from sanbo.ui.presentation import moment

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
