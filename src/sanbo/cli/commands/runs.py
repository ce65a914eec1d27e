"""`sanbo runs`: everything that can be done with a run, whatever its workflow."""

import shutil
import time
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer
from rich.console import Console
from rich.text import Text

from sanbo.cli import conventions as exits
from sanbo.cli.arguments import (
    STANDARD_OUTPUT,
    files_given,
    json_given,
    opened_output,
    report_format,
    unused,
    write_new,
)
from sanbo.cli.asking import GivenUp, answer_by_asking, ask_fields, confirmed, fields_of
from sanbo.cli.bench import Bench, open_bench, open_run_list
from sanbo.cli.conventions import Files, Group, Json, RunId
from sanbo.cli.parts_view import duration
from sanbo.cli.plans import correction_wanted
from sanbo.cli.problems import show_problem
from sanbo.cli.progress import report, run_to_stop, say_started
from sanbo.cli.run_view import show_fields, show_list, show_run
from sanbo.cli.screen import can_ask, err, local_time, out, print_json, say, words
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict
from sanbo.reports.names import ReportFormat
from sanbo.runs.model import (
    COMMENT,
    Artifact,
    ArtifactMade,
    Event,
    Interaction,
    InteractionAnswered,
    InteractionDue,
    InteractionOpen,
    JsonObject,
    LoopIteration,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    Requirement,
    Run,
    RunComplete,
    RunStart,
    RunWaiting,
    Status,
    TextDelta,
)

if TYPE_CHECKING:
    from sanbo.service.deletion import Prunable


def start(
    context: typer.Context,
    workflow: Annotated[str, typer.Argument(metavar="WORKFLOW", help="cli.option.workflow_name")],
    *,
    given: Annotated[
        str | None, typer.Option("--input", "-i", metavar="JSON", help="cli.option.input")
    ] = None,
    file: Files = None,
    conversation: Annotated[
        str | None, typer.Option(metavar="ID", help="cli.option.conversation")
    ] = None,
    as_json: Json = False,
) -> int:
    with open_bench(context.obj) as bench:
        form = bench.workflow(workflow)
        values: JsonObject | None = None
        if given is not None or file:
            values = json_given(given, "--input") | files_given(
                bench,
                file or [],
                form.requirements,
                in_memory=bench.keeps_in_memory(workflow),
            )
        elif can_ask() and not as_json:
            say(form.title, "bold")
            say(form.description, "dim")
            values = _asked(bench, form.requirements)
        elif not any(field.required for field in form.requirements):
            values = {}
        if values is None:
            return _say_what_is_needed("cli.usage.input_needed", form.requirements)
        run = bench.start(workflow, values, conversation)
        say_started(run)
        return run_to_stop(bench, run, as_json=as_json)


def answer(
    context: typer.Context,
    run: RunId,
    *,
    data: Annotated[
        str | None, typer.Option("--data", "-d", metavar="JSON", help="cli.option.data")
    ] = None,
    interaction: Annotated[
        str | None, typer.Option(metavar="ID", help="cli.option.interaction")
    ] = None,
    file: Files = None,
    comment: Annotated[str | None, typer.Option(metavar="TEXT", help="cli.option.comment")] = None,
    as_json: Json = False,
) -> int:
    with open_bench(context.obj) as bench:
        before = bench.get(run)
        question = _question(before, interaction)
        fields = fields_of(question) if question else ()
        if data is not None or file or comment is not None or question is None:
            values = json_given(data, "--data") | files_given(bench, file or [], fields)
            if comment is not None:
                values[COMMENT] = comment
            bench.answer(run, values, interaction)
        elif can_ask() and not as_json:
            try:
                answer_by_asking(bench, before, question)
            except GivenUp:
                return report(bench, before, put_off=True)
        else:
            return _say_what_is_needed("cli.usage.data_needed", fields)
        return run_to_stop(bench, before, as_json=as_json)


Corrected = Annotated[
    str | None, typer.Option("--plan", metavar="PLAN", help="cli.option.corrected")
]
Newest = Annotated[bool, typer.Option("--yes", "-y", help="cli.option.newest")]
AsItWas = Annotated[bool, typer.Option("--same-plan", help="cli.option.same_plan")]


def resume(
    context: typer.Context,
    run: RunId,
    *,
    plan: Corrected = None,
    yes: Newest = False,
    same_plan: AsItWas = False,
    as_json: Json = False,
) -> int:
    with open_bench(context.obj) as bench:
        before = bench.get(run)
        may_ask = can_ask() and not as_json
        change = {} if same_plan else correction_wanted(bench, run, plan, yes=yes, ask=may_ask)
        if change is None:
            return exits.USAGE
        again = bench.resume(run, change)
        if again.run_id != run:
            say_started(before := again)
        return run_to_stop(bench, before, as_json=as_json)


def replay(
    context: typer.Context,
    run: RunId,
    *,
    step: Annotated[str, typer.Option("--from", metavar="STEP", help="cli.option.step")] = "",
    until: Annotated[
        str, typer.Option("--until", metavar="NODE", help="cli.option.replay_until")
    ] = "",
    plan: Corrected = None,
    yes: Newest = False,
    same_plan: AsItWas = False,
    as_json: Json = False,
) -> int:
    if not step and not until:
        raise typer.BadParameter(tell("cli.usage.replay_where"), param_hint="--from")
    with open_bench(context.obj) as bench:
        may_ask = can_ask() and not as_json
        change = {} if same_plan else correction_wanted(bench, run, plan, yes=yes, ask=may_ask)
        if change is None:
            return exits.USAGE
        if until:
            change = change | {"until": until}
        again = bench.replay(run, tuple(step.split("/")) if step else (), change)
        say_started(again)
        return run_to_stop(bench, again, as_json=as_json)


def _question(run: Run, interaction_id: str | None) -> Interaction | None:
    """The open question that is meant; None where the workbench has to say why there is none."""
    for interaction in run.open_interactions:
        if interaction_id in (None, interaction.interaction_id):
            return interaction
    return None


def _asked(bench: Bench, fields: Sequence[Requirement]) -> JsonObject | None:
    try:
        return ask_fields(bench, fields)
    except GivenUp:
        return None


def _say_what_is_needed(text_id: str, fields: Sequence[Requirement]) -> int:
    console = err()
    console.print(words(tell(text_id), "red"))
    show_fields(console, fields)
    return exits.USAGE


def show_event(console: Console, event: Event) -> None:
    line = Text()
    line.append(f"{event.seq or '':>5} ", style="dim")
    line.append(f"{event.time.astimezone():%H:%M:%S} ", style="dim")
    line.append(f"{event.payload.event:<21}", style="cyan")
    line.append_text(words(f"{'/'.join(event.path)}  "))
    line.append_text(words(_summary(event), "dim"))
    console.print(line, soft_wrap=True)


def due_words(told: InteractionDue) -> str:
    text = "cli.event.overdue" if told.overdue else "cli.event.soon"
    return tell(text, due=local_time(told.due_at))


def _summary(event: Event) -> str:  # noqa: PLR0912 - one for each kind of event
    match event.payload:
        case RunStart(workflow=workflow, resumed=resumed):
            summary = f"{workflow} " + (tell("cli.event.resumed") if resumed else "")
        case NodeStart(title=title):
            summary = title
        case NodeComplete(duration_ms=milliseconds):
            summary = duration(milliseconds)
        case NodeSkipped(reason=reason):
            summary = reason
        case NodeError(error=problem):
            summary = f"{problem.code} {problem.message}"
        case LoopIteration(iteration=number):
            summary = str(number)
        case InteractionOpen(interaction=interaction):
            summary = interaction.message
        case InteractionDue():
            summary = due_words(event.payload)
        case InteractionAnswered(by=person):
            summary = tell("cli.event.answered", by=person)
        case ArtifactMade(artifact=artifact):
            summary = artifact.name
        case TextDelta(text=text):
            summary = text.strip()
        case RunWaiting():
            summary = tell("cli.status.waiting")
        case RunComplete(status=status, total_duration_ms=milliseconds):
            summary = tell(f"cli.status.{status}") + f" {duration(milliseconds)}"
    return summary


def show_all(
    context: typer.Context,
    status: Annotated[
        Status | None, typer.Option(metavar="STATUS", help="cli.option.status")
    ] = None,
    workflow: Annotated[
        str | None, typer.Option(metavar="NAME", help="cli.option.workflow")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="cli.option.limit")] = 20,
    as_json: Json = False,
) -> int:
    with open_run_list(context.obj) as listed:
        runs, interrupted = listed.newest(workflow=workflow, status=status, limit=limit)
    if as_json:
        print_json([run.model_dump(mode="json") for run in runs])
    elif runs:
        show_list(runs, interrupted)
    else:
        say(tell("cli.no_runs"))
    return exits.SUCCEEDED


def show_one(context: typer.Context, run: RunId, as_json: Json = False) -> int:
    with open_bench(context.obj) as bench:
        found = bench.get(run)
        interrupted = bench.interrupted([run])
        parts = () if as_json else bench.parts(run)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        show_run(found, parts, interrupted)
        if found.problem is not None:
            show_problem(found.problem)
    return exits.SUCCEEDED


def show_events(
    context: typer.Context,
    run: RunId,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="cli.option.follow")] = False,
    as_json: Json = False,
) -> int:
    console = out()
    with open_bench(context.obj) as bench:
        for event in bench.follow(run) if follow else bench.events(run):
            if as_json:
                print_json(event.model_dump(mode="json"), on_one_line=True)
            elif not isinstance(event.payload, TextDelta):
                show_event(console, event)
    return exits.SUCCEEDED


def save_artifact(
    context: typer.Context,
    run: RunId,
    name: Annotated[str, typer.Argument(metavar="NAME", help="cli.option.artifact")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="cli.option.output"),
    ] = None,
) -> int:
    with open_bench(context.obj) as bench:
        artifact, source = bench.artifact(run, _artifact_id(bench.get(run), name))
        if output == Path("-"):
            with _opened(source) as reader:
                shutil.copyfileobj(reader, typer.get_binary_stream("stdout"))
            return exits.SUCCEEDED
        target = output or _own_name(artifact)
        with _opened(source) as reader, opened_output(target, replace=True) as writer:
            shutil.copyfileobj(reader, writer)
    say(tell("cli.saved", path=target))
    return exits.SUCCEEDED


def export(
    context: typer.Context,
    run: RunId,
    *,
    form: Annotated[
        ReportFormat | None, typer.Option("--format", help="cli.option.report_format")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="cli.option.report_output"),
    ] = None,
) -> int:
    wanted: ReportFormat = form or "docx"
    if output is not None and output != STANDARD_OUTPUT:
        wanted = report_format(output, form)
    with open_bench(context.obj) as bench:
        made = bench.report(run, wanted)
    if output == STANDARD_OUTPUT:
        typer.get_binary_stream("stdout").write(made.data)
    else:
        write_new(output or unused(Path(made.name)), made.data)
    return exits.SUCCEEDED


def _opened(content: Path | bytes) -> BinaryIO:
    return BytesIO(content) if isinstance(content, bytes) else content.open("rb")


def _artifact_id(run: Run, name: str) -> str:
    """By name, the newest of that name; else taken for an id."""
    ids = [artifact.artifact_id for artifact in run.artifacts if artifact.name == name]
    return ids[-1] if ids else name


def _own_name(artifact: Artifact) -> Path:
    """Without `--output`, a file of its name here, and never over one that is there."""
    target = Path(Path(artifact.name).name)
    if target.exists():
        raise Conflict("file_exists", path=str(target))
    return target


CANCEL_SECONDS = 5.0
LOOK_SECONDS = 0.2


def cancel(context: typer.Context, run: RunId, as_json: Json = False) -> int:
    with open_bench(context.obj) as bench:
        bench.cancel(run)
        ended = _ended(bench, run)
    if as_json:
        print_json(ended.model_dump(mode="json"))
    text = "cli.cancelled" if ended.status.is_final else "cli.cancel_requested"
    say(tell(text, run_id=run))
    return exits.SUCCEEDED


def delete(
    context: typer.Context,
    run: RunId,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="cli.option.yes")] = False,
) -> int:
    with open_bench(context.obj) as bench:
        bench.get(run)
        if not yes and not can_ask():
            say(tell("cli.usage.yes_needed"), "red")
            return exits.USAGE
        if not yes and not _sure(run):
            say(tell("cli.not_deleted"))
            return exits.FAILED
        bench.delete(run)
    say(tell("cli.deleted", run_id=run))
    return exits.SUCCEEDED


def prune(
    context: typer.Context,
    *,
    days: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="cli.option.prune_days")
    ] = None,
    file_days: Annotated[
        int | None, typer.Option("--file-days", min=1, metavar="N", help="cli.option.file_days")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="cli.option.yes")] = False,
    as_json: Json = False,
) -> int:
    """Shows what would be deleted; deletes it once that is wanted."""
    with open_bench(context.obj) as bench:
        found = bench.prunable(days, file_days)
        is_anything = bool(found.runs or found.without_files)
        may_ask = can_ask() and not as_json
        if not as_json:
            _show_prunable(found)
        wanted = is_anything and (yes or (may_ask and _confirmed(tell("cli.prune.sure"))))
        done = bench.prune(found) if wanted else None
    if as_json:
        shown = done or found
        print_json({"deleted": done is not None, **shown.model_dump(mode="json")})
    elif done is not None:
        say(tell("cli.prune.done", runs=len(done.runs), files=len(done.without_files)))
    elif is_anything:
        say(tell("cli.prune.nothing_done"))
    return exits.SUCCEEDED


def _show_prunable(found: "Prunable") -> None:
    for name, runs in (("runs", found.runs), ("files", found.without_files)):
        say(tell(f"cli.prune.{name}", count=len(runs), files=found.files))
        for run in runs:
            say(f"  {run.run_id}  {local_time(run.updated_at)}  {run.title}", "dim")


def _ended(bench: Bench, run_id: str) -> Run:
    """Another process that has the run looks for the request a few times a second."""
    deadline = time.monotonic() + CANCEL_SECONDS
    while True:
        run = bench.get(run_id)
        if run.status.is_final or time.monotonic() > deadline:
            return run
        time.sleep(LOOK_SECONDS)


def _sure(run_id: str) -> bool:
    return _confirmed(tell("cli.delete_sure", run_id=run_id))


def _confirmed(message: str) -> bool:
    try:
        return confirmed(message)
    except GivenUp:
        return False


app = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True, help="cli.help.runs")

for name, command in {
    "list": show_all,
    "show": show_one,
    "events": show_events,
    "artifact": save_artifact,
    "export": export,
    "start": start,
    "answer": answer,
    "resume": resume,
    "replay": replay,
    "cancel": cancel,
    "delete": delete,
    "prune": prune,
}.items():
    app.command(name, help=f"cli.help.runs_{name}")(command)
