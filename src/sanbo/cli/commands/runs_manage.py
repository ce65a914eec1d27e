"""Ending runs: cancel, delete."""

import time
from typing import Annotated

import typer

from sanbo.cli import exits
from sanbo.cli.asking import GivenUp, confirmed
from sanbo.cli.bench import Bench, open_bench
from sanbo.cli.options import Json, RunId
from sanbo.cli.screen import can_ask, print_json, say
from sanbo.kernel.messages import tell
from sanbo.runs.model import Run

CANCEL_SECONDS = 5.0
LOOK_SECONDS = 0.2


def cancel(context: typer.Context, run: RunId, as_json: Json = False) -> int:
    with open_bench(context.obj) as bench:
        bench.cancel(run)
        ended = _ended(bench, run)
    if as_json:
        print_json(ended.model_dump(mode="json"))
    text = "cli.cancelled" if ended.status.is_final else "cli.cancel_requested"
    say(tell(text, run_id=run))
    return exits.SUCCEEDED


def delete(
    context: typer.Context,
    run: RunId,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="cli.option.yes")] = False,
) -> int:
    with open_bench(context.obj) as bench:
        bench.get(run)
        if not yes and not can_ask():
            say(tell("cli.usage.yes_needed"), "red")
            return exits.USAGE
        if not yes and not _sure(run):
            say(tell("cli.not_deleted"))
            return exits.FAILED
        bench.delete(run)
    say(tell("cli.deleted", run_id=run))
    return exits.SUCCEEDED


def _ended(bench: Bench, run_id: str) -> Run:
    """Another process that has the run looks for the request a few times a second."""
    deadline = time.monotonic() + CANCEL_SECONDS
    while True:
        run = bench.get(run_id)
        if run.status.is_final or time.monotonic() > deadline:
            return run
        time.sleep(LOOK_SECONDS)


def _sure(run_id: str) -> bool:
    try:
        return confirmed(tell("cli.delete_sure", run_id=run_id))
    except GivenUp:
        return False
