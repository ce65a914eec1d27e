"""`sanbo blocks`: what plans can be made of, a list by group and one with its ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from sanbo.cli import conventions as exits
from sanbo.cli.bench import read_settings
from sanbo.cli.conventions import Group, Json
from sanbo.cli.screen import err, out, print_json, show_line, words
from sanbo.kernel.messages import tell
from sanbo.service import blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanbo.service.blocks import BlockDetail, BlocksFound, PortLine

_MOST_SAMPLE_LINES = 40


def show_blocks(found: BlocksFound) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column(tell("cli.blocks.id"), no_wrap=True)
    table.add_column(tell("cli.blocks.version"), no_wrap=True)
    table.add_column(tell("cli.blocks.description"), overflow="fold")
    for block in found.blocks:
        about = words(block.description)
        if block.is_own:
            about = words(tell("cli.blocks.own") + " ", "cyan").append_text(about)
        if block.deprecated:
            about.append_text(words(f"\n→ {block.deprecated}", "yellow"))
        table.add_row(words(block.id, "bold"), words(block.version), about)
    out().print(table)
    for problem in found.problems:
        show_line(err(), "warning", problem.message)
        show_line(err(), "skipped", problem.hint)


def show_block(block: BlockDetail) -> None:
    console = out()
    console.print(words(f"{block.id}@{block.version}", "bold"), soft_wrap=True)
    console.print(words(block.description), soft_wrap=True)
    if block.deprecated:
        console.print(words(f"→ {block.deprecated}", "yellow"), soft_wrap=True)
    if len(block.versions) > 1:
        console.print(words(tell("cli.blocks.versions", versions=" ".join(block.versions)), "dim"))
    if block.requirements:
        needed = ", ".join(block.requirements)
        console.print(words(tell("cli.blocks.requirements", packages=needed), "dim"))
    _show_ports(tell("block_page.inputs"), block.input_lines)
    _show_ports(tell("block_page.outputs"), block.output_lines)
    for sample in block.sample_texts[:1]:
        lines = sample.splitlines()
        _title(tell("block_page.sample"))
        console.print(words("\n".join(lines[:_MOST_SAMPLE_LINES])), soft_wrap=True)
        if len(lines) > _MOST_SAMPLE_LINES:
            console.print(words("…", "dim"))


def _show_ports(title: str, ports: Sequence[PortLine]) -> None:
    _title(title)
    if not ports:
        out().print(words(tell("block_page.none")))
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    table.add_column(overflow="fold", ratio=1)
    for port in ports:
        about = words(port.description)
        if port.note:
            about.append_text(words(("  " if port.description else "") + port.note, "dim"))
        style = "" if "." in port.name else "bold"
        table.add_row(words(f"  {port.name}", style), words(port.type, "cyan"), about)
    out().print(table)


def _title(text: str) -> None:
    out().print(Text("\n").append_text(words(text, "bold underline")))


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
