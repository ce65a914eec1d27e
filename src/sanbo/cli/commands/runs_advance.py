"""Making runs advance: start, answer, resume, replay. Each goes to the run's next stop."""

from collections.abc import Sequence
from typing import Annotated

import typer

from sanbo.cli import exits
from sanbo.cli.advancing import report, run_to_stop, say_started
from sanbo.cli.asking import GivenUp, answer_by_asking, ask_fields, fields_of
from sanbo.cli.bench import Bench, open_bench
from sanbo.cli.given import files_given, json_given
from sanbo.cli.options import Files, Json, RunId
from sanbo.cli.question_view import show_fields
from sanbo.cli.screen import can_ask, err, say, words
from sanbo.kernel.messages import tell
from sanbo.runs.model import COMMENT, Interaction, JsonObject, Requirement, Run


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


def resume(context: typer.Context, run: RunId, as_json: Json = False) -> int:
    with open_bench(context.obj) as bench:
        before = bench.get(run)
        bench.resume(run)
        return run_to_stop(bench, before, as_json=as_json)


def replay(
    context: typer.Context,
    run: RunId,
    step: Annotated[str, typer.Option("--from", metavar="STEP", help="cli.option.step")],
    as_json: Json = False,
) -> int:
    with open_bench(context.obj) as bench:
        again = bench.replay(run, tuple(step.split("/")))
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
