"""`sanbo up`: the workbench in the browser and the API, in one process on one port."""

import importlib
from typing import Annotated

import typer

from sanbo.cli.bench import read_settings
from sanbo.cli.commands.cluster import with_cluster
from sanbo.cli.problems import keep_log
from sanbo.kernel.settings import prepare_workspace

app = typer.Typer(add_completion=False)


@app.command(help="cli.help.up")
def up(
    context: typer.Context,
    host: Annotated[
        str | None,
        typer.Option(help="cli.option.host", show_default="cli.option.host_default"),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="cli.option.port", show_default="cli.option.port_default"
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="dask://HOST:PORT", help="cli.option.up_cluster"),
    ] = None,
) -> int | None:
    settings = with_cluster(read_settings(context.obj), cluster)
    given = {"host": host, "port": port}
    changed = {name: value for name, value in given.items() if value is not None}
    server = settings.server.model_copy(update=changed)
    settings = settings.model_copy(update={"server": server})
    prepare_workspace(settings.workspace)
    keep_log(settings.workspace)
    # By name: the server puts API and UI together and stands above the command line, and front
    # ends do not import each other.
    return importlib.import_module("sanbo.server").serve(settings)
