"""The language of the command line: chosen before anything is shown, also help and mistakes."""

import os
from collections.abc import Iterable, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperArgument, TyperGroup, TyperOption

from sanbo.cli.screen import out, say, words
from sanbo.kernel.messages import Language, has_text, tell

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


def early_language(arguments: Sequence[str]) -> Language:
    """`--lang`, else SANBO_LANGUAGE, else Japanese; the settings are not read yet."""
    wanted = os.environ.get("SANBO_LANGUAGE", "")
    for position, argument in enumerate(arguments):
        if argument == "--lang":
            wanted = "".join(arguments[position + 1 : position + 2])
        elif argument.startswith("--lang="):
            wanted = argument.removeprefix("--lang=")
    return "en" if wanted == "en" else "ja"


def translate(command: Any) -> Any:
    """Puts the words of the current language into a command and all that are below it."""
    command.help = _words(command.help)
    command.epilog = _words(command.epilog)
    for parameter in command.params:
        _translate_parameter(parameter)
    _translate_help(command)
    if isinstance(command, TyperGroup):
        below: Iterable[Any] = command.commands.values()
        for each in below:
            translate(each)
    return command


def _translate_parameter(parameter: Any) -> None:
    parameter.help = _words(parameter.help)
    if isinstance(parameter.show_default, str):
        parameter.show_default = _words(parameter.show_default)


def _words(text: str | None) -> str | None:
    return tell(text) if text is not None and has_text(text) else text


def _translate_help(command: Any) -> None:
    """The option `--help`, and what it shows."""
    make_option = command.get_help_option

    def help_option(context: Any) -> Any:
        option = make_option(context)
        if option is not None:
            option.help = tell("cli.option.help")
        return option

    def format_help(context: Any, _formatter: Any) -> None:
        show_help(command, context)

    command.get_help_option, command.format_help = help_option, format_help


def show_usage(error: typer.TyperException) -> None:
    if type(error).__name__ == "NoArgsIsHelpError":  # the help is on the screen already
        return
    say(_message(error), "red")
    context = getattr(error, "ctx", None)
    if context is not None:
        say(tell("cli.usage.help", command=context.command_path), "dim")


def _message(error: typer.TyperException) -> str:
    parameter: Any = getattr(error, "param", None)
    # By name: these classes are not part of what Typer exports.
    match type(error).__name__:
        case "MissingParameter" if parameter is not None:
            return tell("cli.usage.missing", name=_plain_spelling(parameter))
        case "NoSuchOption":
            return tell("cli.usage.option", name=getattr(error, "option_name", ""))
        case "BadParameter" if parameter is not None:
            reason = _expected(parameter) or error.message
            return tell("cli.usage.value", name=_plain_spelling(parameter), reason=reason)
        case _:
            return error.message


def _plain_spelling(parameter: Any) -> str:
    long = [option for option in parameter.opts if option.startswith("--")]
    return long[0] if long else parameter.display_name_raw


def _expected(parameter: Any) -> str:
    choices = parameter.type_descriptor.choices
    if choices:
        listed = " / ".join(str(getattr(choice, "value", choice)) for choice in choices)
        return tell("cli.usage.one_of", choices=listed)
    low, high = getattr(parameter, "min", None), getattr(parameter, "max", None)
    if low is not None and high is not None:
        return tell("cli.usage.between", low=low, high=high)
    return ""
