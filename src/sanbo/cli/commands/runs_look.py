"""Looking at runs: the list, one run, its events, its artifacts."""

import shutil
from io import BytesIO
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from sanbo.cli import exits
from sanbo.cli.bench import open_bench, open_run_list
from sanbo.cli.event_view import show_event
from sanbo.cli.options import Json, RunId
from sanbo.cli.output_file import opened_output
from sanbo.cli.problems import show_problem
from sanbo.cli.run_view import show_list, show_run
from sanbo.cli.screen import out, print_json, say
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict
from sanbo.runs.model import Artifact, Run, Status, TextDelta


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
