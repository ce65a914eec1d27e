"""`sanbo triggers`: what starts plans by itself, while a server runs."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.table import Table

from sanbo.cli import conventions
from sanbo.cli.bench import open_bench, read_settings
from sanbo.cli.conventions import Group, Json
from sanbo.cli.plans import vars_given
from sanbo.cli.screen import local_time, out, print_json, say, words
from sanbo.kernel.messages import current_language, tell

if TYPE_CHECKING:
    from sanbo.service.triggers import Cause, Trigger

app = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True, help="cli.help.triggers")

TriggerId = Annotated[str, typer.Argument(metavar="TRIGGER", help="cli.option.trigger")]


@app.command("add", help="cli.help.triggers_add")
def add(
    context: typer.Context,
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="cli.option.trigger_plan")],
    *,
    cron: Annotated[str, typer.Option(metavar="CRON", help="cli.option.trigger_cron")] = "",
    zone: Annotated[str, typer.Option(metavar="ZONE", help="cli.option.trigger_zone")] = "",
    business_days: Annotated[
        bool, typer.Option("--business-days", help="cli.option.trigger_business_days")
    ] = False,
    move_to: Annotated[
        Literal["next", "previous"] | None, typer.Option(help="cli.option.trigger_move_to")
    ] = None,
    catch_up: Annotated[
        bool, typer.Option("--catch-up", help="cli.option.trigger_catch_up")
    ] = False,
    folder: Annotated[str, typer.Option(metavar="PATH", help="cli.option.trigger_folder")] = "",
    pattern: Annotated[
        str, typer.Option(metavar="PATTERN", help="cli.option.trigger_pattern")
    ] = "*",
    webhook: Annotated[bool, typer.Option("--webhook", help="cli.option.trigger_webhook")] = False,
    signed_by: Annotated[
        str, typer.Option(metavar="VARIABLE", help="cli.option.trigger_signed_by")
    ] = "",
    after: Annotated[str, typer.Option(metavar="PLAN", help="cli.option.trigger_after")] = "",
    on: Annotated[
        Literal["succeeded", "failed", "ended"], typer.Option(help="cli.option.trigger_on")
    ] = "succeeded",
    into: Annotated[str, typer.Option(metavar="NAME", help="cli.option.trigger_into")] = "",
    var: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="cli.option.plan_var", show_default=False),
    ] = None,
    as_json: Json = False,
) -> int:
    if sum(map(bool, (cron, folder, webhook, after))) != 1:
        raise typer.BadParameter(tell("cli.usage.trigger_cause"), param_hint="PLAN")
    values = vars_given(var or ())
    zone = zone or read_settings(context.obj).triggers.zone
    from sanbo.service.triggers import Cause, NewTrigger, Schedule  # noqa: PLC0415 - takes a moment

    if cron:
        moved = move_to or ("skip" if business_days else "run")
        schedule = Schedule(cron=cron, zone=zone, on_holiday=moved)
        cause = Cause(kind="cron", schedule=schedule, catch_up=catch_up)
    elif folder:
        cause = Cause(kind="folder", folder=folder, pattern=pattern)
    elif webhook:
        cause = Cause(kind="webhook", signed_by=signed_by)
    else:
        cause = Cause(kind="after", after=after, outcome=on)
    new = NewTrigger(plan_id=plan, cause=cause, vars=values, into=into, language=current_language())
    with open_bench(context.obj) as bench:
        added = bench.call(lambda workbench, caller: workbench.triggers.add(caller, new))
    if as_json:
        print_json({**_shown(added.trigger), "token": added.token})
        return conventions.SUCCEEDED
    typer.echo(added.trigger.trigger_id)
    say(tell("cli.triggers.added", cause=_cause_text(added.trigger.cause)))
    if added.trigger.next_at is not None:
        say(tell("cli.triggers.next", time=_time(added.trigger.next_at)))
    if added.trigger.address:
        say(tell("cli.triggers.address", address=added.trigger.address))
    if added.token:
        # Alone on standard output, below the id.
        typer.echo(added.token)
        say(tell("cli.triggers.token"))
    return conventions.SUCCEEDED


@app.command("list", help="cli.help.triggers_list")
def show_all(context: typer.Context, as_json: Json = False) -> int:
    with open_bench(context.obj) as bench:
        found = bench.call(lambda workbench, caller: workbench.triggers.all(caller))
    if as_json:
        print_json([_shown(each) for each in found])
        return conventions.SUCCEEDED
    if not found:
        say(tell("cli.triggers.none"))
        return conventions.SUCCEEDED
    headings = (tell(f"cli.triggers.{name}") for name in ("id", "plan_id", "cause", "state"))
    table = Table(*headings, box=None, pad_edge=False)
    for each in found:
        state = tell("cli.triggers.paused") if each.paused else tell("cli.triggers.active")
        if each.next_at is not None:
            state = tell("cli.triggers.next", time=_time(each.next_at))
        table.add_row(
            words(each.trigger_id),
            words(each.plan_id),
            words(_cause_text(each.cause)),
            words(state),
        )
    out().print(table)
    return conventions.SUCCEEDED


@app.command("remove", help="cli.help.triggers_remove")
def remove(context: typer.Context, trigger: TriggerId) -> int:
    with open_bench(context.obj) as bench:
        bench.call(lambda workbench, caller: workbench.triggers.remove(caller, trigger))
    say(tell("cli.triggers.removed", trigger=trigger))
    return conventions.SUCCEEDED


@app.command("pause", help="cli.help.triggers_pause")
def pause(context: typer.Context, trigger: TriggerId) -> int:
    _set_paused(context, trigger, paused=True)
    say(tell("cli.triggers.now_paused", trigger=trigger))
    return conventions.SUCCEEDED


@app.command("resume", help="cli.help.triggers_resume")
def resume(context: typer.Context, trigger: TriggerId) -> int:
    _set_paused(context, trigger, paused=False)
    say(tell("cli.triggers.now_active", trigger=trigger))
    return conventions.SUCCEEDED


def _set_paused(context: typer.Context, trigger: str, *, paused: bool) -> None:
    with open_bench(context.obj) as bench:
        bench.call(
            lambda workbench, caller: workbench.triggers.pause(caller, trigger, paused=paused)
        )


@app.command("history", help="cli.help.triggers_history")
def history(context: typer.Context, trigger: TriggerId, as_json: Json = False) -> int:
    with open_bench(context.obj) as bench:
        found = bench.call(lambda workbench, caller: workbench.triggers.history(caller, trigger))
    if as_json:
        print_json([each.model_dump(mode="json") for each in found])
        return conventions.SUCCEEDED
    if not found:
        say(tell("cli.triggers.no_history"))
        return conventions.SUCCEEDED
    headings = (tell(f"cli.triggers.{name}") for name in ("time", "state", "run"))
    table = Table(*headings, box=None, pad_edge=False)
    for each in found:
        state = tell(f"cli.triggers.status.{each.status}", count=each.count)
        about = each.run_id if each.status == "started" else each.problem and each.problem.message
        table.add_row(words(_time(each.due_at)), words(state), words(about or ""))
    out().print(table)
    return conventions.SUCCEEDED


def _cause_text(cause: "Cause") -> str:
    match cause.kind:
        case "cron":
            assert cause.schedule is not None
            text = f"{cause.schedule.cron} {cause.schedule.zone}"
            if cause.schedule.on_holiday == "run":
                return text
            return text + tell(f"cli.triggers.on_holiday.{cause.schedule.on_holiday}")
        case "folder":
            return tell("cli.triggers.kind.folder", folder=cause.folder, pattern=cause.pattern)
        case "webhook":
            return tell("cli.triggers.kind.webhook")
        case "after":
            return tell(f"cli.triggers.kind.after_{cause.outcome}", plan=cause.after)


def _shown(trigger: "Trigger") -> dict[str, Any]:
    return {**trigger.model_dump(mode="json"), "address": trigger.address}


def _time(seconds: float) -> str:
    return local_time(datetime.fromtimestamp(seconds, UTC))
