"""`sanbo plan`: business procedures as YAML: check them, try them, run them, draw them."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from sanbo.cli import conventions as exits
from sanbo.cli import plan_commands
from sanbo.cli.arguments import STANDARD_OUTPUT, refuse_unwritable, write_new
from sanbo.cli.bench import Bench, open_bench, read_settings
from sanbo.cli.conventions import Group, Json
from sanbo.cli.parts_view import show_parts
from sanbo.cli.plan_answers import SetAnswers, Setting, check_settings, settings_given
from sanbo.cli.plan_commands import generate, refine
from sanbo.cli.plans import (
    Kind,
    OptionalPlan,
    PlanName,
    picture_kind,
    plan_source,
    prepare_output,
    save_files,
    show_dry_run,
    show_findings,
    show_verdict,
    uploaded_pictures,
    vars_given,
)
from sanbo.cli.progress import asked_to_stop, exit_code, report, say_started
from sanbo.cli.run_view import show_success
from sanbo.cli.screen import err, mark, out, print_json, say, words
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.runs.parts import Files

if TYPE_CHECKING:
    from rich.text import Text

    from sanbo.service.plan_list import DesignInfo
    from sanbo.service.plans import PlanSource


def show_all(context: typer.Context, as_json: Json = False) -> int:
    settings = read_settings(context.obj)
    from sanbo.service import plan_list  # noqa: PLC0415 - takes a moment
    from sanbo.service.plan_list import list_designs  # noqa: PLC0415
    from sanbo.service.plan_versions import open_versions  # noqa: PLC0415

    with open_versions(settings) if settings.workspace.is_dir() else nullcontext() as versions:
        designs = list_designs(settings, versions)
    if as_json:
        print_json([design.model_dump(mode="json") for design in designs])
        return exits.SUCCEEDED
    if not designs:
        say(tell("cli.plan.none"))
        return exits.SUCCEEDED
    _show_designs(designs)
    shipped = {design.plan_id for design in designs if design.origin == "sample"}
    for plan_id in plan_list.sample_ids():
        if plan_id in shipped:
            folder = plan_list.sample_folder()
            say(tell("cli.plan.samples_at", folder=folder, plan_id=plan_id), "dim")
            break
    return exits.SUCCEEDED


def check(context: typer.Context, plan: PlanName, as_json: Json = False) -> int:
    settings = read_settings(context.obj)
    source = plan_source(settings, plan)
    from sanbo.service.plans import validation_of  # noqa: PLC0415

    found = validation_of(settings, source)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        show_findings(out(), found.findings)
        show_verdict(err(), found.findings)
    return exits.SUCCEEDED if found.valid else exits.FAILED


def try_out(context: typer.Context, plan: PlanName, as_json: Json = False) -> int:
    settings = read_settings(context.obj)
    source = plan_source(settings, plan)
    from sanbo.service.plan_views import dry_run_of  # noqa: PLC0415

    report = dry_run_of(settings, source)
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        show_dry_run(out(), report)
        show_findings(out(), report.findings)
        show_verdict(err(), report.findings)
    return exits.SUCCEEDED if report.valid else exits.FAILED


def _show_designs(designs: list[DesignInfo]) -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("plan_id", "version", "state", "approval", "origin", "title"):
        table.add_column(tell(f"cli.plan.column.{name}"), no_wrap=name == "plan_id")
    for design in designs:
        table.add_row(
            words(design.plan_id),
            words(design.version),
            _state(design),
            words(plan_commands.state_words(design.state) if design.state else ""),
            words(tell(f"cli.plan.origin.{design.origin}"), "dim"),
            words(design.title or design.description),
        )
    out().print(table)


def _state(design: DesignInfo) -> Text:
    if design.valid:
        return mark(out(), "ok").append(" " + tell("cli.plan.state.ok"))
    return mark(out(), "broken").append(" " + tell("cli.plan.state.errors", count=design.errors))


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
    kind = picture_kind(output)
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


def _of_plan(context: typer.Context, plan: str, kind: Kind, right: bool) -> bytes:
    source = plan_source(read_settings(context.obj), plan)
    from sanbo.service.plan_views import picture  # noqa: PLC0415 - loaded by then anyway

    return picture(source, kind=kind, direction="right" if right else "down")


def _of_run(context: typer.Context, run_id: str, kind: Kind, right: bool) -> bytes:
    with open_bench(context.obj) as bench:
        from sanbo.service.plan_views import picture_of_run  # noqa: PLC0415

        direction = "right" if right else "down"
        return bench.call(
            lambda workbench, caller: picture_of_run(
                workbench, caller, run_id, kind=kind, direction=direction
            )
        )


Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="cli.option.plan_set", show_default=False),
]
Vars = Annotated[
    list[str] | None,
    typer.Option("--var", metavar="NAME=VALUE", help="cli.option.plan_var", show_default=False),
]


def run(
    context: typer.Context,
    plan: PlanName,
    *,
    given: Sets = None,
    values: Vars = None,
    sample: Annotated[bool, typer.Option("--sample", help="cli.option.plan_sample")] = False,
    preset: Annotated[
        str, typer.Option("--preset", metavar="NAME", help="cli.option.plan_preset")
    ] = "",
    until: Annotated[
        str, typer.Option("--until", metavar="NODE", help="cli.option.plan_until")
    ] = "",
    executor: Annotated[
        str | None, typer.Option("--executor", metavar="NAME", help="cli.option.plan_executor")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PATH", help="cli.option.plan_output")
    ] = None,
    as_json: Json = False,
) -> int:
    settings = settings_given(given or ())
    if output is not None:
        prepare_output(output)
    with open_bench(context.obj) as bench:
        from sanbo.service import plans, presets  # noqa: PLC0415

        source = plan_source(bench.settings, plan)
        try:
            check_settings(settings, presets.forms_of(source))
        except typer.BadParameter:
            if plans.validation_of(bench.settings, source).valid:
                raise  # else the start tells what is wrong with the plan, which comes first
        samples = _samples(source) if sample else ()
        start = plans.start_input(source, vars_given(values or ()), executor or "")
        start |= uploaded_pictures(bench, source, plan)
        started = _started(bench, start | {"preset": preset, "until": until})
        say_started(started)
        answers = SetAnswers(bench, settings, samples, started.input.get("proposed"))
        stop = asked_to_stop(bench, started, may_ask=not as_json, prepared=answers)
        if stop.run.status is Status.SUCCEEDED and output is not None:
            save_files(bench, stop.run, output)
            if not as_json:
                shown = [part for part in bench.parts(stop.run.run_id) if not part.is_aside]
                show_parts(out(), (part for part in shown if not isinstance(part, Files)))
                show_success(stop.run)
                return exit_code(stop.run)
        return report(bench, stop.run, as_json=as_json, put_off=stop.put_off)


def _started(bench: Bench, given: JsonObject) -> Run:
    """A plan that is refused says where and why before it says that it was refused."""
    from sanbo.service.plans import PLAN, findings_of  # noqa: PLC0415

    try:
        return bench.start(PLAN, given)
    except InvalidInput as refusal:
        show_findings(err(), findings_of(refusal.problem))
        raise


def _samples(source: PlanSource) -> tuple[Setting, ...]:
    from sanbo.service.plan_list import sample_answers, sample_folder  # noqa: PLC0415

    answers = sample_answers(source)
    if not answers:
        raise typer.BadParameter(tell("cli.usage.plan_no_sample"), param_hint="--sample")
    say(tell("cli.plan.sample_files", folder=sample_folder()), "dim")
    return tuple(Setting(name, value) for name, value in answers.items())


app = typer.Typer(
    cls=Group,
    add_completion=False,
    no_args_is_help=True,
    help="cli.help.plan",
    epilog="cli.help.plan_end",
)

for name, command in {
    **plan_commands.COMMANDS,
    "list": show_all,
    "validate": check,
    "dry-run": try_out,
    "run": run,
    "graph": graph,
    "generate": generate,
    "refine": refine,
}.items():
    app.command(name, help=f"cli.help.plan_{name.replace('-', '_')}")(command)
