"""`sanbo` itself: its language, the options of every command, and the commands by name."""

import importlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command
from typing_extensions import override

from sanbo import __version__
from sanbo.cli import conventions
from sanbo.cli.conventions import Group
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


COMMANDS = (
    "demo",
    "up",
    "doctor",
    "init",
    "analyze",
    "compare",
    "research",
    "ask",
    "plan",
    "presets",
    "triggers",
    "blocks",
    "index",
    "collections",
    "calibration",
    "runs",
    "token",
    "cluster",
)
"""Each is the `app` of the module of its name in `sanbo.cli.commands`."""

_WITH_VALUE = ("--workspace", "--lang")
_WITHOUT_VALUE = ("--version",)


@dataclass(frozen=True)
class Everywhere:
    """What was said before the command and holds for all of them."""

    workspace: Path | None
    language: Language | None


def everywhere_first(arguments: Sequence[str]) -> list[str]:
    """Moves the options that hold for every command to the front: people write them anywhere."""
    found: list[str] = []
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        if argument == "--":
            rest += [argument, *waiting]
            break
        if argument in _WITH_VALUE:
            found += [argument, *waiting[:1]]
            waiting = waiting[1:]
        elif argument in _WITHOUT_VALUE or argument.startswith(tuple(f"{o}=" for o in _WITH_VALUE)):
            found.append(argument)
        else:
            rest.append(argument)
    return found + rest


class _LoadedWhenCalled(TyperCommand):
    """A name and a line of help; the command behind it is imported when it is called.

    Commands need Pydantic's models and more: half a second that `sanbo --help` need not wait.
    """

    @override
    def make_context(
        self, info_name: Any, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        module = importlib.import_module(f"sanbo.cli.commands.{self.name}")
        command: Any = translate(get_command(module.app))
        return command.make_context(info_name, args, parent=parent, **extra)


class _Root(Group):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name in COMMANDS:
            self.add_command(_LoadedWhenCalled(name=name, help=f"cli.help.{name}"))


def root() -> Any:
    """The command line in the current language."""
    app = typer.Typer(
        cls=_Root,
        add_completion=False,
        invoke_without_command=True,
        help="cli.help.sanbo",
        epilog="cli.help.sanbo_end",
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback()(_everywhere)
    return translate(get_command(app))


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sanbo {__version__}")
        raise typer.Exit


def _everywhere(
    context: typer.Context,
    workspace: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="cli.option.workspace", show_default="cli.option.workspace_default"
        ),
    ] = None,
    lang: Annotated[
        Language | None,
        typer.Option(help="cli.option.lang", show_default="cli.option.lang_default"),
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", help="cli.option.version", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    _ = version
    if workspace is not None and not workspace.strip():
        raise typer.BadParameter(tell("cli.usage.empty", option="--workspace"))
    context.obj = Everywhere(Path(workspace) if workspace else None, lang)
    if context.invoked_subcommand is None:
        context.get_help()
        raise typer.Exit(conventions.USAGE)
