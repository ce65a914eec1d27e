"""A plan's run on the screen: its nodes, what came out, and how to go on after a failure."""

from pydantic import JsonValue
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sanbo.cli.plan_progress import is_item
from sanbo.cli.plan_values import on_one_line, readable
from sanbo.cli.progress import duration
from sanbo.cli.screen import Mark, mark, out, say, words
from sanbo.cli.value_view import MAX_COLUMNS, show_values
from sanbo.kernel.messages import tell
from sanbo.runs.model import Run, Step
from sanbo.service.plan_pictures import Figure, NodeState, NodeStatus
from sanbo.service.plan_runs import states_of_run

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
            return "\n".join(f"{name}: {_short(entry)}" for name, entry in entries.items())
        case other:
            return other


def _short(value: JsonValue) -> str:
    text = on_one_line(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _tell_failed(run: Run) -> None:
    """A plan that went on without some of its nodes says so."""
    for step in run.steps:
        if step.status == "failed" and step.block:
            reason = step.problem.message if step.problem else ""
            name = step.title or "/".join(step.path)
            say(tell("cli.plan.went_on", node=name, reason=reason), "yellow")


def show_failure(run: Run) -> None:
    """The command that does it again from the node that failed."""
    if step := _failed_node(run):
        command = f"sanbo runs replay {run.run_id} --from {'/'.join(step.path)}"
        say(tell("cli.plan.replay", node=step.title or step.path[-1], command=command))


def _failed_node(run: Run) -> Step | None:
    """The innermost that failed outside loops; a loop is begun again as a whole."""
    failed = [
        step
        for step in run.steps
        if step.status == "failed" and step.path and not any(map(is_item, step.path))
    ]
    return max(failed, key=lambda step: len(step.path), default=None)
