"""`sanbo plan list|validate|dry-run`: plans before they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.table import Table

from sanbo.cli import exits
from sanbo.cli.bench import read_settings
from sanbo.cli.dry_run_view import show_dry_run
from sanbo.cli.findings_view import show_findings, show_verdict
from sanbo.cli.options import Json
from sanbo.cli.plan_given import PlanName, plan_source
from sanbo.cli.screen import err, mark, out, print_json, say, words
from sanbo.kernel.messages import tell

if TYPE_CHECKING:
    from rich.text import Text

    from sanbo.service.plan_list import DesignInfo


def show_all(context: typer.Context, as_json: Json = False) -> int:
    settings = read_settings(context.obj)
    from sanbo.service import plan_samples  # noqa: PLC0415 - takes a moment
    from sanbo.service.plan_list import list_designs  # noqa: PLC0415

    designs = list_designs(settings)
    if as_json:
        print_json([design.model_dump(mode="json") for design in designs])
        return exits.SUCCEEDED
    if not designs:
        say(tell("cli.plan.none"))
        return exits.SUCCEEDED
    _show_designs(designs)
    shipped = {design.plan_id for design in designs if design.origin == "sample"}
    for plan_id in plan_samples.sample_ids():
        if plan_id in shipped:
            folder = plan_samples.sample_folder()
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
    from sanbo.service.plans import dry_run_of  # noqa: PLC0415

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
    for name in ("plan_id", "version", "state", "origin", "title"):
        table.add_column(tell(f"cli.plan.column.{name}"), no_wrap=name == "plan_id")
    for design in designs:
        table.add_row(
            words(design.plan_id),
            words(design.version),
            _state(design),
            words(tell(f"cli.plan.origin.{design.origin}"), "dim"),
            words(design.title or design.description),
        )
    out().print(table)


def _state(design: DesignInfo) -> Text:
    if design.valid:
        return mark(out(), "ok").append(" " + tell("cli.plan.state.ok"))
    return mark(out(), "broken").append(" " + tell("cli.plan.state.errors", count=design.errors))
