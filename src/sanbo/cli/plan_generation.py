"""`sanbo plan generate` and `refine`: from a sentence to a checked plan, or a changed one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, cast

import typer
from pydantic import JsonValue

from sanbo.cli import conventions as exits
from sanbo.cli.advancing import exit_code, report, say_started, watch
from sanbo.cli.bench import Bench, open_bench
from sanbo.cli.conventions import Json
from sanbo.cli.findings_view import show_findings, show_verdict
from sanbo.cli.given import existing
from sanbo.cli.output_file import refuse_unwritable, unused, write_new
from sanbo.cli.parts_view import show_parts
from sanbo.cli.screen import err, out, print_json
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.runs.parts import Files


def _designed(bench: Bench, given: JsonObject, documents: Sequence[str] | None) -> Run:
    from sanbo.service import plan_design  # noqa: PLC0415 - takes a moment

    files = [bench.upload(path, path.name) for path in map(existing, documents or ())]
    given["documents"] = [file.model_dump(mode="json") for file in files]
    run = bench.start(plan_design.DESIGN, given)
    say_started(run)
    return watch(bench, run)


def generate(
    context: typer.Context,
    instruction: Annotated[
        str, typer.Argument(metavar="INSTRUCTION", help="cli.option.design_instruction")
    ],
    *,
    documents: Annotated[
        list[str] | None,
        typer.Option("--document", "-d", metavar="FILE", help="cli.option.design_document"),
    ] = None,
    outline: Annotated[
        Path | None, typer.Option("--outline", metavar="FILE", help="cli.option.design_outline")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="cli.option.design_output")
    ] = None,
    as_json: Json = False,
) -> int:
    if output is not None:
        refuse_unwritable(output)
    from sanbo.service import plan_design  # noqa: PLC0415 - takes a moment

    with open_bench(context.obj) as bench:
        given: JsonObject = {"question": instruction}
        if outline is not None and outline.exists():
            given["outline"] = plan_design.read_outline(outline)
        run = _designed(bench, given, documents)
        if run.status is not Status.SUCCEEDED:
            return report(bench, run, as_json=as_json)
        made = plan_design.design_of(run)
        if outline is not None and not outline.exists():
            write_new(outline, plan_design.outline_text(made).encode())
        target = output or unused(Path(f"{made.plan_id}.yaml"))
        if as_json:
            print_json(cast("JsonValue", run.model_dump(mode="json")))
        else:
            parts = [part for part in bench.parts(run.run_id) if not part.is_aside]
            show_parts(out(), (part for part in parts if not isinstance(part, Files)))
            show_findings(out(), made.findings)
            show_verdict(err(), made.findings)
        write_new(target, made.text.encode())
        if not made.is_dry_run:
            return exits.FAILED
    return exit_code(run)


def refine(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="cli.option.plan")],
    change: Annotated[str, typer.Argument(metavar="CHANGE", help="cli.option.design_change")],
    *,
    documents: Annotated[
        list[str] | None,
        typer.Option("--document", "-d", metavar="FILE", help="cli.option.design_document"),
    ] = None,
    is_written: Annotated[bool, typer.Option("--write", help="cli.option.design_write")] = False,
    as_json: Json = False,
) -> int:
    """What differs is shown first; the file changes only with `--write`."""
    from sanbo.service import plan_design  # noqa: PLC0415 - takes a moment

    source = existing(str(file))
    with open_bench(context.obj) as bench:
        given: JsonObject = {"question": change, "plan_text": source.read_text("utf-8-sig")}
        run = _designed(bench, given, documents)
        if run.status is not Status.SUCCEEDED:
            return report(bench, run, as_json=as_json)
        made = plan_design.design_of(run)
        if as_json:
            print_json(cast("JsonValue", run.model_dump(mode="json")))
        else:
            for line in made.changes:
                out().print(line, markup=False)
            show_findings(out(), made.findings)
            show_verdict(err(), made.findings)
        if is_written and made.is_dry_run:
            source.write_text(made.text, "utf-8")
        return exit_code(run) if made.is_dry_run else exits.FAILED
