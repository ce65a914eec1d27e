"""`sanbo blocks`: what plans can be made of."""

from typing import Annotated

import typer

from sanbo.cli import exits
from sanbo.cli.bench import read_settings
from sanbo.cli.blocks_view import show_block, show_blocks
from sanbo.cli.groups import Group
from sanbo.cli.options import Json
from sanbo.cli.screen import print_json
from sanbo.service import blocks

app = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True, help="cli.help.blocks")


@app.command("list", help="cli.help.blocks_list")
def show_all(context: typer.Context, as_json: Json = False) -> int:
    found = blocks.list_blocks(read_settings(context.obj).workspace)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        show_blocks(found)
    return exits.SUCCEEDED


@app.command("show", help="cli.help.blocks_show")
def show_one(
    context: typer.Context,
    block: Annotated[str, typer.Argument(metavar="ID[@RANGE]", help="cli.option.block")],
    as_json: Json = False,
) -> int:
    found = blocks.find_block(read_settings(context.obj).workspace, block)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        show_block(found)
    return exits.SUCCEEDED
