"""`sanbo plan graph`: a plan or one of its runs as a picture."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from sanbo.cli import exits
from sanbo.cli.bench import open_bench, read_settings
from sanbo.cli.output_file import STANDARD_OUTPUT, refuse_unwritable, write_new
from sanbo.cli.plan_given import OptionalPlan, plan_source
from sanbo.kernel.messages import tell

Kind = Literal["svg", "png", "mermaid"]
_SUFFIXES: dict[str, Kind] = {
    ".svg": "svg",
    ".png": "png",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".md": "mermaid",
}


def graph(
    context: typer.Context,
    plan: OptionalPlan = None,
    *,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="cli.option.plan_of_run")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="cli.option.plan_picture")
    ] = None,
    right: Annotated[bool, typer.Option("--right", help="cli.option.plan_right")] = False,
) -> int:
    if (plan is None) == (run is None):
        raise typer.BadParameter(tell("cli.usage.plan_or_run"), param_hint="PLAN")
    kind = _kind(output)
    if output is not None and output != STANDARD_OUTPUT:
        refuse_unwritable(output)
    drawn = (
        _of_plan(context, plan, kind, right) if plan else _of_run(context, run or "", kind, right)
    )
    if output is None or output == STANDARD_OUTPUT:
        typer.get_binary_stream("stdout").write(drawn)
        return exits.SUCCEEDED
    if output.suffix.lower() == ".md":
        drawn = b"```mermaid\n" + drawn + b"```\n"
    write_new(output, drawn)
    return exits.SUCCEEDED


def _kind(output: Path | None) -> Kind:
    if output is None or output == STANDARD_OUTPUT:
        return "mermaid"
    kind = _SUFFIXES.get(output.suffix.lower())
    if kind is None:
        raise typer.BadParameter(tell("cli.usage.plan_picture"), param_hint="--output")
    return kind


def _of_plan(context: typer.Context, plan: str, kind: Kind, right: bool) -> bytes:
    source = plan_source(read_settings(context.obj), plan)
    from sanbo.service.plan_pictures import picture  # noqa: PLC0415 - loaded by then anyway

    return picture(source, kind=kind, direction="right" if right else "down")


def _of_run(context: typer.Context, run_id: str, kind: Kind, right: bool) -> bytes:
    with open_bench(context.obj) as bench:
        from sanbo.service.plan_pictures import picture_of_run  # noqa: PLC0415

        direction = "right" if right else "down"
        return bench.call(
            lambda workbench, caller: picture_of_run(
                workbench, caller, run_id, kind=kind, direction=direction
            )
        )
