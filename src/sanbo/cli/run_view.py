"""A run on the screen: how it ended, or everything there is to know about it."""

from collections.abc import Set
from datetime import datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sanbo.cli.progress import duration, show_line, step_name
from sanbo.cli.question_view import show_questions
from sanbo.cli.screen import Mark, err, mark, out, words
from sanbo.cli.value_view import show_values
from sanbo.cli.workflow_view import view_of
from sanbo.kernel.messages import tell
from sanbo.runs.model import Artifact, Run, RunSummary, Status, StepStatus

LONGEST_TITLE = 40
STATUS_MARKS: dict[Status, Mark] = {
    Status.QUEUED: "running",
    Status.RUNNING: "running",
    Status.WAITING: "waiting",
    Status.SUCCEEDED: "ok",
    Status.FAILED: "broken",
    Status.CANCELLED: "skipped",
}
STEP_MARKS: dict[StepStatus, Mark] = {
    "running": "running",
    "waiting": "waiting",
    "succeeded": "ok",
    "failed": "broken",
    "skipped": "skipped",
}


def show_outcome(run: Run, *, put_off: bool = False) -> None:
    """What a person wants to see at a stop: the result, or what is asked, or how to go on."""
    match run.status:
        case Status.SUCCEEDED:
            console = out()
            view = view_of(run.workflow)
            if view is None:
                show_values(console, run.result or {})
                _show_artifacts(console, run)
            else:
                view.show_result(run)
            show_line(err(), "ok", tell("cli.outcome.succeeded", run_id=run.run_id))
        case Status.WAITING:
            show_questions(out(), run, put_off=put_off)
            show_line(err(), "waiting", tell("cli.outcome.waiting", run_id=run.run_id))
        case Status.FAILED:
            show_line(err(), "broken", tell("cli.outcome.failed", run_id=run.run_id))
            view = view_of(run.workflow)
            if view is not None and view.show_failure is not None:
                view.show_failure(run)
        case _:
            show_line(err(), "skipped", tell("cli.outcome.cancelled", run_id=run.run_id))


def show_run(run: Run, interrupted: Set[str]) -> None:
    console = out()
    _show_facts(console, run, interrupted)
    _show_steps(console, run)
    show_questions(console, run)
    if run.result is not None:
        _heading(console, "cli.show.result")
        view = view_of(run.workflow)
        show_values(console, run.result) if view is None else view.show_result(run)
    _show_artifacts(console, run)
    if _is_interrupted(run, interrupted):
        _say_how_to_go_on(run)


def show_list(runs: list[RunSummary], interrupted: Set[str]) -> None:
    console = out()
    table = Table(box=None, pad_edge=False)
    table.add_column(tell("cli.show.run"), no_wrap=True)
    table.add_column(tell("cli.show.workflow"))
    table.add_column(tell("cli.show.title"), no_wrap=True, max_width=LONGEST_TITLE)
    for name in ("status", "owner", "created"):
        table.add_column(tell(f"cli.show.{name}"))
    for run in runs:
        table.add_row(
            words(run.run_id),
            words(run.workflow),
            words(run.title),
            _status_words(console, run, interrupted),
            words(run.owner),
            words(local_time(run.created_at)),
        )
    console.print(table)
    for run in [run for run in runs if _is_interrupted(run, interrupted)][:1]:
        _say_how_to_go_on(run)


def _say_how_to_go_on(run: Run | RunSummary) -> None:
    show_line(err(), "waiting", tell("cli.interrupted_run", run_id=run.run_id))


def _status_words(console: Console, run: Run | RunSummary, interrupted: Set[str]) -> Text:
    if _is_interrupted(run, interrupted):
        return mark(console, "waiting").append(" " + tell("cli.status.interrupted"))
    return mark(console, STATUS_MARKS[run.status]).append(" " + tell(f"cli.status.{run.status}"))


def _is_interrupted(run: Run | RunSummary, interrupted: Set[str]) -> bool:
    """After Ctrl-C or a crash its status still says that it is at work."""
    return run.run_id in interrupted and run.status in (Status.QUEUED, Status.RUNNING)


def local_time(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"


def _show_facts(console: Console, run: Run, interrupted: Set[str]) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    facts: list[tuple[str, Text]] = [
        ("run", words(run.run_id)),
        ("workflow", words(run.workflow)),
        *([("title", words(run.title))] if run.title else []),
        ("status", _status_words(console, run, interrupted)),
        ("created", words(local_time(run.created_at))),
        ("updated", words(local_time(run.updated_at))),
        ("conversation", words(run.conversation_id)),
        ("owner", words(run.owner)),
        ("engine", words(_engine(run))),
        ("usage", words(_usage(run))),
    ]
    if run.replay_of is not None:
        origin = f"{run.replay_of.run_id} ({'/'.join(run.replay_of.step)})"
        facts.append(("replay_of", words(origin)))
    for name, value in facts:
        table.add_row(tell(f"cli.show.{name}"), value)
    console.print(table)


def _engine(run: Run) -> str:
    engine = run.engine
    if engine.provider == "rules":
        return tell("cli.show.rules")
    place = f" ({engine.base_url_host})" if engine.base_url_host else ""
    return f"{engine.provider} · {engine.model}{place}"


def _usage(run: Run) -> str:
    usage = run.usage
    if not usage.calls:
        return tell("cli.show.no_calls")
    dollars = usage.cost_usd
    known = dollars is not None
    cost = tell("cli.show.cost", dollars=f"{dollars:.4f}") if known else tell("cli.show.no_price")
    return tell(
        "cli.show.calls",
        calls=usage.calls,
        input=usage.input_tokens,
        output=usage.output_tokens,
        cost=cost,
    )


def _show_steps(console: Console, run: Run) -> None:
    if not run.steps:
        return
    _heading(console, "cli.show.steps")
    view = view_of(run.workflow)
    if view is not None and view.show_steps is not None:
        view.show_steps(console, run)
        return
    table = Table.grid(padding=(0, 2))
    for step in run.steps:
        note = step.reason or (step.problem.message if step.problem else "")
        table.add_row(
            mark(console, STEP_MARKS[step.status]),
            step_name(step.path, step.title),
            words("/".join(step.path), "dim"),
            words(duration(step.duration_ms), "dim"),
            words(note, "dim"),
        )
    console.print(table)


def _show_artifacts(console: Console, run: Run) -> None:
    if not run.artifacts:
        return
    _heading(console, "cli.show.artifacts")
    table = Table.grid(padding=(0, 2))
    for artifact in run.artifacts:
        table.add_row(
            words(artifact.name),
            words(artifact.title),
            words(artifact.media_type, "dim"),
            words(_size(artifact), "dim"),
        )
    console.print(table)
    hint = tell("cli.show.artifact_hint", run_id=run.run_id)
    console.print(words(hint, "dim"), soft_wrap=True)


def _size(artifact: Artifact) -> str:
    size = float(artifact.size)
    for unit in ("B", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _heading(console: Console, text_id: str) -> None:
    console.print()
    console.print(words(tell(text_id), "bold"))
