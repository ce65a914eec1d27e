"""Text that runs stream while they work, and their steps in the order they began."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import NodeComplete, NodeError, Path, Run, Step, TextDelta
from sanbo.service.access import Caller
from sanbo.service.blocking import BlockingWorkbench
from sanbo.service.workbench import Workbench
from sanbo.ui.presentation import duration, look_of, step_seconds

MAX_CHARACTERS = 20_000
IDLE_SECONDS = 30.0
"""After this long without a page that looks, nobody listens any more."""


class _Listener:
    task: asyncio.Task[None]

    def __init__(self) -> None:
        self.texts: dict[Path, str] = {}
        self.idle: asyncio.TimerHandle | None = None


class LiveTexts:
    """One listener a run, shared by all pages that show it."""

    def __init__(self) -> None:
        self._listeners: dict[str, _Listener] = {}

    def of(self, bench: BlockingWorkbench, caller: Caller, run_id: str) -> dict[Path, str]:
        """What each step that is at work has said so far."""
        return bench.call(self._look(bench.workbench, caller, run_id))

    async def _look(self, workbench: Workbench, caller: Caller, run_id: str) -> dict[Path, str]:
        run = await workbench.get(caller, run_id)
        listener = self._listeners.get(run_id)
        if listener is None:
            if run.status.is_final:
                return {}
            listener = self._listeners[run_id] = _Listener()
            listener.task = asyncio.create_task(
                self._listen(workbench, caller, run_id, run.last_seq, listener)
            )
        self._stop_when_idle(listener)
        return dict(listener.texts)

    async def _listen(
        self, workbench: Workbench, caller: Caller, run_id: str, after: int, listener: _Listener
    ) -> None:
        try:
            async for event in workbench.follow(caller, run_id, after):
                match event.payload:
                    case TextDelta(text=text, so_far=so_far):
                        said = text if so_far else listener.texts.get(event.path, "") + text
                        listener.texts[event.path] = said[-MAX_CHARACTERS:]
                    case NodeComplete() | NodeError():
                        listener.texts.pop(event.path, None)
                    case _:
                        pass
        finally:
            self._listeners.pop(run_id, None)

    def _stop_when_idle(self, listener: _Listener) -> None:
        """Begun anew at every look: only the last timer ever ends the listening."""
        if listener.idle is not None:
            listener.idle.cancel()
        loop = asyncio.get_running_loop()
        listener.idle = loop.call_later(IDLE_SECONDS, listener.task.cancel)


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
