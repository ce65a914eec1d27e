"""`sanbo demo`: every workflow on its own sample, in this terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from sanbo.cli import conventions
from sanbo.cli.arguments import upload
from sanbo.cli.bench import Bench, open_bench
from sanbo.cli.commands.doctor import examined, show_checks
from sanbo.cli.problems import show_problem
from sanbo.cli.progress import run_to_stop, say_started
from sanbo.cli.screen import err, say, words
from sanbo.kernel.messages import tell
from sanbo.runs.model import FieldType, JsonObject

if TYPE_CHECKING:
    from sanbo.service.catalog import Demo

app = typer.Typer(add_completion=False)


@app.command(help="cli.help.demo")
def demo(context: typer.Context) -> int:
    with open_bench(context.obj) as bench:
        codes = [_run(bench, position) for position in range(len(bench.demos))]
        empty = not bench.demos
    if empty:
        say(tell("cli.demo.none"))
        show_checks(examined(context.obj))
        return conventions.SUCCEEDED
    say(tell("cli.demo.done", count=len(codes), failed=sum(map(bool, codes))))
    return max(codes)


def _run(bench: Bench, position: int) -> int:
    sample = bench.demos[position]
    form = bench.workflow(sample.workflow)
    console = err()
    console.print()
    console.rule(words(f"{position + 1}/{len(bench.demos)}  {form.title}", "bold"))
    console.print(words(form.description, "dim"))
    for collection, folder in sample.documents.items():
        for outcome in bench.collections.index_paths(collection, [folder]):
            if outcome.problem is not None:
                show_problem(outcome.problem)
    types: dict[str, FieldType] = {field.id: field.type for field in form.requirements}
    files: JsonObject = {
        name: upload(bench, types[name], [path], in_memory=bench.keeps_in_memory(sample.workflow))
        for name, path in sample.files.items()
    }
    run = bench.start(sample.workflow, {**sample.given, **files})
    say_started(run)
    return run_to_stop(bench, run, answers=list(_answers(bench, sample)))


def _answers(bench: Bench, sample: Demo) -> Iterator[JsonObject]:
    for number, answer in enumerate(sample.answers):
        given: JsonObject = {
            name: upload(bench, "file", [path])
            for files in sample.answer_files[number : number + 1]
            for name, path in files.items()
        }
        yield {**answer, **given}
