"""Help on the screen, in the language of the person.

Typer's own help is English around the texts, and loads Markdown, tracebacks and more before it
shows anything: this one is in both languages and there at once.
"""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperArgument, TyperGroup, TyperOption

from sanbo.cli.screen import out, words
from sanbo.kernel.messages import tell

HELP_WIDTH = 100


def show_help(command: Any, context: Any) -> None:
    console = out()
    console.width = min(console.width, HELP_WIDTH)
    parameters: list[Any] = [each for each in command.get_params(context) if not each.hidden]
    arguments = [each for each in parameters if isinstance(each, TyperArgument)]
    options = [each for each in parameters if isinstance(each, TyperOption)]
    pieces = [context.command_path, *(each.display_name_raw for each in arguments)]
    pieces.append(tell("cli.panel.usage_options"))
    if isinstance(command, TyperGroup) and not arguments:
        pieces.append(tell("cli.panel.usage_command"))
    console.print(words(tell("cli.panel.usage", usage=" ".join(pieces)), "bold"))
    if command.help:
        console.print()
        console.print(words(command.help))
    _show_parameters(console, "cli.panel.arguments", arguments)
    _show_parameters(console, "cli.panel.options", options)
    if isinstance(command, TyperGroup):
        _show_commands(console, command, context)
    if command.epilog:
        console.print()
        console.print(words(command.epilog, "dim"))


def _show_parameters(
    console: Console, title: str, parameters: Sequence[TyperArgument | TyperOption]
) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for parameter in parameters:
        table.add_row(_spelling(parameter), _explanation(parameter))
    _show_section(console, title, table)


def _show_commands(console: Console, group: TyperGroup, context: Any) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name in group.list_commands(context):
        command: Any = group.get_command(context, name)
        table.add_row(words(f"  {name}", "cyan"), words(command.help or ""))
    _show_section(console, "cli.panel.commands", table)


def _show_section(console: Console, title: str, table: Table) -> None:
    if table.row_count:
        console.print()
        console.print(words(tell(title), "bold"))
        console.print(table)


def _spelling(parameter: TyperArgument | TyperOption) -> Text:
    if isinstance(parameter, TyperArgument):
        return words(f"  {parameter.display_name_raw}", "cyan")
    spelled = Text(f"  {', '.join(sorted(parameter.opts, key=len))}", style="cyan")
    return spelled.append(f" {_value(parameter)}".rstrip(), style="yellow")


def _value(option: TyperOption) -> str:
    """What is to be written after the option; nothing after a switch."""
    if option.is_bool_flag:
        return ""
    choices = option.type_descriptor.choices
    if option.metavar is None and choices:
        return "|".join(str(getattr(choice, "value", choice)) for choice in choices)
    return option.metavar or (option.name or "").upper()


def _explanation(parameter: TyperArgument | TyperOption) -> Text:
    text = words(parameter.help or "")
    default: object = parameter.show_default
    if not isinstance(default, str):
        default = None if parameter.default in (None, False) else parameter.default
    if default is not None:
        text.append(" " + tell("cli.panel.default", value=default), style="dim")
    elif parameter.required:
        text.append(" " + tell("cli.panel.required"), style="dim")
    return text
