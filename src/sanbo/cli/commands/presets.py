"""`sanbo presets`: answers to a plan's forms, kept under a name."""

from typing import Annotated

import typer
from rich.table import Table

from sanbo.cli import conventions
from sanbo.cli.bench import open_bench
from sanbo.cli.conventions import Group, Json
from sanbo.cli.plans import PlanName, plan_source
from sanbo.cli.screen import local_time, out, print_json, say, words
from sanbo.kernel.messages import tell

app = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True, help="cli.help.presets")

Name = Annotated[str, typer.Argument(metavar="NAME", help="cli.option.preset")]


@app.command("list", help="cli.help.presets_list")
def show_all(context: typer.Context, plan: PlanName, as_json: Json = False) -> int:
    with open_bench(context.obj) as bench:
        from sanbo.service.presets import presets_of  # noqa: PLC0415 - takes a moment

        source = plan_source(bench.settings, plan)
        found = bench.call(lambda workbench, caller: presets_of(workbench, caller, source))
    if as_json:
        print_json([each.model_dump(mode="json") for each in found])
        return conventions.SUCCEEDED
    if not found:
        say(tell("cli.presets.none"))
        return conventions.SUCCEEDED
    columns = ("name", "owner", "time", "unfit")
    table = Table(*(tell(f"cli.presets.{each}") for each in columns), box=None, pad_edge=False)
    for each in found:
        owner = tell("cli.presets.shared", owner=each.owner) if each.shared else each.owner
        unfit = "、".join(each.unfit)
        table.add_row(*map(words, (each.name, owner, local_time(each.updated_at), unfit)))
    out().print(table)
    return conventions.SUCCEEDED


@app.command("save", help="cli.help.presets_save")
def save(
    context: typer.Context,
    run: Annotated[str, typer.Argument(metavar="RUN", help="cli.option.preset_run")],
    name: Name,
    *,
    shared: Annotated[bool, typer.Option("--shared", help="cli.option.preset_shared")] = False,
    as_json: Json = False,
) -> int:
    with open_bench(context.obj) as bench:
        from sanbo.service.presets import save_preset  # noqa: PLC0415

        saved = bench.call(
            lambda workbench, caller: save_preset(workbench, caller, run, name, shared=shared)
        )
    if as_json:
        print_json(saved.model_dump(mode="json"))
        return conventions.SUCCEEDED
    say(tell("cli.presets.saved", name=saved.name, plan=saved.plan_id))
    if saved.left_out:
        say(tell("cli.presets.left_out", fields="、".join(saved.left_out)), "dim")
    return conventions.SUCCEEDED


@app.command("remove", help="cli.help.presets_remove")
def remove(context: typer.Context, plan: PlanName, name: Name) -> int:
    with open_bench(context.obj) as bench:
        from sanbo.service.presets import remove_preset  # noqa: PLC0415

        source = plan_source(bench.settings, plan)
        bench.call(lambda workbench, caller: remove_preset(workbench, caller, source, name))
    say(tell("cli.presets.removed", name=name))
    return conventions.SUCCEEDED
