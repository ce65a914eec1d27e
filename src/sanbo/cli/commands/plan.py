"""`sanbo plan`: business procedures as YAML: check them, try them, run them, draw them."""

import typer

from sanbo.cli.commands import plan_check, plan_graph, plan_run
from sanbo.cli.groups import Group

app = typer.Typer(
    cls=Group,
    add_completion=False,
    no_args_is_help=True,
    help="cli.help.plan",
    epilog="cli.help.plan_end",
)

for name, command in {
    "list": plan_check.show_all,
    "validate": plan_check.check,
    "dry-run": plan_check.try_out,
    "run": plan_run.run,
    "graph": plan_graph.graph,
}.items():
    app.command(name, help=f"cli.help.plan_{name.replace('-', '_')}")(command)
