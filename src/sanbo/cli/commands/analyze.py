"""`sanbo analyze`: asks a table a question; nothing is written but what `--export` names."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import orjson
import typer
from pydantic import JsonValue

from sanbo.cli import conventions
from sanbo.cli.arguments import (
    existing,
    make_output_folder,
    opened_output,
    readable_name,
    report_format,
    write_new,
)
from sanbo.cli.asking import GivenUp, ask_fields
from sanbo.cli.bench import Bench, open_bench
from sanbo.cli.conventions import Json
from sanbo.cli.parts_view import show_parts
from sanbo.cli.problems import show_problem
from sanbo.cli.progress import exit_code, report, say_started, watch
from sanbo.cli.run_view import show_result
from sanbo.cli.screen import can_ask, err, out, print_json, say, show_line, words
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict, InvalidInput
from sanbo.runs.model import FileRef, JsonObject, Requirement, Run, Status, Validation
from sanbo.runs.parts import READING, Facts

if TYPE_CHECKING:
    from sanbo.service.analysis import Replayed

WORKFLOW = "analysis"
app = typer.Typer(add_completion=False)


@app.command("analyze", help="cli.help.analyze")
def analyze(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="cli.option.table_file")],
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="cli.option.table_question")
    ] = None,
    *,
    sheet: Annotated[
        str, typer.Option("--sheet", metavar="NAME", help="cli.option.sheet", show_default=False)
    ] = "",
    as_written: Annotated[
        list[str] | None,
        typer.Option("--as-written", metavar="KIND", help="cli.option.as_written"),
    ] = None,
    spec: Annotated[
        str | None, typer.Option("--spec", metavar="FILE|JSON", help="cli.option.spec")
    ] = None,
    thread: Annotated[
        str | None, typer.Option("--thread", metavar="ID", help="cli.option.thread")
    ] = None,
    export: Annotated[
        Path | None, typer.Option("--export", metavar="DIR", help="cli.option.export")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="cli.option.analyze_output"),
    ] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="FILE", help="cli.option.replay_specs")
    ] = None,
    as_json: Json = False,
) -> int:
    _check(question, replay, alone=not (question or spec or thread or export or output))
    form = report_format(output) if output is not None else None
    _check_folder(export)
    path = existing(file)
    if path.is_dir():
        raise InvalidInput("entry_not_understood", reason=tell("cli.ask.not_a_file", path=path))
    specs = _specs_given(spec)
    recipe = None if replay is None else existing(str(replay)).read_bytes()
    with open_bench(context.obj) as bench:
        table = _given(bench, path)
        if recipe is not None:
            return _replay(bench, table, recipe, as_json=as_json)
        given: JsonObject = {
            "question": question,
            "file": cast("JsonObject", table.model_dump(mode="json")),
            "sheet": sheet,
            "as_written": list(as_written or ()),
            "specs": specs,
        }
        run = _asked(bench, given, thread)
        while not as_json and run.status is Status.SUCCEEDED and _offered(run) and can_ask():
            _show(bench, run)
            number = _number(bench, len(_offered(run)))
            if number is None:
                _show_hints(run, file, is_exported=True)
                return exit_code(run)
            given |= {"question": str(number), "specs": []}
            run = _asked(bench, given, run.conversation_id)
        if run.status is not Status.SUCCEEDED:
            return report(bench, run, as_json=as_json)
        if export is not None and run.artifacts:
            _export(bench, run, export)
        if output is not None and form is not None:
            write_new(output, bench.report(run.run_id, form).data)
        if as_json:
            print_json(run.model_dump(mode="json"))
        else:
            _show(bench, run)
            _show_hints(run, file, is_exported=bool(export or output))
    return exit_code(run)


def _asked(bench: Bench, given: JsonObject, thread: str | None) -> Run:
    run = bench.start(WORKFLOW, given, thread)
    say_started(run)
    return watch(bench, run)


def _show(bench: Bench, run: Run) -> None:
    parts = [part for part in bench.parts(run.run_id) if not part.is_aside]
    for part in parts:
        if isinstance(part, Facts) and part.id == READING:
            said = tell("cli.analyze.between").join(
                tell("cli.analyze.chip", label=fact.label, value=fact.value) for fact in part.items
            )
            out().print(words(f"{part.title}: {said}", "dim"), soft_wrap=True)
    show_result(bench, run, [part for part in parts if part.id != READING])


# ---- how the question is read ----


def _specs_given(text: str | None) -> list[JsonValue]:
    """A list of specs or one, written out or in a file; the workflow says what does not fit."""
    if text is None:
        return []
    try:
        is_json = text.lstrip().startswith(("[", "{"))
        value: JsonValue = orjson.loads(text if is_json else existing(text).read_bytes())
    except ValueError as error:
        reason = tell("cli.usage.json", option="--spec", reason=error)
        raise typer.BadParameter(reason, param_hint="--spec") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        said = tell("cli.usage.unreadable", option="--spec", reason=reason)
        raise typer.BadParameter(said, param_hint="--spec") from None
    return value if isinstance(value, list) else [value]


def _offered(run: Run) -> list[JsonValue]:
    """The ways in which the question can be taken, as its answer lists them."""
    return cast("list[JsonValue]", (run.result or {}).get("readings", []))


def _number(bench: Bench, most: int) -> int | None:
    field = Requirement(
        id="reading",
        type="number",
        label=tell("cli.analyze.which"),
        required=False,
        validation=Validation(min=1, max=most, integer=True),
    )
    try:
        return cast("int | None", ask_fields(bench, [field]).get(field.id))
    except GivenUp:
        err().print()
        return None


def _show_hints(run: Run, file: str, *, is_exported: bool) -> None:
    if run.artifacts and not is_exported:
        show_line(err(), "ok", tell("cli.analyze.export_hint"))
    offered = _offered(run)
    number = tell("cli.analyze.number") if offered else "…"
    again = f"sanbo analyze {shlex.quote(file)} {number} --thread {run.conversation_id}"
    text = "cli.analyze.choice_hint" if offered else "cli.analyze.thread_hint"
    show_line(err(), "ok", tell(text, command=again))


def _check(question: str | None, replay: Path | None, *, alone: bool) -> None:
    if replay is None and not (question or "").strip():
        raise typer.BadParameter(tell("cli.usage.question"), param_hint="QUESTION")
    if replay is not None and not alone:
        raise typer.BadParameter(tell("cli.usage.replay_alone"), param_hint="--replay")


def _check_folder(export: Path | None) -> None:
    if export is not None and export.exists() and (not export.is_dir() or any(export.iterdir())):
        # Before the work: nobody waits for an analysis that can't be written.
        raise Conflict("export_folder_used", path=str(export))


def _given(bench: Bench, path: Path) -> FileRef:
    """In memory only, unless the operator has turned persistence on."""
    source = path.read_bytes() if bench.keeps_in_memory(WORKFLOW) else path
    return bench.upload(source, readable_name(path.name))


def _export(bench: Bench, run: Run, folder: Path) -> None:
    make_output_folder(folder)
    for artifact in run.artifacts:
        _, content = bench.artifact(run.run_id, artifact.artifact_id)
        data = content if isinstance(content, bytes) else content.read_bytes()
        with opened_output(folder / Path(artifact.name).name, replace=True) as writer:
            writer.write(data)
    say(tell("cli.analyze.exported", path=folder, count=len(run.artifacts)))


def _replay(bench: Bench, table: FileRef, recipe: bytes, *, as_json: bool) -> int:
    replayed = bench.replay_analysis(table, recipe)
    if as_json:
        print_json(replayed.model_dump(mode="json"))
    else:
        _show_replayed(replayed)
    same = not replayed.differences and replayed.problem is None
    return conventions.SUCCEEDED if same else conventions.FAILED


def _show_replayed(replayed: Replayed) -> None:
    show_parts(out(), replayed.parts)
    if not replayed.is_same_file:
        show_line(err(), "waiting", tell("cli.analyze.other_file"))
    if replayed.problem is not None:
        show_problem(replayed.problem)
    if replayed.differences:
        show_line(err(), "broken", tell("cli.analyze.differs", count=len(replayed.differences)))
        for difference in replayed.differences:
            err().print(words(f"  {difference}"))
    elif replayed.problem is None:
        show_line(err(), "ok", tell("cli.analyze.same", count=len(replayed.tables)))
