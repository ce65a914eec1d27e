"""`sanbo ask`: an answer with how sure it is; where it is not sure, it asks."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from sanbo.cli.arguments import STANDARD_OUTPUT, refuse_unwritable, write_new
from sanbo.cli.bench import Bench, open_bench
from sanbo.cli.conventions import Json
from sanbo.cli.progress import asked_to_stop, exit_code, report, say_started
from sanbo.cli.run_view import main_document
from sanbo.cli.screen import print_json, say
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import MissingDependency
from sanbo.runs.model import Run, Status

WORKFLOW = "grace"
app = typer.Typer(add_completion=False)


@app.command("ask", help="cli.help.ask", no_args_is_help=True, epilog="cli.help.ask_end")
def ask(
    context: typer.Context,
    question: Annotated[
        list[str], typer.Argument(metavar="QUESTION", help="cli.option.ask_question")
    ],
    *,
    collection: Annotated[
        str | None,
        typer.Option("--collection", "-c", metavar="NAME", help="cli.option.ask_collection"),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="cli.option.ask_output")
    ] = None,
    as_json: Json = False,
) -> int:
    asked = _question(question)
    if as_json and output == STANDARD_OUTPUT:
        raise typer.BadParameter(tell("cli.usage.research_json"), param_hint="--json")
    if output is not None and output != STANDARD_OUTPUT:
        refuse_unwritable(output)
    with open_bench(context.obj) as bench:
        given = {"question": asked, "collection": _collection(bench, collection)}
        run = bench.start(WORKFLOW, dict(given))
        say_started(run)
        run, put_off = asked_to_stop(bench, run, may_ask=not as_json)
        if run.status is Status.SUCCEEDED and output is not None:
            _hand_out(bench, run, output, as_json=as_json)
            return exit_code(run)
        if run.status is Status.WAITING and output is not None and not as_json:
            say(tell("cli.grace.not_written", path=output), "yellow")
        return report(bench, run, as_json=as_json, put_off=put_off)


def _question(typed: list[str]) -> str:
    if len(typed) > 1:
        raise typer.BadParameter(tell("cli.usage.quote_ask"), param_hint="QUESTION")
    if not "".join(typed).strip():
        raise typer.BadParameter(tell("cli.usage.question"), param_hint="QUESTION")
    return typed[0]


def _collection(bench: Bench, named: str | None) -> str | None:
    """The one named; else the settings decide, and the plan."""
    if named is not None:
        return bench.collections.info(named).name
    if not bench.collections.all():
        raise MissingDependency("grace_no_collection")
    return None


def _hand_out(bench: Bench, run: Run, output: Path, *, as_json: bool) -> None:
    answer = main_document(bench, run, output)
    if output != STANDARD_OUTPUT:
        write_new(output, answer)
        if as_json:
            print_json(run.model_dump(mode="json"))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
