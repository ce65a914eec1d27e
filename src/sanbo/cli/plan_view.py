"""A plan's run on the screen: its nodes, what came out, and how to go on after a failure."""

import shlex

from pydantic import JsonValue
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sanbo.cli.progress import duration
from sanbo.cli.screen import Mark, mark, out, say, words
from sanbo.cli.value_view import MAX_COLUMNS, show_values
from sanbo.kernel.messages import current_language, tell
from sanbo.runs.model import Path, Run
from sanbo.service.plan_causes import forms_before
from sanbo.service.plan_pictures import Figure, NodeState, NodeStatus
from sanbo.service.plan_runs import failed_node, states_of_run
from sanbo.service.plan_values import on_one_line, readable

LONGEST = 100
MARKS: dict[NodeStatus, Mark] = {
    "pending": "skipped",
    "running": "running",
    "waiting": "waiting",
    "succeeded": "ok",
    "failed": "broken",
    "skipped": "skipped",
}


# ---- nodes ---------------------------------------------------------------------------------


def show_nodes(console: Console, run: Run) -> None:
    """Every node of the plan, also those that have not begun; what is inside stands below."""
    figure, states = states_of_run(run)
    table = Table.grid(padding=(0, 2))
    for cells in _rows(console, figure, states):
        table.add_row(*cells)
    console.print(table)


def _rows(
    console: Console, figure: Figure, states: dict[tuple[str, ...], NodeState]
) -> list[tuple[Text, ...]]:
    rows: list[tuple[Text, ...]] = []
    for item in figure.everything():
        state = states[item.path]
        spent = duration(state.duration_ms) if state.status in ("succeeded", "failed") else ""
        status = tell(f"plan_drawing.status.{state.status}")
        rows.append(
            (
                mark(console, MARKS[state.status]),
                words("  " * (len(item.path) - 1) + item.title),
                words("/".join(item.path), "dim"),
                words(f"{status} {state.progress}".strip()),
                words(spent, "dim"),
                words(_note(state), "dim"),
            )
        )
    return rows


def _note(state: NodeState) -> str:
    return tell("cli.plan.skipped") if state.status == "skipped" else state.note


# ---- the end -------------------------------------------------------------------------------


def show_result(run: Run) -> None:
    show_exports(run)
    if run.artifacts:
        say(tell("cli.plan.files", count=len(run.artifacts), run_id=run.run_id))


def show_exports(run: Run) -> None:
    """What came out; files by their names."""
    console = out()
    exports = (run.result or {}).get("exports")
    if not isinstance(exports, dict) or not exports:
        console.print(words(tell("cli.plan.no_exports"), "dim"))
    else:
        show_values(console, {name: _export(value) for name, value in exports.items()})
    _tell_failed(run)
    for step in run.steps:
        for warning in step.warnings:
            told = warning.in_language(current_language())
            name = step.title or "/".join(step.path)
            say(tell("cli.plan.warned", node=name, message=told.message, hint=told.hint), "yellow")


def _export(value: JsonValue) -> JsonValue:
    """Tables with their first columns, objects with what is short; `--json` has all of it."""
    shown = readable(value)
    if shown in (None, "", [], {}):
        return tell("none")
    match shown:
        case list(items):
            rows = [item for item in items if isinstance(item, dict)]
            names = list(dict.fromkeys(name for row in rows for name in row))[:MAX_COLUMNS]
            return [{name: row.get(name) for name in names} for row in rows] or items
        case dict(entries):
            return {name: on_one_line(entry, LONGEST) for name, entry in entries.items()}
        case other:
            return other


def _tell_failed(run: Run) -> None:
    """A plan that went on without some of its nodes says so."""
    for step in run.steps:
        if step.status == "failed" and step.block:
            reason = step.problem.message if step.problem else ""
            name = step.title or "/".join(step.path)
            say(tell("cli.plan.went_on", node=name, reason=reason), "yellow")


def show_failure(run: Run) -> None:
    """The commands that do it again: from the node that failed, from the form before it."""
    step = failed_node(run)
    if step is None:
        return
    title = step.title or step.path[-1]
    say(tell("cli.plan.replay", node=title, command=_replaying(run, step.path)))
    for form in forms_before(run, step):
        command = _replaying(run, form.path)
        say(tell("cli.plan.replay_form", node=form.title, command=command))


def _replaying(run: Run, path: Path) -> str:
    return f"sanbo runs replay {run.run_id} --from {shlex.quote('/'.join(path))}"
