"""`sanbo index`: reads files, folders and archives into a collection."""

from pathlib import Path
from typing import Annotated

import typer

from sanbo.cli import conventions
from sanbo.cli.bench import open_shelf
from sanbo.cli.collections_view import IndexReport, show_report, watched
from sanbo.cli.conventions import Json
from sanbo.cli.screen import print_json
from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.problems import NotFound, SanboError

app = typer.Typer(add_completion=False)


@app.command("index", help="cli.help.index")
def index(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="cli.option.index_paths")],
    collection: Annotated[
        str, typer.Option("--collection", "-c", metavar="NAME", help="cli.option.collection")
    ],
    *,
    prune: Annotated[bool, typer.Option("--prune", help="cli.option.prune")] = False,
    meta: Annotated[
        list[str] | None,
        typer.Option("--meta", metavar="KEY=VALUE", help="cli.option.meta", show_default=False),
    ] = None,
    as_json: Json = False,
) -> int:
    metadata = dict(pair(text) for text in meta or [])
    for path in paths:
        if not path.exists():
            raise NotFound("index_path_missing", path=str(path))
    report = IndexReport()
    with open_shelf(context.obj) as shelf:
        outcomes = shelf.index_paths(collection, paths, metadata=metadata)
        try:
            for outcome in watched(outcomes, shelf.count_files(paths)):
                report.take(outcome)
            if prune:
                for outcome in shelf.remove_missing(collection, paths):
                    report.take(outcome)
        except KeyboardInterrupt:
            told = tell("cli.index.interrupted", collection=collection)
            raise conventions.Interrupted(told) from None
        except SanboError:
            if report.counts and not as_json:
                show_report(collection, report)  # what was read until then is there
            raise
    if as_json:
        print_json(_as_json(collection, report))
    else:
        show_report(collection, report)
    return conventions.SUCCEEDED if report.was_read or not report.counts else conventions.FAILED


def pair(text: str) -> tuple[str, str]:
    readable = text.encode("utf-8", "replace").decode()
    key, separator, value = readable.partition("=")
    if not separator or not key.strip() or readable != text:
        raise typer.BadParameter(tell("cli.usage.pair", value=readable), param_hint="--meta")
    return key.strip(), value.strip()


def _as_json(collection: str, report: IndexReport) -> dict[str, object]:
    """Counts of all, and the files that have something to say."""
    return {
        "collection": collection,
        "counts": dict(report.counts),
        "chunks": report.chunks,
        "files": [
            {
                **outcome.model_dump(mode="json", exclude={"problem", "warnings"}),
                "problem": outcome.problem
                and outcome.problem.in_language(current_language()).model_dump(mode="json"),
                "warnings": [
                    warning.in_language(current_language()).model_dump(mode="json")
                    for warning in outcome.warnings
                ],
            }
            for outcome in report.noteworthy
        ],
        "left_out": report.left_out,
    }
