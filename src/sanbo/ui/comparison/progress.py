"""A comparison at work: reading, matching, paragraph by paragraph, writing."""

from datetime import UTC, datetime
from typing import Literal, NamedTuple

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import Event, LoopIteration, Run
from sanbo.ui import connection
from sanbo.ui.boundary import fragment
from sanbo.ui.presentation import duration, elapsed
from sanbo.ui.run_actions import draw_cancel

QUICK_SECONDS, SLOW_SECONDS = 0.5, 2.0
QUICK_UNTIL = 4.0
"""After so long nobody waits for the blink of an eye, and looking takes time from the work."""
Stage = Literal["reading", "checking", "writing"]
STAGES: tuple[Stage, ...] = ("reading", "checking", "writing")
_STAGE_OF_STEP: dict[str, Stage] = {
    "initialize": "reading",
    "select_next_chunk": "checking",
    "call_model": "checking",
    "execute_tools": "checking",
    "format_output": "writing",
}
_SHARES = {"reading": 0.05, "checking": 0.15, "writing": 0.9}
"""Of the bar, at the beginning of each stage."""


class Reached(NamedTuple):
    """How far it has come among the paragraphs that are looked at one by one."""

    seq: int = 0
    position: int = 0
    total: int = 0

    @property
    def share(self) -> float:
        return self.position / self.total if self.total else 0.0


def draw_work(run: Run) -> None:
    """Redraws itself until the run has ended; then the whole page is drawn again."""
    every = refresh_seconds(run)
    fragment(_draw_progress, run_every=every)(run.run_id, every)


def refresh_seconds(run: Run) -> float:
    is_new = elapsed(run, datetime.now(UTC)).total_seconds() < QUICK_UNTIL
    return QUICK_SECONDS if is_new else SLOW_SECONDS


def _draw_progress(run_id: str, every: float) -> None:
    bench = connection.bench()
    run = bench.call(bench.workbench.get(connection.caller(), run_id))
    if run.status.is_final or refresh_seconds(run) != every:
        st.rerun()
    stage, reached = stage_of(run), _reached(run)
    took = duration(elapsed(run, datetime.now(UTC)).total_seconds())
    with st.container(border=True, key="comparison-progress"):
        title = f"**{literal(tell('ui.comparison.progress.working'))}**"
        st.markdown(
            f":blue[:material/progress_activity:] {title} &ensp; :gray[:small[{literal(took)}]]"
        )
        st.progress(share_of(stage, reached), text=stage_line(stage, reached))
        with st.container(horizontal=True, vertical_alignment="center"):
            draw_cancel(run_id)
            st.caption(literal(tell("ui.comparison.progress.may_leave")), width="stretch")


def stage_of(run: Run) -> Stage:
    return _STAGE_OF_STEP.get(run.steps[-1].path[0], STAGES[0]) if run.steps else STAGES[0]


def stage_line(stage: Stage, reached: Reached) -> str:
    """All stages in order: those behind with a tick, the one at work in bold."""
    now = STAGES.index(stage)
    words: list[str] = []
    for position, name in enumerate(STAGES):
        word = literal(_word(name, reached if name == stage else Reached()))
        if position == now:
            words.append(f"**{word}**")
        else:
            words.append(f":green[✓] {word}" if position < now else f":gray[{word}]")
    return " → ".join(words)


def share_of(stage: Stage, reached: Reached) -> float:
    begin = _SHARES[stage]
    if stage != "checking":
        return begin
    return begin + (_SHARES["writing"] - begin) * min(1.0, reached.share)


def latest(events: list[Event], before: Reached) -> Reached:
    """What the newest of these events says about the paragraphs."""
    reached = before
    for event in events:
        if event.seq is not None:
            reached = reached._replace(seq=event.seq)
        match event.payload:
            case LoopIteration(iteration=position, item={"of": int(total)}):
                reached = reached._replace(position=position, total=total)
            case _:
                pass
    return reached


def _word(stage: Stage, reached: Reached) -> str:
    if stage == "checking" and reached.total:
        return tell(
            "ui.comparison.progress.checking_at",
            position=f"{reached.position:,}",
            total=f"{reached.total:,}",
        )
    return tell(f"ui.comparison.progress.{stage}")


def _reached(run: Run) -> Reached:
    """Read on from where this session stopped reading: a long run has thousands of events."""
    key = f"comparison_reached:{run.run_id}"
    before = st.session_state.get(key, Reached())
    if before.seq < run.last_seq:
        bench = connection.bench()
        work = bench.workbench.events(connection.caller(), run.run_id, before.seq)
        before = st.session_state[key] = latest(bench.call(work), before)
    return before
