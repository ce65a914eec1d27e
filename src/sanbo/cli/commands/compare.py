"""`sanbo compare`: what changed between two documents, on the screen or as a file."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer
from pydantic import JsonValue

from sanbo.cli.arguments import (
    STANDARD_OUTPUT,
    existing,
    named_files,
    readable_name,
    refuse_unwritable,
    unused,
    write_new,
)
from sanbo.cli.bench import Bench, open_bench
from sanbo.cli.conventions import Json
from sanbo.cli.progress import exit_code, report, say_started, watch
from sanbo.cli.run_view import show_result
from sanbo.cli.screen import err, print_json, show_line
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.runs.model import Artifact, JsonObject, Run, Status
from sanbo.runs.parts import Changes
from sanbo.service.comparison import output_of

WORKFLOW = "comparison"
OutputFormat = Literal["markdown", "html", "docx", "xlsx", "json"]
Side = Literal["old", "new"]
STANDARD_INPUT = "-"
_FOR_PROGRAMS_TOO: tuple[OutputFormat, ...] = ("markdown", "html", "json")
"""Those that can be read where they are printed."""

app = typer.Typer(add_completion=False)


class _Wanted(NamedTuple):
    """What is to come out: a form, and where it goes; neither, to be shown on the screen."""

    form: OutputFormat | None
    output: Path | None


@app.command("compare", help="cli.help.compare")
def compare(
    context: typer.Context,
    old: Annotated[str, typer.Argument(metavar="OLD", help="cli.option.compare_old")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="cli.option.compare_new")],
    *,
    form: Annotated[
        OutputFormat | None, typer.Option("--format", help="cli.option.compare_format")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="cli.option.compare_output"),
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id-column", metavar="NAME", help="cli.option.id_column")
    ] = None,
    text_column: Annotated[
        str | None, typer.Option("--text-column", metavar="NAME", help="cli.option.text_column")
    ] = None,
    every_chunk: Annotated[
        bool, typer.Option("--every-chunk", help="cli.option.every_chunk")
    ] = False,
    fold_renumbered: Annotated[
        bool, typer.Option("--fold-renumbered", help="cli.option.fold_renumbered")
    ] = False,
    collection: Annotated[
        str | None,
        typer.Option("--collection", metavar="NAME", help="cli.option.compare_collection"),
    ] = None,
    as_json: Json = False,
) -> int:
    wanted = _wanted(form, output, as_json=as_json)
    if old == new == STANDARD_INPUT:
        raise typer.BadParameter(tell("cli.usage.one_stdin"), param_hint="NEW")
    with open_bench(context.obj) as bench:
        given: JsonObject = {
            "id_column": id_column or "",
            "text_column": text_column or "",
            "every_chunk": every_chunk,
            "fold_renumbered": fold_renumbered,
            "collection": collection or "",
            **_side(bench, "old", old, collection),
            **_side(bench, "new", new, collection),
        }
        run = bench.start(WORKFLOW, given)
        say_started(run)
        run = watch(bench, run)
        if run.status is not Status.SUCCEEDED:
            return report(bench, run, as_json=as_json)
        if wanted.form is not None:
            _hand_out(bench, run, wanted.form, wanted.output)
        if as_json:
            print_json(run.model_dump(mode="json"))
        elif wanted.form is None:
            parts = [part for part in bench.parts(run.run_id) if not part.is_aside]
            show_result(bench, run, parts)
            if any(isinstance(part, Changes) for part in parts):
                show_line(err(), "ok", tell("cli.compare.format_hint"))
    return exit_code(run)


def _wanted(form: OutputFormat | None, output: Path | None, *, as_json: bool) -> _Wanted:
    """Looked at before the work: nobody waits for a result that can't be written."""
    if output is not None and form is None:
        form = output_of(output.name)
        if form is None:
            raise typer.BadParameter(tell("cli.usage.compare_suffix"), param_hint="--output")
    if as_json and form in _FOR_PROGRAMS_TOO and output in (None, STANDARD_OUTPUT):
        raise typer.BadParameter(tell("cli.usage.compare_json"), param_hint="--json")
    if output is not None and output != STANDARD_OUTPUT:
        refuse_unwritable(output)
    return _Wanted(form, output)


def _side(bench: Bench, side: Side, given: str, collection: str | None) -> JsonObject:
    """Files, a folder, standard input, or with a collection the name of one of its documents."""
    if given == STANDARD_INPUT:
        return {side: [_standard_input(bench)]}
    if collection and not given.startswith(("./", "../", "/", "~", ".\\", "..\\")):
        return {f"{side}_document": given}
    path = existing(given)
    files = [
        (file, name)
        for file, name in named_files([path])
        if not (path.is_dir() and _is_hidden(name))
    ]
    if not files:
        raise InvalidInput(f"comparison_folder_empty.{side}")
    most = _most_files(bench)
    if len(files) > most:
        raise LimitExceeded("comparison_too_many_files", name=readable_name(path.name), limit=most)
    return {side: [bench.upload(file, name).model_dump(mode="json") for file, name in files]}


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "~$")) for part in name.split("/"))


def _most_files(bench: Bench) -> int:
    fields = bench.workflow(WORKFLOW).requirements
    limits = [field.validation.max_files for field in fields if field.id == "old"]
    return limits[0] or 1


def _standard_input(bench: Bench) -> JsonValue:
    with tempfile.TemporaryDirectory() as folder:
        # Through a file, so that the run finds it again after a crash.
        path = Path(folder, "input")
        path.write_bytes(sys.stdin.buffer.read())
        name = tell("cli.compare.standard_input")
        return bench.upload(path, name).model_dump(mode="json")


def _hand_out(bench: Bench, run: Run, form: OutputFormat, output: Path | None) -> None:
    if form == "json" and output in (None, STANDARD_OUTPUT):
        print_json(run.result)
        return
    artifact = _artifact(run, form)
    _, content = bench.artifact(run.run_id, artifact.artifact_id)
    data = content if isinstance(content, bytes) else content.read_bytes()
    if output == STANDARD_OUTPUT or (output is None and form in _FOR_PROGRAMS_TOO):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    write_new(output or unused(Path(Path(artifact.name).name)), data)


def _artifact(run: Run, form: OutputFormat) -> Artifact:
    """The last of its kind: the documents that were compared are none of the run's files."""
    made = [each for each in run.artifacts if output_of(each.name) == form]
    return made[-1]
