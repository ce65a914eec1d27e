"""`sanbo runs`: everything that can be done with a run, whatever its workflow."""

import typer

from sanbo.cli.commands import runs_advance, runs_look, runs_manage
from sanbo.cli.groups import Group

app = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True, help="cli.help.runs")

for name, command in {
    "list": runs_look.show_all,
    "show": runs_look.show_one,
    "events": runs_look.show_events,
    "artifact": runs_look.save_artifact,
    "start": runs_advance.start,
    "answer": runs_advance.answer,
    "resume": runs_advance.resume,
    "replay": runs_advance.replay,
    "cancel": runs_manage.cancel,
    "delete": runs_manage.delete,
}.items():
    app.command(name, help=f"cli.help.runs_{name}")(command)
