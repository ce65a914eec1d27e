"""A question as GRACE works on it: the plan, its steps with how sure they are, what was changed."""

import time
from collections.abc import Iterable, Iterator

from rich.console import Group
from rich.table import Table
from rich.text import Text
from typing_extensions import override

from sanbo.cli.progress import TEXT_LINES, Progress, duration, show_line
from sanbo.cli.score_bar import BAR_WIDTH, score_bar
from sanbo.cli.screen import Mark, harmless, mark, words
from sanbo.kernel.messages import current_language, tell
from sanbo.runs.model import Event, NodeComplete, NodeError, NodeStart, Run, TextDelta
from sanbo.service.grace import (
    ExecutionPlan,
    ExecutionState,
    PlanStep,
    StepResult,
    StepStatus,
    execution_of,
)
from sanbo.service.grace_written import told_replan

LONGEST_STEP = 100
_MARKS: dict[str, Mark] = {
    "success": "ok",
    "failed": "broken",
    "skipped": "skipped",
    "running": "running",
}


class GraceProgress(Progress):
    """Each plan once, each step as it ends; where somebody watches, those at work and to come."""

    def __init__(self, run: Run) -> None:
        self._events: list[Event] = []
        self._state: ExecutionState | None = None
        self._told_plans: set[str] = set()
        self._told_steps: set[tuple[int, str]] = set()
        self._told_replans: set[int] = set()
        self._since = time.monotonic()
        super().__init__(run)  # draws at once

    @override
    def remember(self, events: Iterable[Event]) -> None:
        self._events += events
        state = self._state = execution_of(self._events)
        self._told_replans |= {replan.number for replan in state.replans}
        self._told_steps |= {(result.step_id, result.status) for result in state.results}
        if state.plan is not None:
            self._told_plans.add(_plan_key(state.plan))

    @override
    def show(self, event: Event) -> None:
        match event.payload:
            case TextDelta(text=text, so_far=so_far):
                self._text = text if so_far else self._text + text
            case NodeComplete():
                self._events.append(event)
                self._state = execution_of(self._events)
                self._tell(self._state)
            case NodeStart():
                self._events.append(event)
                self._since = time.monotonic()
            case NodeError():
                super().show(event)
            case _:
                self._events.append(event)

    def _tell(self, state: ExecutionState) -> None:
        """What is new since the last time."""
        for replan in state.replans:
            if replan.number not in self._told_replans:
                self._told_replans.add(replan.number)
                show_line(self._console, "warning", told_replan(replan, current_language()))
        self._tell_plan(state)
        for result in state.results:
            key = (result.step_id, result.status)
            if key not in self._told_steps and result.status in ("success", "failed", "skipped"):
                self._told_steps.add(key)
                self._tell_step(state, result)

    def _tell_plan(self, state: ExecutionState) -> None:
        plan = state.plan
        if plan is None or _plan_key(plan) in self._told_plans:
            return
        self._told_plans.add(_plan_key(plan))
        done = {result.step_id for result in state.results}
        new = [step for step in plan.steps if step.step_id not in done]
        kind = "replanned" if len(self._told_plans) > 1 or plan.revision else "plan"
        show_line(self._console, "ok", tell(f"cli.grace.{kind}", count=len(new)))
        if plan.problem:
            told = tell("cli.grace.template", problem=plan.problem)
            self._console.print(words(f"    {told}", "yellow"), soft_wrap=True)

    def _tell_step(self, state: ExecutionState, result: StepResult) -> None:
        console = self._console
        line = mark(console, _MARKS[result.status]).append(" ")
        if result.confidence is None:
            line.append(" " * BAR_WIDTH)
        else:
            score, level = result.confidence.score, result.confidence.level
            line.append_text(score_bar(console, score, level))
        line.append(f"  {harmless(_title(state, result))}")
        if result.statistics is not None and result.status == "success":
            line.append("  " + tell("cli.grace.hits", count=result.statistics.hits), style="dim")
        line.append(f"  {duration(result.duration_ms)}", style="dim")
        console.print(line, soft_wrap=True)
        for note in _notes(result):
            console.print(words(f"    {note}", "dim"), soft_wrap=True)

    @override
    def _at_work(self) -> Group:
        rows = Table.grid(padding=(0, 1))
        elapsed = words(duration(int((time.monotonic() - self._since) * 1000), whole=True), "dim")
        running = self._steps("running")
        for step in running:
            rows.add_row(self._spinner, words(step_words(step)), elapsed)
        if not running:
            phase = "planning" if self._state is None else self._state.phase
            rows.add_row(self._spinner, words(tell(f"cli.grace.phase.{phase}")), elapsed)
        for step in self._steps("pending"):
            rows.add_row(Text(" "), words(step_words(step), "dim"), Text())
        tail = self._text.splitlines()[-TEXT_LINES:]
        return Group(rows, *(words(f"  {line}", "dim") for line in tail))

    def _steps(self, status: StepStatus) -> list[PlanStep]:
        state = self._state
        if state is None or state.plan is None:
            return []
        steps = state.plan.steps
        return [step for step in steps if state.statuses.get(step.step_id, "pending") == status]


def _plan_key(plan: ExecutionPlan) -> str:
    return f"{plan.plan_id}/{plan.revision}"


def step_words(step: PlanStep) -> str:
    about = " ".join(step.description.split()) or tell(f"cli.grace.action.{step.action}")
    about = about if len(about) <= LONGEST_STEP else about[: LONGEST_STEP - 1] + "…"
    return tell("cli.grace.step", number=step.step_id, about=about)


def _title(state: ExecutionState, result: StepResult) -> str:
    """What the step is for; of a step that is in no plan any more, what kind it is."""
    for step in () if state.plan is None else state.plan.steps:
        if step.step_id == result.step_id:
            return step_words(step)
    about = tell(f"cli.grace.action.{result.action}")
    return tell("cli.grace.step", number=result.step_id, about=about)


def _notes(result: StepResult) -> Iterator[str]:
    if result.reason:
        yield result.reason
    if result.problem is not None:
        yield result.problem.message
