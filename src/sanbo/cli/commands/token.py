"""`sanbo token`: who may use the workbench from other computers."""

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.table import Table

from sanbo.cli import conventions
from sanbo.cli.bench import open_bench
from sanbo.cli.conventions import Group, Json
from sanbo.cli.screen import local_time, out, print_json, say, words
from sanbo.kernel.messages import tell

app = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True, help="cli.help.token")

Name = Annotated[str, typer.Argument(metavar="NAME", help="cli.option.token_name")]


@app.command("create", help="cli.help.token_create")
def create(
    context: typer.Context,
    name: Name,
    role: Annotated[
        list[str] | None, typer.Option(metavar="ROLE", help="cli.option.token_role")
    ] = None,
) -> int:
    with open_bench(context.obj) as bench:
        token = bench.access.create_token(name, role or ())
    # Alone on standard output, so that it can be piped into a password store.
    typer.echo(token)
    say(tell("cli.token.created", name=name))
    return conventions.SUCCEEDED


@app.command("list", help="cli.help.token_list")
def show_all(context: typer.Context, as_json: Json = False) -> int:
    with open_bench(context.obj) as bench:
        tokens = bench.access.list_tokens()
    made = [(each, datetime.fromtimestamp(each.created_at, UTC)) for each in tokens]
    if as_json:
        print_json(
            [
                {"name": each.name, "created_at": at.isoformat(), "roles": list(each.roles)}
                for each, at in made
            ]
        )
        return conventions.SUCCEEDED
    if not made:
        say(tell("cli.token.none"))
        return conventions.SUCCEEDED
    headings = (tell("cli.token.name"), tell("cli.token.roles"), tell("cli.show.created"))
    table = Table(*headings, box=None, pad_edge=False)
    for each, at in made:
        table.add_row(words(each.name), words("、".join(each.roles)), words(local_time(at)))
    out().print(table)
    return conventions.SUCCEEDED


@app.command("revoke", help="cli.help.token_revoke")
def revoke(context: typer.Context, name: Name) -> int:
    with open_bench(context.obj) as bench:
        bench.access.revoke_token(name)
    say(tell("cli.token.revoked", name=name))
    return conventions.SUCCEEDED
