"""The steps of a run, in the order they began, and what each is doing now."""

from collections.abc import Callable, Mapping
from datetime import datetime

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import Path, Run, Step
from sanbo.ui.presentation import duration, look_of, step_seconds


def draw_steps(run: Run, now: datetime, replay: Callable[[Path], None] | None) -> None:
    """`replay`: begins again from a step; None while the run is at work."""
    if not run.steps:
        st.caption(tell("ui.run.no_steps"))
        return
    for position, step in enumerate(run.steps):
        with st.container(
            horizontal=True,
            vertical_alignment="top",
            gap="small",
            wrap=False,
            key=f"step-{position}",
        ):
            st.markdown(step_line(step, now), width="stretch")
            if replay is not None and step.status != "skipped":
                st.button(
                    tell("ui.run.replay"),
                    icon=":material/replay:",
                    help=tell("ui.run.replay_help"),
                    key=f"replay:{run.run_id}:{position}",
                    type="tertiary",
                    on_click=replay,
                    args=(step.path,),
                )


def step_line(step: Step, now: datetime) -> str:
    look = look_of(step.status)
    seconds = step_seconds(step, now)
    details = [look.word]
    if seconds is not None:
        details.append(duration(seconds))
    if step.attempt > 1:
        details.append(tell("ui.run.attempt", attempt=step.attempt))
    if step.reason:
        details.append(step.reason)
    indent = "&nbsp;&nbsp;&nbsp;&nbsp;" * (len(step.path) - 1)
    title = literal(step.title or step.path[-1])
    small = f":gray[:small[{literal(' · '.join(details))}]]"
    return f"{indent}:{look.colour}[{look.icon}] {title}  \n{indent}{small}"


def draw_live_texts(texts: Mapping[Path, str]) -> None:
    for path, text in texts.items():
        if text.strip():
            with st.container(border=True, key=f"live-{'-'.join(path)}"):
                st.caption(f":material/edit_note: {literal(tell('ui.run.writing'))}")
                st.text(text)
