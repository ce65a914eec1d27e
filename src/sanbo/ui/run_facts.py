"""The line below a run's title: how long, since when, who thinks, and what it cost."""

from datetime import datetime

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.runs.model import Run
from sanbo.ui.clock import browser_zone
from sanbo.ui.presentation import duration, elapsed, engine_of, moment, usage_of


def draw_facts(run: Run, now: datetime) -> None:
    engine = engine_of(run.engine)
    facts = [
        f":material/timer: {literal(duration(elapsed(run, now).total_seconds()))}",
        f":material/schedule: {literal(moment(run.created_at, browser_zone(), now))}",
        f":material/memory: {literal(engine)}",
    ]
    if usage := usage_of(run):
        facts.append(f":material/toll: {literal(usage)}")
    st.caption(" &emsp; ".join(facts))
