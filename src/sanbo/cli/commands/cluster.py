"""`sanbo cluster`: processes that advance runs for servers, and how they stand."""

import importlib
import math
import os
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.table import Table

from sanbo.cli import conventions
from sanbo.cli.bench import open_bench, read_settings
from sanbo.cli.conventions import Group, Json
from sanbo.cli.problems import keep_log
from sanbo.cli.screen import out, print_json, say, show_line, words
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, MissingDependency
from sanbo.kernel.settings import prepare_workspace
from sanbo.settings import Settings

app = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True, help="cli.help.cluster")

RESERVED = ("segment", "block")
"""Labels that Sanbo itself gives to workers."""
Address = Annotated[
    str | None, typer.Option("--cluster", metavar="dask://HOST:PORT", help="cli.option.cluster")
]


def with_cluster(settings: Settings, address: str | None) -> Settings:
    """As the settings have it, or as it was given."""
    if address is None:
        return settings
    try:
        runs = type(settings.runs).model_validate(
            {**settings.runs.model_dump(), "cluster": address}
        )
    except ValidationError:
        raise InvalidInput("cluster_address_invalid", address=address) from None
    return settings.model_copy(update={"runs": runs})


@app.command("worker", help="cli.help.cluster_worker")
def worker(
    context: typer.Context,
    *,
    cluster: Address = None,
    places: Annotated[int, typer.Option(min=1, max=1000, help="cli.option.cluster_places")] = 16,
    blocks: Annotated[
        int | None, typer.Option(min=1, max=1000, help="cli.option.cluster_blocks")
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option(metavar="NAME=AMOUNT", help="cli.option.cluster_label")
    ] = None,
    metrics_port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="cli.option.cluster_metrics_port")
    ] = None,
) -> int:
    labels = dict(_label(each) for each in label or ())
    settings = with_cluster(read_settings(context.obj), cluster)
    if not settings.runs.cluster:
        raise InvalidInput("cluster_not_named")
    if settings.database_url is None:
        raise InvalidInput("cluster_needs_postgresql")
    prepare_workspace(settings.workspace)
    keep_log(settings.workspace)
    try:
        from sanbo.service.cluster_worker import Offer  # noqa: PLC0415 - an extra, and slow
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("dask", "distributed"):
            raise MissingDependency("cluster_not_installed") from None
        raise
    offer = Offer(places, blocks or os.cpu_count() or 1, labels)
    say(tell("cli.cluster.at_work", address=settings.runs.cluster, places=places))
    # By name: it stands above the command line, as the server does.
    importlib.import_module("sanbo.worker").serve(settings, offer, metrics_port)
    return conventions.SUCCEEDED


@app.command("status", help="cli.help.cluster_status")
def status(context: typer.Context, cluster: Address = None, as_json: Json = False) -> int:
    with_cluster(read_settings(context.obj), cluster)  # whether it is an address at all
    with open_bench(context.obj) as bench:
        stands = bench.cluster_status(cluster)
    if as_json:
        print_json(stands.model_dump(mode="json"))
        return conventions.SUCCEEDED
    if stands.problem is not None:
        show_line(out(), "broken", stands.problem.message)
        say(stands.problem.hint or "")
    elif not stands.address:
        say(tell("cli.cluster.none"))
    for workflow, wanted in stands.missing.items():
        text = tell("cli.cluster.missing", workflow=workflow, labels=", ".join(wanted))
        show_line(out(), "warning", text)
    if stands.workers:
        text = tell(
            "cli.cluster.workers", count=len(stands.workers), busy=stands.busy, places=stands.places
        )
        say(text)
        table = _table("worker", "host", "busy", "blocks", "labels", "memory", "cpu", "silent")
        for each in stands.workers:
            table.add_row(
                words(each.name),
                words(each.address),
                f"{each.busy}/{each.places}",
                str(each.blocks),
                words(", ".join(f"{name}={amount:g}" for name, amount in each.labels.items())),
                f"{each.memory_mb} MB",
                f"{each.cpu_percent:.0f} %",
                f"{each.silent_seconds:.0f} s",
            )
        out().print(table)
    say(tell("cli.cluster.throughput", number=f"{stands.runs_a_minute:g}"))
    if not stands.queue:
        say(tell("cli.cluster.no_queue"))
        return conventions.SUCCEEDED
    table = _table("owner", "workflow", "queued", "running", "oldest")
    for line in stands.queue:
        numbers = (str(line.queued), str(line.running), f"{line.oldest_seconds:.0f} s")
        table.add_row(words(line.owner), words(line.workflow), *numbers)
    out().print(table)
    return conventions.SUCCEEDED


def _table(*columns: str) -> Table:
    return Table(*(tell(f"cli.cluster.{each}") for each in columns), box=None, pad_edge=False)


def _label(text: str) -> tuple[str, float]:
    name, _, amount = text.partition("=")
    try:
        number = float(amount or 1)
    except ValueError:
        number = math.nan
    is_taken = name.strip() in RESERVED
    if is_taken or not name.strip() or not number > 0 or math.isinf(number):
        raise InvalidInput("cluster_label_invalid", label=text)
    return name.strip(), number
